"""Every forward pass of a run, for real: what the stage shows as milliseconds on its compute steps."""

from __future__ import annotations

from dataclasses import dataclass

from core.backends.base import Difference, PrefillBackend
from core.backends.plan import Plan, plans_in
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress, stopped
from core.timeline.event_log import EventLog


@dataclass(frozen=True, slots=True)
class TimedPlan:
    """One forward pass. ``position`` is the index of the event that tells of its first computed block (None:
    withdrawn, nobody is told). ``difference``: from a computation without cache, if that was asked for."""

    plan: Plan
    position: int | None
    wall_ms: float
    cpu_ms: float | None
    difference: Difference | None


def time_log(
    backend: PrefillBackend,
    log: EventLog,
    *,
    verify: bool = False,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> list[TimedPlan]:
    """Carry out all plans of a log made with block events, in order, in a new pool. The first one is run
    twice, so that it does not pay for everything that happens only once.

    Raises:
        BackendError: stopped, or a prompt that the model cannot take.
    """
    backend.reserve(log.config.num_blocks, log.config.block_size)
    placed = plans_in(log.events)
    timed: list[TimedPlan] = []
    for each in placed:
        if cancelled():
            raise stopped()
        if not timed:
            backend.prefill(each.plan)
        result = backend.prefill(each.plan)
        cpu_ms = None if result.cpu_s is None else result.cpu_s * 1e3
        difference = backend.verify(each.plan) if verify else None
        timed.append(TimedPlan(each.plan, each.position, result.wall_s * 1e3, cpu_ms, difference))
        progress(len(timed) / len(placed))
    return timed
