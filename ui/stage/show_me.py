"""Links that keep their promise: a step is named by what happens there and found in the run itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

from core.scenario.scenario import run
from ui.stage.payload import Payload, stage_log
from ui.stage.setup import Setup, load_setup, to_query
from ui.words.i18n import LangMode

OPEN = "open"
"""The parameter of a link that names a place on a page."""

Wanted = Callable[[Mapping[str, Any]], bool]


def find_step(shown: Payload, wanted: Wanted, nth: int = 1) -> int:
    """Number of the ``nth`` step (from 1) that is wanted: what a link or an embedded stage opens on.

    Raises:
        LookupError: the run has no such step. A lesson that promises it is wrong.
    """
    found = [step["i"] + 1 for step in shown["events"] if wanted(step)]
    if len(found) < nth:
        raise LookupError(f"{shown['meta']['scenario']} has {len(found)} such steps, wanted number {nth}")
    return int(found[nth - 1])


def first_step(shown: Payload, *wanted: Wanted) -> int:
    """Number of the first step of the first kind that the run has: for runs that somebody typed.

    Raises:
        LookupError: the run has none of them.
    """
    for one in wanted:
        with suppress(LookupError):
            return find_step(shown, one)
    raise LookupError(f"{shown['meta']['scenario']} has no such steps")


def op_is(op: str, rid: str | None = None, **args: Any) -> Wanted:
    """Steps with this op, of this request, with these arguments."""

    def wanted(step: Mapping[str, Any]) -> bool:
        mine = rid is None or step.get("rid") == rid
        return step["op"] == op and mine and all(step["args"].get(k) == v for k, v in args.items())

    return wanted


@dataclass(frozen=True, slots=True)
class Show:
    """Where to look: the first step of a preset's run with this op, request and block; or another page, and
    the place on it that is meant."""

    preset: str = ""
    op: str = ""
    rid: str | None = None
    block: int | None = None
    knobs: tuple[tuple[str, int], ...] = ()
    args: tuple[tuple[str, int | str], ...] = ()
    page: str = ""
    place: str = ""

    def wanted(self) -> Wanted:
        """The steps it may open on."""
        args: dict[str, int | str] = dict(self.args)
        if self.block is not None:
            args["block"] = self.block
        return op_is(self.op, self.rid, **args)

    def setup(self) -> Setup:
        """The run to open."""
        return Setup(self.preset, dict(self.knobs))


@cache
def step_of(show: Show) -> int:
    """The step it opens on. Presets never change, and run alike in both languages.

    Raises:
        LookupError: the run has no such step.
    """
    scenario = load_setup(show.setup(), "en")
    return find_step(stage_log(scenario, run(scenario), show.preset), show.wanted())


@cache
def address(show: Show, mode: LangMode) -> str:
    """The link, seen from any page: the stage on its step, or the other page."""
    if show.page:
        place = {OPEN: place_of(show.page, show.place)} if show.place else {}
        return f"{show.page}?{urlencode({**place, 'lang': mode})}"
    return execute_address(show.setup(), step_of(show), mode)


def place_of(page: str, name: str) -> str:
    """How a link names a place on a page."""
    return f"{page}.{name}"


def execute_address(setup: Setup, step: int, mode: LangMode) -> str:
    """Where a run stands on a step, seen from any page."""
    return f"execute?{urlencode({**to_query(setup), 'lang': mode})}#step={step}"
