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


def why_not(case: Fields) -> str:
    """Why the case does not speak of this engine, "" if it does; other kinds describe other parts and other
    engines."""
    return _why_not(case.object("input"))


def _why_not(run: Fields) -> str:
    kind = run.text("kind")
    if kind == "multi":
        reasons = dict.fromkeys(filter(None, map(_why_not, run.objects("runs"))))
        return "; ".join(reasons)
    if kind not in _RUNS:
        return f"kind {kind} is no run of this engine"
    engine = run.text("engine", "vllm")
    return "" if engine == "vllm" else f"engine {engine}"


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
