"""Kind `schedule`: requests arrive at given steps and the scheduler steps until nothing is left to do."""

from __future__ import annotations

from collections.abc import Iterable

from core.conformance.case_outcome import CaseOutcome, asked_steps, compare_case
from core.conformance.fields import MOST_BLOCKS, Fields
from core.conformance.findings import Findings
from core.conformance.inputs import OUTPUT_FIELDS, case_request, make_config, output_tokens
from core.engine.engine import Engine
from core.errors import RequestError
from core.types import EngineConfig

RUN_FIELDS = (
    "kind",
    "engine",
    "block_size",
    "capacity_blocks",
    "arrivals",
    "chunk_tokens",
    "enable_caching",
    "watermark",
    "policy",
    "max_num_seqs",
    "max_num_batched_tokens",
    "reserve_full_prompt",
    "window",
)
ARRIVAL_FIELDS = ("step", "id", "tokens", *OUTPUT_FIELDS, "salt", "lora", "mm", "prompt_logprobs", "priority")
MAX_STEPS = 100_000  # preemption can go round in circles when the whole-prompt gate is off


def replay_schedule(run: Fields, expected: Fields, findings: Findings, name: str) -> None:
    """Step until all is done, then compare what the case expects."""
    findings.unknown_fields(f"{name}input", run, RUN_FIELDS)
    defaults = EngineConfig()
    budget = defaults.max_num_batched_tokens
    config = make_config(
        run,
        run.whole("capacity_blocks", most=MOST_BLOCKS) + 1,  # the null block comes on top
        policy=run.text("policy", defaults.policy),
        max_num_seqs=run.whole("max_num_seqs", defaults.max_num_seqs, least=1),
        max_num_batched_tokens=run.whole("max_num_batched_tokens", budget, least=1),
        reserve_full_prompt=run.flag("reserve_full_prompt", True),
        long_prefill_token_threshold=run.whole("chunk_tokens", 0),
    )
    replay = _ScheduleReplay(CaseOutcome.of(run, config), asked_steps(expected))
    for number, arrival in enumerate(run.objects("arrivals")):
        findings.unknown_fields(f"{name}arrival {number}", arrival, ARRIVAL_FIELDS)
        replay.expect(arrival)
    if not replay.run():
        problem = f"still running after {MAX_STEPS} steps"
        findings.differ(f"{name}input", "arrivals", "a run that ends", problem)
    findings.num_operations += replay.step
    compare_case(expected, replay.outcome, replay.engine, findings, name)


class _ScheduleReplay:
    """An engine, and the requests that still have to arrive."""

    def __init__(self, outcome: CaseOutcome, asked: Iterable[int]) -> None:
        self.outcome = outcome
        self.engine = Engine(outcome.config, emit=outcome.watch)
        self.step = 0
        self._asked = set(asked)
        self._arrivals: list[tuple[int, Fields]] = []

    def expect(self, arrival: Fields) -> None:
        """A request that will arrive before a certain step."""
        self._arrivals.append((arrival.whole("step", least=1), arrival))
        self._arrivals.sort(key=lambda pair: pair[0])  # stable: one step's arrivals keep their order

    def run(self) -> bool:
        """Step until nothing is left to do. False if that never happens."""
        while self._arrivals or self.engine.view.waiting_ids() or self.engine.view.running_ids():
            if self.step == MAX_STEPS:
                return False
            if not self._step() and not self._arrivals:
                break  # whoever still waits needs more room than there is
        for step in self._asked - self.outcome.after_step.keys():
            self.outcome.after_step[step] = self.outcome.state(self.engine)  # later steps change nothing
        return True

    def _step(self) -> bool:
        """One step. False if it did nothing; one that preempted did, though it admits nobody."""
        self.step += 1
        self._submit_arrivals()
        watch = self.outcome.watch
        num_admissions, num_preempted = len(watch.admissions), len(watch.preempted)
        scheduled = self.engine.step().scheduled
        self._note_admissions(num_admissions)
        if self.step in self._asked:
            self.outcome.after_step[self.step] = self.outcome.state(self.engine)
        return bool(scheduled) or len(watch.preempted) > num_preempted

    def _submit_arrivals(self) -> None:
        while self._arrivals and self._arrivals[0][0] == self.step:
            _, arrival = self._arrivals.pop(0)
            output = output_tokens(arrival, self.outcome.streams)
            request = case_request(arrival, self.outcome.streams, output)
            self.outcome.hits[request.request_id] = None
            try:
                self.engine.submit(request, check_fit=False)  # what never fits waits, as in vLLM
            except RequestError as error:
                raise arrival.error("", "request", error.message) from error

    def _note_admissions(self, start: int) -> None:
        """First admissions of this step; a resumed request keeps what it had."""
        for event in self.outcome.watch.admissions[start:]:
            if not event.resumed:
                self.outcome.admitted(event.request_id, event.hit_tokens, event.num_tokens)
                self.outcome.scheduled_first_step[event.request_id] = event.num_scheduled
                self.outcome.admitted_at_step[event.request_id] = self.step
