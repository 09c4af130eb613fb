"""One request of a load, on the stage: the part of the run around it, as the stage wants it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from core import __version__
from core.engine import events as ev
from core.load import LoadRun, Moment, Why, scenario_around, why_missed
from core.timeline.diagnose import MissReason
from core.timeline.event_log import EventLog
from core.timeline.fold import fold_all
from core.timeline.frame import Frame, initial_frame
from ui.moment.past import reasons_of
from ui.stage.payload import MAX_STEPS, SCHEMA_VERSION
from ui.stage.steps import stage_steps
from ui.stage.steps.beats import with_beats

NEIGHBOURS = 2
MOST_EVENTS = 2_000
BEFORE, AFTER = 500, 1_500
"""Events shown before and after the moment at which the request is let in."""


@dataclass(frozen=True, slots=True)
class ShownMoment:
    """What the execute page shows instead of the scenario's run. ``origin``: the page it was opened from.
    ``hide``: panels of the stage that mean nothing here; ``note``: what stands under it."""

    request_id: str
    at_s: float
    log: dict[str, Any]
    step: int
    origin: str = "monitor"
    hide: tuple[str, ...] = ()
    note: str = ""


def shown_moment(
    run: LoadRun, request_id: str, at_s: float, title: str, cut: str = "", why: Why | None = None
) -> ShownMoment:
    """The neighbourhood of a request for the stage, and the step at which its look-up begins. ``at_s``: the
    point of the chart it was reached from. ``cut``: what is said if the part ends before the request does.
    ``why`` it missed, if that is known already. Sums are those of the part that is shown.

    Raises:
        BrothError: the request has not been admitted yet.
    """
    moment = scenario_around(run, request_id, NEIGHBOURS, NEIGHBOURS, MOST_EVENTS)
    reasons, texts = reasons_of(run, moment)
    frame, log, reasons = _window(moment, reasons)
    steps = with_beats(stage_steps(log, texts, frame, reasons))[:MAX_STEPS]
    _name_who(steps, run, request_id, why)
    named = _named(log)
    data = {
        "schema": SCHEMA_VERSION,
        "meta": {
            "scenario": request_id,
            "title": title,
            "block_size": log.config.block_size,
            "slots": log.config.num_usable,
            "seed": run.spec.seed,
            "engine": __version__,
            "num_steps": len(steps),
        },
        "pieces": {name: pieces for name, pieces in moment.pieces.items() if name in named},
        "init": frame,
        "events": steps,
    }
    ends = any(isinstance(e, ev.RequestFinished) and e.request_id == request_id for e in log.events)
    return ShownMoment(request_id, at_s, data, _first_step(steps, request_id), note="" if ends else cut)


def _name_who(steps: list[dict[str, Any]], run: LoadRun, request_id: str, why: Why | None) -> None:
    """Where the request misses what was evicted before the part begins: by whom, and when."""
    missed = [s for s in steps if s.get("rid") == request_id and s["cap"] == "miss.evicted_before"][:1]
    if not missed:
        return
    why = why or why_missed(run, request_id)
    if why is not None and why.kind == "evicted" and why.other is not None and why.at_s is not None:
        missed[0]["cap"] = "miss.evicted_by"
        missed[0]["args"] |= {"writer": why.other, "at": f"{why.at_s:.1f}"}


def _named(log: EventLog) -> set[str]:
    """Everybody something happens to; who only waits all along needs no words."""
    return {event.request_id for event in log.events if hasattr(event, "request_id")}


def _first_step(steps: list[dict[str, Any]], request_id: str) -> int:
    """The step that shows the request: its arrival; if it waited long before, its first look-up."""
    wanted = ("arrive", "probe", "match", "plan")
    return next((s["i"] + 1 for s in steps if s.get("rid") == request_id and s["op"] in wanted), 0)


def _window(moment: Moment, reasons: dict[int, MissReason]) -> tuple[Frame, EventLog, dict[int, MissReason]]:
    """Under rush a request waits long: what came long before it is let in is folded away."""
    events = moment.log.events
    first = _step_begin(events, max(moment.event - BEFORE, 0))
    frame = fold_all(moment.frame, events[:first])
    frame["totals"] = initial_frame(moment.log.config)["totals"]  # of the thousands before nobody sees any
    kept = EventLog(moment.log.config, events[first : moment.event + AFTER])
    return frame, kept, {at - first: _moved(reason, first) for at, reason in reasons.items() if at >= first}


def _moved(reason: MissReason, first: int) -> MissReason:
    event = reason.event
    return replace(reason, event=None if event is None or event < first else event - first)


def _step_begin(events: tuple[ev.Event, ...], place: int) -> int:
    """The last place up to ``place`` at which a step of the scheduler begins."""
    begins = [at for at, event in enumerate(events[: place + 1]) if isinstance(event, ev.StepStarted)]
    return begins[-1] if begins else 0
