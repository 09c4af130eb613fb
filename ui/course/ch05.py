"""What chapter 5 sees: which function told which event, which blocks were moved, and the runs it shows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from importlib import import_module
from itertools import accumulate
from types import FrameType, MappingProxyType
from typing import Any

from core.engine.block_manager import BlockManager
from core.engine.events import BlockAllocated, BlockReleased, BlockTouched, Event
from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario, run
from core.timeline.event_log import EventLog
from ui.course.code import Function
from ui.stage.setup import Setup, load_setup, preset_text
from ui.words.i18n import Lang

MODULES: Mapping[str, str] = MappingProxyType(
    {"BlockManager": "block_manager", "CacheController": "cache_controller", "Scheduler": "scheduler"}
)
MOVES = (
    BlockManager.pop,
    BlockManager.take_out,
    BlockManager.put_front,
    BlockManager.put_back,
    BlockManager.move_to_front,
)


@dataclass(frozen=True, slots=True)
class Told:
    """Event number ``index`` of a run, and who told it: function and line in its file."""

    index: int
    event: Event
    function: Function
    line: int


@dataclass(frozen=True, slots=True)
class Move:
    """A call into the free queue, and the number of the event that was told next."""

    function: Function
    what: str
    next_event: int


def witness(scenario: Scenario) -> tuple[list[Told], list[Move]]:
    """Run a scenario and look, at each event, who is telling it, and at each call into the free queue, what
    for. Nothing is listed by hand: moving code moves what the page shows."""
    told: list[Told] = []
    moves: list[Move] = []

    def emit(event: Event) -> None:
        frame = _first_in_core(sys._getframe(1))
        told.append(Told(len(told), event, _function_of(frame), frame.f_lineno))

    with _watching_moves(moves, told):
        run(scenario, emit=emit)
    return told, moves


def _first_in_core(frame: FrameType) -> FrameType:
    """Up the stack, past the listener of ``core.scenario.scenario``, to whoever tells."""
    above: FrameType | None = frame
    while above is not None and above.f_globals.get("__name__") in (__name__, "core.scenario.scenario"):
        above = above.f_back
    assert above is not None
    return above


def _function_of(frame: FrameType) -> Function:
    found: Any = import_module(frame.f_globals["__name__"])
    for name in frame.f_code.co_qualname.split("."):
        found = getattr(found, name)
    function: Function = found
    return function


@contextmanager
def _watching_moves(moves: list[Move], told: list[Told]) -> Iterator[None]:
    of_code = {move.__code__: move for move in MOVES}

    def profile(frame: FrameType, kind: str, _result: object) -> None:
        function = of_code.get(frame.f_code)
        if kind != "call" or function is None:
            return
        given = next(value for name, value in frame.f_locals.items() if name != "self")
        if given not in ([], 0):
            moves.append(Move(function, f"{function.__name__}({given})", len(told)))

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)


def summary(event: Event) -> str:
    """An event's values in a line: hashes by their tag, tokens by their number."""
    return ", ".join(f"{field.name}={_short(getattr(event, field.name))}" for field in fields(event))


def presses(steps: Sequence[Mapping[str, Any]]) -> list[int]:
    """For each step of a stage what it says when it stands there and a press goes from block to block: how
    many presses lead so far (``pressAt`` in assets/stage/time/steps.js)."""
    stops = [step["level"] in ("block", "request") for step in steps]
    if stops:
        stops[-1] = True  # the last press goes to the end, whatever stands there
    return list(accumulate(map(int, stops)))


def _short(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()[:4]
    if isinstance(value, tuple):
        return f"({len(value)})"
    return str(value)


# -- runs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Situation:
    """A run of the chapter: a preset with knobs, or one made from a preset's prompts."""

    preset: str
    knobs: Mapping[str, Any]
    made: bool = False


MINE = "mine"
"""The visitor's prompts at once: the one situation that is no preset."""

SITUATIONS: Mapping[str, Situation] = MappingProxyType(
    {
        "users": Situation("T10", {}),
        "same_step": Situation("P8", {}),
        "lru": Situation("P0", {}),
        "preempt": Situation("P8", {"num_slots": 6}),
        "version": Situation("P1", {}, made=True),
    }
)


def at_once(scenario: Scenario) -> Scenario:
    """The same requests, all of them submitted before the first step."""
    submits = [command for command in scenario.commands if command.op == "submit"]
    go = next(command for command in scenario.commands if command.op == "run")
    return replace(scenario, commands=(*submits, go))


def situation(name: str, lang: Lang) -> Scenario:
    """The scenario of a situation."""
    wanted = SITUATIONS[name]
    if not wanted.made:
        return load_setup(Setup(wanted.preset, wanted.knobs), lang)
    return load_scenario(_versions(json.loads(preset_text(wanted.preset))), lang=lang, name=name)


def _versions(data: dict[str, Any]) -> dict[str, Any]:
    """Three requests with one beginning: a reset while the first runs, new weights before the third."""
    first, second, third = (command for command in data["commands"] if command["op"] == "submit")
    go = {"op": "run"}
    commands = [first, {"op": "step"}, {"op": "reset"}, go, second, go, {"op": "version", "version": "v2"}]
    return {key: data[key] for key in ("schema", "id", "block_size", "num_slots")} | {
        "commands": [*commands, third, go]
    }


@dataclass(frozen=True, slots=True)
class Held:
    """Blocks held at the fullest moment: shared ones once, and as many as there would be without sharing."""

    shared: int
    unshared: int


def held_peak(log: EventLog) -> Held:
    """Counted from who takes and releases blocks."""
    refs: dict[int, int] = {}
    peak = Held(0, 0)
    for event in log.events:
        if isinstance(event, BlockAllocated):
            refs[event.block_id] = 1
        elif isinstance(event, BlockTouched | BlockReleased):
            refs[event.block_id] = event.ref_count
        else:
            continue
        shared = sum(count > 0 for count in refs.values())
        peak = Held(max(peak.shared, shared), max(peak.unshared, sum(refs.values())))
    return peak
