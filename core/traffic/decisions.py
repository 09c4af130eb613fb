"""What somebody who decides about a cache asks of a log, as plain JSON values and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from core.cost import CostModel
from core.csv_table import csv_text
from core.texts import showable
from core.traces.model import Trace
from core.traces.usage import UsageTotals
from core.traffic.analysis import Analysis
from core.traffic.enough import enough_for
from core.traffic.groups import Group, groups, keys_of, whole
from core.traffic.providers import Rule
from core.traffic.quotas import Quotas, quotas
from core.traffic.reported import reported_by

Json = dict[str, Any]
MOST_BELOW = 200
_COLUMNS = (
    "by", "name", "requests", "prompt_tokens", "hit_tokens", "hit_rate", "best_rate", "lower_bound",
    "hit_rate_p10", "hit_rate_p50", "hit_rate_p90", "prompt_tokens_p10", "prompt_tokens_p50",
    "prompt_tokens_p90", "below_minimum", "share_paid", "verdict",
)  # fmt: skip


def rule_json(rule: Rule) -> Json:
    """By what the verdict judges: prices and minimums are assumptions, however well they were read."""
    return {
        "id": rule.rule_id,
        "minimum": rule.minimum,
        "step": rule.step,
        "write": rule.prices.write,
        "read": rule.prices.read,
        "read_on": rule.read_on or None,
        "basis": "assumed",
    }


def enough_json(analysis: Analysis, cost: CostModel) -> Json | None:
    """The least memory for nine tenths of the possible gain."""
    found = enough_for(analysis)
    if found is None:
        return None
    size = analysis.settings.block_size
    return asdict(found) | {
        "bytes": found.slots * cost.block_bytes(size),
        "gib": cost.gib(found.slots, size).value,
    }


def below_json(analysis: Analysis, rule: Rule) -> Json:
    """Requests shorter than the rule's minimum: how many, how many tokens, the first of them by name; and the
    hit rate that the rule leaves."""
    below = np.flatnonzero(rule.below(analysis.lengths))
    return {
        "num_requests": len(below),
        "num_tokens": int(analysis.lengths[below].sum()),
        "requests": [analysis.requests[place].request_id for place in below[:MOST_BELOW]],
        "rate_by_rule": rate_by(analysis, rule),
        "share_paid": whole(analysis, rule).paid / max(int(analysis.lengths.sum()), 1),
    }


def rate_by(analysis: Analysis, rule: Rule) -> float:
    """Hit tokens that count under the rule / prompt tokens."""
    cached = np.where(rule.below(analysis.lengths), 0, rule.cached(analysis.hits))
    return int(cached.sum()) / max(int(analysis.lengths.sum()), 1)


def sources_json(analysis: Analysis, rule: Rule) -> Json:
    """Every source of every kind, with its percentiles."""
    return {
        key: [
            asdict(one) | {"rate": one.rate, "best_rate": one.possible_rate, "verdict": one.verdict()}
            for one in groups(analysis, key, rule)
        ]
        for key in keys_of(analysis)
    }


def quotas_json(analysis: Analysis) -> Json | None:
    """Both ways to divide the slots; None where there is nothing to divide."""
    if analysis.settings.num_slots is None:
        return None
    both = (quotas(analysis, "equal"), quotas(analysis, "tokens"))
    return {one.shares: _quotas(one) for one in both if one is not None} or None


def _quotas(one: Quotas) -> Json:
    return {
        "rate": one.rate,
        "shared_rate": one.shared_rate,
        "tenants": [
            asdict(tenant) | {"rate": tenant.rate, "shared_rate": tenant.shared_rate, "gain": tenant.gain}
            for tenant in one.tenants
        ],
    }


def reported_sources(trace: Trace) -> Json:
    """What the log itself reports per source; a rate only where its rows say enough, bounds where those that
    say nothing leave it open (``why``), both where counts can be read in two ways."""
    return {
        key: [
            {
                "name": one.name,
                "num_requests": one.num_requests,
                "prompt_tokens": one.totals.prompt_tokens,
                "cached_tokens": one.totals.cached_tokens,
                "rate": one.totals.ratio_of_sums,
                "unknown": one.totals.num_unknown,
                "bounds": None if one.totals.bounds is None else list(one.totals.bounds),
                "why": one.totals.why,
                "readings": one.totals.readings or None,
            }
            for one in found
        ]
        for key, found in reported_by(trace).items()
    }


def as_csv(analysis: Analysis, rule: Rule) -> str:
    """The log and all its sources as one table; rates from 0 to 1."""
    rows = [_row(analysis, "log", whole(analysis, rule))]
    for key in keys_of(analysis):
        rows += [_row(analysis, key, one) for one in groups(analysis, key, rule)]
    return csv_text([_COLUMNS, *rows])


def reported_csv(trace: Trace) -> str:
    """What a log reports per source, where nothing can be replayed; what is unknown is an empty cell."""
    names = ("prompt_tokens", "cached_tokens", "reported_rate", "at_least", "at_most")
    rows: list[tuple[object, ...]] = [("by", "name", "requests", *names)]
    rows.append(("log", showable(trace.name), len(trace.requests), *_reported(trace.reported())))
    for key, found in reported_by(trace).items():
        rows += [(key, showable(one.name), one.num_requests, *_reported(one.totals)) for one in found]
    return csv_text(rows)


def _reported(totals: UsageTotals) -> tuple[object, ...]:
    """Where rows leave it open between what the rate lies; else the rate is both ends."""
    low, high = totals.bounds or (totals.ratio_of_sums, totals.ratio_of_sums)
    return totals.prompt_tokens, totals.cached_tokens, totals.ratio_of_sums, low, high


def _row(analysis: Analysis, key: str, one: Group) -> Iterator[object]:
    yield from (key, showable(one.name), one.num_requests, one.num_tokens)
    yield from (one.hit_tokens, one.rate, one.possible_rate, analysis.lower_bound)
    for spread in (one.rates, one.lengths):
        yield from (spread.p10, spread.p50, spread.p90)
    yield from (one.num_below, one.paid / max(one.num_tokens, 1), one.verdict())
