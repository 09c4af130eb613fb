"""A question of the stage as a question to a room: at most four options, one of them the run's own answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ui.lecture.payload import RunScene
from ui.lecture.scenes import Played, Wanted, run_scene
from ui.stage.questions.lane import LESSONS
from ui.stage.questions.told import NONE, Ask, Step
from ui.teacher.stops import lead
from ui.words.i18n import Lang, t

MOST = 4
"""Options that hands are counted for: the keys 1 to 4."""

LANES = 2
"""Requests drawn beside each other."""


@dataclass(frozen=True)
class Choice:
    """``see``: what leads to the question; ``right``: the place of the option that is right; ``until``: the
    step from which one sees why."""

    see: str
    ask: str
    options: tuple[str, ...]
    right: int
    know: str
    until: int


def choice_of(step: Step, lang: Lang) -> Choice:
    """What the stage asks before this step, and what is said of the right answer."""
    ask: Ask = step["ask"]
    args = {**step["args"], **ask.get("args", {})}
    places = _places(ask)
    answer = next(place for place in places if place in ask["answers"])
    return Choice(
        lead("lane" if ask["id"] in LESSONS else ask["id"], lang, **{"req": ask["rid"], **args}),
        _plain(ask["question"], lang, args),
        tuple(_option(ask, place, lang, args) for place in places),
        places.index(answer),
        _plain(ask["said"][str(answer)], lang, args),
        ask["shows"][1],
    )


def _places(ask: Ask) -> list[int]:
    """The choices that are offered, in their order: the answer, the most that one can hope for (the commonest
    belief about a look-up), then those beside the answer."""
    every = sorted(int(choice) for choice in ask["said"])
    answer = next(place for place in every if place in ask["answers"])
    wrong = [place for place in every if place not in ask["answers"]]
    near = sorted(wrong, key=lambda place: (str(place) not in ask["fell"], abs(place - answer), place))
    if ask["kind"] == "lane":
        near.sort(key=lambda place: place != max(wrong))
    return sorted([answer, *near[: MOST - 1]])


def _option(ask: Ask, place: int, lang: Lang, args: Mapping[str, Any]) -> str:
    if "options" in ask:
        return _plain(ask["options"][place], lang, args)
    if ask["kind"] == "pool":
        return f"#{place}"
    if place == NONE:
        return _plain("stage.ask.some.none", lang, args)
    name = "first" if place == 0 else "upto"
    return _plain(f"stage.ask.some.{name}", lang, {**args, "upto": place})


def _plain(key: str, lang: Lang, args: Mapping[str, Any]) -> str:
    return t(key, lang, **args).replace("**", "")


def caption(steps: Sequence[Step], at: int, lang: Lang) -> str:
    """What happened in a step, in words; nothing before the first."""
    return "" if at < 0 else _plain(f"cap.{steps[at]['cap']}.what", lang, steps[at]["args"])


# -- the picture ------------------------------------------------------------------------------------------


def scene_of(of: Played, at: int, until: int, step: Step | None = None) -> RunScene:
    """The moment between two steps. ``step``: the one whose question is open; without one nothing is."""
    if step is None:
        lanes = _latest(of, until)
        return run_scene(of, Wanted(at, until, lanes, lanes, tags=bool(lanes), tags_open=True, slots=True))
    ask: Ask = step["ask"]
    if ask["kind"] == "pool":
        return run_scene(of, Wanted(at, until, slots=True, queue=True, queue_open=False))
    asked = str(ask["rid"])
    until = _settled(of, at, until, asked)
    owner = ask.get("args", {}).get("owner", "")
    others = [rid for rid in (owner, *_latest(of, at)) if rid and rid != asked]
    lanes = (*others[: LANES - 1], asked)
    is_lane = ask["id"] not in ("touch", "done", "merge", "append")
    wanted = Wanted(at, until, lanes, (asked,), marked=is_lane, tags=is_lane, slots=not is_lane)
    return run_scene(of, wanted)


def _settled(of: Played, at: int, until: int, rid: str) -> int:
    """Where one sees what became of a look-up: its request's prompt is computed, if its turn comes."""
    if of.steps[at]["ask"]["kind"] != "lane":
        return until
    behind = range(at, len(of.steps))
    return next((i for i in behind if (of.steps[i]["op"], of.steps[i].get("rid")) == ("append", rid)), until)


def _latest(of: Played, at: int) -> tuple[str, ...]:
    """The requests that came last, the newest at the end."""
    return tuple(list(of.frames[at]["reqs"])[-LANES:])
