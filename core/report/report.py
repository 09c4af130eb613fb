"""The numbers of one run, from its event log: what was reused, what that saved, what was lost and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.cost import CostModel, Figure, Prices
from core.engine.events import Event, RequestAdmitted, RequestFinished, RequestPreempted
from core.engine.stats import Statistics
from core.report.evictions import Act, Cause, Evictions
from core.report.held import HeldBlocks, Peak
from core.report.waterfall import SHARES, Share, Waterfall, split
from core.timeline.diagnose import Diagnosis, MissReason, ReasonKind
from core.timeline.event_log import EventLog
from core.types import RequestId

WORST = 5


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One admitted request: its prompt, its hit, the reason why it was no longer, and modelled times.

    ``event``: index in the log of its first admission. ``near_tokens``: its part of the share near miss.
    Seconds are those of its prefill alone on an idle GPU.
    """

    request_id: RequestId
    event: int
    prompt_tokens: int
    hit_tokens: int
    reason: ReasonKind
    near_tokens: int
    num_preemptions: int
    full_s: float
    hit_s: float


@dataclass(frozen=True, slots=True)
class Savings:
    """What reuse saved, each prompt taken by itself on an idle GPU; ``ratio`` is modelled time without over
    modelled time with, ``linear_ratio`` the same counted in tokens."""

    tokens: Figure
    gpu_seconds: Figure
    ms_per_request: Figure
    money_by_hour: Figure
    money_by_token: Figure
    ratio: Figure
    linear_ratio: Figure


@dataclass(frozen=True, slots=True)
class Report:
    """One run in numbers. ``prefill_s`` is modelled and includes what was computed again after preemptions,
    ``recomputed_tokens`` are those."""

    block_size: int
    num_requests: int
    num_finished: int
    num_preemptions: int
    queries: int
    hits: int
    hit_rate: Figure
    waterfall: Waterfall
    recomputed_tokens: int
    prefill_s: Figure
    savings: Savings
    worst_evictions: tuple[Act, ...]
    evicted_blocks: dict[Cause, int]
    peak: Peak
    peak_gib: Figure
    peak_unshared_gib: Figure
    reasons: dict[ReasonKind, int]
    rows: tuple[RequestRow, ...]


def make_report(log: EventLog, cost: CostModel, prices: Prices | None = None) -> Report:
    """Read a log once. O(events + look-ups x siblings).

    Raises:
        EventLogError: the log was written without block events.
    """
    reader = _Reader(log, cost)
    for index, event in enumerate(log.events):
        reader.take(index, event)
    return reader.report(prices or Prices())


def compare(logs: Mapping[str, EventLog], cost: CostModel, prices: Prices | None = None) -> dict[str, Report]:
    """Several runs of one scenario (no cache, cache, forks), to stand side by side."""
    return {name: make_report(log, cost, prices) for name, log in logs.items()}


class _Reader:
    """Everything a report needs, in one pass."""

    def __init__(self, log: EventLog, cost: CostModel) -> None:
        self._size = log.config.block_size
        self._cost = cost
        self._diagnosis = Diagnosis(self._size, log.config.enable_caching)
        self._statistics = Statistics()
        self._evictions = Evictions()
        self._held = HeldBlocks()
        self._tokens: dict[Share, int] = dict.fromkeys(SHARES, 0)
        self._rows: list[RequestRow] = []
        self._row_of: dict[RequestId, int] = {}  # an id may come again once its request is over
        self._num_finished = 0
        self._num_preemptions = 0
        self._recomputed = 0
        self._prefill_s = 0.0

    def take(self, index: int, event: Event) -> None:
        reason = self._diagnosis.take(index, event)
        self._statistics.add(event)
        self._evictions.take(index, event)
        self._held.take(event)
        match event:
            case RequestAdmitted():
                assert reason is not None
                self._admit(index, event, reason)
            case RequestPreempted():
                self._num_preemptions += 1
                row = self._row_of[event.request_id]
                changed = replace(self._rows[row], num_preemptions=event.num_preemptions)
                self._rows[row] = changed
            case RequestFinished():
                self._num_finished += not event.aborted

    def _admit(self, index: int, event: RequestAdmitted, reason: MissReason) -> None:
        num_new = event.num_tokens - event.hit_tokens
        self._prefill_s += self._cost.prefill_s(num_new, event.hit_tokens)
        if event.resumed:
            self._recomputed += num_new
            return
        near_tokens = self._share(event, reason)
        times = self._cost.compare(event.num_tokens, event.hit_tokens)
        row = RequestRow(
            request_id=event.request_id,
            event=index,
            prompt_tokens=event.num_tokens,
            hit_tokens=event.hit_tokens,
            reason=reason.kind,
            near_tokens=near_tokens,
            num_preemptions=0,
            full_s=times.full_s,
            hit_s=times.hit_s,
        )
        self._row_of[event.request_id] = len(self._rows)
        self._rows.append(row)

    def _share(self, event: RequestAdmitted, reason: MissReason) -> int:
        """Adds a request's shares to those of the run; its near miss in tokens."""
        part = split(event, reason, self._diagnosis, self._size)
        for share, count in part.tokens.items():
            self._tokens[share] += count
        for eviction, count in part.lost.items():
            self._evictions.charge(eviction, event.request_id, count)
        return part.tokens["near_miss"]

    # -- the end -----------------------------------------------------------------------------------------

    def report(self, prices: Prices) -> Report:
        queries, hits = self._statistics.lifetime
        peak = self._held.peak
        return Report(
            block_size=self._size,
            num_requests=len(self._rows),
            num_finished=self._num_finished,
            num_preemptions=self._num_preemptions,
            queries=queries,
            hits=hits,
            hit_rate=Figure(self._statistics.hit_rate, "share", "counted", "formula.hit_rate"),
            waterfall=Waterfall(self._tokens),
            recomputed_tokens=self._recomputed,
            prefill_s=Figure(self._prefill_s, "s", "modelled", "formula.prefill"),
            savings=self._savings(prices),
            worst_evictions=self._evictions.worst(WORST),
            evicted_blocks=self._evictions.num_blocks,
            peak=peak,
            peak_gib=self._cost.gib(peak.shared, self._size),
            peak_unshared_gib=self._cost.gib(peak.unshared, self._size),
            reasons=dict(Counter(row.reason for row in self._rows)),
            rows=tuple(self._rows),
        )

    def _savings(self, prices: Prices) -> Savings:
        rows = self._rows
        prompt = sum(row.prompt_tokens for row in rows)
        hit = sum(row.hit_tokens for row in rows)
        full_s, hit_s = sum(row.full_s for row in rows), sum(row.hit_s for row in rows)
        saved_s = full_s - hit_s
        per_request = 1e3 * saved_s / len(rows) if rows else None
        return Savings(
            tokens=Figure(hit, "tokens", "counted", "formula.saved_tokens"),
            gpu_seconds=Figure(saved_s, "s", "modelled", "formula.saved_s"),
            ms_per_request=Figure(per_request, "ms", "modelled", "formula.saved_s"),
            money_by_hour=prices.of_gpu_time(saved_s, self._cost.num_gpus),
            money_by_token=prices.of_cached_tokens(hit),
            ratio=Figure(full_s / hit_s if rows else None, "x", "modelled", "formula.ratio"),
            linear_ratio=Figure(
                prompt / (prompt - hit) if rows else None, "x", "counted", "formula.linear_claim"
            ),
        )
