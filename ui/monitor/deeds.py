"""What a person did to a load while it ran, short enough for a link. Pure.

A run is decided by its first setup and by the deeds that followed, each at a modelled second at which the run
stood. Ticks end at whole seconds, so doing the same deeds at the same seconds gives the very same run.

In a link: ``5C2s.c.3R`` is a cap of 100 after five seconds, three seconds later rush hour. Gaps and values in
base 36; a value left out means "off".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ui.frame.kept import Kept
from ui.frame.link import LinkPart
from ui.monitor.setup import NAMES as SETUP_NAMES
from ui.monitor.setup import SPEEDS, LoadSetup
from ui.monitor.setup import from_query as setup_from_query
from ui.monitor.setup import to_query as setup_to_query

BURST = "burst"
KNOBS = ("block_size", "cache_cap", "ttl_s", "admit_after")
"""Fields of the setup that can change while the run goes on, in the order in which they act."""

MAX_LINK = 1_000
"""Characters of deeds that a link may carry: some 150 of them. The first ones are kept."""

_DEEDS, _SPEED = "ld", "lv"
_LETTERS = {"block_size": "B", "cache_cap": "C", "ttl_s": "T", "admit_after": "A", BURST: "R"}
_OF_LETTER = {letter: name for name, letter in _LETTERS.items()}
_RANGES = {"block_size": (1, 128), "cache_cap": (0, 4096 * 128), "ttl_s": (1, 999), "admit_after": (1, 9)}
_OPTIONAL = {"cache_cap", "ttl_s"}
_PART = re.compile(r"([0-9a-z]{0,5})([ABCRT])([0-9a-z]{0,5})", re.ASCII)
_LEFT_OUT = re.compile(r"[1-9]\d{0,4}", re.ASCII)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Deed:
    """A knob turned or rush hour called, when the run stood at ``at_s`` modelled seconds."""

    at_s: int
    name: str
    value: int | None = None


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """Everything that decides a run, and how fast it is watched. ``num_lost``: deeds no link had room for."""

    first: LoadSetup = field(default_factory=LoadSetup)
    deeds: tuple[Deed, ...] = ()
    speed: int = SPEEDS[1]
    num_lost: int = 0

    @property
    def num_left_out(self) -> int:
        """Deeds that are not in a link to this plan."""
        return self.num_lost + len(self.deeds) - _kept(list(map(len, _parts(self.deeds))))


def to_query(plan: LoadPlan) -> dict[str, str]:
    """The plan as query parameters: what differs from the default, and deeds as far as they fit."""
    query = setup_to_query(plan.first)
    if plan.speed != LoadPlan().speed:
        query[_SPEED] = str(plan.speed)
    parts = _parts(plan.deeds)
    parts = parts[: _kept(list(map(len, parts)))]
    if plan.num_left_out:
        parts.append(f"~{plan.num_left_out}")
    if parts:
        query[_DEEDS] = ".".join(parts)
    return query


def from_query(query: Mapping[str, str]) -> tuple[LoadPlan, list[str]]:
    """Back, and the names of parameters that could not be used."""
    first, lost = setup_from_query(query)
    deeds, num_lost, whole = _read(query.get(_DEEDS, ""))
    speeds = {str(speed): speed for speed in SPEEDS}
    speed = speeds.get(query.get(_SPEED, ""), LoadPlan().speed)
    if not whole:
        lost.append(_DEEDS)
    if query.get(_SPEED, str(speed)) not in speeds:
        lost.append(_SPEED)
    return LoadPlan(first, deeds, speed, num_lost), lost


_WORDS = {short: f"monitor.{name}" for name, short in SETUP_NAMES.items()}
_WORDS |= {"lp": "monitor.pool.label", _SPEED: "monitor.speed", _DEEDS: "link.deeds"}

PLAN = LinkPart("load_plan", LoadPlan, _WORDS, from_query, to_query)
WANTED = Kept("load_setup", lambda: PLAN.get().first)
"""What this visitor's monitor is set to."""


def _parts(deeds: Sequence[Deed]) -> list[str]:
    times = [0, *(deed.at_s for deed in deeds)]
    return [
        _number(deed.at_s - before)
        + _LETTERS[deed.name]
        + ("" if deed.value is None else _base36(deed.value))
        for before, deed in zip(times, deeds, strict=False)
    ]


def _kept(lengths: Sequence[int]) -> int:
    """How many of the first parts fit, each with the dot behind it; room for what was left out stays."""
    room = MAX_LINK - 8
    for place, length in enumerate(lengths):
        room -= length + 1
        if room < 0:
            return place
    return len(lengths)


def _read(text: str) -> tuple[tuple[Deed, ...], int, bool]:
    """Deeds, how many the link says it has left out, and whether all of it could be read. What follows an
    unreadable part is left out, because it belongs to another run."""
    deeds: list[Deed] = []
    if len(text) > 2 * MAX_LINK:
        return (), 0, False
    *parts, last = text.split(".")
    if last.startswith("~"):
        num_lost = int(last[1:]) if _LEFT_OUT.fullmatch(last[1:]) else 0
        if not num_lost:
            return (), 0, False
    else:
        num_lost, parts = 0, [*parts, last] if text else []
    for part in parts:
        deed = _deed(part, deeds[-1].at_s if deeds else 0)
        if deed is None:
            return tuple(deeds), num_lost, False
        deeds.append(deed)
    return tuple(deeds), num_lost, True


def _deed(part: str, before_s: int) -> Deed | None:
    found = _PART.fullmatch(part)
    if found is None:
        return None
    gap, letter, text = found.groups()
    name = _OF_LETTER[letter]
    value = int(text, 36) if text else None
    if name == BURST:
        usable = value is None
    elif value is None:
        usable = name in _OPTIONAL
    else:
        least, most = _RANGES[name]
        usable = least <= value <= most
    return Deed(before_s + (int(gap, 36) if gap else 0), name, value) if usable else None


def _number(value: int) -> str:
    return _base36(value) if value else ""


def _base36(value: int) -> str:
    digits = ""
    while value or not digits:
        value, digit = divmod(value, 36)
        digits = _DIGITS[digit] + digits
    return digits
