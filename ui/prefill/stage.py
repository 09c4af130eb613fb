"""The stage's run computed for real: each compute step says what its forward pass took on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.backends.decoders.loader import ModelLoader
from core.backends.experiments.timed_log import TimedPlan, time_log
from core.engine.events import BlockComputed
from core.timeline.event_log import EventLog
from ui.frame.session import say
from ui.prefill.job import Job
from ui.prefill.models import RANDOM, Choice, loader
from ui.prefill.panels import job_panel
from ui.prefill.state import begin, collect, state, usable_choice
from ui.stage.payload import Payload, StageLog
from ui.words.numbers import digits

JOB = "stage"
_KEPT_RUNS = 4


def real_switch() -> None:
    """Off by default: the stage's times are nobody's until somebody asks for them."""
    st.session_state["widget_real"] = state().on_stage
    st.toggle(say("prefill.switch"), key="widget_real", on_change=_switched, help=say("prefill.switch.help"))


def _switched() -> None:
    now = state()
    now.on_stage, now.error, now.failed = st.session_state["widget_real"], None, False


def timed_run(log: EventLog, shown: Payload) -> Payload:
    """The run as the stage shows it: with measured times where they are wanted and there."""
    now = state()
    if not now.on_stage:
        return shown
    collect()
    key = shown.digest if isinstance(shown, StageLog) else StageLog(shown).digest
    if key in now.runs:
        return now.runs[key]
    if now.job is None and now.ended == JOB and (now.error is not None or now.failed):
        now.on_stage = False  # else it would be begun again at every answer
    else:
        _begin(log, shown, key)
    job_panel(JOB)
    return shown


def _begin(log: EventLog, shown: Payload, key: str) -> None:
    now, wanted = state(), usable_choice()
    choice = Choice(wanted.library, wanted.model if wanted.model in RANDOM else "S")

    def keep(timed: list[TimedPlan]) -> None:
        now.runs[key] = with_times(log, shown, timed)
        while len(now.runs) > _KEPT_RUNS:
            del now.runs[next(iter(now.runs))]

    begin(JOB, choice, partial(_compute, log, loader()), keep)


def _compute(log: EventLog, known: ModelLoader, job: Job[list[TimedPlan]]) -> list[TimedPlan]:
    """On the job's thread."""
    model = job.load(known)
    with job.clock_of(known):
        return time_log(model.backend(), log, progress=job.progress, cancelled=job.cancelled)


def with_times(log: EventLog, shown: Payload, timed: Sequence[TimedPlan]) -> StageLog:
    """The run with ``ms``, ``pass`` and ``cached`` among the arguments of every compute step.

    A pass computes several blocks at once: all its steps carry the time of the whole pass.
    """
    found = _pass_of(log, timed)
    steps = []
    for step in shown["events"]:
        plan = found.get(step["ev"]) if step["op"] == "compute" else None
        if plan is not None:
            ms = digits(plan.cpu_ms or plan.wall_ms)
            args = {**step["args"], "ms": ms, "pass": plan.plan.num_new, "cached": plan.plan.num_cached}
            step = {**step, "args": args}
        steps.append(step)
    return StageLog({**shown, "events": steps})


def _pass_of(log: EventLog, timed: Sequence[TimedPlan]) -> dict[int, TimedPlan]:
    """For each event that tells of a computed block, the pass in which that happened."""
    begins = {plan.position: plan for plan in timed if plan.position is not None}
    now: dict[str, TimedPlan] = {}
    found: dict[int, TimedPlan] = {}
    for index, event in enumerate(log.events):
        if isinstance(event, BlockComputed):
            if index in begins:
                now[event.request_id] = begins[index]
            if event.request_id in now:
                found[index] = now[event.request_id]
    return found
