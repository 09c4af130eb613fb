"""A request gives its blocks back and is done, or has to make room."""

from __future__ import annotations

from core.engine import events as ev
from ui.stage.steps.telling import Step, Telling, tag_of


def released(telling: Telling, event: ev.BlockReleased) -> None:
    digest = telling.content(event.block_id)
    args: Step = {"ref": event.ref_count, "place": event.place}
    cap = f"free.{event.place}"
    if digest is None and event.place == "back":
        cap = "free.dirty"  # the older queue rule
    elif digest is None and event.place == "front":
        known = telling.frame["reqs"][event.request_id]["hashes"][event.index : event.index + 1]
        if known:  # a tag was made, and one sees it: say why it is no use
            is_part = telling.frame["slots"][str(event.block_id)]["fill"] < telling.size
            args["tag"] = tag_of(known[0])
            cap = "free.known" if is_part else "free.gone"
    telling.step("free", event, args, cap=cap, digest=digest)


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
