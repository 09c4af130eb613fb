"""The decoder in torch: the forward pass of ``numpy_decoder.py``, on the CPU or on CUDA, in any float type.

torch is optional and has no types here: what comes from it is ``Any``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.backends.decoders.numpy_decoder import PIECE, Ids
from core.backends.rope import RopeTables
from core.backends.spec import DecoderSpec
from core.backends.weights import Layer, Weights
from core.types import BlockId

Tensor = Any
GPU_PIECE = 1024
"""As ``PIECE``, for a GPU: small pieces would leave it waiting for the next one to be launched."""


class TorchPool:
    """K/V of all blocks and layers, shape [layers, blocks, block size, k, d] each. Begins as NaN."""

    def __init__(self, spec: DecoderSpec, num_blocks: int, block_size: int, device: Any, dtype: Any) -> None:
        import torch

        self.block_size = block_size
        shape = (spec.num_layers, num_blocks, block_size, spec.num_kv_heads, spec.head_dim)
        self.keys = torch.full(shape, float("nan"), device=device, dtype=dtype)
        self.values = torch.full(shape, float("nan"), device=device, dtype=dtype)

    def write(self, layer: int, slots: tuple[Tensor, Tensor], keys: Tensor, values: Tensor) -> None:
        """Put the K/V of new tokens, shape [n, k, d], into their (block, place) slots."""
        self.keys[layer][slots] = keys
        self.values[layer][slots] = values

    def read(self, layer: int, blocks: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """The K/V of the first ``count`` tokens behind a block table, shape [count, k, d] each."""
        keys = self.keys[layer].index_select(0, blocks).flatten(0, 1)
        values = self.values[layer].index_select(0, blocks).flatten(0, 1)
        return keys[:count], values[:count]

    def poison(self, block_ids: Sequence[BlockId]) -> None:
        """Overwrite blocks with NaN, so that reading them by mistake cannot go unnoticed."""
        self.keys[:, list(block_ids)] = float("nan")
        self.values[:, list(block_ids)] = float("nan")


def forward(
    spec: DecoderSpec,
    weights: Weights[Tensor],
    rope: RopeTables[Tensor],
    pool: TorchPool,
    token_ids: Ids,
    start: int,
    block_table: Sequence[BlockId],
    watch: Callable[[int, Tensor, Tensor], None] | None = None,
) -> Tensor:
    """Compute the tokens that stand at ``start`` and after; the logits of the last one, [vocabulary]."""
    import torch

    device, dtype = weights.embedding.device, weights.embedding.dtype
    stop = start + len(token_ids)
    table = torch.as_tensor(list(block_table), device=device)
    positions = torch.arange(start, stop, device=device)
    slots = (table[positions // pool.block_size], positions % pool.block_size)
    blocks = table[: -(-stop // pool.block_size)]
    cos, sin = rope.at(start, stop)
    x = weights.embedding[torch.from_numpy(token_ids).to(device)]
    piece = PIECE if device.type == "cpu" else GPU_PIECE
    mask = torch.full((piece, piece), float("-inf"), device=device, dtype=dtype).triu(1)
    for index, layer in enumerate(weights.layers):
        queries, keys, values = _project(spec, layer, rms_norm(x, layer.attention_norm, spec.rms_eps))
        pool.write(index, slots, _rotate(keys, cos, sin), values)
        turned, (all_keys, all_values) = _rotate(queries, cos, sin), pool.read(index, blocks, stop)
        if watch is not None:
            watch(index, turned, all_keys)
        attended = attend(turned, all_keys, all_values, start, mask)
        x = x + attended.flatten(1) @ layer.output.T
        normed = rms_norm(x, layer.ffn_norm, spec.rms_eps)
        gated = torch.nn.functional.silu(normed @ layer.gate.T) * (normed @ layer.up.T)
        x = x + gated @ layer.down.T
    return weights.head @ rms_norm(x[-1], weights.final_norm, spec.rms_eps)


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Scale the last axis to root mean square 1, computed in float32 whatever the type is."""
    wide = x.float()
    scaled = wide * (wide.pow(2).mean(-1, keepdim=True) + eps).rsqrt()
    return scaled.to(x.dtype) * weight


def _project(spec: DecoderSpec, layer: Layer[Tensor], x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries [n, h, d], keys and values [n, k, d] of the new tokens, not rotated yet."""
    queries, keys, values = x @ layer.query.T, x @ layer.key.T, x @ layer.value.T
    if spec.qkv_bias:
        queries, keys, values = queries + layer.query_bias, keys + layer.key_bias, values + layer.value_bias
    queries = queries.view(len(x), spec.num_heads, spec.head_dim)
    keys = keys.view(len(x), spec.num_kv_heads, spec.head_dim)
    if spec.qk_norm:
        queries = rms_norm(queries, layer.query_norm, spec.rms_eps)
        keys = rms_norm(keys, layer.key_norm, spec.rms_eps)
    return queries, keys, values.view(len(x), spec.num_kv_heads, spec.head_dim)


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair (i, i + d/2) by its position's angle."""
    import torch

    first, second = x.chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def attend(queries: Tensor, keys: Tensor, values: Tensor, start: int, mask: Tensor) -> Tensor:
    """Each query [n, h, d] at ``start`` and after meets the keys [t, k, d] up to its own position, in
    pieces that end at absolute multiples of the mask's size."""
    import torch

    pieces, first, count, size = [], 0, len(queries), len(mask)
    queries = queries * queries.shape[-1] ** -0.5
    while first < count:
        last = min(count, ((start + first) // size + 1) * size - start)
        end = start + last
        pieces.append(_piece(queries[first:last], keys[:end], values[:end], mask))
        first = last
    return torch.cat(pieces)


def _piece(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """One piece: m queries meet all keys before them and, under the mask, those of the piece itself."""
    m, heads, size = queries.shape
    kv_heads = keys.shape[1]
    group = heads // kv_heads
    folded = queries.view(m, kv_heads, group, size).permute(1, 2, 0, 3).reshape(kv_heads, group * m, size)
    scores = folded @ keys.permute(1, 2, 0)  # [k, group * m, t]
    scores.view(kv_heads, group, m, -1)[..., -m:] += mask[:m, :m]
    mixed = scores.float().softmax(-1).to(values.dtype) @ values.permute(1, 0, 2)  # [k, group * m, d]
    return mixed.view(kv_heads, group, m, size).permute(2, 0, 1, 3).reshape(m, heads, size)
