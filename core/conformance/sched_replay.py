"""Replay of a scheduler scenario: requests arrive, the engine steps, every outcome field is compared."""

from __future__ import annotations

from typing import Any

from core.conformance.contents import Contents
from core.conformance.fields import MOST_BLOCKS, Fields
from core.conformance.findings import Findings
from core.conformance.inputs import make_config, make_request
from core.conformance.operations import OperationFormat, replay_operations
from core.conformance.tape import Tape
from core.engine.engine import Engine
from core.types import EngineConfig, Request

TOP_FIELDS = ("name", "kind", "seed", "config", "ops", "contents")
CONFIG_FIELDS = (
    "block_size",
    "num_blocks",
    "enable_caching",
    "watermark",
    "max_num_seqs",
    "max_num_batched_tokens",
    "policy",
    "reserve_full_prompt",
    "long_prefill_token_threshold",
)
OP_FIELDS = {
    "add": ("id", "tokens", "outputs", "salt", "lora", "mm", "priority", "skip_read"),
    "step": (),
    "abort": ("id",),
    "reset": ("running",),
}
_IF_ANY = ("admitted", "resumed", "preempted", "finished", "events")  # absent if there are none
_STATE = ("running", "waiting", "computed", "queue")
OPERATIONS = OperationFormat(
    fields=OP_FIELDS,
    outcome=("ok", "scheduled", "tables", "win", "ctr", *_IF_ANY, *_STATE),
    empty_if_absent=_IF_ANY,
)


def replay_sched(scenario: Fields, findings: Findings) -> None:
    """Run the whole scenario; what differs goes into `findings`."""
    findings.unknown_fields("scenario", scenario, TOP_FIELDS)
    config = read_config(scenario, findings)
    contents = Contents(scenario, config.block_size)
    contents.report_clashes(findings)
    replay_operations(scenario, OPERATIONS, _SchedReplay(config, contents).apply, findings)


def read_config(scenario: Fields, findings: Findings) -> EngineConfig:
    """The engine's settings from `config`."""
    fields = scenario.object("config")
    findings.unknown_fields("config", fields, CONFIG_FIELDS)
    return make_config(
        fields,
        fields.whole("num_blocks", least=1, most=MOST_BLOCKS),
        max_num_seqs=fields.whole("max_num_seqs", least=1),
        max_num_batched_tokens=fields.whole("max_num_batched_tokens", least=1),
        policy=fields.text("policy", "fcfs"),
        reserve_full_prompt=fields.flag("reserve_full_prompt", True),
        long_prefill_token_threshold=fields.whole("long_prefill_token_threshold", 0),
    )


class _SchedReplay:
    """An engine and its tape."""

    def __init__(self, config: EngineConfig, contents: Contents) -> None:
        self._tape = Tape(contents, config.block_size)
        self._engine = Engine(config, emit=self._tape)
        self._arrived: set[str] = set()
        self._alive: set[str] = set()  # waiting or running, by the recording

    def apply(self, verb: str, op: Fields, recorded: Fields) -> dict[str, Any]:
        """Carry out one operation and say everything the format asks about it."""
        self._tape.cut()
        engine = self._engine
        outcome: dict[str, Any] = {}
        match verb:
            case "add":
                engine.submit(self._arriving(op), check_fit=False)  # vLLM lets it wait
            case "step":
                engine.step()
                outcome = self._step()
            case "abort":
                request_id = self._known(op)
                if request_id in self._alive:  # aborting one that is over changes nothing
                    engine.abort(request_id)
            case "reset":
                outcome["ok"] = engine.reset(preempt_running=op.flag("running", False))
                outcome["preempted"] = self._tape.preempted()
        ids = [*engine.view.waiting_ids(), *engine.view.running_ids()]
        self._alive = {name for field in ("running", "waiting") for name in recorded.texts(field, ids)}
        return outcome | {
            "running": list(engine.view.running_ids()),
            "waiting": list(engine.view.waiting_ids()),
            "computed": {request_id: engine.view.computed(request_id) for request_id in ids},
            "queue": list(engine.view.free_queue()),
        }

    def _arriving(self, op: Fields) -> Request:
        request_id = op.text("id")
        if request_id in self._alive:
            raise op.error("id", "request", f"request {request_id!r} is waiting or running already")
        self._arrived.add(request_id)
        outputs, skip_read = op.tokens("outputs"), op.flag("skip_read", False)
        return make_request(op, op.tokens("tokens"), outputs, skip_read=skip_read)

    def _known(self, op: Fields) -> str:
        request_id = op.text("id")
        if request_id not in self._arrived:
            raise op.error("id", "request", f"request {request_id!r} was never added")
        return request_id

    def _step(self) -> dict[str, Any]:
        tape = self._tape
        scheduled = tape.scheduled()
        return {
            "scheduled": [[request_id, count] for request_id, count in scheduled.items()],
            "admitted": tape.admitted(resumed=False),
            "resumed": tape.admitted(resumed=True),
            "preempted": tape.preempted(),
            "tables": {request_id: tape.tables.get(request_id, []) for request_id in scheduled},
            "finished": tape.finished(),
            "events": tape.publish(),
        } | tape.counters()
