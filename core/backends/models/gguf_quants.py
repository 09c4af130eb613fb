"""How GGUF packs numbers, and how to unpack them into float32.

A packed tensor is a row of blocks; a block holds 32 or 256 small whole numbers, each few bits wide, and the
scale (and offset) that all of them share. The functions below get all blocks of a tensor as bytes [n, size].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.backends.base import Floats

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Format:
    """``block`` numbers in ``size`` bytes; ``unpack`` takes bytes [n, size] to floats [n, block]."""

    name: str
    block: int
    size: int
    unpack: Callable[[Bytes], Floats]

    def num_bytes(self, count: int) -> int:
        """The size of ``count`` numbers."""
        return -(-count // self.block) * self.size


def dequantise(form: Format, raw: Bytes) -> Floats:
    """Unpack a whole tensor, a part at a time, so that what lies between needs little memory."""
    blocks = raw.reshape(-1, form.size)
    numbers = np.empty((len(blocks), form.block), np.float32)
    step = max(1, 2**20 // form.block)
    with np.errstate(all="ignore"):  # damaged scales give infinities, which the caller looks for
        for first in range(0, len(blocks), step):
            numbers[first : first + step] = form.unpack(blocks[first : first + step])
    return numbers.reshape(-1)


def _halves(blocks: Bytes, place: int) -> Floats:
    """The 16 bit float at ``place`` of each block, shape [n, 1]."""
    return np.ascontiguousarray(blocks[:, place : place + 2]).view(np.float16).astype(np.float32)


def _nibbles(packed: Bytes) -> Bytes:
    """All low halves of the bytes, then all high halves."""
    return np.concatenate([packed & 15, packed >> 4], axis=-1)


def _fifth_bits(blocks: Bytes, place: int) -> Bytes:
    """32 single bits from ``place`` on, each as 16 or 0."""
    bits: Bytes = np.unpackbits(np.ascontiguousarray(blocks[:, place : place + 4]), axis=1, bitorder="little")
    bits <<= 4
    return bits


def _f32(blocks: Bytes) -> Floats:
    return np.ascontiguousarray(blocks).view(np.float32)


def _f16(blocks: Bytes) -> Floats:
    return np.ascontiguousarray(blocks).view(np.float16).astype(np.float32)


def bfloat16(raw: Bytes) -> Floats:
    """bfloat16 is the upper half of a float32."""
    return (np.ascontiguousarray(raw).view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def _q4_0(blocks: Bytes) -> Floats:
    return _halves(blocks, 0) * (_nibbles(blocks[:, 2:18]).astype(np.float32) - 8)


def _q4_1(blocks: Bytes) -> Floats:
    return _halves(blocks, 0) * _nibbles(blocks[:, 4:20]) + _halves(blocks, 2)


def _q5_0(blocks: Bytes) -> Floats:
    numbers = _nibbles(blocks[:, 6:22]) | _fifth_bits(blocks, 2)
    return _halves(blocks, 0) * (numbers.astype(np.float32) - 16)


def _q5_1(blocks: Bytes) -> Floats:
    numbers = _nibbles(blocks[:, 8:24]) | _fifth_bits(blocks, 4)
    return _halves(blocks, 0) * numbers + _halves(blocks, 2)


def _q8_0(blocks: Bytes) -> Floats:
    return _halves(blocks, 0) * np.ascontiguousarray(blocks[:, 2:34]).view(np.int8)


def _scales_of_k(packed: Bytes) -> tuple[Floats, Floats]:
    """Eight scales and eight offsets of 6 bits each in 12 bytes, shape [n, 8, 1]."""
    first, second, third = packed[:, 0:4], packed[:, 4:8], packed[:, 8:12]
    scales = np.concatenate([first & 63, (third & 15) | (first >> 6 << 4)], axis=1)
    offsets = np.concatenate([second & 63, (third >> 4) | (second >> 6 << 4)], axis=1)
    return scales.astype(np.float32)[..., None], offsets.astype(np.float32)[..., None]


def _k_nibbles(packed: Bytes) -> Bytes:
    """128 bytes are four runs of 32: the low halves of a run are one group, its high halves the next."""
    return _nibbles(packed.reshape(-1, 4, 32)).reshape(-1, 8, 32)


def _q4_k(blocks: Bytes) -> Floats:
    scales, offsets = _scales_of_k(blocks[:, 4:16])
    scales, offsets = scales * _halves(blocks, 0)[..., None], offsets * _halves(blocks, 2)[..., None]
    return (scales * _k_nibbles(blocks[:, 16:144]) - offsets).reshape(-1, 256)


def _q5_k(blocks: Bytes) -> Floats:
    scales, offsets = _scales_of_k(blocks[:, 4:16])
    scales, offsets = scales * _halves(blocks, 0)[..., None], offsets * _halves(blocks, 2)[..., None]
    group = np.arange(8, dtype=np.uint8)[:, None]
    fifth = (blocks[:, None, 16:48] >> group & 1) << 4  # bit g of byte i belongs to number i of group g
    return (scales * (_k_nibbles(blocks[:, 48:176]) | fifth) - offsets).reshape(-1, 256)


def _q6_k(blocks: Bytes) -> Floats:
    low = _nibbles(blocks[:, :128].reshape(-1, 2, 64)).reshape(-1, 2, 4, 32)
    shift = np.array([0, 2, 4, 6], np.uint8)[:, None]
    high = (blocks[:, 128:192].reshape(-1, 2, 1, 32) >> shift & 3) << 4
    numbers = (low | high).astype(np.float32) - 32
    scales = np.ascontiguousarray(blocks[:, 192:208]).view(np.int8).astype(np.float32)
    scaled: Floats = _halves(blocks, 208)[..., None] * scales[..., None] * numbers.reshape(-1, 16, 16)
    return scaled.reshape(-1, 256)


FORMATS = {
    0: Format("F32", 1, 4, _f32),
    1: Format("F16", 1, 2, _f16),
    2: Format("Q4_0", 32, 18, _q4_0),
    3: Format("Q4_1", 32, 20, _q4_1),
    6: Format("Q5_0", 32, 22, _q5_0),
    7: Format("Q5_1", 32, 24, _q5_1),
    8: Format("Q8_0", 32, 34, _q8_0),
    12: Format("Q4_K", 256, 144, _q4_k),
    13: Format("Q5_K", 256, 176, _q5_k),
    14: Format("Q6_K", 256, 210, _q6_k),
    30: Format("BF16", 1, 2, bfloat16),
}
"""The forms that are read here, by their number in the file."""
