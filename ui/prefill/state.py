"""What one visitor of the prefill page has chosen and measured. Kept while the session lives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from core.backends.decoders.loader import ModelLoader
from core.backends.experiments.report import Report
from core.backends.line import SHORT_S
from core.errors import BrothError
from ui.frame.kept import Kept
from ui.prefill.experiments import EXPERIMENTS, expected_s, kept_report
from ui.prefill.job import Job, visitor_is_here
from ui.prefill.models import Choice, libraries, loader, models, relative_work
from ui.stage.payload import StageLog

T = TypeVar("T")


@dataclass
class PrefillState:
    """Of one visitor. ``keep`` takes the running job's result once it is there."""

    section: str = "pair"
    choice: Choice = field(default_factory=Choice)
    job: Job[Any] | None = None
    keep: Callable[[Any], None] | None = None
    error: BrothError | None = None
    failed: bool = False
    ended: str = ""
    """Which job ended last."""
    results: dict[tuple[str, Choice], Report] = field(default_factory=dict)
    on_stage: bool = False
    """Whether the stage's runs are computed for real."""
    runs: dict[str, StageLog] = field(default_factory=dict)
    """Those that were, the last few, by the digest of the run without times."""


state = Kept("prefill", PrefillState).get
"""This visitor's."""


def usable_choice() -> Choice:
    """The choice, or the usual one where this server has not what was chosen."""
    now = state()
    if now.choice.library not in libraries() or now.choice.model not in models():
        now.choice = Choice()
    return now.choice


def begin(
    name: str,
    choice: Choice,
    work: Callable[[Job[T]], T],
    keep: Callable[[T], None],
    expected_s: float = SHORT_S,
) -> None:
    """Start work in the background, unless some is under way already. ``expected_s``: how long the clock will
    be held, about; by it the line decides who is next."""
    now = state()
    collect()
    if now.job is None:
        now.error, now.failed, now.keep = None, False, keep
        now.job = Job(name, choice, work, visitor_is_here(), expected_s)
        now.job.start()


def collect() -> None:
    """Take over what the job has brought, if it has ended."""
    now = state()
    job = now.job
    if job is None or job.running:
        return
    now.job, now.error, now.ended = None, job.error, job.name
    now.failed = job.result is None and job.error is None
    if job.result is not None and now.keep is not None:
        now.keep(job.result)


def measure(experiment: str) -> None:
    """Run an experiment with the chosen library and model."""
    now, choice = state(), usable_choice()

    def keep(report: Report) -> None:
        now.results[experiment, choice] = report

    begin(experiment, choice, partial(_measure, experiment, loader()), keep, seconds_of(experiment, choice))


def seconds_of(experiment: str, choice: Choice) -> float:
    """About how long a measurement takes on a quiet machine; for a model that cannot be read a moment, for it
    will be refused."""
    try:
        return expected_s(experiment, relative_work(choice))
    except BrothError:
        return 1.0


def _measure(experiment: str, known: ModelLoader, job: Job[Report]) -> Report:
    """On the job's thread."""
    model = job.load(known)
    with job.clock_of(known):
        return EXPERIMENTS[experiment](model, job.progress, job.cancelled)


def report_of(experiment: str) -> tuple[Report | None, bool]:
    """What to show, and whether the visitor measured it."""
    own = state().results.get((experiment, usable_choice()))
    return (own, True) if own else (kept_report(experiment, usable_choice()), False)


def forget_measured(experiment: str) -> None:
    """Show the kept result again."""
    state().results.pop((experiment, usable_choice()), None)
