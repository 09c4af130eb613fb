"""The numbers of a decoder, as numpy arrays or as any library's own: random ones, or read from a file.

A ``WeightSource`` gives one tensor at a time, so that loading never holds a model twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from core.backends.base import Floats
from core.backends.progress import Progress, no_progress
from core.backends.spec import DecoderSpec

Array = TypeVar("Array")


@dataclass(frozen=True, slots=True)
class Layer(Generic[Array]):
    """One layer. Matrices have shape [out, in]; what a decoder does not have is None."""

    attention_norm: Array
    query: Array
    key: Array
    value: Array
    output: Array
    ffn_norm: Array
    gate: Array
    up: Array
    down: Array
    query_bias: Array | None = None
    key_bias: Array | None = None
    value_bias: Array | None = None
    query_norm: Array | None = None
    key_norm: Array | None = None


@dataclass(frozen=True, slots=True)
class Weights(Generic[Array]):
    """All weights. ``embedding`` and ``head`` have shape [vocabulary, hidden] and may be the same array."""

    embedding: Array
    layers: tuple[Layer[Array], ...]
    final_norm: Array
    head: Array


class WeightSource(Protocol):
    """Where weights come from. Names: ``embedding``, ``final_norm``, ``head``, and those of ``Layer``."""

    def tensor(self, name: str, layer: int | None = None) -> Floats:
        """One tensor in float32, freshly made."""
        ...


_BIASES = ("query_bias", "key_bias", "value_bias")
_NORMS = ("query_norm", "key_norm")


def layer_parts(spec: DecoderSpec) -> list[str]:
    """The tensors that each layer of this decoder has."""
    absent = (() if spec.qkv_bias else _BIASES) + (() if spec.qk_norm else _NORMS)
    return [field.name for field in fields(Layer) if field.name not in absent]


def load_weights(
    spec: DecoderSpec,
    source: WeightSource,
    convert: Callable[[Floats], Array],
    progress: Progress = no_progress,
) -> Weights[Array]:
    """Read all tensors, each converted as soon as it is read; ``progress`` may raise to stop."""
    embedding = convert(source.tensor("embedding"))
    layers = []
    for index in range(spec.num_layers):
        progress(index / spec.num_layers)
        parts: dict[str, Any] = {part: convert(source.tensor(part, index)) for part in layer_parts(spec)}
        layers.append(Layer(**parts))
    head = embedding if spec.tied_head else convert(source.tensor("head"))
    progress(1.0)
    return Weights(embedding, tuple(layers), convert(source.tensor("final_norm")), head)


def map_weights(weights: Weights[Floats], convert: Callable[[Floats], Array]) -> Weights[Array]:
    """The same weights as another library's arrays; what is absent stays absent, one array stays one."""

    def mapped(layer: Layer[Floats]) -> Layer[Array]:
        parts = {field.name: getattr(layer, field.name) for field in fields(Layer)}
        made: dict[str, Any] = {name: None if part is None else convert(part) for name, part in parts.items()}
        return Layer(**made)

    embedding = convert(weights.embedding)
    head = embedding if weights.head is weights.embedding else convert(weights.head)
    return Weights(embedding, tuple(map(mapped, weights.layers)), convert(weights.final_norm), head)


class RandomSource:
    """Random weights of unit scale: each matrix is divided by the root of its inputs, or the layers would
    hardly do anything. Each tensor has its own seed, so the order of reading does not matter.

    ``gain`` sharpens attention: the higher, the more a token depends on what stands before it.
    """

    def __init__(self, spec: DecoderSpec, seed: int = 0, gain: float = 2.0) -> None:
        self._spec = spec
        self._seed = seed
        self._gain = gain
        self._shapes = tensor_shapes(spec)

    def tensor(self, name: str, layer: int | None = None) -> Floats:
        """Norms are ones and biases small, matrices normally distributed."""
        place = 0 if layer is None else layer + 1
        dice = np.random.default_rng((self._seed, place, list(self._shapes).index(name)))
        shape = self._shapes[name]
        if name.endswith("norm"):
            return np.ones(shape, np.float32)
        numbers = dice.standard_normal(shape, dtype=np.float32)
        if name.endswith("bias"):
            return numbers * np.float32(0.1)
        scale = 1.0 if name == "embedding" else shape[-1] ** -0.5
        if name == "query":
            scale *= self._gain
        numbers *= np.float32(scale)
        return numbers


def tensor_shapes(spec: DecoderSpec) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor by its name, matrices as [out, in]."""
    hidden, ffn, queries, keys = spec.hidden, spec.ffn, spec.attention_size, spec.kv_size
    return {
        "embedding": (spec.vocab_size, hidden),
        "head": (spec.vocab_size, hidden),
        "final_norm": (hidden,),
        "attention_norm": (hidden,),
        "ffn_norm": (hidden,),
        "query": (queries, hidden),
        "key": (keys, hidden),
        "value": (keys, hidden),
        "output": (hidden, queries),
        "gate": (ffn, hidden),
        "up": (ffn, hidden),
        "down": (hidden, ffn),
        "query_bias": (queries,),
        "key_bias": (keys,),
        "value_bias": (keys,),
        "query_norm": (spec.head_dim,),
        "key_norm": (spec.head_dim,),
    }
