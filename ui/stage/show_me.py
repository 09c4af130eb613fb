"""Links that keep their promise: a step is named by what happens there and found in the run itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from urllib.parse import urlencode

from core.scenario.scenario import run
from ui.course.chapter import Wanted, execute_address, find_step, op_is
from ui.stage.payload import stage_log
from ui.stage.setup import Setup, load_setup
from ui.words.i18n import LangMode


@dataclass(frozen=True, slots=True)
class Show:
    """Where to look: the first step of a preset's run with this op, request and block; or another page."""

    preset: str = ""
    op: str = ""
    rid: str | None = None
    block: int | None = None
    knobs: tuple[tuple[str, int], ...] = ()
    args: tuple[tuple[str, int | str], ...] = ()
    page: str = ""

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


def address(show: Show, mode: LangMode) -> str:
    """The link, seen from any page: the stage on its step, or the other page."""
    if show.page:
        return f"{show.page}?{urlencode({'lang': mode})}"
    return execute_address(show.setup(), step_of(show), mode)
