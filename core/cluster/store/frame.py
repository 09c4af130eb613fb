"""A shard as it lies in a store: what it is, then the bytes, under one checksum.

    4 magic · 8 xxh3-64 of all that follows · 8 space · 2 rank · 2 ranks · 1 length of key · key · payload

A store that is wrong about a slot, was restarted or lost half of a write thus gives a miss, never foreign KV.
"""

from __future__ import annotations

import struct
from typing import Literal

from xxhash import xxh3_64_intdigest

from core.types import BlockHash

MAGIC = b"BKV1"
HEAD = struct.Struct("<4sQ")
NAMES = struct.Struct("<QHHB")
Verdict = Literal["right", "gone", "foreign", "damaged"]
"""``gone``: nothing lies there. ``foreign``: a whole shard of something else."""


def pack(space: str, key: BlockHash, rank: int, ranks: int, payload: bytes) -> bytes:
    """A shard, ready to be stored."""
    body = NAMES.pack(xxh3_64_intdigest(space.encode()), rank, ranks, len(key)) + key + payload
    return HEAD.pack(MAGIC, xxh3_64_intdigest(body)) + body


def key_of(frame: bytes | None) -> BlockHash | None:
    """Whose shard this is; None if it is whole no more, or none."""
    if frame is None or len(frame) < HEAD.size + NAMES.size:
        return None
    magic, digest = HEAD.unpack_from(frame)
    body = memoryview(frame)[HEAD.size :]
    if magic != MAGIC or digest != xxh3_64_intdigest(body):
        return None
    return bytes(body[NAMES.size : NAMES.size + body[NAMES.size - 1]])


def unpack(frame: bytes | None, space: str, key: BlockHash, rank: int, ranks: int) -> tuple[Verdict, bytes]:
    """The payload, if this is what was asked for; else b"" and why not."""
    if frame is None:
        return "gone", b""
    if key_of(frame) is None:
        return "damaged", b""
    names = NAMES.pack(xxh3_64_intdigest(space.encode()), rank, ranks, len(key)) + key
    if frame[HEAD.size : HEAD.size + len(names)] != names:
        return "foreign", b""
    return "right", frame[HEAD.size + len(names) :]
