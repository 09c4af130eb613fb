"""What a run has shown, written into README and `docs/fidelity.md`. A later run replaces it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.fidelity.branches import Part, why_not
from tests.fidelity.scenarios.hard_cases import CASES

BEGIN, END = "<!-- fidelity robot: begin -->", "<!-- fidelity robot: end -->"


@dataclass
class Run:
    """One run of the robot. `earlier`, `parts`: branches taken by the first recordings, and by this run."""

    version: str
    day: str
    seed: int
    asked: int
    num_scenarios: int = 0
    num_operations: int = 0
    different: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    cases: Counter[str] = field(default_factory=Counter)
    parts: list[Part] = field(default_factory=list)
    earlier: list[Part] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether every scenario came out as vLLM had it."""
        return not self.different and not self.refused and self.num_scenarios > 0

    def verdict(self) -> str:
        """One sentence."""
        on = f"{self.num_scenarios:,} new scenarios, {self.num_operations:,} operations"
        if self.is_equal:
            return f"Equal to vLLM {self.version} on {on} (seed {self.seed}), {self.day}."
        wrong = f"{len(self.different)} differ, {len(self.refused)} could not be recorded"
        return f"Not equal to vLLM {self.version}: of {on} (seed {self.seed}) {wrong}, {self.day}."


def text_of(run: Run) -> str:
    """The section, in Markdown."""
    command = f"python -m tests.fidelity --vllm {run.version} --scenarios {run.asked} --seed {run.seed}"
    lines = [
        f"**{run.verdict()}**",
        "",
        f"By `{command}`.",
        "",
        *_branches(run),
        "",
        *_reasons(run),
        "",
        *_cases(run),
    ]
    return "\n".join(lines)


def write(path: Path, text: str) -> None:
    """Put the text between the markers.

    Raises:
        ValueError: the markers are not there, once each and in order.
    """
    page = path.read_text("utf-8")
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise ValueError(f"{path} has no place for it: expected {BEGIN} and {END}, once each")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")


def _branches(run: Run) -> list[str]:
    rows = [
        "| part of vLLM's code | branches | out of scope | taken by the first recordings | now | left |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    sums = [0] * 5
    for earlier, part in zip(run.earlier, run.parts, strict=True):
        left = part.num_branches - part.num_taken - part.num_out
        numbers = [part.num_branches, part.num_out, earlier.num_taken, part.num_taken, left]
        sums = [total + number for total, number in zip(sums, numbers, strict=True)]
        rows.append(f"| {part.title} | {' | '.join(map(str, numbers))} |")
    return [*rows, f"| **all** | {' | '.join(map(str, sums))} |"]


def _reasons(run: Run) -> list[str]:
    reasons = [f"{why} {count}" for why, count in why_not(run.parts).most_common()]
    left = [branch for part in run.parts for branch in part.untaken if not branch.why]
    told = [f"- `{branch.function}`: `{branch.condition}`" for branch in left]
    return [
        f"Branches out of scope: {'; '.join(reasons)}.",
        *(["", "Left, and ours to reach:", *told] if told else []),
    ]


def _cases(run: Run) -> list[str]:
    cases = [f"{name} {run.cases[name]:,}" for name in CASES]
    return [f"Hard cases among the operations: {'; '.join(cases)}."]
