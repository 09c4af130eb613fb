"""A request is looked up block by block, until the first miss; then it gets its plan, or waits."""

from __future__ import annotations

from core.engine import events as ev
from core.timeline.diagnose import MissReason
from ui.stage.steps.telling import Step, Telling, or_dash


def hit(telling: Telling, event: ev.BlockHit) -> None:
    telling.step("probe", event, slot=None, carries=False)
    telling.step("match", event, {"n": telling.size})


def missed(telling: Telling, event: ev.BlockMissed) -> None:
    telling.step("probe", event, carries=False)
    reason = telling.reason_ahead[telling.index]
    before = reason.kind == "evicted" and reason.event is None  # in a part of the run that is not shown
    cap = "miss.evicted_before" if before else f"miss.{reason.kind}"
    telling.step("miss", event, _miss_args(telling, reason), cap=cap)


def _miss_args(telling: Telling, reason: MissReason) -> Step:
    version = or_dash(telling.frame["reqs"][reason.request_id]["version"])
    args: Step = {"reason": reason.kind, "near": reason.num_near, "version": version}
    if reason.event is not None:
        args["step"] = telling.evicted_step[reason.event]
    if reason.first_diff is not None:
        args["token"] = reason.block * telling.size + reason.first_diff + 1
        args["diff"] = {
            "block": reason.block,
            "stored": telling.pieces(reason.stored),
            "mine": telling.pieces(reason.mine),
            "first": reason.first_diff,
            "from": reason.best_request,
        }
    return args


def collided(telling: Telling, event: ev.HashCollision) -> None:
    telling.step("collision", event)


def admitted(telling: Telling, event: ev.RequestAdmitted) -> None:
    if event.resumed:
        telling.step("resume", event, {"hit": event.hit_tokens, "n": event.num_scheduled})
        return
    reason, tally = telling.reasons[telling.index], telling.tallies[event.request_id]
    tally.reused, tally.near = event.hit_tokens, reason.num_near
    cap = f"plan.{reason.kind}" if reason.kind in ("last_token", "not_full") else "plan.none"
    need, reused = event.num_new_blocks, event.hit_tokens // telling.size
    args = {"reused": reused, "hit": event.hit_tokens, "need": need, "n": event.num_scheduled}
    telling.step("plan", event, args, cap=cap)


def blocked(telling: Telling, event: ev.RequestBlocked) -> None:
    telling.step("wait", event, {"need": event.num_needed, "free": event.num_free})


def refused(telling: Telling, event: ev.RequestRefused) -> None:
    telling.step("reject", event, {"need": event.num_needed, "free": event.num_free})
