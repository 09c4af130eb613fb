"""fold(frame, event) -> frame: what each event changes, as patches. Pure; time travel is a fold.

Events carry the value after the change, so nearly every patch is a plain assignment.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from functools import singledispatch
from typing import Literal, cast

from core.engine import events as ev
from core.engine.work import newly_reused, share_of
from core.timeline.frame import Frame, Patch, Path, RequestFrame, apply, change


def fold(frame: Frame, event: ev.Event) -> Frame:
    """The frame after the event. Pure: the old frame stays as it is."""
    return apply(frame, patches(frame, event))


def fold_all(frame: Frame, log: Iterable[ev.Event]) -> Frame:
    """The frame after all events of a log. The old one stays as it is: it is copied once, not per event."""
    frame = deepcopy(frame)
    for event in log:
        change(frame, patches(frame, event))
    return frame


@singledispatch
def _patches(event: ev.Event, frame: Frame) -> list[Patch]:
    raise AssertionError(f"no patches for {type(event).__name__}")


def patches(frame: Frame, event: ev.Event) -> list[Patch]:
    """What the event changes in ``frame``, as assignments a screen can carry out."""
    return _patches(event, frame)


def _nothing(event: ev.Event, frame: Frame) -> list[Patch]:
    return []


_CHANGES_NOTHING: tuple[type[ev.Event], ...] = (
    ev.LookedUp,
    ev.GrowthFailed,
    ev.HashCollision,
    ev.BlockNotStored,
    ev.PolicyChanged,
)
for _kind in _CHANGES_NOTHING:
    _patches.register(_kind)(_nothing)


def _more(frame: Frame, name: str, amount: int) -> Patch:
    return [["totals", name], cast("dict[str, int]", frame["totals"])[name] + amount]


@_patches.register
def _(event: ev.ClockAdvanced, frame: Frame) -> list[Patch]:
    return [[["clock"], event.clock]]


@_patches.register
def _(event: ev.StepStarted, frame: Frame) -> list[Patch]:
    return [[["step"], event.step]]


@_patches.register
def _(event: ev.RequestArrived, frame: Frame) -> list[Patch]:
    num_tokens = len(event.token_ids)
    request = RequestFrame(
        status="waiting",
        num_prompt=num_tokens,
        num_tokens=num_tokens,
        computed=0,
        written=0,
        reached=0,
        reused=0,
        hit=0,
        hashes=[],
        look={},
        btable=[],
        skip_read=event.skip_read,
        salt=event.salt,
        version=event.version,
    )
    changes: list[Patch] = [[["reqs", event.request_id], request]]
    return changes + _wait(event.request_id, event.waiting_place)


def _wait(request_id: str, place: int | None) -> list[Patch]:
    return [] if place is None else [[["waiting", "at"], [place, request_id]]]


def _leave(frame: Frame, request_id: str) -> list[Patch]:
    """Out of the line where the request stands. A preempted one may stand in none, and so may one that was
    started directly until it runs."""
    name: Literal["running", "waiting"] = "running"
    if frame["reqs"][request_id]["status"] != "running":
        name = "waiting"
        if request_id not in frame["waiting"]:
            return []
    return [[[name, "out"], request_id]]


@_patches.register
def _(event: ev.TokensAppended, frame: Frame) -> list[Patch]:
    return [[["reqs", event.request_id, "num_tokens"], event.num_tokens]]


@_patches.register
def _(event: ev.RequestBlocked, frame: Frame) -> list[Patch]:
    return [[["reqs", event.request_id, "look"], {}]]


@_patches.register
def _(event: ev.RequestRefused, frame: Frame) -> list[Patch]:
    return [[["reqs", event.request_id]]]


@_patches.register
def _(event: ev.RequestAdmitted, frame: Frame) -> list[Patch]:
    base: Path = ["reqs", event.request_id]
    request = frame["reqs"][event.request_id]
    reused = newly_reused(event.hit_tokens, request["reached"], request["num_prompt"])
    changes: list[Patch] = [
        [[*base, "status"], "running"],
        [[*base, "computed"], event.num_computed],
        [[*base, "written"], event.hit_tokens],
        [[*base, "reached"], max(request["reached"], event.hit_tokens)],
        [[*base, "reused"], request["reused"] + reused],
        *_leave(frame, event.request_id),
        [["running", "back"], event.request_id],
    ]
    if not event.resumed:
        changes.append([[*base, "hit"], event.hit_tokens])
    if event.counted:
        changes.append(_more(frame, "requests", 1))
        changes.append(_more(frame, "queries", event.num_tokens))
        changes.append(_more(frame, "hits", event.hit_tokens))
    return changes


@_patches.register
def _(event: ev.RequestScheduled, frame: Frame) -> list[Patch]:
    return [[["reqs", event.request_id, "computed"], event.num_computed]]


@_patches.register
def _(event: ev.RequestPreempted, frame: Frame) -> list[Patch]:
    base: Path = ["reqs", event.request_id]
    return [
        [[*base, "status"], "preempted"],
        [[*base, "computed"], 0],
        [[*base, "written"], 0],
        [[*base, "look"], {}],
        *_leave(frame, event.request_id),
        *_wait(event.request_id, event.waiting_place),
        _more(frame, "preempted", 1),
    ]


@_patches.register
def _(event: ev.RequestFinished, frame: Frame) -> list[Patch]:
    status: Patch = [["reqs", event.request_id, "status"], "finished"]
    return [status, *_leave(frame, event.request_id)]


@_patches.register
def _(event: ev.RequestRehashed, frame: Frame) -> list[Patch]:
    base: Path = ["reqs", event.request_id]
    return [[[*base, "version"], event.version], [[*base, "hashes"], []], [[*base, "look"], {}]]


@_patches.register
def _(event: ev.CacheReset, frame: Frame) -> list[Patch]:
    if not event.ok:
        return []
    changes: list[Patch] = [[["table"], {}]]
    for name, slot in frame["slots"].items():
        if slot["hash"] is not None:
            changes += [[["slots", name, "hash"], None], [["slots", name, "fill"], 0]]
    return changes


@_patches.register
def _(event: ev.VersionChanged, frame: Frame) -> list[Patch]:
    return [[["version"], event.version]]


@_patches.register
def _(event: ev.BlockHashed, frame: Frame) -> list[Patch]:
    return [[["reqs", event.request_id, "hashes", event.index], event.hash.hex()]]


@_patches.register
def _(event: ev.BlockHit, frame: Frame) -> list[Patch]:
    return [[["reqs", event.request_id, "look", str(event.index)], "hit"]]


@_patches.register
def _(event: ev.BlockMissed, frame: Frame) -> list[Patch]:
    return [[["reqs", event.request_id, "look", str(event.index)], "miss"]]


def _hold(frame: Frame, request_id: str, index: int, block_id: int, how: str) -> list[Patch]:
    slot: Path = ["slots", str(block_id)]
    owners = frame["slots"][str(block_id)]["owners"]
    return [
        [[*slot, "owners"], [*owners, request_id]],
        [[*slot, "last"], frame["clock"]],
        [["reqs", request_id, "btable", index], [block_id, how]],
    ]


@_patches.register
def _(event: ev.BlockTouched, frame: Frame) -> list[Patch]:
    changes = _hold(frame, event.request_id, event.index, event.block_id, "hit")
    changes.append([["slots", str(event.block_id), "ref"], event.ref_count])
    if event.was_free:
        changes.append([["queue", "out"], event.block_id])
    return changes


@_patches.register
def _(event: ev.BlockAllocated, frame: Frame) -> list[Patch]:
    changes = _hold(frame, event.request_id, event.index, event.block_id, "new")
    slot: Path = ["slots", str(event.block_id)]
    return [*changes, [[*slot, "ref"], 1], [[*slot, "fill"], 0], [["queue", "out"], event.block_id]]


@_patches.register
def _(event: ev.BlockEvicted, frame: Frame) -> list[Patch]:
    name, digest = str(event.block_id), event.hash.hex()
    rest = [block_id for block_id in frame["table"][digest] if block_id != event.block_id]
    changes: list[Patch] = [[["slots", name, "hash"], None]]
    changes.append([["table", digest], rest] if rest else [["table", digest]])
    changes.append(_more(frame, "evicted", 1))
    if frame["slots"][name]["ref"] == 0:
        changes.append([["slots", name, "fill"], 0])
    if event.to_front:
        changes += [[["queue", "out"], event.block_id], [["queue", "at"], [0, event.block_id]]]
    return changes


@_patches.register
def _(event: ev.BlockStored, frame: Frame) -> list[Patch]:
    digest = event.hash.hex()
    carriers = frame["table"].get(digest, [])
    return [
        [["slots", str(event.block_id), "hash"], digest],
        [["table", digest], [*carriers, event.block_id]],
        _more(frame, "stored", 1),
    ]


@_patches.register
def _(event: ev.BlockComputed, frame: Frame) -> list[Patch]:
    base: Path = ["reqs", event.request_id]
    request = frame["reqs"][event.request_id]
    end = request["written"] + event.num_new
    share = share_of(request["written"], end, request["reached"], request["num_prompt"])
    changes: list[Patch] = [
        [["slots", str(event.block_id), "fill"], event.fill],
        [[*base, "written"], end],
        [[*base, "reached"], share.reached],
    ]
    for name in ("computed", "decoded", "recomputed"):
        if amount := getattr(share, name):
            changes.append(_more(frame, name, amount))
    return changes


@_patches.register
def _(event: ev.BlockReleased, frame: Frame) -> list[Patch]:
    slot: Path = ["slots", str(event.block_id)]
    owners = frame["slots"][str(event.block_id)]["owners"].copy()
    owners.remove(event.request_id)
    changes: list[Patch] = [
        [[*slot, "ref"], event.ref_count],
        [[*slot, "owners"], owners],
        [[*slot, "last"], frame["clock"]],
        [["reqs", event.request_id, "btable", event.index]],
    ]
    if event.place == "back":
        changes.append([["queue", "back"], event.block_id])
    elif event.place == "front":
        changes.append([["queue", "at"], [event.offset, event.block_id]])
    return changes
