"""What a person has set up: scenario, knobs, own prompts, language, mode. Kept in the session and the link.

The address bar is the only storage: a reload or a shared link brings everything back. The step itself is
the browser's business (``#step=…``) and never travels through Python.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario
from ui.frame.link import LinkPart, choices, whole
from ui.stage.bet import Bet, bet_from_link
from ui.stage.fork import Fork, fork_from_link
from ui.stage.own import (
    MAX_OWN_LINK,
    MAX_SLOTS,
    OWN,
    OWN_BLOCK_SIZE,
    OwnPrompts,
    own_scenario,
    pack_own,
    unpack_own,
)
from ui.words.i18n import Lang

LINK_VERSION = 1
SCENARIO_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "scenarios"
SCENARIO_ORDER = (
    *("three", "P0", "P1", "P2", "P2b", "P3", "P3b", "space", "P4", "P5", "P6", "P6b", "P7", "P8"),
    *("P9", "P9b", "P9c", "P9d", "P10", "P11", "T10", "L640s", "L640", "bank", "teacher", "law", "safety"),
)
MODES = ("guided", "walk", "free")


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting of the engine that a person can turn: its name in a link and its range."""

    name: str
    short: str
    least: int
    most: int
    optional: bool = False


KNOBS = (
    Knob("block_size", "bs", 1, 64),
    Knob("num_slots", "slots", 2, MAX_SLOTS),
    Knob("cache_cap", "cap", 0, 64, optional=True),
    Knob("admit_after", "adm", 1, 9),
    Knob("ttl", "ttl", 1, 999, optional=True),
)
CHOICES: dict[str, tuple[str, tuple[str, ...]]] = {
    "queue_rule": ("pol", ("vllm", "all_to_back")),
    "ttl_kind": ("ttlk", ("idle", "absolute")),
}
TEXTS = {"version": "ver", "salt": "salt"}
PANELS = (
    *("lane", "table", "pool", "btable", "totals", "queue", "story", "quiz", "time"),
    *("fork", "log", "inspect", "tables", "code", "noodle", "lang"),
)
"""What ``hide`` may name: the stage's zones, then what its buttons open."""

MAX_TEXT = 40


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that decides what is on screen, except the step. ``knobs`` hold only what was changed."""

    scenario: str = "P0"
    knobs: Mapping[str, Any] = field(default_factory=dict)
    own: OwnPrompts = field(default_factory=OwnPrompts)
    mode: str = "walk"
    hide: tuple[str, ...] = ()
    presenter: bool = False
    bet: Bet | None = None
    fork: Fork | None = None

    def with_knob(self, name: str, value: Any) -> Setup:
        """The same with one knob turned; a fork belonged to the run before."""
        return replace(self, knobs={**self.knobs, name: value}, fork=None)

    def with_scenario(self, scenario: str) -> Setup:
        """Another scenario, with its own settings; a bet was on the one before."""
        bet = self.bet if scenario == self.scenario else None
        return replace(self, scenario=scenario, knobs={}, fork=None, bet=bet)


# -- scenarios ----------------------------------------------------------------------------------------


@cache
def preset_text(scenario_id: str) -> str:
    """The JSON text of a preset."""
    return (SCENARIO_FOLDER / f"{scenario_id}.json").read_text(encoding="utf-8")


def preset_ids() -> tuple[str, ...]:
    """All presets, in teaching order."""
    return tuple(name for name in SCENARIO_ORDER if (SCENARIO_FOLDER / f"{name}.json").exists())


def load_setup(setup: Setup, lang: Lang) -> Scenario:
    """The scenario a setup stands for, knobs applied.

    Raises:
        BrothError: prompts or knobs that cannot be used.
    """
    salt = str(setup.knobs.get("salt") or "")
    config = {name: value for name, value in setup.knobs.items() if name != "salt"}
    if setup.scenario == OWN:
        block_size = int(setup.knobs.get("block_size") or OWN_BLOCK_SIZE)
        return load_scenario(own_scenario(setup.own, salt, block_size), lang=lang, name=OWN, config=config)
    data = json.loads(preset_text(setup.scenario))
    if salt:
        for command in data["commands"]:
            if command["op"] in ("submit", "start"):
                command["salt"] = salt
    return load_scenario(data, lang=lang, name=setup.scenario, config=config)


# -- links --------------------------------------------------------------------------------------------


def to_query(setup: Setup) -> dict[str, str]:
    """The setup as query parameters; defaults are left out, own prompts where it is not about them."""
    query = {"v": str(LINK_VERSION), "s": setup.scenario}
    for knob in KNOBS:
        if knob.name in setup.knobs:
            value = setup.knobs[knob.name]
            query[knob.short] = "off" if value is None else str(value)
    for name, (short, _) in CHOICES.items():
        if name in setup.knobs:
            query[short] = str(setup.knobs[name])
    for name, short in TEXTS.items():
        if setup.knobs.get(name):
            query[short] = str(setup.knobs[name])
    if setup.mode != "walk":
        query["m"] = setup.mode
    if setup.hide:
        query["hide"] = ",".join(setup.hide)
    if setup.presenter:
        query["present"] = "1"
    if setup.bet is not None:
        query["bet"] = setup.bet.to_link()
    if setup.fork is not None:
        query["fork"] = setup.fork.to_link()
    if setup.scenario == OWN and len(packed := pack_own(setup.own)) <= MAX_OWN_LINK:
        query["own"] = packed
    return query


def from_query(query: Mapping[str, str]) -> tuple[Setup, list[str]]:
    """The setup a link stands for, and what of the link could not be used (names of parameters)."""
    lost: list[str] = []
    if query.get("v", str(LINK_VERSION)) != str(LINK_VERSION):
        lost.append("v")
    setup = Setup(knobs=_read_knobs(query, lost))
    hide = tuple(filter(None, query.get("hide", "").split(",")))
    if not set(hide) <= set(PANELS):
        lost.append("hide")
    setup = replace(setup, hide=tuple(name for name in hide if name in PANELS))
    if "own" in query:
        own = unpack_own(query["own"])
        if own is None:
            lost.append("own")
        else:
            setup = replace(setup, own=own)
    scenario = query.get("s", setup.scenario)
    if scenario in preset_ids() or (scenario == OWN and setup.own != OwnPrompts()):
        setup = replace(setup, scenario=scenario)
    elif "own" not in lost or scenario != OWN:
        lost.append("s")
    if query.get("m", "walk") in MODES:
        setup = replace(setup, mode=query.get("m", "walk"))
    else:
        lost.append("m")
    if query.get("present", "") not in ("", "1"):
        lost.append("present")
    setup = replace(setup, presenter=query.get("present") == "1")
    bet = bet_from_link(query.get("bet"))
    if "bet" in query and bet is None:
        lost.append("bet")
    fork = fork_from_link(query["fork"]) if "fork" in query else None
    if "fork" in query and fork is None:
        lost.append("fork")
    return replace(setup, bet=bet, fork=fork), lost


def _read_knobs(query: Mapping[str, str], lost: list[str]) -> dict[str, Any]:
    knobs: dict[str, Any] = {}
    for knob in KNOBS:
        text = query.get(knob.short)
        if text is None:
            continue
        value = whole(text, knob.least, knob.most)
        if value is not None:
            knobs[knob.name] = value
        elif text == "off" and knob.optional:
            knobs[knob.name] = None
        else:
            lost.append(knob.short)
    knobs |= choices(query, CHOICES, lost)
    for name, short in TEXTS.items():
        if len(query.get(short, "")) > MAX_TEXT:
            lost.append(short)
        elif query.get(short):
            knobs[name] = query[short]
    return knobs


_NAMES = {"v": "link.version", "s": "control.scenario", "m": "link.mode", "hide": "teacher.link.hide"}
_NAMES |= {"present": "stage.key.presenter", "bet": "link.bet"}
_NAMES |= {"fork": "stage.drawer.fork", "own": "control.own"}
_NAMES |= {knob.short: f"knob.{knob.name}" for knob in KNOBS}
_NAMES |= {short: f"knob.{name}" for name, (short, _) in CHOICES.items()}
_NAMES |= {short: f"knob.{name}" for name, short in TEXTS.items()}

SETUP = LinkPart("setup", Setup, _NAMES, from_query, to_query, personal=frozenset({"bet"}))
