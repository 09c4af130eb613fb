"""What a case may expect, and the engine's answer to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.conformance.fields import EXPLANATIONS, Fields, is_integer
from core.conformance.findings import ABSENT, Findings
from core.engine.engine import Engine
from core.engine.events import BlockEvicted, Event, RequestAdmitted, RequestPreempted
from core.engine.stats import Statistics
from core.types import EngineConfig

RATIO_TOLERANCE = 0.00005  # ratios are written with four decimals


class Watch:
    """Takes the engine's events: pass it as `emit`."""

    def __init__(self) -> None:
        self.statistics = Statistics()
        self.admissions: list[RequestAdmitted] = []
        self.num_evicted = 0
        self.num_preempted = 0

    def __call__(self, event: Event) -> None:
        self.statistics.add(event)
        if isinstance(event, RequestAdmitted):
            self.admissions.append(event)
        elif isinstance(event, BlockEvicted):
            self.num_evicted += 1
        elif isinstance(event, RequestPreempted):
            self.num_preempted += 1

    def stats(self) -> dict[str, int]:
        """Counted requests and their tokens, over the whole run."""
        queries, hits = self.statistics.lifetime
        requests = sum(event.counted for event in self.admissions)
        return {"requests": requests, "queries": queries, "hits": hits}


@dataclass
class CaseOutcome:
    """The engine's side of one run, filled in as the run goes on."""

    config: EngineConfig
    hits: dict[str, int | None] = field(default_factory=dict)
    computed: dict[str, int] = field(default_factory=dict)
    ratios: dict[str, float] = field(default_factory=dict)
    free_after: dict[str, int] = field(default_factory=dict)
    scheduled_first_step: dict[str, int] = field(default_factory=dict)
    admitted_at_step: dict[str, int] = field(default_factory=dict)
    after_step: dict[int, dict[str, float]] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)

    def admitted(self, request_id: str, hit: int, num_tokens: int) -> None:
        """A request was admitted with `hit` tokens reused."""
        self.hits[request_id] = hit
        self.computed[request_id] = num_tokens - hit
        self.ratios[request_id] = hit / num_tokens

    def state(self, engine: Engine) -> dict[str, float]:
        """The cache as a case describes it."""
        copies = [len(engine.cached_blocks(block_hash)) for block_hash in engine.cached_hashes()]
        usable = self.config.num_usable
        return {
            "cached_distinct": len(copies),
            "cached_physical": sum(copies),
            "evicted": self.watch.num_evicted,
            "free": engine.num_free,
            "usage": (usable - engine.num_free) / usable if usable else 0.0,
        }


def compare_case(
    expected: Fields, outcome: CaseOutcome, engine: Engine, findings: Findings, run: str
) -> None:
    """Compare everything the case mentions."""
    answers: dict[str, Mapping[str, Any]] = {
        "hits": outcome.hits,
        "computed": outcome.computed,
        "ratios": outcome.ratios,
        "free_after": outcome.free_after,
        "scheduled_first_step": outcome.scheduled_first_step,
        "admitted_at_step": outcome.admitted_at_step,
        "final": outcome.state(engine),
        "stats": outcome.watch.stats(),
    }
    answers |= {f"after_step_{step}": state for step, state in outcome.after_step.items()}
    findings.unknown_fields(f"{run}expected", expected, answers)
    for name in answers:
        if name in expected:
            _compare_named(findings, f"{run}{name}", expected.object(name), answers[name], name == "ratios")


def _compare_named(
    findings: Findings, operation: str, expected: Fields, got: Mapping[str, Any], rounded: bool
) -> None:
    for name, theirs in expected.value.items():
        if name in EXPLANATIONS and name not in got:
            continue
        ours = got.get(name, ABSENT)
        if not _agree(theirs, ours, RATIO_TOLERANCE if rounded or name == "usage" else 0):
            findings.differ(operation, name, theirs, ours)


def _agree(theirs: object, ours: object, tolerance: float) -> bool:
    if isinstance(ours, int | float) and (is_integer(theirs) or isinstance(theirs, float)):
        return abs(theirs - ours) <= tolerance
    return theirs is ours


def asked_steps(expected: Fields) -> Iterable[int]:
    """The steps after which the case wants to see the cache (`after_step_2`)."""
    for name in expected.value:
        head, _, number = name.rpartition("_")
        if head == "after_step" and number.isdecimal():
            yield int(number)
