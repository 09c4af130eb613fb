"""Decoders small enough for tests, and backends over them. torch ones are skipped where it is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.backends.base import Floats
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.decoders.numpy_prefill import NumpyBackend
from core.backends.decoders.torch_prefill import TorchBackend, load_torch, torch_available
from core.backends.spec import DecoderSpec
from core.backends.weights import RandomSource, Weights, load_weights, map_weights
from core.extras import how_to_add

TINY = DecoderSpec(
    "tiny", vocab_size=97, hidden=32, num_layers=3, num_heads=4, num_kv_heads=2, head_dim=8, ffn=48,
    folds_tokens=True,
)  # fmt: skip
VARIANTS = {
    "llama": TINY,
    "multi-head": replace(TINY, num_kv_heads=4),
    "multi-query": replace(TINY, num_kv_heads=1),
    "wide heads": replace(TINY, head_dim=16),
    "tied head": replace(TINY, tied_head=True),
    "qwen2": replace(TINY, qkv_bias=True),
    "qwen3": replace(TINY, qk_norm=True),
    "stretched": replace(TINY, rope_factors=(1.0, 1.5, 4.0, 8.0)),
}

needs_torch = pytest.mark.skipif(
    not torch_available(), reason=f"torch is not installed: {how_to_add('torch')}"
)
LIBRARIES = ["numpy", pytest.param("torch", marks=needs_torch)]


def weights_of(spec: DecoderSpec, seed: int = 0) -> Weights[Floats]:
    """Random weights; norms that are not all ones, so that forgetting one of them shows."""
    weights = load_weights(spec, RandomSource(spec, seed), lambda numbers: numbers)
    for layer in weights.layers:
        for norm in (layer.attention_norm, layer.ffn_norm, layer.query_norm, layer.key_norm):
            if norm is not None:
                norm *= RandomSource(spec, seed + 1).tensor("query_bias")[: len(norm)].mean() + 1.25
    return weights


def backend_of(library: str, spec: DecoderSpec = TINY, seed: int = 0) -> DecoderBackend[Any]:
    """A backend in float32 on the CPU."""
    weights = weights_of(spec, seed)
    if library == "numpy":
        return NumpyBackend(spec, weights)
    return TorchBackend(spec, map_weights(weights, load_torch().from_numpy))
