"""vLLM's metrics as a run knows them: names, kinds, buckets, and the samples of one server.

Names, labels and buckets are those of vLLM's ``v1/metrics/loggers.py``. What the run does not know is left
out, because missing is not zero. What vLLM does not tell stands under a name of our own, ``broth:``. A
counter stands at 0 when the run begins; without prefix caching vLLM reports 0 queries, as engine 1 does here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from core.export.snapshot import MAIN, Floats, Snapshot
from core.load.meter import CAUSES

TTFT_BUCKETS = (
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0,
    80.0, 160.0, 640.0, 2560.0,
)  # fmt: skip
LATENCY_BUCKETS = (
    0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0,
    960.0, 1920.0, 7680.0,
)  # fmt: skip
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}

Points = list[tuple[float, float]]
"""Modelled seconds and value."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of samples: what is added to the metric's name, and labels of its own."""

    suffix: str
    labels: str
    points: Points


Read = Callable[[Snapshot, str], list[Series]]
"""The series of one server."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: its name without suffix, its kind in OpenMetrics, what it says, where it comes from."""

    name: str
    kind: str
    about: str
    read: Read

    @property
    def names(self) -> tuple[str, ...]:
        """What stands before its values, and what PromQL asks for."""
        return tuple(self.name + suffix for suffix in SUFFIXES[self.kind])


def _summed(column: str, *, only: str | None = None) -> Read:
    """A counter out of the bins' sums; ``{side}`` is the server. If ``only`` one server counts it, the other
    stands at 0."""

    def read(taken: Snapshot, side: str) -> list[Series]:
        per_bin = taken.bins.sums[column.format(side=side)]
        return [Series("_total", "", _running(taken, per_bin * (only in (None, side))))]

    return read


def _running(taken: Snapshot, per_bin: Floats) -> Points:
    totals = [0.0, *np.cumsum(per_bin[: taken.num_bins]).tolist()]
    return list(zip(taken.edges.tolist(), totals, strict=True))


def _evictions(taken: Snapshot, side: str) -> list[Series]:
    """By cause; without a cache there is nothing to evict."""
    causes = CAUSES if side == MAIN else ()
    return [
        Series("_total", f',cause="{cause}"', _running(taken, taken.bins.sums[f"evicted.{cause}"]))
        for cause in causes
    ]


def _level(columns: Mapping[str, int], *, only: str | None = None) -> Read:
    """A gauge at the end of each bin for which the run knows it: levels, each so many times, added up."""

    def read(taken: Snapshot, side: str) -> list[Series]:
        if only not in (None, side):
            return []
        known = taken.bins.levels
        levels = sum(times * known[column.format(side=side)] for column, times in columns.items())
        points = zip(taken.edges[1:].tolist(), np.asarray(levels)[: taken.num_bins].tolist(), strict=True)
        return [Series("", "", [(at_s, level) for at_s, level in points if not np.isnan(level)])]

    return read


def _happened(moment: str, weight: str | None = None, labels: str = "") -> Read:
    """A counter of requests, or of tokens they have, for whom something has happened."""

    def read(taken: Snapshot, side: str) -> list[Series]:
        count = taken.records.reach
        times = getattr(taken.side(side), moment)[:count]
        weights = np.ones(count) if weight is None else getattr(taken.records, weight)[:count]
        return [Series("_total", labels, _counted(taken.edges, times, weights))]

    return read


def _counted(edges: Floats, times: Floats, weights: Floats) -> Points:
    """Up to each edge, the weights of all whose moment has come."""
    known = np.flatnonzero(~np.isnan(times))
    order = known[np.argsort(times[known], kind="stable")]
    totals = np.concatenate([[0.0], np.cumsum(weights[order])])
    values = totals[np.searchsorted(times[order], edges, side="right")]
    return list(zip(edges.tolist(), values.tolist(), strict=True))


def _histogram(moment: str, buckets: tuple[float, ...]) -> Read:
    """Seconds from arrival until something happens, observed when it happens."""

    def read(taken: Snapshot, side: str) -> list[Series]:
        count = taken.records.reach
        times = getattr(taken.side(side), moment)[:count]
        took = times - taken.side(side).arrival_s[:count]
        found = []
        for bound in (*buckets, np.inf):
            inside = np.where(took <= bound, times, np.nan)
            le = "+Inf" if bound == np.inf else repr(bound)
            found.append(Series("_bucket", f',le="{le}"', _counted(taken.edges, inside, np.ones(count))))
        found.append(Series("_count", "", found[-1].points))
        return [*found, Series("_sum", "", _counted(taken.edges, times, took))]

    return read


METRICS = (
    Metric(
        "vllm:prefix_cache_queries",
        "counter",
        "Prompt tokens that were looked up in the prefix cache.",
        _summed("queries", only=MAIN),
    ),
    Metric(
        "vllm:prefix_cache_hits",
        "counter",
        "Prompt tokens that were found in the prefix cache.",
        _summed("hits", only=MAIN),
    ),
    Metric(
        "vllm:prompt_tokens",
        "counter",
        "Prompt tokens, reused ones too, of requests that have their first token.",
        _happened("first_s", "num_prompt"),
    ),
    Metric("vllm:generation_tokens", "counter", "Answer tokens.", _summed("{side}.generated")),
    Metric(
        "vllm:request_success",
        "counter",
        "Requests that were answered to the end.",
        _happened("finished_s", labels=',finished_reason="stop"'),
    ),
    Metric(
        "vllm:num_preemptions",
        "counter",
        "Preemptions, told when the request comes back.",
        _summed("{side}.preempted"),
    ),
    Metric(
        "broth:evicted_blocks",
        "counter",
        "Blocks that lost their content, by cause. No metric of vLLM.",
        _evictions,
    ),
    Metric(
        "vllm:num_requests_running",
        "gauge",
        "Requests that are computed.",
        _level({"{side}.inside": 1, "{side}.queue": -1}),
    ),
    Metric("vllm:num_requests_waiting", "gauge", "Requests that wait.", _level({"{side}.queue": 1})),
    Metric(
        "vllm:kv_cache_usage_perc",
        "gauge",
        "Share of the blocks that requests hold, 0 to 1.",
        _level({"in_use": 1}, only=MAIN),
    ),
    Metric(
        "vllm:time_to_first_token_seconds",
        "histogram",
        "From arrival to the first token, waiting included.",
        _histogram("first_s", TTFT_BUCKETS),
    ),
    Metric(
        "vllm:e2e_request_latency_seconds",
        "histogram",
        "From arrival to the last token.",
        _histogram("finished_s", LATENCY_BUCKETS),
    ),
)
