"""A request gives its blocks back and is done, or has to make room."""

from __future__ import annotations

from core.engine import events as ev
from ui.stage.steps.telling import Telling


def released(telling: Telling, event: ev.BlockReleased) -> None:
    digest = telling.content(event.block_id)
    dirty = event.place == "back" and digest is None  # the older queue rule
    args = {"ref": event.ref_count, "place": event.place}
    telling.step("free", event, args, cap="free.dirty" if dirty else f"free.{event.place}", digest=digest)


def finished(telling: Telling, event: ev.RequestFinished) -> None:
    tally = telling.tallies[event.request_id]
    args = {
        "reused": tally.reused,
        "prompt": telling.frame["reqs"][event.request_id]["num_prompt"],
        "computed": tally.computed,
        "near": tally.near,
        "evicted": tally.evicted,
    }
    telling.step("done", event, args, cap="done.aborted" if event.aborted else "done.finished")


def preempted(telling: Telling, event: ev.RequestPreempted) -> None:
    telling.step("preempt", event)
