"""Three lessons of 10, 25 and 40 minutes: their stops, where each opens, and the numbers their words need.

A stop opens on a step that is found in the run: just before a question of the stage, or before the event that
answers the stop's own question, so that the room can answer first. The words lie in
``assets/teacher/{en,zh}.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.scenario.scenario import run
from ui.export.handout import question_numbers
from ui.interview.numbers import numbers as interview_numbers
from ui.interview.runs import admitted, percent, second
from ui.stage.payload import Payload, stage_log
from ui.stage.setup import Setup, load_setup
from ui.stage.show_me import Show, find_step, step_of
from ui.teacher.address import Address, run_address
from ui.words.i18n import Lang, TextError, fill

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "teacher"
PREFIX, ORDERS = 500, 100_000
BET = "bet"
"""What is asked before anything plays: the run's first screen."""

_BREAK = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef”])\n(?=[\u3000-\u9fff\uff00-\uffef“])")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stop opens: a page, or a run: before its first question of a kind, or before ``show``."""

    page: str = "execute"
    preset: str = ""
    ask: str = ""
    show: Show | None = None
    knobs: Mapping[str, int] = field(default_factory=dict)


def _before(preset: str, op: str, rid: str | None = None, block: int | None = None, **knobs: int) -> Place:
    return Place(preset=preset, knobs=knobs, show=Show(preset, op, rid, block, tuple(knobs.items())))


PLACES: Mapping[str, Place] = MappingProxyType(
    {
        "before": Place("sheet"),
        "bet": Place(preset="P1", ask=BET),
        "counter": Place("ch01"),
        "chain": _before("P0", "hash", "R0", 1),
        "partial": Place(preset="P0", ask="until"),
        "same": Place(preset="P1", ask="whole"),
        "touch": Place(preset="three", ask="touch"),
        "done": Place(preset="P1", ask="done"),
        "evict": Place(preset="P0", ask="evict"),
        "stamp": Place(preset="P3", ask="chain"),
        "stamp_end": Place(preset="P3b", ask="until"),
        "full": Place(preset="P6", ask="full"),
        "cliff": _before("P9", "evict", num_slots=4),
        "decode": Place(preset="P1", ask="append"),
        "saved": Place("finish", "P1"),
        "after": Place("sheet"),
    }
)
SCRIPTS: Mapping[int, tuple[tuple[str, int], ...]] = MappingProxyType(
    {
        10: (("bet", 1), ("same", 3), ("stamp", 3), ("stamp_end", 1), ("saved", 2)),
        25: (
            *(("bet", 2), ("counter", 3), ("chain", 3), ("partial", 4)),
            *(("touch", 3), ("evict", 4), ("stamp", 3), ("saved", 3)),
        ),
        40: (
            *(("before", 3), ("counter", 3), ("chain", 3), ("partial", 4), ("touch", 3), ("done", 3)),
            *(("evict", 4), ("stamp", 3), ("full", 3), ("cliff", 4), ("decode", 3), ("after", 4)),
        ),
    }
)
"""Length in minutes -> (stop, its minutes) in order."""

WORDS = ("title", "ask", "hear", "true", "point")
"""What is said of a stop: its name, the question, usual answers, how it is, what to point at."""


# -- where ------------------------------------------------------------------------------------------------


@cache
def _log(name: str) -> Payload:
    place = PLACES[name]
    scenario = load_setup(Setup(place.preset, place.knobs), "en")
    return stage_log(scenario, run(scenario), place.preset)


@cache
def opens_on(name: str) -> int | None:
    """The step a stop opens on; None for a page.

    Raises:
        LookupError: the run has no such step, or asks no such question.
    """
    place = PLACES[name]
    if place.show is not None:
        return step_of(place.show) - 1
    if not place.ask:
        return None
    if place.ask == BET:
        return 0
    return find_step(_log(name), lambda step: (step.get("ask") or {}).get("id") == place.ask) - 1


def address_of(name: str, **more: Any) -> Address:
    """A stop's address; where the stage asks, questions are on. ``more``: other fields of the setup."""
    place = PLACES[name]
    if not place.preset:
        return Address(place.page)
    setup = replace(Setup(place.preset, place.knobs, mode="guided" if place.ask else "walk"), **more)
    return run_address(setup, opens_on(name), place.page)


# -- words ------------------------------------------------------------------------------------------------


@cache
def _table(lang: Lang) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    return MappingProxyType(tomllib.loads((FOLDER / f"{lang}.toml").read_text("utf-8")))


def entries(kind: str, lang: Lang) -> Mapping[str, Any]:
    """Everything of one kind in one language: ``stop`` or ``text``."""
    return _table(lang)[kind]


@cache
def words(name: str, key: str, lang: Lang) -> str:
    """One text of a stop, its numbers filled in.

    Raises:
        TextError: no such stop or text, or a number is missing.
    """
    return _filled(entries("stop", lang).get(name, {}).get(key), numbers(name), f"{name}.{key}")


def text(name: str, lang: Lang, **args: object) -> str:
    """One of the page's longer texts.

    Raises:
        TextError: no such text, or a number is missing.
    """
    return _filled(entries("text", lang).get(name), args, name)


def _filled(template: object, args: Mapping[str, object], key: str) -> str:
    if not isinstance(template, str):
        raise TextError("text.unknown_part", f"The teacher's texts have no {key}.", key=key)
    return fill(_BREAK.sub("", template.strip()), args, key)


@cache
def numbers(name: str) -> Mapping[str, object]:
    """The numbers a stop's words need, from the runs it shows."""
    rows = admitted("P1")
    hits, total = sum(hit for hit, _ in rows), sum(prompt for _, prompt in rows)
    asked = question_numbers()
    found: Mapping[str, Mapping[str, object]] = {
        "bet": {"hit": hits, "total": total, "percent": percent(hits, total)},
        "counter": {
            "prefix": PREFIX,
            "orders": f"{ORDERS:,}",
            "total": f"{PREFIX * ORDERS:,}",
            "waste": f"{ORDERS - 1:,}",
        },
        "chain": {"size": asked["q2"]["size"]},
        "partial": asked["q2"],
        "same": second("P1"),
        "touch": {"ref": _touched()},
        "stamp": {**asked["q1"], "rest": asked["q1"]["total"] - asked["q2"]["size"]},
        "stamp_end": second("P3b"),
        "full": asked["q5"],
        "cliff": interview_numbers("pool_cliff"),
        "saved": {"hit": hits, "total": total, "computed": total - hits, "percent": percent(hits, total)},
    }
    return found.get(name, {})


def _touched() -> int:
    """What the ref count shows after the first touch of the second request."""
    log = _log("touch")
    return int(log["events"][find_step(log, lambda step: step["op"] == "touch") - 1]["args"]["ref"])
