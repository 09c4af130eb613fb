"""The run so far in numbers, each with its basis and its formula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.cost import Figure, Prices
from core.load.records import Records, Side

if TYPE_CHECKING:
    from core.load.meter import Meter


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

    ``saved_prefill``: each hit by itself, on an idle GPU. ``saved_busy``: busy seconds of one server less
    those of the other, batches and decode included; None until both have finished the same requests,
    because before that the slower one has simply done less.
    """

    at_s: float
    num_arrived: int
    hit_rate: Figure
    saved_tokens: Figure
    saved_prefill: Figure
    saved_busy: Figure
    with_cache: SideSummary
    without_cache: SideSummary

    def money(self, prices: Prices, num_gpus: int) -> Figure:
        """What the prefill time saved is worth."""
        return prices.of_gpu_time(self.saved_prefill.value or 0.0, num_gpus)


def summarize(records: Records, cached: Meter, plain: Meter, now_s: float) -> Summary:
    """Everything up to now. O(requests)."""
    rate = cached.hits / cached.queries if cached.queries else None
    comparable = cached.num_finished == plain.num_finished == records.num_arrived > 0
    saved = plain.busy_s - cached.busy_s if comparable else None
    return Summary(
        at_s=now_s,
        num_arrived=records.num_arrived,
        hit_rate=Figure(rate, "share", "counted", "formula.hit_rate"),
        saved_tokens=Figure(cached.hits, "tokens", "counted", "formula.saved_tokens"),
        saved_prefill=Figure(cached.saved_s, "s", "modelled", "formula.saved_s"),
        saved_busy=Figure(saved, "s", "modelled", "formula.busy"),
        with_cache=_side(records, records.cached, cached, now_s),
        without_cache=_side(records, records.plain, plain, now_s),
    )


def _side(records: Records, side: Side, meter: Meter, now_s: float) -> SideSummary:
    ttft = records.ttft_s(side)
    p50, p95 = np.quantile(ttft, [0.5, 0.95]).tolist() if len(ttft) else (None, None)
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
