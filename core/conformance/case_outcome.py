"""What a case may expect, and the engine's answer to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.conformance.case_shapes import GENERATED, PREEMPTED, RATES, generated, preempted, rates
from core.conformance.fields import Fields, explains
from core.conformance.findings import ABSENT, Findings
from core.engine.engine import Engine
from core.engine.events import BlockEvicted, Event, RequestAdmitted, RequestPreempted, TokensAppended
from core.engine.stats import WINDOW_REQUESTS, Statistics
from core.fields import is_whole
from core.scenario.token_streams import TokenStreams
from core.types import EngineConfig

RATIO_TOLERANCE = 0.00005  # ratios are written with four decimals,
RATE_TOLERANCE = 0.0005  # hit rates with three at least


class Watch:
    """Takes the engine's events: pass it as `emit`."""

    def __init__(self, window: int = WINDOW_REQUESTS) -> None:
        self.statistics = Statistics(window)
        self.admissions: list[RequestAdmitted] = []
        self.num_evicted = 0
        self.preempted: list[str] = []
        self.generated: dict[str, list[int]] = {}

    def __call__(self, event: Event) -> None:
        self.statistics.add(event)
        if isinstance(event, RequestAdmitted):
            self.admissions.append(event)
        elif isinstance(event, BlockEvicted):
            self.num_evicted += 1
        elif isinstance(event, RequestPreempted):
            self.preempted.append(event.request_id)
        elif isinstance(event, TokensAppended):
            self.generated.setdefault(event.request_id, []).extend(event.token_ids)

    def stats(self) -> dict[str, float]:
        """Counted requests and their tokens, over the whole run; those that came back under vLLM's names."""
        queries, hits = self.statistics.lifetime
        counted = {"requests": self.statistics.num_requests, "queries": queries, "hits": hits}
        apart = {f"preempted_{name}": number for name, number in self.resumed().items()}
        return counted | apart | rates(self.statistics)

    def resumed(self) -> dict[str, int]:
        """Look-ups after a preemption and their tokens, over the whole run."""
        queries, hits = self.statistics.preempted
        requests = sum(event.resumed and event.looked_up for event in self.admissions)
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
    streams: TokenStreams = field(default_factory=TokenStreams)

    @classmethod
    def of(cls, run: Fields, config: EngineConfig) -> CaseOutcome:
        """Nothing yet; the run may say over how many requests the hit rate is reported."""
        return cls(config, watch=Watch(run.whole("window", WINDOW_REQUESTS, least=1)))

    def admitted(self, request_id: str, hit: int, num_tokens: int) -> None:
        """A request was admitted with `hit` tokens reused."""
        self.hits[request_id] = hit
        self.computed[request_id] = num_tokens - hit
        self.ratios[request_id] = hit / num_tokens

    def state(self, engine: Engine) -> dict[str, float]:
        """The cache as a case describes it."""
        copies = [len(engine.view.cached_blocks(block_hash)) for block_hash in engine.view.cached_hashes()]
        usable = self.config.num_usable
        return {
            "cached_distinct": len(copies),
            "cached_physical": sum(copies),
            "evicted": self.watch.num_evicted,
            "free": engine.view.num_free,
            "usage": (usable - engine.view.num_free) / usable if usable else 0.0,
        }


def compare_case(
    expected: Fields, outcome: CaseOutcome, engine: Engine, findings: Findings, run: str
) -> None:
    """Compare everything the case mentions."""
    watch = outcome.watch
    answers: dict[str, Any] = {
        "hits": outcome.hits,
        "computed": outcome.computed,
        "ratios": outcome.ratios,
        "free_after": outcome.free_after,
        "scheduled_first_step": outcome.scheduled_first_step,
        "admitted_at_step": outcome.admitted_at_step,
        "final": outcome.state(engine),
        "stats": watch.stats(),
    }
    answers |= {f"after_step_{step}": state for step, state in outcome.after_step.items()}
    answers |= rates(watch.statistics)
    for name, theirs in expected.value.items():
        if name in GENERATED:
            answers[name] = generated(expected.object(name), watch.generated, outcome.streams)
        elif name in PREEMPTED:
            answers[name] = preempted(theirs, watch.preempted, watch.resumed())
    findings.unknown_fields(f"{run}expected", expected, answers)
    for name in (name for name in answers if name in expected):
        if isinstance(answers[name], dict):
            compare_named(findings, f"{run}{name}", expected.object(name).value, answers[name], name)
        else:
            compare_named(findings, f"{run}expected", {name: expected.value[name]}, answers)


def compare_named(
    findings: Findings, operation: str, expected: Mapping[str, Any], got: Mapping[str, Any], group: str = ""
) -> None:
    """Compare each value of a group; shares may be rounded."""
    for name, theirs in expected.items():
        if explains(name) and name not in got:
            continue
        ours = got.get(name, ABSENT)
        tolerance = RATIO_TOLERANCE if group == "ratios" or name == "usage" else 0
        if not _agree(theirs, ours, RATE_TOLERANCE if name in RATES else tolerance):
            findings.differ(operation, name, theirs, ours)


def _agree(theirs: object, ours: object, tolerance: float) -> bool:
    if isinstance(ours, int | float) and (is_whole(theirs) or isinstance(theirs, float)):
        return abs(theirs - ours) <= tolerance
    return theirs == ours if isinstance(ours, list) else theirs is ours


def asked_steps(expected: Fields) -> Iterable[int]:
    """The steps after which the case wants to see the cache (`after_step_2`)."""
    for name in expected.value:
        head, _, number = name.rpartition("_")
        if head == "after_step" and number.isdecimal():
            yield int(number)
