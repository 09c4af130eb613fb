"""KV events as vLLM publishes them: what ``Engine.publish`` tells.

One ``KVStored`` per caching call, one ``KVRemoved`` per evicted block (a consumer must count copies),
one ``KVCleared`` per successful reset; hits, touches and releases are not announced (rules 48-51). The fields
have vLLM's names and its order. Hashes are whole digests here; a stream holds numbers
(``core.timeline.kv_stream``).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.types import BlockHash, Request, RequestId

ExtraKeys = tuple[str | tuple[str, int], ...] | None
"""What one block's identity rests on beside tokens: adapter name, (image, offset from the block's start),
salt, and a version of ours; untagged. None: nothing."""


@dataclass(frozen=True, slots=True)
class KVStored:
    """``BlockStored``: newly cached blocks, in order, full ones of one request.

    ``parent_block_hash`` is null if the first of them is block 0. ``token_ids`` (uint32) are theirs alone, a
    copy that belongs to this event. ``lora_id``: adapters have no numbers here, so they are counted from 1 as
    they first arrive. ``extra_keys``: one entry per block.
    """

    medium: ClassVar[str] = "GPU"
    group_idx: ClassVar[int] = 0
    kv_cache_spec_kind: ClassVar[str] = "full_attention"

    block_hashes: tuple[BlockHash, ...]
    parent_block_hash: BlockHash | None
    token_ids: array[int]
    block_size: int
    lora_id: int | None
    lora_name: str | None
    extra_keys: tuple[ExtraKeys, ...]


@dataclass(frozen=True, slots=True)
class KVRemoved:
    """``BlockRemoved``: one block lost this content."""

    medium: ClassVar[str] = "GPU"
    group_idx: ClassVar[int] = 0

    block_hash: BlockHash

    @property
    def block_hashes(self) -> tuple[BlockHash]:
        """The one hash, as a list is published."""
        return (self.block_hash,)


@dataclass(frozen=True, slots=True)
class KVCleared:
    """``AllBlocksCleared``: the whole cache was emptied."""


KVEvent = KVStored | KVRemoved | KVCleared
Publish = Callable[[KVEvent], None]
Describe = Callable[[RequestId, int, int], KVStored]
"""From a request and its blocks ``start`` … ``end``-1 to the event that announces them."""


class AdapterIds:
    """Numbers for adapters, from 1, in the order in which they first arrive."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, str], int] = {}

    def of(self, request: Request) -> int | None:
        """The number of the request's adapter; None without one."""
        return None if request.lora is None else self._ids.setdefault(request.lora, len(self._ids) + 1)


def kv_stored(
    request: Request,
    lora_id: int | None,
    version: str,
    tokens: array[int],
    hashes: Sequence[BlockHash],
    parent: BlockHash | None,
    first: int,
    block_size: int,
) -> KVStored:
    """The event of a caching call: ``hashes`` are those of blocks ``first`` and following. ``tokens``: all
    of the request's, prompt and sampled. O(what is stored + images)."""
    last = first + len(hashes)
    return KVStored(
        block_hashes=tuple(hashes),
        parent_block_hash=parent,
        token_ids=tokens[first * block_size : last * block_size],
        block_size=block_size,
        lora_id=lora_id,
        lora_name=None if request.lora is None else request.lora[0],
        extra_keys=_extra_keys(request, version, first, last, block_size),
    )


def _extra_keys(
    request: Request, version: str, first: int, last: int, block_size: int
) -> tuple[ExtraKeys, ...]:
    """Adapter on every block, images where they reach, salt and version on block 0 (rule 4)."""
    adapter = () if request.lora is None else (request.lora[0],)
    keys: list[ExtraKeys] = [adapter or None] * (last - first)
    for item in request.mm:
        begin, end = item.offset // block_size, -(-(item.offset + item.length) // block_size)
        for index in range(max(begin, first), min(end, last)):
            image = (item.item_id, item.offset - index * block_size)
            keys[index - first] = (*(keys[index - first] or ()), image)
    namespace = tuple(text for text in (request.salt, version) if text)
    if first == 0 and namespace:
        keys[0] = (*(keys[0] or ()), *namespace)
    return tuple(keys)
