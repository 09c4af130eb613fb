"""Hand-written cases: `ops` (one request after another), `schedule` (steps), `multi` (several runs), and
the window of the hit rate (`metric_window`).

A case says what it expects in words of its own (`hits`, `final`, `stats`, …) and only as far as its point
goes; what it does not mention is not compared. What it mentions and we do not know is reported.

Its operations are not turned into recorded ones: which of them can be carried out shows only as the engine
runs (who was let in, which block a chain found), and a case has no table of contents to compare with.
"""

from __future__ import annotations

from collections.abc import Callable

from core.conformance.case_ops import replay_ops
from core.conformance.case_schedule import replay_schedule
from core.conformance.case_window import replay_window
from core.conformance.fields import Fields
from core.conformance.findings import Findings

TOP_FIELDS = ("id", "source", "category", "situation", "input", "expected", "certainty")
_RUNS: dict[str, Callable[[Fields, Fields, Findings, str], None]] = {
    "ops": replay_ops,
    "schedule": replay_schedule,
    "metric_window": replay_window,
}


def can_replay(case: Fields) -> bool:
    """Whether the case speaks of this engine; other kinds describe other parts and other engines."""
    return _can_replay(case.object("input"))


def _can_replay(run: Fields) -> bool:
    kind = run.text("kind")
    if kind == "multi":
        return all(_can_replay(inner) for inner in run.objects("runs"))
    return kind in _RUNS and run.text("engine", "vllm") == "vllm"


def replay_case(case: Fields, findings: Findings) -> None:
    """Run the whole case; what differs goes into `findings`."""
    findings.unknown_fields("case", case, TOP_FIELDS)
    run, expected = case.object("input"), case.object("expected")
    if run.text("kind") != "multi":
        _RUNS[run.text("kind")](run, expected, findings, "")
        return
    findings.unknown_fields("input", run, ("kind", "runs"))
    findings.unknown_fields("expected", expected, ("runs",))
    runs, outcomes = run.objects("runs"), expected.objects("runs")
    if len(runs) != len(outcomes):
        raise expected.error("runs", "runs", f"expected {len(runs)} outcomes, got {len(outcomes)}")
    for number, (inner, outcome) in enumerate(zip(runs, outcomes, strict=True)):
        _RUNS[inner.text("kind")](inner, outcome, findings, f"run {number} ")
