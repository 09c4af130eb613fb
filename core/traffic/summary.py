"""A log in numbers as plain JSON values: what the report prints and the command line gives to programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core import __version__
from core.cost import CostModel, Prices
from core.replay.prefix_tree import Progress
from core.scenario.tokenizer import Tokenizer
from core.traces.model import Trace
from core.traffic.analysis import Analysis, analyse, held, misses_of, over_time, savings
from core.traffic.bounds import mark
from core.traffic.decisions import (
    below_json,
    enough_json,
    quotas_json,
    reported_sources,
    rule_json,
    sources_json,
)
from core.traffic.diagnosis.account import account_of
from core.traffic.diagnosis.findings import Finding
from core.traffic.diagnosis.ranking import find_causes
from core.traffic.groups import whole
from core.traffic.left_out import left_out
from core.traffic.meters.summary import counters_summary
from core.traffic.misses import REASONS, Miss
from core.traffic.providers import Rule
from core.traffic.reported import text_share
from core.traffic.settings import Settings
from core.traffic.sweeps import curve_points, deviation_of, idle_ttl, sweep_block_sizes
from core.traffic.usage.rules import Rules, RulesOf
from core.traffic.usage.summary import reported, usage_summary, with_resets
from core.traffic.words import words_at

SCHEMA_VERSION = 1
WORST = 20
Json = dict[str, Any]


def summarise(
    trace: Trace,
    settings: Sequence[Settings],
    cost: CostModel,
    prices: Prices,
    tokenizer: Tokenizer,
    progress: Progress | None = None,
    *,
    rules: Rules | RulesOf | None = None,
    rule: Rule | None = None,
) -> Json:
    """Everything about a log, once per setting. A log without identity has no ``runs``: no rate, not 0.
    ``rule``: by what the verdict judges.

    Raises:
        TraceError: the log cannot be cut into such blocks.
    """
    lengths = [request.num_tokens for request in trace.requests]
    told = usage_summary(trace, rules)
    counters = counters_summary(trace)
    counted = None if counters is None else counters["reported_rate"]
    usage, used = trace.reported(), rule or Rule()
    return {
        "broth": "traffic-report",
        "schema": SCHEMA_VERSION,
        "engine": __version__,
        "log": {
            "name": trace.name,
            "format": trace.format,
            "requests": len(lengths),
            "prompt_tokens": sum(lengths),
            "has_identity": trace.has_identity,
            "tokenizer": trace.tokenizer,
            "template": trace.template,
            "block_size": trace.block_size,
            "skipped_lines": trace.num_skipped,
            "notes": [{"code": note.code, "count": note.count, **note.values} for note in trace.notes],
            **left_out(trace),
            "reported_rate": counted if usage.ratio_of_sums is None else usage.ratio_of_sums,
            "reported_rows": usage.num_known,
            "text_share": text_share(trace),
            **reported(trace),
            **with_resets(told),
            "counters": counters,
            "reported_sources": reported_sources(trace),
        },
        "usage": told,
        "machine": {
            "model": cost.model.name,
            "gpu": cost.gpu.name,
            "num_gpus": cost.num_gpus,
            "kv_dtype": cost.model.kv_dtype,
        },
        "verdict_rule": rule_json(used),
        "runs": [_run(trace, one, cost, prices, tokenizer, used, progress) for one in settings]
        if trace.has_identity
        else [],
    }


def _run(
    trace: Trace,
    settings: Settings,
    cost: CostModel,
    prices: Prices,
    tokenizer: Tokenizer,
    rule: Rule,
    progress: Progress | None,
) -> Json:
    analysis = analyse(trace, settings, progress)
    misses = misses_of(analysis, progress)
    causes = find_causes(analysis, misses, tokenizer, progress)
    account = account_of(analysis, misses, causes)
    saved = savings(analysis, cost, prices)
    peak = held(analysis)
    total = whole(analysis, rule)
    found = {
        "settings": asdict(settings),
        "way": analysis.result.way,
        "reasons_for_engine": list(analysis.result.reasons),
        "requests": len(analysis.requests),
        "refused": analysis.result.num_refused,
        "prompt_tokens": int(analysis.lengths.sum()),
        "hit_tokens": int(analysis.hits.sum()),
        "hit_rate": analysis.hit_rate,
        "best_rate": analysis.best_rate,
        "percentiles": {"hit_rate": asdict(total.rates), "prompt_tokens": asdict(total.lengths)},
        "enough_for": enough_json(analysis, cost),
        "definitions": [
            {"name": one.name, "hits": one.hits, "total": one.total, "rate": one.rate}
            for one in analysis.definitions
        ],
        "curve": _curve(analysis, cost),
        "block_sizes": [one.to_json() for one in sweep_block_sizes(trace, settings)],
        "idle_ttl": idle_ttl(analysis, 120) if analysis.tree.arrivals_s is not None else None,
        "over_time": [asdict(one) | {"rate": one.rate} for one in over_time(analysis)],
        "savings": {
            "gpu_seconds": saved.gpu_seconds.to_json(),
            "share_of_prefill": saved.share,
            "share_of_tokens": saved.linear_share,
            "money_by_gpu_hour": saved.money_by_hour.to_json(),
            "money_by_token": saved.money_by_token.to_json(),
        },
        "peak_blocks_if_all_ran_at_once": asdict(peak),
        "verdict": total.verdict(),
        "below_minimum": below_json(analysis, rule),
        "sources": sources_json(analysis, rule),
        "quotas": quotas_json(analysis),
        "reasons": _reasons(misses),
        "account": asdict(account) | {"verdict": account.verdict},
        "causes": [_cause(one) for one in causes],
        "worst": [_miss(analysis, miss, tokenizer) for miss in _worst(misses)],
    }
    return mark(found, analysis.lower_bound, rule)


def _curve(analysis: Analysis, cost: CostModel) -> Json:
    curve = analysis.curve
    cliff = curve.cliff()
    off = deviation_of(analysis)
    return {
        "first_slots": curve.first,
        "last_slots": curve.last,
        "exact": curve.exact,
        "ttl_s": analysis.settings.ttl_s,
        "repeats": curve.num_repeats,
        "deviation": None
        if off is None
        else {
            "slots": list(off.capacities),
            "curve": list(off.curve_rates),
            "exact": list(off.exact_rates),
            "requests": list(off.num_different),
            "largest": off.largest,
        },
        "cliff": None if cliff is None else list(cliff),
        "bytes_per_slot": cost.block_bytes(curve.block_size),
        "points": [[slots, rate] for slots, rate in curve_points(analysis)],
    }


def _reasons(misses: Sequence[Miss]) -> Json:
    counts = Counter(miss.reason for miss in misses)
    return {reason: counts[reason] for reason in REASONS if counts[reason]}


def _cause(one: Finding) -> Json:
    best = one.best
    change = best.change
    return {
        "cause": one.cause,
        "path": one.path or None,
        "kind": one.kind,
        "kinds": list(one.kinds),
        "characters": None if one.characters is None else list(one.characters),
        "span": one.aligned[0].span if one.aligned else None,
        "bar": None if one.bar is None else list(one.bar.parts),
        "aligned": [asdict(row) for row in one.aligned],
        "num_requests": one.num_requests,
        "example": one.example,
        "repair": best.repair,
        "also": None if best.also is None else asdict(best.also),
        "value": best.value,
        "before": None if change is None else change.before,
        "after": None if change is None else change.after,
        "rate_before": one.rate_before,
        "rate_after": best.rate_after,
        "computed_before": one.computed_before,
        "computed_after": best.computed_after,
        "gain": one.gain,
        "repairs": [asdict(offer) for offer in one.offers],
        "advised": one.advised,
    }


def _worst(misses: Sequence[Miss]) -> list[Miss]:
    found = sorted(misses, key=lambda miss: (-miss.lost, miss.request))
    return [miss for miss in found[:WORST] if miss.lost]


def _miss(analysis: Analysis, miss: Miss, tokenizer: Tokenizer) -> Json:
    request = analysis.requests[miss.request]
    best = None if miss.best is None else analysis.requests[miss.best]
    at_a_token = miss.reason == "differs" and request.block_ids is None
    mine = words_at(request, miss.common, tokenizer)
    stored = None if best is None else words_at(best, miss.common, tokenizer)
    return {
        "request": request.request_id,
        "line": request.line,
        "prompt_tokens": request.num_tokens,
        "hit_tokens": miss.hit_tokens,
        "reason": miss.reason,
        "block": miss.block,
        "first_different_token": miss.common if at_a_token else None,
        "nearest": None if best is None else best.request_id,
        "lost_tokens": miss.lost,
        "mine": None if mine is None else asdict(mine),
        "stored": None if stored is None else asdict(stored),
    }
