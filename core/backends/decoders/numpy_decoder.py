"""The decoder in numpy: one forward pass over a paged pool of K/V, read through block tables.

Everything is float32. Shapes: n new tokens, t tokens in all, h query heads, k K/V heads, d head size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.backends.base import Floats
from core.backends.rope import RopeTables
from core.backends.spec import DecoderSpec
from core.backends.weights import Layer, Weights
from core.types import BlockId

Ids = NDArray[np.int64]
Watch = Callable[[int, Floats, Floats], None]
"""Told of each layer's number, queries [n, h, d] and keys [t, k, d], just before they meet."""

PIECE = 128
"""Queries meet keys in pieces that end at absolute multiples of this. A hit and a miss then run the same
kernel on the same pieces; with one call for all queries the miss would get a cheaper kernel than the hit."""


class NumpyPool:
    """K/V of all blocks and layers, shape [layers, blocks, block size, k, d] each.

    Begins as NaN: whoever reads a slot that nobody wrote gets NaN logits, not a plausible answer.
    """

    def __init__(self, spec: DecoderSpec, num_blocks: int, block_size: int) -> None:
        self.block_size = block_size
        shape = (spec.num_layers, num_blocks, block_size, spec.num_kv_heads, spec.head_dim)
        self.keys = np.full(shape, np.nan, np.float32)
        self.values = np.full(shape, np.nan, np.float32)

    def write(self, layer: int, slots: tuple[Ids, Ids], keys: Floats, values: Floats) -> None:
        """Put the K/V of new tokens, shape [n, k, d], into their (block, place) slots."""
        self.keys[layer][slots] = keys
        self.values[layer][slots] = values

    def read(self, layer: int, blocks: Ids, count: int) -> tuple[Floats, Floats]:
        """The K/V of the first ``count`` tokens behind a block table, shape [count, k, d] each."""
        keys = self.keys[layer].take(blocks, axis=0)
        values = self.values[layer].take(blocks, axis=0)
        tail = keys.shape[2:]
        return keys.reshape(-1, *tail)[:count], values.reshape(-1, *tail)[:count]

    def poison(self, block_ids: Sequence[BlockId]) -> None:
        """Overwrite blocks with NaN, so that reading them by mistake cannot go unnoticed."""
        self.keys[:, list(block_ids)] = np.nan
        self.values[:, list(block_ids)] = np.nan


def slots_of(block_table: Sequence[BlockId], start: int, stop: int, block_size: int) -> tuple[Ids, Ids]:
    """Where the K/V of positions ``start`` … ``stop - 1`` lie: (block, place in the block)."""
    positions = np.arange(start, stop)
    return np.asarray(block_table, np.int64)[positions // block_size], positions % block_size


def forward(
    spec: DecoderSpec,
    weights: Weights[Floats],
    rope: RopeTables[Floats],
    pool: NumpyPool,
    token_ids: Ids,
    start: int,
    block_table: Sequence[BlockId],
    watch: Watch | None = None,
) -> Floats:
    """Compute the tokens that stand at ``start`` and after; the logits of the last one, [vocabulary].

    Writes their K/V into the pool and reads everybody's from there. ``watch`` looks on.
    """
    stop = start + len(token_ids)
    slots = slots_of(block_table, start, stop, pool.block_size)
    blocks = np.asarray(block_table, np.int64)[: -(-stop // pool.block_size)]
    cos, sin = rope.at(start, stop)
    x = weights.embedding[token_ids]
    with np.errstate(over="ignore"):  # exp(-x) of a very negative gate: infinity is the right answer
        for index, layer in enumerate(weights.layers):
            queries, keys, values = _project(spec, layer, rms_norm(x, layer.attention_norm, spec.rms_eps))
            pool.write(index, slots, _rotate(keys, cos, sin), values)
            turned, (all_keys, all_values) = _rotate(queries, cos, sin), pool.read(index, blocks, stop)
            if watch is not None:
                watch(index, turned, all_keys)
            attended = attend(turned, all_keys, all_values, start)
            x += attended.reshape(len(x), -1) @ layer.output.T
            x += _feed_forward(layer, rms_norm(x, layer.ffn_norm, spec.rms_eps))
    logits: Floats = weights.head @ rms_norm(x[-1], weights.final_norm, spec.rms_eps)
    return logits


def rms_norm(x: Floats, weight: Floats, eps: float) -> Floats:
    """Scale the last axis to root mean square 1."""
    mean_square = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(x.shape[-1])
    scaled: Floats = x / np.sqrt(mean_square + np.float32(eps)) * weight
    return scaled


def _project(spec: DecoderSpec, layer: Layer[Floats], x: Floats) -> tuple[Floats, Floats, Floats]:
    """Queries [n, h, d], keys and values [n, k, d] of the new tokens, not rotated yet."""
    queries, keys, values = x @ layer.query.T, x @ layer.key.T, x @ layer.value.T
    if layer.query_bias is not None and layer.key_bias is not None and layer.value_bias is not None:
        queries, keys, values = queries + layer.query_bias, keys + layer.key_bias, values + layer.value_bias
    queries = queries.reshape(len(x), spec.num_heads, spec.head_dim)
    keys = keys.reshape(len(x), spec.num_kv_heads, spec.head_dim)
    if layer.query_norm is not None and layer.key_norm is not None:
        queries = rms_norm(queries, layer.query_norm, spec.rms_eps)
        keys = rms_norm(keys, layer.key_norm, spec.rms_eps)
    return queries, keys, values.reshape(len(x), spec.num_kv_heads, spec.head_dim)


def _rotate(x: Floats, cos: Floats, sin: Floats) -> Floats:
    """Turn each pair (i, i + d/2) by its position's angle."""
    half = x.shape[-1] // 2
    turned = np.empty_like(x)
    first, second = x[..., :half], x[..., half:]
    turned[..., :half] = first * cos - second * sin
    turned[..., half:] = second * cos + first * sin
    return turned


def _feed_forward(layer: Layer[Floats], x: Floats) -> Floats:
    """SwiGLU."""
    gate: Floats = x @ layer.gate.T
    up: Floats = x @ layer.up.T
    up *= gate
    np.negative(gate, out=gate)
    np.exp(gate, out=gate)
    gate += 1
    up /= gate
    return up @ layer.down.T


def attend(queries: Floats, keys: Floats, values: Floats, start: int) -> Floats:
    """Each query [n, h, d] at ``start`` and after meets the keys [t, k, d] up to its own position."""
    attended = np.empty_like(queries)
    scale = np.float32(queries.shape[-1] ** -0.5)
    first = 0
    while first < len(queries):
        last = min(len(queries), ((start + first) // PIECE + 1) * PIECE - start)
        end = start + last
        attended[first:last] = _piece(queries[first:last] * scale, keys[:end], values[:end])
        first = last
    return attended


def _piece(queries: Floats, keys: Floats, values: Floats) -> Floats:
    """One piece: m queries meet all keys before them and, under a mask, those of the piece itself."""
    m, heads, size = queries.shape
    kv_heads = keys.shape[1]
    group = heads // kv_heads
    grouped = queries.reshape(m, kv_heads, group, size)
    folded = grouped.transpose(1, 2, 0, 3).reshape(kv_heads, group * m, size)
    scores: Floats = folded @ keys.transpose(1, 2, 0)  # [k, group * m, t]
    future = np.triu(np.full((m, m), -np.inf, np.float32), 1)
    scores.reshape(kv_heads, group, m, -1)[..., -m:] += future
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    mixed: Floats = scores @ values.transpose(1, 0, 2)  # [k, group * m, d]
    mixed /= scores.sum(axis=-1, keepdims=True)
    unfolded = mixed.reshape(kv_heads, group, m, size).transpose(2, 0, 1, 3)
    return unfolded.reshape(m, heads, size)
