"""The decoder once more, as plainly as it can be written: no pool, no blocks, no pieces, float64.

What it shares with the code under test is the weights and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.backends.base import Floats
from core.backends.spec import DecoderSpec
from core.backends.weights import Weights

Wide = NDArray[np.float64]


def logits_of(spec: DecoderSpec, weights: Weights[Floats], tokens: Sequence[int]) -> Wide:
    """The last token's logits."""
    x = _wide(weights.embedding)[np.array(tokens) % spec.vocab_size]
    for layer in weights.layers:
        normed = _norm(x, layer.attention_norm, spec.rms_eps)
        mixed = []
        for head in range(spec.num_heads):
            kv_head = head * spec.num_kv_heads // spec.num_heads
            queries = _head(normed, layer.query, layer.query_bias, head, spec)
            keys = _head(normed, layer.key, layer.key_bias, kv_head, spec)
            values = _head(normed, layer.value, layer.value_bias, kv_head, spec)
            if spec.qk_norm:
                queries = _norm(queries, layer.query_norm, spec.rms_eps)
                keys = _norm(keys, layer.key_norm, spec.rms_eps)
            mixed.append(_attend(_turn(queries, spec), _turn(keys, spec), values))
        x = x + np.concatenate(mixed, axis=1) @ _wide(layer.output).T
        normed = _norm(x, layer.ffn_norm, spec.rms_eps)
        gate = normed @ _wide(layer.gate).T
        x = x + (gate / (1 + np.exp(-gate)) * (normed @ _wide(layer.up).T)) @ _wide(layer.down).T
    last: Wide = _wide(weights.head) @ _norm(x[-1:], weights.final_norm, spec.rms_eps)[0]
    return last


def _wide(numbers: Any) -> Wide:
    return np.asarray(numbers, np.float64)


def _norm(x: Wide, weight: Any, eps: float) -> Wide:
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * _wide(weight)


def _head(x: Wide, matrix: Floats, bias: Floats | None, head: int, spec: DecoderSpec) -> Wide:
    rows = slice(head * spec.head_dim, (head + 1) * spec.head_dim)
    return x @ _wide(matrix)[rows].T + (0 if bias is None else _wide(bias)[rows])


def _turn(x: Wide, spec: DecoderSpec) -> Wide:
    """Pair (i, i + d/2) as one complex number, turned by its position's angle."""
    half = spec.head_dim // 2
    frequencies = spec.rope_theta ** -(np.arange(half) / half) / np.array(spec.rope_factors or (1.0,) * half)
    turned = (x[:, :half] + 1j * x[:, half:]) * np.exp(1j * np.outer(np.arange(len(x)), frequencies))
    turned *= spec.rope_gain
    return np.concatenate([turned.real, turned.imag], axis=1)


def _attend(queries: Wide, keys: Wide, values: Wide) -> Wide:
    scores = queries @ keys.T / np.sqrt(queries.shape[1])
    shares = np.exp(scores - scores.max(axis=1, keepdims=True)) * np.tri(len(scores))
    return shares / shares.sum(axis=1, keepdims=True) @ values
