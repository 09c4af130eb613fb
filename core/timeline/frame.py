"""Frame: everything a person can see at one moment. Plain JSON values that nobody changes in place.

``core.timeline.fold`` says what each event changes, as patches; ``apply`` carries patches out on a copy that
shares all unchanged parts with the old frame. A screen applies the same patches in its own language, so both
hold the same state.

A patch is ``[path, value]`` (set), ``[path]`` (delete), or one of three moves in a line (``queue``,
``waiting``, ``running``): ``[[line, "out"], id]``, ``[[line, "back"], id]``, ``[[line, "at"], [place, id]]``.
Setting a list element one past the end appends it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypedDict, cast

from core.engine.stats import Totals
from core.types import EngineConfig

Path = list[str | int]
Patch = list[Any]
_LINES = ("queue", "waiting", "running")


class SlotFrame(TypedDict):
    """One physical block: holders, content, tokens written, clock of the last use."""

    ref: int
    hash: str | None
    fill: int
    owners: list[str]
    last: int | None


class RequestFrame(TypedDict):
    """One request. ``look``: outcome of the last look-up by block index; ``btable``: [slot, hit | new].

    ``computed`` grows with the plan, as vLLM's does: tokens reused or scheduled. ``written`` grows with the
    pass: tokens whose KV is there. What lies between them is reserved. ``reached`` is the most that
    ``written`` ever was, ``reused`` what of the prompt was found and not computed; neither falls at a
    preemption.
    """

    status: str
    num_prompt: int
    num_tokens: int
    computed: int
    written: int
    reached: int
    reused: int
    hit: int
    hashes: list[str]
    look: dict[str, str]
    btable: list[list[Any]]
    skip_read: bool
    salt: str | None
    version: str


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
        totals=Totals(
            requests=0,
            queries=0,
            hits=0,
            computed=0,
            decoded=0,
            recomputed=0,
            preempted=0,
            stored=0,
            evicted=0,
        ),
    )


def engine_part(frame: Frame) -> Frame:
    """The part of a folded frame that the engine itself holds: no finished requests, no traces of
    look-ups, no fill of blocks, no totals of block events. Equals ``snapshot.take_snapshot``."""
    live = {name: request for name, request in frame["reqs"].items() if request["status"] != "finished"}
    return {
        **frame,
        "slots": {name: {**slot, "fill": 0} for name, slot in frame["slots"].items()},
        "reqs": {name: {**request, "look": {}} for name, request in live.items()},
        "totals": {**frame["totals"], "stored": 0, "evicted": 0},
    }


class PromptShares(NamedTuple):
    """Where the tokens of one prompt stand; together all that were asked for."""

    reused: int
    computed: int
    reserved: int
    waiting: int


def prompt_shares(request: RequestFrame) -> PromptShares:
    """Each prompt token once: found, computed, planned to be computed, or not planned yet. What a preempted
    request computes again counts where it counted before."""
    num_prompt, reused = request["num_prompt"], request["reused"]
    there = min(request["reached"], num_prompt)
    planned = max(min(request["computed"], num_prompt), there)
    return PromptShares(reused, there - reused, planned - there, num_prompt - planned)


# -- applying patches -------------------------------------------------------------------------------


def apply(frame: Frame, changes: Iterable[Patch]) -> Frame:
    """Apply patches in order to a copy that shares what they do not touch."""
    state: Any = frame
    for path, *value in changes:
        if _is_move(path):
            line = state[path[0]].copy()
            _move(line, path[1], value[0])
            state = {**state, path[0]: line}
        elif value:
            state = _with(state, path, value[0])
        else:
            state = _without(state, path)
    return cast(Frame, state)


def change(frame: Frame, changes: Iterable[Patch]) -> None:
    """Apply patches in order to the frame itself, which must be the caller's alone; from then on so must be
    the patches' values. O(patches), and for who leaves a line, how far he has come in it."""
    for path, *value in changes:
        node: Any = frame
        for key in path[:-1]:
            node = node[key]
        last = path[-1]
        if _is_move(path):
            _move(node, last, value[0])
        elif not value:
            del node[last]
        elif isinstance(node, list) and last == len(node):
            node.append(value[0])
        else:
            node[last] = value[0]


def _is_move(path: Path) -> bool:
    return path[0] in _LINES and len(path) == 2 and isinstance(path[1], str)


def _move(line: list[Any], move: str, value: Any) -> None:
    if move == "out":
        line.remove(value)
    elif move == "back":
        line.append(value)
    else:
        line.insert(*value)


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
