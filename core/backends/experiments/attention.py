"""What each token looks at: the attention of a layer's heads, from the decoder's own queries and keys.

The decoder never holds these weights as one matrix (it works in pieces). Here they are computed once more, by
the plain formula, from exactly what its layers were given. Shapes: n tokens, h query heads, k K/V heads, d
numbers in a head.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.backends.base import Floats
from core.backends.decoders.decoder_backend import DecoderBackend

STEPS = 255
"""A packed weight is one of so many steps: the root of the weight, for most of them are small."""

Weights = dict[int, Floats]
"""By layer, shape [h, n, n]."""


def attention_weights(queries: Floats, keys: Floats) -> Floats:
    """Softmax of ``q · k ÷ √d`` over the keys up to each query's own position, shape [h, n, n].

    Rows sum to 1; what lies ahead of a token is exactly 0.
    """
    count, heads, size = queries.shape
    repeated = keys.repeat(heads // keys.shape[1], axis=1)  # a K/V head serves a group of query heads
    scores: Floats = np.einsum("nhd,thd->hnt", queries, repeated) * np.float32(size**-0.5)
    scores[:, *np.triu_indices(count, 1)] = -np.inf
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


@contextmanager
def watching(backend: DecoderBackend[Any], layers: Sequence[int]) -> Iterator[Weights]:
    """While a prompt is computed from its first token on: the attention of some layers, by layer."""
    found: Weights = {}

    def look(layer: int, queries: Floats, keys: Floats) -> None:
        if layer in layers:
            found[layer] = attention_weights(queries, keys)

    backend.watch = look
    try:
        yield found
    finally:
        backend.watch = None


def shown_layers(num_layers: int) -> list[int]:
    """The first, one in the middle, the last."""
    return sorted({0, num_layers // 2, num_layers - 1})


def pack(weights: Mapping[int, Floats], most_heads: int) -> dict[str, str]:
    """The lower triangles, row by row, in steps: by layer a list of heads. ``{"z": base64 of zlib-deflated
    JSON}``, as large values travel to the browser."""
    steps = {str(layer): [_steps(head) for head in heads[:most_heads]] for layer, heads in weights.items()}
    data = json.dumps(steps, separators=(",", ":")).encode()
    return {"z": base64.b64encode(zlib.compress(data, 9)).decode()}


def _steps(head: Floats) -> list[int]:
    lower = head[np.tril_indices(len(head))]
    steps: list[int] = np.rint(np.sqrt(lower) * STEPS).astype(int).tolist()
    return steps


def unpack(packed: Mapping[str, str]) -> dict[int, list[NDArray[np.float64]]]:
    """The weights by layer and head, shape [n, n], to within one step."""
    steps = json.loads(zlib.decompress(base64.b64decode(packed["z"])))
    return {int(layer): [_matrix(head) for head in heads] for layer, heads in steps.items()}


def _matrix(steps: Sequence[int]) -> NDArray[np.float64]:
    count = int((2 * len(steps)) ** 0.5)
    matrix = np.zeros((count, count))
    matrix[np.tril_indices(count)] = (np.array(steps) / STEPS) ** 2
    return matrix


def block_shares(head: Floats, block_size: int) -> list[float]:
    """The share of their attention that the tokens in and after a block give it, on average, by block."""
    count = len(head)
    return [
        round(float(head[first:, first : first + block_size].sum(axis=1).mean()), 4)
        for first in range(0, count, block_size)
    ]


def block_readers(weights: Mapping[int, Floats], block_size: int) -> list[int]:
    """How many tokens give a block any weight at all, in any of these heads, by block."""
    count = next(iter(weights.values())).shape[-1]
    readers = []
    for first in range(0, count, block_size):
        read = [heads[:, :, first : first + block_size].any(axis=(0, 2)) for heads in weights.values()]
        readers.append(int(np.any(read, axis=0).sum()))
    return readers
