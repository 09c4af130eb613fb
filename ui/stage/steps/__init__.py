"""From the engine's event log to the steps of the stage: ops, captions' arguments, patches.

The engine's events are the vocabulary; a step is what a person sees at one key press. Some events become
two steps (an arrival is read out, then cut), some none: what they change travels with the next step. Each
phase of a request has a module that tells its events. Pure: same log, same steps. The stage only draws them.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from core.engine import events as ev
from core.timeline.diagnose import MissReason, explain
from core.timeline.event_log import EventLog
from core.timeline.fold import patches
from core.timeline.frame import Frame, change, initial_frame
from core.timeline.repeated import repeated
from ui.stage.steps import arrive, compute, leave, look_up, settings, take
from ui.stage.steps.telling import Step, Tell, Telling

TOLD: dict[type[ev.Event], Tell] = {
    ev.RequestArrived: arrive.arrived,
    ev.BlockHashed: arrive.hashed,
    ev.BlockHit: look_up.hit,
    ev.BlockMissed: look_up.missed,
    ev.HashCollision: look_up.collided,
    ev.RequestAdmitted: look_up.admitted,
    ev.RequestBlocked: look_up.blocked,
    ev.RequestRefused: look_up.refused,
    ev.BlockTouched: take.touched,
    ev.BlockEvicted: take.evicted,
    ev.BlockAllocated: take.allocated,
    ev.BlockStored: take.stored,
    ev.BlockNotStored: take.not_stored,
    ev.BlockComputed: compute.computed,
    ev.TokensAppended: compute.appended,
    ev.BlockReleased: leave.released,
    ev.RequestFinished: leave.finished,
    ev.RequestPreempted: leave.preempted,
    ev.ClockAdvanced: settings.clock_advanced,
    ev.CacheReset: settings.cache_reset,
    ev.VersionChanged: settings.version_changed,
    ev.PolicyChanged: settings.policy_changed,
}
"""Which events people see, and who tells them. What the others change travels with the next step."""


def stage_steps(
    log: EventLog,
    piece_of: Mapping[int, str],
    start: Frame | None = None,
    reasons: Mapping[int, MissReason] | None = None,
) -> list[Step]:
    """All steps of a run. ``piece_of``: the text of each token id, for token diffs and decode captions.

    A piece of a longer run begins at the frame ``start``; its log alone cannot tell why somebody missed, so
    whoever cut it out brings the ``reasons``.
    """
    frame = deepcopy(start or initial_frame(log.config))
    telling = Telling(log, piece_of, frame, reasons or explain(log))
    silent = repeated(log)
    for telling.index, event in enumerate(log.events):
        changes = patches(frame, event)
        telling.pending += patches(frame, event)  # made twice: the frame goes on changing what it is given
        if type(event) in TOLD and telling.index not in silent:
            TOLD[type(event)](telling, event)
        change(frame, changes)
    if telling.pending and telling.steps:  # so that the last frame is the engine's state
        telling.steps[-1]["patch"] += telling.pending
    return telling.steps
