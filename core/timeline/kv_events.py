"""KV events as vLLM publishes them: told by ``Engine.publish``, or read off a log.

Read side. One ``KVStored`` per caching call, one ``KVRemoved`` per evicted block (a consumer must count
copies per hash), one ``KVCleared`` per successful reset; hits, touches and releases are not announced
(rules 48-51). The fields have vLLM's names and its order. Hashes are whole digests here; a stream holds
numbers (``core.timeline.kv_stream``, which is also the command: ``python -m core.timeline.kv_events LOG``).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.engine.events import (
    BlockEvicted,
    BlockStored,
    CacheReset,
    Event,
    RequestArrived,
    RequestFinished,
    RequestRefused,
    RequestRehashed,
    TokensAppended,
)
from core.errors import EventLogError
from core.timeline.event_log import EventLog
from core.types import BlockHash, MultiModalItem, Request, RequestId

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


# -- off a log ----------------------------------------------------------------------------------------


def request_of(event: RequestArrived) -> Request:
    """The request that arrived, but for its outputs, of which the log tells only what was sampled."""
    items = tuple(MultiModalItem(*item) for item in event.mm)
    return Request(
        event.request_id,
        event.token_ids,
        salt=event.salt,
        lora=event.lora,
        mm=items,
        priority=event.priority,
        skip_read=event.skip_read,
    )


def kv_events(log: EventLog) -> list[KVEvent]:
    """Translate a log made with ``block_events=True``, from its beginning. O(events + tokens).

    Raises:
        EventLogError: blocks of a request that does not arrive in the log.
    """
    return KVEventReader(log.config.block_size).read(log.events)


@dataclass(slots=True)
class _Known:
    """A request of the log that is not over."""

    request: Request
    lora_id: int | None
    version: str
    tokens: array[int]


class KVEventReader:
    """Translates a log piece by piece; a piece ends where a command does."""

    def __init__(self, block_size: int) -> None:
        self._block_size = block_size
        self._adapters = AdapterIds()
        self._known: dict[RequestId, _Known] = {}
        self._run: list[BlockStored] = []  # of the caching call that may still go on
        self._published: list[KVEvent] = []

    def read(self, events: Iterable[Event]) -> list[KVEvent]:
        """What these events announce."""
        for event in events:
            if self._run and not _continues(self._run[-1], event):
                self._publish_run()
            self._take(event)
        self._publish_run()
        published, self._published = self._published, []
        return published

    def _take(self, event: Event) -> None:
        match event:
            case BlockStored():
                self._run.append(event)
            case BlockEvicted():
                self._published.append(KVRemoved(event.hash))
            case CacheReset(ok=True):
                self._published.append(KVCleared())
            case RequestArrived():
                request = request_of(event)
                tokens = array("I", event.token_ids)
                lora_id = self._adapters.of(request)
                self._known[event.request_id] = _Known(request, lora_id, event.version, tokens)
            case TokensAppended():
                self._request(event.request_id).tokens.extend(event.token_ids)
            case RequestRehashed():
                self._request(event.request_id).version = event.version
            case RequestFinished() | RequestRefused():
                self._known.pop(event.request_id, None)

    def _request(self, request_id: RequestId) -> _Known:
        known = self._known.get(request_id)
        if known is None:
            message = (
                f"Request {request_id!r} goes on in this log but does not arrive in it, so its tokens are "
                "unknown. Use a log that begins with its engine."
            )
            raise EventLogError("log.late", message, request_id=request_id)
        return known

    def _publish_run(self) -> None:
        if not self._run:
            return
        first, known = self._run[0], self._request(self._run[0].request_id)
        hashes = [event.hash for event in self._run]
        self._run = []
        self._published.append(
            kv_stored(
                known.request,
                known.lora_id,
                known.version,
                known.tokens,
                hashes,
                first.parent_hash,
                first.index,
                self._block_size,
            )
        )


def _continues(previous: BlockStored, event: Event) -> bool:
    """Blocks of one caching call follow each other without any other event between them."""
    return (
        isinstance(event, BlockStored)
        and previous.request_id == event.request_id
        and previous.index + 1 == event.index
    )


if __name__ == "__main__":
    from core.timeline.kv_stream import main

    raise SystemExit(main())
