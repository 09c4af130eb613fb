"""KV events read off a log: the same that ``Engine.publish`` tells while the engine runs.

Read side. Also the command that writes them as a stream: ``python -m core.timeline.kv_events LOG``
(``core.timeline.kv_stream``).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass

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
from core.engine.kv_events import AdapterIds, KVCleared, KVEvent, KVRemoved, kv_stored
from core.timeline.event_log import EventLog, LogPlace
from core.types import MultiModalItem, Request, RequestId


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
        EventLogError: blocks of a request that does not arrive in the log, or that its tokens do not fill.
    """
    return KVEventReader(log.config.block_size, log.place).read(log.events)


def _of_a_running_engine(_number: int) -> LogPlace:
    return LogPlace("the engine")


@dataclass(slots=True)
class _Known:
    """A request of the log that is not over."""

    request: Request
    lora_id: int | None
    version: str
    tokens: array[int]


class KVEventReader:
    """Translates a log piece by piece; a piece ends where a command does."""

    def __init__(self, block_size: int, place: Callable[[int], LogPlace] = _of_a_running_engine) -> None:
        """``place``: where the event with this number stands, for errors."""
        self._block_size = block_size
        self._place = place
        self._number = -1  # of the event that is read
        self._adapters = AdapterIds()
        self._known: dict[RequestId, _Known] = {}
        self._run_begins = 0
        self._run: list[BlockStored] = []  # of the caching call that may still go on
        self._published: list[KVEvent] = []

    def read(self, events: Iterable[Event]) -> list[KVEvent]:
        """What these events announce."""
        for event in events:
            self._number += 1
            if self._run and not _continues(self._run[-1], event):
                self._publish_run()
            self._take(event)
        self._publish_run()
        published, self._published = self._published, []
        return published

    def _take(self, event: Event) -> None:
        match event:
            case BlockStored():
                if not self._run:
                    self._run_begins = self._number
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
            place = self._place(self._number)
            message = (
                f"{place}: request {request_id!r} goes on in this log but does not arrive in it, so its "
                "tokens are unknown. Use a log that begins with its engine."
            )
            raise place.error("log.late", message, request_id=request_id)
        return known

    def _check_index(self, first: BlockStored, known: _Known) -> None:
        """Each block of the run must be one that the request's tokens fill."""
        num_full = len(known.tokens) // self._block_size
        wrong = [event.index for event in self._run if not 0 <= event.index < num_full]
        if wrong:
            place = self._place(self._run_begins)
            message = (
                f"{place}: block {wrong[0]} of request {first.request_id!r} is stored, but its "
                f"{len(known.tokens)} tokens fill {num_full}. Export the log again."
            )
            raise place.error(
                "log.index",
                message,
                request_id=first.request_id,
                index=wrong[0],
                num_tokens=len(known.tokens),
                num_blocks=num_full,
            )

    def _publish_run(self) -> None:
        if not self._run:
            return
        first, known = self._run[0], self._request(self._run[0].request_id)
        self._check_index(first, known)
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
