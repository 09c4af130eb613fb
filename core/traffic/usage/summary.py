"""Reported usage as plain JSON values: for the report, the page and other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.traces.model import Trace
from core.traffic.usage.bill import BillRow, again_cost, bill, extra_cost, row_of
from core.traffic.usage.engine import Beside, beside
from core.traffic.usage.rules import ANTHROPIC, OPENAI, Rules, RulesOf, each_by
from core.traffic.usage.sessions import sessions
from core.traffic.usage.turns import Session, Turn

Json = dict[str, Any]
_OPENAI = ("openai_chat", "openai_responses", "vercel", "vercel_5")
_UNSTATED = ("deepseek", "gemini", "llama_cpp")
"""Automatic caches whose times to live nobody states."""


def rules_for(trace: Trace) -> Rules:
    """The rules that fit how the log writes its usage, where nobody names others."""
    shapes = Counter(request.usage.shape for request in trace.requests if request.usage is not None)
    most = shapes.most_common(1)[0][0] if shapes else ""
    if most in _UNSTATED:
        return replace(OPENAI, id="unstated", ttl_s=None, usual_s=None, step=1)
    return OPENAI if most in _OPENAI else ANTHROPIC


def usage_summary(trace: Trace, rules: Rules | RulesOf | None = None) -> Json | None:
    """Sessions with turns and resets, and the bill; None where no row says what was read.

    All of it is about the requests whose usage is known; `left_out` counts the others. `rules`: for all
    turns, or a function that gives the rules of a model and a prompt's length.
    """
    rules_of = each_by(rules or rules_for(trace))
    found = sessions(trace, rules_of)
    if not found:
        return None
    turns = [turn for session in found for turn in session.turns]
    rows = bill(found, rules_of)
    totals = trace.reported()
    survivors = totals.why == "no_zero_reported"
    engine = None if survivors else beside(turns, rules_of, trace.requests)
    rows[0] = replace(rows[0], rate_bounds=totals.bounds)
    models = _models(turns, rules_of)
    if engine is not None:
        rows.append(engine.row)
    return {
        "sessions": [_session(session, rules_of) for session in found],
        "resets": dict(Counter(turn.reset.cause for turn in turns if turn.reset is not None)),
        "bill": {
            "rules": models[0]["rules"],
            "models": models,
            "requests": len(turns),
            "of": len(trace.requests),
            "rows": [_row(row, survivors) for row in rows],
        },
        "left_out": len(trace.requests) - len(turns),
        "engine": None if engine is None else _engine(engine),
    }


def _engine(found: Beside) -> Json:
    names = ("rate", "reported_rate", "requests", "below")
    return {name: getattr(found, name) for name in names} | {"minimums": list(found.minimums)}


def _models(turns: Sequence[Turn], rules_of: RulesOf) -> list[Json]:
    """What each model's turns came to, by the usual rules of its prompts; the most tokens first."""
    by_model: dict[str | None, list[Turn]] = {}
    for turn in turns:
        by_model.setdefault(turn.request.model, []).append(turn)
    found = []
    for model, own in by_model.items():
        row = row_of("as_it_was", own, rules_of)
        usual = sorted(turn.total for turn in own)[len(own) // 2]
        rules = rules_of(model, usual).to_json()
        told = {"model": model, "rules": rules, "turns": len(own)}
        found.append(told | {"read": row.read, "total": row.total, "cost": row.cost})
    return sorted(found, key=lambda one: -one["total"])


def reported(trace: Trace) -> Json:
    """What the log itself reports, as its first lines say it."""
    totals = trace.reported()
    return {
        "reported_unknown": totals.num_unknown,
        "reported_contradictory": totals.num_contradictory,
        "reported_bounds": None if totals.bounds is None else list(totals.bounds),
        "reported_why": totals.why,
        "reported_readings": totals.readings or None,
        "reported_conventions": _conventions(trace),
        "reported_reading_tokens": totals.reading_tokens or None,
        "reported_ambiguous": totals.num_ambiguous,
        "reported_deciding_line": totals.deciding_line,
    }


def _conventions(trace: Trace) -> dict[str, str] | None:
    """What each of two readings takes the prompt count for; None where no row can be read in two ways."""
    row = trace.ambiguous()
    return None if row is None else {name: row.read_as(name).convention for name in ("usual", "other")}


def with_resets(usage: Json | None) -> Json:
    """The log's resets and writes in short."""
    every = [(one["name"], turn) for one in (usage["sessions"] if usage else ()) for turn in one["turns"]]
    return {
        "resets": [
            {
                "session": name,
                "turn": turn["n"],
                "pause_s": turn["pause_s"],
                "cause": turn["reset"]["cause"],
                "extra_tokens": turn["reset"]["extra_tokens"],
            }
            for name, turn in every
            if turn["reset"] is not None
        ],
        "written_5m": _known_sum([turn["written_5m"] for _, turn in every]),
        "written_1h": _known_sum([turn["written_1h"] for _, turn in every]),
    }


def _known_sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _session(session: Session, rules_of: RulesOf) -> Json:
    turns = session.turns
    times = [turn.request.arrival_s for turn in turns if turn.request.arrival_s is not None]
    models = Counter(turn.request.model for turn in turns)
    return {
        "name": session.name,
        "model": models.most_common(1)[0][0],
        "num_turns": len(turns),
        "begins_s": min(times, default=None),
        "minutes": (max(times) - min(times)) / 60 if times else None,
        "ttl_s": session.ttl_s,
        "unknown": session.unknown,
        "judged": sum(turn.expected is not None for turn in turns),
        "read": sum(turn.read for turn in turns),
        "total": sum(turn.total for turn in turns),
        "turns": [_turn(turn, rules_of(turn.request.model, turn.total)) for turn in turns],
    }


def _turn(turn: Turn, rules: Rules) -> Json:
    request, reset = turn.request, turn.reset
    return {
        "n": turn.number,
        "request": request.request_id,
        "line": request.line,
        "at_s": request.arrival_s,
        "pause_s": turn.pause_s,
        "model": request.model,
        "branch": request.branch or request.tag,
        "read": turn.read,
        "written": turn.written,
        "written_5m": turn.written_5m,
        "written_1h": turn.written_1h,
        "new": turn.new,
        "total": turn.total,
        "expected": turn.expected,
        "reset": None
        if reset is None
        else {
            "cause": reset.cause,
            "values": reset.values,
            "extra_tokens": reset.extra_tokens,
            "extra_cost": extra_cost(turn, rules),
            "extra_most": reset.extra_most,
            "extra_cost_most": again_cost(turn, reset.extra_most, rules),
        },
    }


def _row(row: BillRow, survivors: bool) -> Json:
    """`survivors`: the turns are those that report a hit, whose share of reads is no rate of the log."""
    return {
        "id": row.id,
        "rate": None if survivors else row.rate,
        "read": row.read,
        "written_5m": row.written_5m,
        "written_1h": row.written_1h,
        "new": row.new,
        "total": row.total,
        "ttl_s": row.ttl_s,
        "cost": row.cost,
        "paid": {"read": row.paid.read, "written": row.paid.written, "new": row.paid.new},
        "cost_bounds": None if row.cost_bounds is None else list(row.cost_bounds),
        "rate_bounds": None if row.rate_bounds is None else list(row.rate_bounds),
        "unsure": dict(row.unsure),
        "basis": "reported" if row.id == "as_it_was" else "modelled",
        "money": "modelled",
    }
