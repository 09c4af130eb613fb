"""Kind `metric_window`: requests of so many tokens, so many of them hits, and the rates shown afterwards."""

from __future__ import annotations

from core.conformance.case_outcome import compare_named
from core.conformance.case_shapes import rates
from core.conformance.fields import Fields
from core.conformance.findings import Findings
from core.engine.events import ClockAdvanced, RequestAdmitted
from core.engine.stats import WINDOW_REQUESTS, Statistics


def replay_window(run: Fields, expected: Fields, findings: Findings, name: str) -> None:
    """Count [tokens, hit tokens] one request a step, then compare the rates."""
    findings.unknown_fields(f"{name}input", run, ("kind", "engine", "window", "requests"))
    statistics = Statistics(run.whole("window", WINDOW_REQUESTS, least=1))
    for number, request in enumerate(run.items("requests"), start=1):
        match request:
            case [int() as queries, int() as hits] if 0 <= hits <= queries:
                statistics.add(ClockAdvanced(number, waited=False))
                statistics.add(_admitted(str(number), queries, hits))
            case _:
                raise run.wrong("requests", "a list of [tokens, hit tokens]")
        findings.num_operations += 1
    answers = rates(statistics)
    findings.unknown_fields(f"{name}expected", expected, answers)
    compare_named(findings, f"{name}expected", expected.value, answers)


def _admitted(request_id: str, queries: int, hits: int) -> RequestAdmitted:
    return RequestAdmitted(
        request_id,
        num_tokens=queries,
        hit_tokens=hits,
        num_scheduled=queries - hits,
        num_computed=queries,
        num_new_blocks=0,
        counted=True,
        resumed=False,
        looked_up=True,
    )
