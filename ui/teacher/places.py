"""Where the stops of the scripts open: a page, or a step that is found in the run.

A stop opens just before a question of the stage, or before the event that answers the stop's own question, so
that the room can answer first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from core.scenario.scenario import run
from ui.stage.own import OWN, OwnPrompts
from ui.stage.payload import Payload, stage_log
from ui.stage.setup import Setup, load_setup
from ui.stage.show_me import Show, find_step, step_of
from ui.teacher.address import Address, run_address
from ui.words.i18n import Lang, t

BET = "bet"
"""What is asked before anything plays: the run's first screen."""


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
        "chain": _before("three", "hash", "R2", 1),
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


SHEET = "sheet"
OF_THE_SHEET = ("before", "after")
"""Stops that open the sheet and ask one of its questions of a run of their own: no other stop shows it, so
that nobody can answer from memory."""


# -- the run ----------------------------------------------------------------------------------------------


@cache
def log_of(name: str, lang: Lang = "en") -> Payload:
    """The run that a stop shows. They never change, and run alike in both languages.

    Raises:
        KeyError: no such stop, or one that shows no run.
    """
    setup = setup_of(name, lang)
    scenario = load_setup(setup, lang)
    return stage_log(scenario, run(scenario), setup.scenario)


def setup_of(name: str, lang: Lang) -> Setup:
    """The run that a stop shows; prompts of our own are another text in each language."""
    if name in OF_THE_SHEET:
        prompts = (t("teacher.sheet.first", lang), t("teacher.sheet.second", lang))
        return Setup(OWN, own=OwnPrompts("", prompts, t("teacher.sheet.answer", lang)))
    place = PLACES[name]
    return Setup(place.preset, place.knobs)


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
    return find_step(log_of(name), lambda step: (step.get("ask") or {}).get("id") == place.ask) - 1


def address_of(name: str, **more: Any) -> Address:
    """A stop's address; where the stage asks, questions are on. ``more``: other fields of the setup."""
    place = PLACES[name]
    if not place.preset:
        return Address(place.page)
    setup = replace(Setup(place.preset, place.knobs, mode="guided" if place.ask else "walk"), **more)
    return run_address(setup, opens_on(name), place.page)


# -- back from an address ---------------------------------------------------------------------------------


@cache
def _names() -> Mapping[str, str]:
    return MappingProxyType({address_of(name).text: name for name in PLACES if name not in OF_THE_SHEET})


def known_stops(addresses: Sequence[Address]) -> list[str]:
    """For each address of a sequence the stop of the scripts that it is, or "". The sheet is the question
    before and after where it is opened twice; opened once, or in between, it is only the sheet."""
    names = [_names().get(one.text, "") for one in addresses]
    sheets = [place for place, one in enumerate(addresses) if one.text == SHEET]
    if len(sheets) > 1:
        names[sheets[0]], names[sheets[-1]] = OF_THE_SHEET
    return names
