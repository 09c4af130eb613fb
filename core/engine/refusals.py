"""What an engine refuses: each function raises a ``RequestError`` that says what was wrong and what to do."""

from __future__ import annotations

from collections.abc import Mapping

from core.engine.sequence import Sequence, Status
from core.errors import RequestError
from core.types import POLICY_FIELDS, BlockId, EngineConfig, RequestId

Sequences = Mapping[RequestId, Sequence]


def known(sequences: Sequences, request_id: RequestId) -> Sequence:
    """The live request of that name."""
    sequence = sequences.get(request_id)
    if sequence is None:
        message = f"There is no request {request_id!r}; it was never sent, or it has finished."
        raise RequestError("request.unknown", message, request_id=str(request_id))
    return sequence


def running(sequences: Sequences, request_id: RequestId) -> Sequence:
    """The running request of that name."""
    sequence = known(sequences, request_id)
    if sequence.status is not Status.RUNNING:
        message = f"Request {request_id} is {sequence.status.value}; expected a running one."
        raise RequestError("request.not_running", message, request_id=request_id)
    return sequence


def preempted(sequences: Sequences, request_id: RequestId) -> Sequence:
    """The preempted request of that name."""
    sequence = known(sequences, request_id)
    if sequence.status is not Status.PREEMPTED:
        message = f"Request {request_id} is {sequence.status.value}; only a preempted one can resume."
        raise RequestError("request.not_preempted", message, request_id=request_id)
    return sequence


def check_new(sequences: Sequences, request_id: RequestId) -> None:
    """No live request may have that name."""
    if request_id in sequences:
        message = f"Request {request_id} exists already; give the new one another id."
        raise RequestError("request.duplicate", message, request_id=request_id)


def check_fit(sequence: Sequence, config: EngineConfig) -> None:
    """Prompt and outputs together must fit into the pool. The last sampled token is never scheduled, so it
    needs no slot (rule 34)."""
    num_slots = sequence.num_tokens + max(len(sequence.outputs) - 1, 0)
    needed, usable = -(-num_slots // config.block_size), config.num_usable
    if needed > usable:
        message = (
            f"Request {sequence.request_id} needs {needed} blocks of {config.block_size} tokens; "
            f"the pool has {usable}. Shorten it or make the pool larger."
        )
        raise RequestError(
            "request.too_large", message, request_id=sequence.request_id, needed=needed, usable=usable
        )


def check_block(block_id: BlockId, config: EngineConfig) -> None:
    """It must be a usable block."""
    usable = config.num_usable
    if not _is_int(block_id) or not 0 < block_id <= usable:
        message = f"There is no block {block_id!r}; expected a whole number from 1 to {usable}."
        raise RequestError("request.block", message, block_id=str(block_id), usable=usable)


def check_count(name: str, value: int) -> None:
    """It must count something."""
    if not _is_int(value) or value < 1:
        message = f"{name} is {value!r}; expected a whole number of at least 1."
        raise RequestError("request.count", message, field=name, value=str(value))


def check_ticks(ticks: int) -> None:
    """Time goes on."""
    if not _is_int(ticks) or ticks < 1:
        message = f"Waiting {ticks!r} ticks; expected a whole number of at least 1."
        raise RequestError("request.ticks", message, ticks=str(ticks))


def check_policy_field(name: str) -> None:
    """It must be a setting that may change while the engine runs."""
    if name not in POLICY_FIELDS:
        allowed = ", ".join(POLICY_FIELDS)
        message = f"Setting {name} cannot change while the engine runs; these can: {allowed}."
        raise RequestError("request.policy", message, field=name, allowed=allowed)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
