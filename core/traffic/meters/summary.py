"""What engines reported, as plain JSON values: the page, the report and programs say the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.traces.engine_facts import EngineCounters, Labels, Meters
from core.traces.model import Trace
from core.traffic.meters.fleet import MOST_INTERVALS, Fleet, fewer, fleet_of
from core.traffic.meters.runs import EngineRun, Step
from core.traffic.meters.tally import Tally

Json = dict[str, Any]
REQUESTS_OF_A_WINDOW = 1000
"""vLLM's own rate is that of the last so many requests."""


def counters_summary(trace: Trace) -> Json | None:
    """Everything that engines said of themselves; None where a log has nothing of the kind.

    Rates are shares of 1. Places (`begins`, `ends`, `at`) count scrapes, or lines that say something, from 1.
    """
    meters = trace.meters
    if meters is None:
        return None
    fleet = fleet_of(meters)
    clock = _Clock(meters)
    shared = _shared_labels(meters)
    return {
        "basis": "reported",
        "source": meters.source,
        "period": fleet.period,
        "num_moments": len(meters.moments),
        "order": meters.order,
        "seconds": clock.seconds,
        "reported_rate": fleet.reported_rate,
        "fleet": _fleet(fleet, clock),
        "engines": [_engine(run, run in fleet.added, clock, shared) for run in fleet.runs],
        "intervals": [clock.step(step) for step in fewer(fleet.intervals)],
        "restarts": [
            {"engine": run.engine.name, **clock.at(place)} for run in fleet.runs for place in run.restarts
        ],
    }


def _fleet(fleet: Fleet, clock: _Clock) -> Json:
    """The sum, and how it came about. `watched_s`: the shortest and the longest time of its engines."""
    if_new = fleet.if_new
    watched = [clock.between(run.begins, run.ends) for run in fleet.added]
    known = [seconds for seconds in watched if seconds is not None]
    return {
        "num_engines": len(fleet.added),
        "num_left_out": _left_out(fleet),
        "num_shown": len(fleet.shown),
        "is_difference": fleet.is_difference,
        "same_span": len({(run.begins, run.ends) for run in fleet.added if run.birth != "proved"}) < 2,
        "num_restarts": sum(len(run.restarts) for run in fleet.added),
        "num_from_zero": sum(run.birth == "proved" for run in fleet.added),
        "num_unproved": len(fleet.unproved),
        "watched_s": [min(known), max(known)] if known and len(known) == len(watched) else None,
        **_tally(fleet.total),
        "if_new": None if if_new is None else _tally(if_new),
    }


def _shared_labels(meters: Meters) -> Labels:
    """Labels that every engine has alike: they tell none from another."""
    several = [set(engine.labels) for engine in meters.engines]
    return tuple(set.intersection(*several)) if len(several) > 1 else ()


def _left_out(fleet: Fleet) -> int:
    return sum(run not in fleet.added for run in fleet.runs if run.engine.role == "engine")


class _Clock:
    """Moments as a reader of the report wants them: a number, a place in a file, seconds since the first."""

    def __init__(self, meters: Meters) -> None:
        self._moments = meters.moments
        times = [moment.at_s for moment in meters.moments]
        known = [at_s for at_s in times if at_s is not None]
        timed = len(known) == len(times) and known == sorted(known)
        self._first = known[0] if timed and known else None
        self.seconds = known[-1] - known[0] if timed and known else None

    def at(self, place: int) -> Json:
        moment = self._moments[place]
        return {"at": place + 1, "file": moment.file, "line": moment.line, "at_s": self.since(place)}

    def since(self, place: int | None) -> float | None:
        at_s = None if place is None else self._moments[place].at_s
        return None if at_s is None or self._first is None else at_s - self._first

    def between(self, begins: int | None, ends: int | None) -> float | None:
        first, last = self.since(begins), self.since(ends)
        return None if first is None or last is None else last - first

    def step(self, step: Step) -> Json:
        return {
            "begins": None if step.begins is None else step.begins + 1,
            "ends": step.ends + 1,
            "begins_s": self.since(step.begins),
            "ends_s": self.since(step.ends),
            "restart": step.restart,
            **_tally(step.tally),
        }


def _tally(tally: Tally) -> Json:
    return {
        "queries": _whole(tally.queries),
        "hits": _whole(tally.hits),
        "external_queries": _whole(tally.external_queries),
        "external_hits": _whole(tally.external_hits),
        "all_hits": _whole(tally.all_hits),
        "local_rate": tally.local_rate,
        "external_rate": tally.external_rate,
        "any_rate": tally.any_rate,
        "why": tally.why,
    }


def _whole(value: float | None) -> int | float | None:
    return int(value) if value is not None and value.is_integer() else value


def _engine(run: EngineRun, added: bool, clock: _Clock, shared: Labels) -> Json:
    engine = run.engine
    usage = [reading.usage for reading in engine.readings if reading.usage is not None]
    return {
        "engine": engine.name,
        "short": ", ".join(f"{name}={value}" for name, value in engine.labels if (name, value) not in shared),
        "family": engine.family,
        "role": engine.role,
        "counts": engine.counts,
        "period": run.period,
        "in_fleet": added,
        "num_readings": len(engine.readings),
        **_tally(run.total),
        "restarts": [clock.at(place) for place in run.restarts],
        "begins": None if run.begins is None else clock.at(run.begins),
        "ends": None if run.ends is None else clock.at(run.ends),
        "missing": [clock.at(place) for place in run.missing[:MOST_INTERVALS]],
        "num_missing": len(run.missing),
        "appeared": None if run.appeared is None else clock.at(run.appeared),
        "birth": run.birth,
        "vanished": None if run.vanished is None else clock.at(run.vanished),
        "kv_usage": usage[-1] if usage else None,
        "kv_usage_most": max(usage, default=None),
        "said": _said(engine, clock),
        "intervals": [clock.step(step) for step in fewer(run.steps)],
    }


def _said(engine: EngineCounters, clock: _Clock) -> Json | None:
    """The rates that the engine worked out itself, each over its own window."""
    told = [one for one in engine.readings if one.said is not None or one.said_external is not None]
    if engine.window is None or not told:
        return None
    own = [one.said for one in told if one.said is not None]
    external = [one.said_external for one in told if one.said_external is not None]
    every = -(-len(told) // MOST_INTERVALS)
    kept = told[::every] if told[-1] in told[::every] else [*told[::every], told[-1]]
    return {
        "window": engine.window,
        "window_requests": REQUESTS_OF_A_WINDOW if engine.window == "last_requests" else None,
        **_range(own, ""),
        **_range(external, "external_"),
        "num": len(told),
        "points": [
            {
                "at": one.moment + 1,
                "at_s": clock.since(one.moment),
                "rate": one.said,
                "external": one.said_external,
            }
            for one in kept
        ],
    }


def _range(rates: Sequence[float], prefix: str) -> Json:
    return {
        f"{prefix}first": rates[0] if rates else None,
        f"{prefix}last": rates[-1] if rates else None,
        f"{prefix}least": min(rates, default=None),
        f"{prefix}most": max(rates, default=None),
    }
