"""What one visitor of the prefill page has chosen and measured. Kept while the session lives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

from core.backends.decoders.loader import ModelLoader
from core.backends.experiments.report import Report
from core.backends.line import SHORT_S
from core.errors import BrothError
from ui.frame.kept import Kept
from ui.prefill.experiments import EXPERIMENTS, expected_s, kept_report
from ui.prefill.job import Job, visitor_is_here
from ui.prefill.link import CARRIED, carry
from ui.prefill.models import SMALL, Choice, libraries, loader, models, relative_work
from ui.stage.payload import StageLog

T = TypeVar("T")


Whence = Literal["", "own", "file", "link"]
"""Where a result that is shown comes from; "": it came with the lab."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A result that somebody brought along."""

    report: Report
    whence: Whence


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
    ended_choice: Choice | None = None
    """What computed it."""
    results: dict[tuple[str, Choice], Report] = field(default_factory=dict)
    """Measured in this session, the newest last."""
    opened: dict[tuple[str, Choice], Opened] = field(default_factory=dict)
    """Brought along, the newest last."""
    too_long: tuple[Report, ...] = ()
    """For which the link has no room."""
    followed: object = None
    """What the link was last made from."""
    on_stage: bool = False
    """Whether the stage's runs are computed for real."""
    runs: dict[str, StageLog] = field(default_factory=dict)
    """Those that were, the last few, by the digest of the run without times."""


def _as_linked() -> PrefillState:
    """What the link that was opened says; a reload is nothing else."""
    carried = CARRIED.get()
    opened = {(report.experiment, choice): Opened(report, "link") for choice, report in carried.results}
    return PrefillState(choice=carried.choice, opened=opened)


state = Kept("prefill", _as_linked).get
"""This visitor's."""


def follow() -> None:
    """The link says what is chosen and measured by now, the section that is shown first."""
    now = state()
    brought = {key: one.report for key, one in now.opened.items()}
    newest = [*reversed(now.results.items()), *reversed(brought.items())]
    newest.sort(key=lambda pair: pair[0] != (now.section, now.choice))
    known, before = (now.choice, tuple(id(report) for _, report in newest)), now.followed
    if known != before:
        carried, now.too_long = carry(now.choice, [(key[1], report) for key, report in newest])
        now.followed = known
        if carried != CARRIED.get():
            CARRIED.set(carried)


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


def refuse(name: str, choice: Choice, error: BrothError) -> None:
    """Work that is not begun: told where it would have stood."""
    now = state()
    now.error, now.failed, now.ended, now.ended_choice = error, False, name, choice


def collect() -> None:
    """Take over what the job has brought, if it has ended."""
    now = state()
    job = now.job
    if job is None or job.running:
        return
    now.job, now.error, now.ended, now.ended_choice = None, job.error, job.name, job.choice
    now.failed = job.result is None and job.error is None
    if job.result is not None and now.keep is not None:
        now.keep(job.result)


def measure(experiment: str) -> None:
    """Run an experiment with the chosen library and model."""
    now, choice = state(), usable_choice()

    def keep(report: Report) -> None:
        now.results.pop((experiment, choice), None)
        now.opened.pop((experiment, choice), None)
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


def report_of(experiment: str) -> tuple[Report | None, Whence]:
    """What to show, and where it comes from: brought along, measured here, or with the lab."""
    now, choice = state(), usable_choice()
    key = experiment, choice
    if key in now.opened:
        return now.opened[key].report, now.opened[key].whence
    if key in now.results:
        return now.results[key], "own"
    return kept_report(experiment, choice), ""


def forget_measured(experiment: str) -> None:
    """One step back: from what was brought along to what was measured here, from that to the kept result."""
    now, key = state(), (experiment, usable_choice())
    if now.opened.pop(key, None) is None:
        now.results.pop(key, None)


def open_report(report: Report) -> None:
    """Show a result that came as a file, with the library and the model that it was measured with, where this
    server has them."""
    now = state()
    library = next((name for name in libraries() if name == report.backend), now.choice.library)
    found = SMALL if report.model.lower().startswith("smollm2") else report.model
    model = found if found in models() else now.choice.model
    now.choice = Choice(library, model)
    now.opened.pop((report.experiment, now.choice), None)
    now.opened[report.experiment, now.choice] = Opened(report, "file")
