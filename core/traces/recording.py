"""A recorded stream of KV events, whichever engine and version wrote it.

Hashes come as numbers or texts; each becomes a digest as wide as ours, which stands for it and nothing else.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from xxhash import xxh3_128_digest

from core.texts import text_bytes
from core.types import BlockHash

Pool = tuple[int | None, str | None, int | None]
"""Whose blocks they are: data parallel rank, medium, group. Pools share nothing."""


@dataclass(frozen=True, slots=True)
class BlocksStored:
    """New blocks of one chain, in order. ``token_ids`` is empty, ``block_size`` null, where a stream does not
    tell them, or tells tokens of another number than the blocks hold."""

    pool: Pool
    hashes: tuple[BlockHash, ...]
    parent: BlockHash | None
    token_ids: array[int]
    block_size: int | None


@dataclass(frozen=True, slots=True)
class BlocksRemoved:
    """Each of these hashes lost one copy."""

    pool: Pool
    hashes: tuple[BlockHash, ...]


@dataclass(frozen=True, slots=True)
class AllCleared:
    """Everything of one rank was dropped."""

    rank: int | None


RecordedEvent = BlocksStored | BlocksRemoved | AllCleared
RecordedBatch = tuple[RecordedEvent, ...]
"""What was announced together: in one step of the engine."""


def digest_of(published: int | str) -> BlockHash:
    """A published hash as 16 bytes that begin like it: 64-bit numbers (negative ones too) and hex texts keep
    their digits, so that people find them again. Leading zeros go, so that 1, 2, 3 differ at once."""
    if isinstance(published, int) and -(2**63) <= published < 2**64:
        digits = (published % 2**64).to_bytes(8, "big").lstrip(b"\0")
        return digits.ljust(15, b"\0") + bytes([len(digits)])
    text = str(published)
    try:
        digits = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        digits = b""
    return digits if len(digits) == 16 else xxh3_128_digest(text_bytes(text))
