"""The runs side by side on the finish page: without a cache, as it was, and with each change tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.cost import CostModel
from core.errors import BrothError
from core.report import Report, make_report
from core.scenario.scenario import run
from core.timeline.event_log import EventLog
from ui.frame.kept import LastFew
from ui.frame.session import lang, say
from ui.frame.shared import Shared
from ui.machine.machine import MACHINE
from ui.stage.fork import NUMBERS, Fork, forked
from ui.stage.record import RECORD, run_name
from ui.stage.run import Run, is_public
from ui.stage.setup import SETUP
from ui.words.visible import visible_text

MAX_SHOWN = 40
"""Characters of an edited prompt in the name of its line."""

ALWAYS = ("plain", "cached")
"""Kinds of the first lines; all others are changes tried."""

LECTURE_TOKENS, LECTURE_BLOCK = 640, 16
_REPORTS, _OF_PRESETS = LastFew("reports", 24), Shared(64)


@dataclass(frozen=True, slots=True)
class Line:
    """One run by name; ``kind`` is plain (no cache), cached (the run itself) or fork.

    The name of an edited prompt holds what a person typed: whoever draws it, escapes it.
    """

    kind: str
    name: str
    report: Report


def lines(base: Run) -> tuple[list[Line], list[tuple[str, BrothError]]]:
    """All runs of this visitor that belong to the setup, and changes that cannot be made, with reasons."""
    scenario, log, shown = base
    without = replace(scenario, config=replace(scenario.config, enable_caching=False))
    found = [
        Line("plain", say("finish.compare.plain"), _report("plain", lambda: run(without))),
        Line("cached", say("finish.compare.cached"), _report("cached", lambda: log)),
    ]
    failed: list[tuple[str, BrothError]] = []
    for fork in RECORD.get().forks_of(run_name(SETUP.get())):

        def make(fork: Fork = fork) -> EventLog:
            return run(forked(scenario, log, shown["events"], fork, lang()))

        try:
            found.append(Line("fork", fork_name(fork), _report(fork.to_link(), make)))
        except BrothError as error:
            failed.append((fork_name(fork), error))
    return found, failed


def _report(variant: str, make: Callable[[], EventLog]) -> Report:
    """The report of one run; made once per run and machine."""
    machine, name = MACHINE.get(), run_name(SETUP.get())
    key = (name, lang(), variant, machine.cost())
    shared = variant in ALWAYS and machine.is_listed and is_public(SETUP.get())
    reports = _OF_PRESETS if shared else _REPORTS
    return reports.get(key, lambda: make_report(make(), machine.cost()))


def fork_name(fork: Fork) -> str:
    """A change in words: what, to which value, from which step on."""
    what = say(f"stage.fork.{fork.change}")
    if fork.change == "prompt":
        text = visible_text(str(fork.value))
        value = text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
    elif fork.change in NUMBERS:
        value = str(fork.value)
    else:
        value = say(f"stage.fork.{fork.change}.{fork.value}")
    return say("finish.compare.fork", what=what, value=value, step=fork.step)


def lecture_size(cost: CostModel, share: float) -> tuple[float, float]:
    """Modelled ms of one prompt of 640 tokens on an idle GPU: without a hit, and with this share of it hit.

    The prompts of a lesson are too short to feel anything: reading the weights takes longest.
    """
    compared = cost.compare(LECTURE_TOKENS, lecture_hit(share))
    return 1e3 * compared.full_s, 1e3 * compared.hit_s


def lecture_hit(share: float) -> int:
    """Tokens of it that hit when this share of its beginning is stored; a test holds it to the engine."""
    return min(int(LECTURE_TOKENS * share), LECTURE_TOKENS - 1) // LECTURE_BLOCK * LECTURE_BLOCK
