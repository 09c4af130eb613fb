"""Conformance: replay vLLM's recorded outcomes and hand-written cases on this engine, compare every field.

    python -m core.conformance PATH…

PATH is a file or a directory (every *.jsonl and *.jsonl.gz in it). Each line is recognised from its content:
a cache scenario, a scheduler scenario or a case. Each difference is one line; the last line counts them.

Exit status: 0 nothing differs · 1 something differs · 2 some input could not be used. A bad line does not end
the run and is no mismatch: it is told on stderr with file, line and field, the lines after it are replayed,
and the status is 2 whatever they bring. (What had been replayed of the bad line itself does not count.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core.conformance.fields import Fields
from core.conformance.files import files_of, lines_of, parse
from core.conformance.findings import Findings, Mismatch
from core.conformance.formats import replay
from core.errors import RecordingError


@dataclass(frozen=True)
class Skipped:
    """A case of a kind that is not this engine's: which, and what it is about."""

    place: str
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place} {self.name} skipped: {self.reason}"


@dataclass
class Report:
    """The sum over everything replayed."""

    num_scenarios: int = 0
    num_operations: int = 0
    num_skipped: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)
    errors: list[RecordingError] = field(default_factory=list)

    def add(self, result: Findings | Skipped | RecordingError) -> None:
        """Count one result."""
        if isinstance(result, Findings):
            self.num_scenarios += 1
            self.num_operations += result.num_operations
            self.mismatches += result.mismatches
        elif isinstance(result, RecordingError):
            self.errors.append(result)
        else:
            self.num_skipped += 1

    @property
    def exit_status(self) -> int:
        """What the command returns to the shell."""
        if self.errors:
            return 2
        return 1 if self.mismatches else 0

    def __str__(self) -> str:
        return (
            f"{self.num_scenarios} scenarios, {self.num_operations} operations, "
            f"{len(self.mismatches)} mismatches, {self.num_skipped} skipped"
        )


def results(paths: Iterable[str | Path]) -> Iterator[Findings | Skipped | RecordingError]:
    """Replay everything under `paths`, one result a line; input that cannot be used is a result too."""
    for path in paths:
        try:
            files = files_of(Path(path))
        except RecordingError as error:
            yield error
            continue
        for file in files:
            yield from _results_of_file(file)


def _results_of_file(file: Path) -> Iterator[Findings | Skipped | RecordingError]:
    try:
        lines = lines_of(file)
    except RecordingError as error:
        yield error
        return
    for place, line in lines:
        try:
            yield _result(Fields(parse(place, line), place))
        except RecordingError as error:
            yield error


def _result(line: Fields) -> Findings | Skipped:
    found = replay(line)
    if isinstance(found, Findings):
        return found
    return Skipped(str(line.place), line.text("id", "") or "(no name)", found)


def check(paths: Iterable[str | Path]) -> Report:
    """Replay everything under `paths` and sum up."""
    report = Report()
    for result in results(paths):
        report.add(result)
    return report
