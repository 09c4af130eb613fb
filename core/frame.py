"""Frame: everything a person can see at one moment, and how one event changes it. Pure, and JSON.

``patches(frame, event)`` says what changes, as assignments; ``fold(frame, event)`` applies them to a new
frame that shares all unchanged parts with the old one. A screen applies the same patches in its own
language, so both hold the same state. Frames are plain dicts and lists that nobody changes in place.

A patch is ``[path, value]`` (set), ``[path]`` (delete), or one of three moves of the free queue:
``[["queue", "out"], id]``, ``[["queue", "back"], id]``, ``[["queue", "at"], [place, id]]``.
Setting a list element one past the end appends it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any, TypedDict, cast

from core import events as ev
from core.types import EngineConfig

Path = list[str | int]
Patch = list[Any]


class SlotFrame(TypedDict):
    """One physical block: holders, content, tokens written, clock of the last use."""

    ref: int
    hash: str | None
    fill: int
    owners: list[str]
    last: int | None


class RequestFrame(TypedDict):
    """One request. ``look``: outcome of the last look-up by block index; ``btable``: [slot, hit | new]."""

    status: str
    num_prompt: int
    num_tokens: int
    computed: int
    hit: int
    hashes: list[str]
    look: dict[str, str]
    btable: list[list[Any]]
    skip_read: bool
    salt: str | None
    version: str


class Totals(TypedDict):
    """Running sums. Tokens: queries, hits, computed. Blocks: stored, evicted. The rest are counts."""

    requests: int
    queries: int
    hits: int
    computed: int
    preempted: int
    stored: int
    evicted: int


class Frame(TypedDict):
    """The whole visible state. Slot ids are text keys, as in JSON; ``queue`` front first."""

    clock: int
    step: int
    version: str
    slots: dict[str, SlotFrame]
    queue: list[int]
    table: dict[str, list[int]]
    reqs: dict[str, RequestFrame]
    waiting: list[str]
    running: list[str]
    totals: Totals


def initial_frame(config: EngineConfig) -> Frame:
    """An engine before its first command."""
    ids = range(1, config.num_blocks)
    return Frame(
        clock=0,
        step=0,
        version=config.version,
        slots={str(b): SlotFrame(ref=0, hash=None, fill=0, owners=[], last=None) for b in ids},
        queue=list(ids),
        table={},
        reqs={},
        waiting=[],
        running=[],
        totals=Totals(requests=0, queries=0, hits=0, computed=0, preempted=0, stored=0, evicted=0),
    )


def fold(frame: Frame, event: ev.Event) -> Frame:
    """The frame after the event. Pure: the old frame stays as it is."""
    return apply(frame, patches(frame, event))


def fold_all(frame: Frame, log: Iterable[ev.Event]) -> Frame:
    """The frame after all events of a log."""
    for event in log:
        frame = fold(frame, event)
    return frame


def engine_part(frame: Frame) -> Frame:
    """The part of a folded frame that the engine itself holds: no finished requests, no traces of
    look-ups, no fill of blocks, no totals of block events. Equals ``Engine.snapshot()``."""
    live = {name: request for name, request in frame["reqs"].items() if request["status"] != "finished"}
    return {
        **frame,
        "slots": {name: {**slot, "fill": 0} for name, slot in frame["slots"].items()},
        "reqs": {name: {**request, "look": {}} for name, request in live.items()},
        "totals": {**frame["totals"], "stored": 0, "evicted": 0},
    }


# -- applying patches -------------------------------------------------------------------------------


def apply(frame: Frame, changes: Iterable[Patch]) -> Frame:
    """Apply patches in order to a copy that shares what they do not touch."""
    state: Any = frame
    for change in changes:
        path = change[0]
        if path[0] == "queue" and len(path) == 2:
            state = {**state, "queue": _move(state["queue"], path[1], change[1])}
        elif len(change) == 1:
            state = _without(state, path)
        else:
            state = _with(state, path, change[1])
    return cast(Frame, state)


def _move(queue: list[int], move: str, value: Any) -> list[int]:
    if move == "out":
        return [block_id for block_id in queue if block_id != value]
    if move == "back":
        return [*queue, value]
    place, block_id = value
    return [*queue[:place], block_id, *queue[place:]]


def _with(node: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    key, rest = path[0], path[1:]
    copy = node.copy()
    if isinstance(copy, list) and key == len(copy):
        copy.append(value)
    else:
        copy[key] = _with(copy[key] if rest else None, rest, value)
    return copy


def _without(node: Any, path: Path) -> Any:
    copy = node.copy()
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = _without(copy[path[0]], path[1:])
    return copy


# -- what each event changes ------------------------------------------------------------------------


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
        hit=0,
        hashes=[],
        look={},
        btable=[],
        skip_read=event.skip_read,
        salt=event.salt,
        version=event.version,
    )
    changes: list[Patch] = [[["reqs", event.request_id], request]]
    return changes + _wait(frame, event.request_id, event.waiting_place)


def _wait(frame: Frame, request_id: str, place: int | None) -> list[Patch]:
    if place is None:
        return []
    waiting = frame["waiting"]
    return [[["waiting"], [*waiting[:place], request_id, *waiting[place:]]]]


def _leave(frame: Frame, request_id: str) -> list[Patch]:
    changes: list[Patch] = []
    for name, line in (("waiting", frame["waiting"]), ("running", frame["running"])):
        if request_id in line:
            changes.append([[name], [other for other in line if other != request_id]])
    return changes


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
    changes: list[Patch] = [
        [[*base, "status"], "running"],
        [[*base, "computed"], event.num_computed],
        *_leave(frame, event.request_id),
        [["running"], [*frame["running"], event.request_id]],
        _more(frame, "computed", event.num_scheduled),
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
    computed: Patch = [["reqs", event.request_id, "computed"], event.num_computed]
    return [computed, _more(frame, "computed", event.num_scheduled)]


@_patches.register
def _(event: ev.RequestPreempted, frame: Frame) -> list[Patch]:
    base: Path = ["reqs", event.request_id]
    return [
        [[*base, "status"], "preempted"],
        [[*base, "computed"], 0],
        [[*base, "look"], {}],
        *_leave(frame, event.request_id),
        *_wait(frame, event.request_id, event.waiting_place),
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
    return [[["slots", str(event.block_id), "fill"], event.fill]]


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
