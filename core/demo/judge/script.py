"""From the engine's log to what a visitor's cache is asked, in order, and what is right each time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.engine import events as ev
from core.timeline.event_log import EventLog
from core.timeline.fold import fold_all
from core.timeline.frame import Frame, initial_frame
from core.timeline.repeated import repeated

TOO_LARGE = "R+"
"""Name of a request for which no pool of its run is large enough."""

Method = Literal["look_up", "store", "free", "evict"]


@dataclass(frozen=True, slots=True)
class Ask:
    """One call. ``right``: block numbers, one number (evict), None (no room, nothing free; free). ``events``:
    which events of the log tell it; before the first of them stands the state in which it is asked.
    ``grows``: the request was there before."""

    method: Method
    request: str
    tokens: tuple[int, ...]
    right: tuple[int, ...] | None
    events: range
    grows: bool = False


@dataclass
class _Script:
    log: EventLog
    asks: list[Ask] = field(default_factory=list)
    tokens: dict[str, list[int]] = field(default_factory=dict)
    tables: dict[str, list[int]] = field(default_factory=dict)

    def add(self, method: Method, request: str, right: list[int] | None, events: range, count: int) -> None:
        """``count``: how many of the request's tokens are meant."""
        tokens = tuple(self.tokens[request][:count])
        grows = method == "store" and request in self.tables
        self.asks.append(Ask(method, request, tokens, None if right is None else tuple(right), events, grows))


def script(log: EventLog, until: str = "", drain: bool = False, look: bool = False) -> list[Ask]:
    """What to ask. ``until``: nothing after this request has ended; ``look``: then what must change nothing, a
    request for which the pool is too small, and every prompt looked up once more; ``drain``: then all free
    blocks, one by one, until there is none."""
    script = _Script(log)
    silent = repeated(log)
    end = len(log.events)
    for place, event in enumerate(log.events):
        if place not in silent:
            _tell(script, place, event)
        if isinstance(event, ev.RequestFinished) and event.request_id == until:
            end = place + 1
            break
    here = range(end, end)
    if look:
        script.asks.append(Ask("store", TOO_LARGE, _too_large(script), None, here))
        script.asks += [
            Ask("look_up", request, tuple(tokens), _found(log, end, request, len(tokens)), here)
            for request, tokens in reversed(script.tokens.items())  # the order of use would stay as it is
        ]
    if drain:
        queue = frame_at(log, end)["queue"]
        script.asks += [Ask("evict", "", (), (block,), here) for block in queue]
        script.asks.append(Ask("evict", "", (), None, here))
    return script.asks


def _too_large(script: _Script) -> tuple[int, ...]:
    """The first prompt, and behind it all others again and again, until no pool of this size holds them."""
    tokens = [token for one in script.tokens.values() for token in one]
    most = script.log.config.num_usable * script.log.config.block_size
    return tuple((tokens * (most // len(tokens) + 1))[: most + 1])


def _found(log: EventLog, end: int, request: str, count: int) -> tuple[int, ...]:
    """What a look-up of all ``count`` tokens of a request finds before event ``end``: the oldest copies."""
    copies: dict[bytes, list[int]] = {}
    tags: dict[int, bytes] = {}
    for event in log.events[:end]:
        if isinstance(event, ev.BlockStored):
            copies.setdefault(event.hash, []).append(event.block_id)
        elif isinstance(event, ev.BlockEvicted):
            copies[event.hash].remove(event.block_id)
        elif isinstance(event, ev.BlockHashed) and event.request_id == request:
            tags[event.index] = event.hash
    found: list[int] = []
    for index in range((count - 1) // log.config.block_size):
        holders = copies.get(tags[index])
        if not holders:
            break
        found.append(holders[0])
    return tuple(found)


def frame_at(log: EventLog, place: int) -> Frame:
    """The state before event number ``place``."""
    return fold_all(initial_frame(log.config), log.events[:place])


def _tell(script: _Script, place: int, event: ev.Event) -> None:
    match event:
        case ev.RequestArrived():
            script.tokens[event.request_id] = list(event.token_ids)
        case ev.TokensAppended():
            script.tokens[event.request_id] += event.token_ids
        case ev.RequestAdmitted():
            _look_up(script, place, event.request_id, event.num_tokens)
            _store(script, place, event.request_id, event.num_computed)
        case ev.RequestBlocked():
            count = len(script.tokens[event.request_id])
            _look_up(script, place, event.request_id, count)
            script.add("store", event.request_id, None, range(place, place + 1), count)
        case ev.RequestScheduled():
            _store(script, place, event.request_id, event.num_computed)
        case ev.GrowthFailed():
            count = len(script.tokens[event.request_id])
            script.add("store", event.request_id, None, range(place, place + 1), count)
        case ev.RequestFinished() | ev.RequestPreempted():
            _free(script, place, event.request_id)
        case _:
            pass


def _look_up(script: _Script, place: int, request: str, count: int) -> None:
    """The look-up whose outcome stands at ``place``: what was found is told just before."""
    first = place
    while first and isinstance(script.log.events[first - 1], ev.BlockHit | ev.BlockMissed):
        first -= 1
    told = script.log.events[first:place]
    hits = [event.block_id for event in told if isinstance(event, ev.BlockHit)]
    script.add("look_up", request, hits, range(first, place + 1), count)


def _store(script: _Script, place: int, request: str, count: int) -> None:
    """Blocks that are held, taken and stored right behind ``place``; nothing, if no block changes."""
    table = script.tables.get(request, [])
    right = list(table)
    last, changed = place, False
    for event in script.log.events[place + 1 :]:
        if isinstance(event, ev.BlockTouched | ev.BlockAllocated):
            right.append(event.block_id)
        elif not isinstance(event, ev.BlockEvicted | ev.BlockStored):
            break
        last, changed = last + 1, True
    if changed:
        script.add("store", request, right, range(place, last + 1), count)
    script.tables[request] = right


def _free(script: _Script, place: int, request: str) -> None:
    """Blocks are let go of just before."""
    if request not in script.tables:
        return  # it never ran
    first = place
    while first and isinstance(script.log.events[first - 1], ev.BlockReleased):
        first -= 1
    script.add("free", request, None, range(first, place + 1), 0)
    del script.tables[request]
