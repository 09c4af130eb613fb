"""Why the misses of a bin missed, and whose blocks its evictors pushed out: the run again, with block events,
from some hundred requests before the bin until its end.

What was evicted since then is known with cause and doer. Of what is older the seeded stream tells whether an
earlier request had the same tokens from the first on; then it was here, or about to be, and what became of it
lies further back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.cost import StepWork
from core.engine.events import (
    BlockEvicted,
    BlockMissed,
    BlockNotStored,
    BlockStored,
    Event,
    EvictionCause,
    RequestAdmitted,
)
from core.load.culprits import Culprits, Miss
from core.load.prompts import Arrival, Segment
from core.load.revisit import turn_as_then, twin_at
from core.load.server import ACTS, Server
from core.load.spec import TICKS_PER_S
from core.types import BlockHash, RequestId

if TYPE_CHECKING:
    from core.load.run import LoadRun

LOOK_BACK = 400
"""Requests before the bin from which on everything is told again."""

WhyKind = Literal[
    "last_token", "not_full", "new", "evicted", "sightings", "cap", "cold", "in_flight", "ttl", "before"
]


@dataclass(frozen=True, slots=True)
class Why:
    """Why a request's first block that was not reused was not there.

    ``last_token``, ``not_full``: nothing but that was left to reuse. ``new``: no earlier request had these
    tokens. ``evicted``: it was here and was evicted at ``at_s`` for ``cause``, by ``other`` if by a request.
    ``sightings``, ``cap``: it was computed, and a policy did not store it. ``in_flight``: request ``other``,
    let in before and with the same tokens, had not computed them yet. Of what lies further back than the part
    that was told again: ``cold`` (at ``at_s`` the cache was emptied for blocks of another size), ``ttl``
    (``other`` used it last at ``at_s``, its time is over), ``before`` (``other`` had it; before ``at_s`` it
    was gone).
    """

    kind: WhyKind
    at_s: float | None = None
    cause: EvictionCause | None = None
    other: RequestId | None = None


@dataclass(frozen=True, slots=True)
class Victim:
    """Blocks of one request and one text that were pushed out. None: they were stored before the part that
    was told again."""

    request_id: RequestId | None
    text: str | None
    blocks: int


@dataclass(frozen=True, slots=True)
class Hindsight:
    """Reasons by the request that missed, victims (most blocks first) by the request that pushed them out."""

    why: dict[RequestId, Why]
    victims: dict[RequestId, tuple[Victim, ...]]


def hindsight(run: LoadRun, culprits: Culprits, look_back: int = LOOK_BACK) -> Hindsight:
    """What the rows of a bin's lists need. Changes nothing in the run."""
    server = twin_at(run, culprits.begin_s, look_back)
    witness = _Witness(run, server, culprits)
    for _ in turn_as_then(run, server, witness.begin):
        if server.now_s > culprits.end_s or not server.has_work:
            break
    return Hindsight(witness.why | _older(run, witness.open), witness.all_victims())


def why_missed(run: LoadRun, request_id: RequestId) -> Why | None:
    """Why that request missed when it was first let in; None: it has not been, or all but nothing was known.
    Changes nothing in the run."""
    ledger = run.records.admissions
    rows = np.flatnonzero(ledger.number == int(request_id[1:]))[:1].tolist()
    if not rows:
        return None
    tokens, hit, at_s = (
        c[rows[0]].item() for c in (ledger.column("num_tokens"), ledger.column("hit"), ledger.at_s)
    )
    miss = Miss(request_id, tokens, hit, at_s)
    alone = Culprits(at_s, at_s, (), (miss,), (), 0, 1, 0, {}, 0)
    return hindsight(run, alone).why.get(request_id)


@dataclass(frozen=True, slots=True)
class _Open:
    """A miss of whose content nothing was told: what decides are the first ``num_tokens`` tokens. From
    ``since_s`` on everything was told; ``ttl_s`` is the time to live that held."""

    miss: Miss
    mine: Arrival
    num_tokens: int
    since_s: float
    ttl_s: float | None


class _Witness:
    """Listens to the part that is told again; explains the misses as they happen."""

    def __init__(self, run: LoadRun, server: Server, culprits: Culprits) -> None:
        self._run = run
        self._server = server
        self._culprits = culprits
        self._rows = {miss.request_id: miss for miss in culprits.misses}
        self._doers = {evictor.request_id for evictor in culprits.evictors}
        self._arrivals = {name: live.arrival for name, live in server.live.items()}
        self._victims: dict[RequestId, Counter[tuple[RequestId | None, str | None]]] = {}
        self.why: dict[RequestId, Why] = {}
        self.open: list[_Open] = []
        server.listener = self
        self.begin()

    def begin(self) -> None:
        """From here on everything is told; an engine may just have been replaced."""
        self._since_s = self._server.now_s
        self._fates: dict[BlockHash, Why] = {}  # of what is not stored now
        self._makers: dict[BlockHash, tuple[RequestId, int]] = {}
        self._missed: dict[RequestId, BlockHash] = {}
        self._actor: RequestId | None = None
        self._server.listen_to_blocks(self._take)

    def _take(self, event: Event) -> None:
        if isinstance(event, ACTS):
            self._actor = event.request_id
        match event:
            case BlockMissed():
                self._missed[event.request_id] = event.hash
            case RequestAdmitted():
                self._explain(event, self._missed.pop(event.request_id, None))
            case BlockStored():
                self._fates.pop(event.hash, None)
                self._makers[event.hash] = (event.request_id, event.index)
            case BlockNotStored():
                self._fates[event.hash] = Why(event.cause, self._server.now_s)
            case BlockEvicted():
                self._evicted(event)

    def _evicted(self, event: BlockEvicted) -> None:
        doer = self._actor if event.cause in ("reused", "cap") else None
        at_s = self._server.now_s
        self._fates[event.hash] = Why("evicted", at_s, event.cause, doer)
        if doer in self._doers and self._culprits.begin_s < at_s <= self._culprits.end_s:
            self._victims.setdefault(doer, Counter())[self._maker(event.hash)] += 1

    def _maker(self, digest: BlockHash) -> tuple[RequestId | None, str | None]:
        made = self._makers.get(digest)
        if made is None or made[0] not in self._arrivals:
            return None, None
        request_id, index = made
        first = index * self._server.engine.config.block_size
        return request_id, _text_at(self._arrivals[request_id], first)

    def all_victims(self) -> dict[RequestId, tuple[Victim, ...]]:
        """Blocks of one request and text together, most first; those of nobody known last."""
        return {
            doer: tuple(
                Victim(request_id, text, blocks)
                for (request_id, text), blocks in sorted(
                    counts.items(), key=lambda item: (item[0][0] is None, -item[1])
                )
            )
            for doer, counts in self._victims.items()
        }

    def _explain(self, event: RequestAdmitted, missed: BlockHash | None) -> None:
        miss, config = self._rows.get(event.request_id), self._server.engine.config
        if miss is None or miss.at_s != self._server.now_s or event.resumed:
            return
        if missed is None:
            kind: WhyKind = "last_token" if miss.missed == config.block_size else "not_full"
            self.why[miss.request_id] = Why(kind)
        elif missed in self._fates:
            self.why[miss.request_id] = self._fates[missed]
        else:
            ttl_s = None if config.ttl is None else config.ttl / TICKS_PER_S
            mine, end = self._arrivals[miss.request_id], miss.hit + config.block_size
            self.open.append(_Open(miss, mine, end, self._since_s, ttl_s))

    # -- news of the server that nobody needs here ------------------------------------------------------

    def submitted(self, arrival: Arrival, turn: int) -> None:
        """Remember the texts."""
        self._arrivals[arrival.request_id] = arrival

    def admitted(self, number: int, at_s: float, event: RequestAdmitted) -> None:
        """Explained already."""

    def answered(self, number: int, at_s: float) -> None:
        """Nothing to do."""

    def finished(self, number: int, at_s: float) -> None:
        """Nothing to do."""

    def stepped(self, start_s: float, end_s: float, work: StepWork, server: Server) -> None:
        """Nothing to do."""


class _Before:
    """Who of those let in before a miss has the same first tokens; of each group the last one. ``computed``:
    had computed them on this engine; ``planned``: had not yet; ``emptied``: had, before the cache was
    emptied. Rows of the ledger of admissions: their order tells who came first in one step.
    """

    def __init__(self, run: LoadRun, one: _Open) -> None:
        ledger, self.one, self._side = run.records.admissions, one, run.records.cached
        restarts = [k.at_s for k in run.knobs if k.name == "block_size" and k.at_s <= one.miss.at_s]
        self.begin_s = max(restarts, default=-1.0)
        until, mine = ledger.between(-1.0, one.miss.at_s).stop, int(one.miss.request_id[1:])
        mine_at = until - 1 - int(np.argmax(ledger.number[:until][::-1] == mine))
        self._rows = {number: place for place, number in enumerate(ledger.number[:mine_at].tolist())}
        self._rows.pop(mine, None)  # let in before the restart, too
        self._first_row = int(np.searchsorted(ledger.at_s, self.begin_s))
        self.computed: int | None = None
        self.planned: int | None = None
        self.emptied: int | None = None

    def look_at(self, other: Arrival) -> None:
        """Another request of the stream."""
        number, at_s = other.number, self.one.miss.at_s
        if number not in self._rows or num_common(self.one.mine, other) < self.one.num_tokens:
            return
        first_s, finished_s = self._side.first_s[number], self._side.finished_s[number]
        in_prompt = self.one.num_tokens <= other.num_prompt
        if self._rows[number] < self._first_row:
            if (first_s if in_prompt else finished_s) <= self.begin_s:
                self.emptied = self._later(self.emptied, number)
        elif finished_s <= at_s or (in_prompt and self.begin_s < first_s <= at_s):
            self.computed = self._later(self.computed, number)
        else:
            self.planned = self._later(self.planned, number)

    def _later(self, one: int | None, other: int) -> int:
        return other if one is None or self._rows[other] > self._rows[one] else one


def _older(run: LoadRun, open_misses: list[_Open]) -> dict[RequestId, Why]:
    """Reasons from the stream. O(requests)."""
    all_before = [_Before(run, one) for one in open_misses]
    for other in run.contents() if all_before else ():
        if other.number >= run.records.reach:
            break
        for before in all_before:
            before.look_at(other)
    return {before.one.miss.request_id: _from_stream(run, before) for before in all_before}


def _from_stream(run: LoadRun, before: _Before) -> Why:
    """What was there once has gone since, so whoever had computed it decides."""
    if before.computed is not None:
        return _gone(run, before.one, before.computed)
    if before.planned is not None:
        return Why("in_flight", other=f"R{before.planned}")
    if before.emptied is not None:
        return Why("cold", at_s=before.begin_s, other=f"R{before.emptied}")
    return Why("new")


def _gone(run: LoadRun, one: _Open, number: int) -> Why:
    """It went before everything was told. Because of its TTL, if nothing else went meanwhile."""
    used_s = float(run.records.cached.finished_s[number])
    if one.ttl_s is not None and one.since_s - used_s > one.ttl_s:
        bins = run.bins
        meanwhile = slice(bins.index(used_s), bins.index(one.since_s) + 1)
        if not any(bins.sums[f"evicted.{cause}"][meanwhile].any() for cause in ("reused", "cap", "forced")):
            return Why("ttl", at_s=used_s, other=f"R{number}")
    return Why("before", at_s=one.since_s, other=f"R{number}")


def _runs(arrival: Arrival) -> Iterator[Segment]:
    """What is computed of a request: all but its last sampled token."""
    yield from arrival.segments
    yield arrival.output.part(0, arrival.output.length - 1)


def num_common(one: Arrival, other: Arrival) -> int:
    """Tokens that two requests have in common from the first on, as far as the second is computed."""
    mine, theirs = iter(one.segments), _runs(other)
    a, b, count = next(mine, None), next(theirs, None), 0
    while a is not None and b is not None:
        length = min(a.length, b.length)
        if length and a.base + a.start != b.base + b.start:
            return count
        count += length
        a = a.part(length, a.length - length) if length < a.length else next(mine, None)
        b = b.part(length, b.length - length) if length < b.length else next(theirs, None)
    return count


def _text_at(arrival: Arrival, place: int) -> str | None:
    for segment in (*arrival.segments, arrival.output):
        if place < segment.length:
            return segment.name
        place -= segment.length
    return None
