"""The run so far in numbers, each with its basis and its formula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.cost import Figure, Prices
from core.load.records import Records, Side, Times
from core.load.spec import KINDS, Kind

if TYPE_CHECKING:
    from core.load.meter import Meter
    from core.load.server import Server


MOST_HALF_DONE = 0.1
"""Requests that have begun and are not finished, as a share of the finished ones on each server: prompts that
are computed and not yet answered would look like a waste of the slower one."""


@dataclass(frozen=True, slots=True)
class SideSummary:
    """One server. Counts are the engine's; TTFT, throughput and busy time are modelled."""

    num_admitted: int
    num_finished: int
    computed_tokens: int
    ttft_p50: Figure
    ttft_p95: Figure
    throughput: Figure
    busy: Figure


@dataclass(frozen=True, slots=True)
class Summary:
    """Both servers, and what the cache saved.

    ``num_arrived``: requests that have come to the server with the cache, those at its door included.
    ``saved_prefill``: each hit by itself, on an idle GPU; batched, prompts cost less than one by one, so
    this is more than what the server saves. ``saved_busy``: what the answers of the server with the cache
    would have kept the other one busy, at that one's busy seconds an answer token, less the busy seconds they
    took; batches and decode included. Once both have done the same work, that is the plain difference. None
    while much of the work is half done (``MOST_HALF_DONE``).
    """

    at_s: float
    num_arrived: int
    hit_rate: Figure
    saved_tokens: Figure
    saved_prefill: Figure
    saved_busy: Figure
    with_cache: SideSummary
    without_cache: SideSummary

    def money(self, prices: Prices, num_gpus: int) -> Figure | None:
        """What the busy time saved is worth; None while nobody knows it."""
        saved = self.saved_busy.value
        return None if saved is None else prices.of_gpu_time(saved, num_gpus)


def summarize(records: Records, cached: Meter, plain: Meter, now_s: float, num_arrived: int) -> Summary:
    """Everything up to now. O(requests)."""
    rate = cached.hits / cached.queries if cached.queries else None
    return Summary(
        at_s=now_s,
        num_arrived=num_arrived,
        hit_rate=Figure(rate, "share", "counted", "formula.hit_rate"),
        saved_tokens=Figure(cached.hits, "tokens", "counted", "formula.saved_tokens"),
        saved_prefill=Figure(cached.saved_s, "s", "modelled", "formula.saved_s"),
        saved_busy=Figure(_saved_busy(records, cached, plain), "s", "modelled", "formula.saved_busy"),
        with_cache=_side(records, records.cached, cached, now_s),
        without_cache=_side(records, records.plain, plain, now_s),
    )


def _saved_busy(records: Records, cached: Meter, plain: Meter) -> float | None:
    half_done = 0
    for side, meter in ((records.cached, cached), (records.plain, plain)):
        begun = int(np.count_nonzero(~np.isnan(side.admitted_s) & np.isnan(side.finished_s)))
        if not meter.num_finished or begun > MOST_HALF_DONE * meter.num_finished:
            return None
        half_done += begun
    if not half_done and cached.num_finished == plain.num_finished:
        return plain.busy_s - cached.busy_s
    return plain.busy_s / plain.num_generated * cached.num_generated - cached.busy_s


def _p50_p95(ttft: Times) -> tuple[float | None, float | None]:
    """Median and 95th percentile; None where nobody has a first token."""
    if not len(ttft):
        return None, None
    p50, p95 = np.quantile(ttft, [0.5, 0.95]).tolist()
    return p50, p95


def _side(records: Records, side: Side, meter: Meter, now_s: float) -> SideSummary:
    ttft = records.ttft_s(side)
    p50, p95 = _p50_p95(ttft)
    last = np.nanmax(side.finished_s) if meter.num_finished else 0.0
    per_s = meter.num_finished / float(last) if last else None
    return SideSummary(
        num_admitted=meter.num_admissions,
        num_finished=meter.num_finished,
        computed_tokens=meter.computed,
        ttft_p50=Figure(p50, "s", "modelled", "formula.ttft"),
        ttft_p95=Figure(p95, "s", "modelled", "formula.ttft"),
        throughput=Figure(per_s, "1/s", "modelled", "formula.throughput"),
        busy=Figure(meter.busy_s, "s", "modelled", "formula.busy"),
    )


# -- kind by kind, against a service level -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KindSide:
    """Some requests on one server. TTFT is over those that have their first token; ``num_waiting`` have come
    and have none yet. ``late``: share over the service level, of those of whom that is known: answered, or
    waiting for longer than that already. No value where there is nothing to tell."""

    num_answered: int
    num_waiting: int
    ttft_p50: Figure
    ttft_p95: Figure
    late: Figure


@dataclass(frozen=True, slots=True)
class KindSummary:
    """One kind of traffic on both servers; ``kind`` None: all of it. ``num_requests`` have come to the server
    with the cache; ``hit_rate`` is that of those it has admitted."""

    kind: Kind | None
    num_requests: int
    hit_rate: Figure
    with_cache: KindSide
    without_cache: KindSide


def by_kind(records: Records, cached: Server, plain: Server, slo_s: float) -> tuple[KindSummary, ...]:
    """All requests first, then the kinds that have come, most frequent first. O(kinds x requests)."""
    kinds = records.kind.copy()
    for arrival in (*cached.door, *plain.door):
        kinds[arrival.number] = KINDS.index(arrival.kind)
    waits = [
        (waits_so_far(side, server), ~np.isnan(side.first_s))
        for side, server in ((records.cached, cached), (records.plain, plain))
    ]
    come = ~np.isnan(waits[0][0])
    rows = []
    for kind in (None, *KINDS):
        mine = kinds >= 0 if kind is None else kinds == KINDS.index(kind)
        if not mine.any():
            continue
        with_cache, without_cache = (_kind_side(wait[mine], done[mine], slo_s) for wait, done in waits)
        rate = Figure(_rate(records, mine), "share", "counted", "formula.hit_rate")
        rows.append(KindSummary(kind, int((mine & come).sum()), rate, with_cache, without_cache))
    return tuple(sorted(rows, key=lambda row: (row.kind is not None, -row.num_requests)))


def waits_so_far(side: Side, server: Server) -> Times:
    """Time to first token of every request, and of those that have come and have none how long they have
    waited by now, at the door or inside; nan: has not come to this server."""
    arrival_s = side.arrival_s.copy()
    for arrival in server.door:
        arrival_s[arrival.number] = arrival.at_s
    waits: Times = np.where(np.isnan(side.first_s), server.now_s, side.first_s) - arrival_s
    return waits


def _kind_side(waits: Times, answered: NDArray[np.bool_], slo_s: float) -> KindSide:
    ttft, waiting = waits[answered], waits[~answered & ~np.isnan(waits)]
    p50, p95 = _p50_p95(ttft)
    late_already = int((waiting > slo_s).sum())
    known = len(ttft) + late_already
    late = (int((ttft > slo_s).sum()) + late_already) / known if known else None
    return KindSide(
        num_answered=len(ttft),
        num_waiting=len(waiting),
        ttft_p50=Figure(p50, "s", "modelled", "formula.ttft"),
        ttft_p95=Figure(p95, "s", "modelled", "formula.ttft"),
        late=Figure(late, "share", "modelled", "formula.late"),
    )


def _rate(records: Records, mine: NDArray[np.bool_]) -> float | None:
    hit = records.cached.hit
    admitted = mine & (hit >= 0)
    total = int(records.num_prompt[admitted].sum())
    return int(hit[admitted].sum()) / total if total else None
