"""Kind `ops`: requests served one after another, or kept running, with look-ups in between."""

from __future__ import annotations

from collections.abc import Sequence

from core.conformance.case_outcome import CaseOutcome, compare_case
from core.conformance.fields import MOST_BLOCKS, Fields
from core.conformance.findings import Findings
from core.conformance.inputs import OUTPUT_FIELDS, case_request, make_config, output_tokens
from core.engine.engine import Engine
from core.engine.hash_chain import hash_chain

RUN_FIELDS = (
    "kind",
    "engine",
    "block_size",
    "capacity_blocks",
    "ops",
    "enable_caching",
    "watermark",
    "window",
)
_IDENTITY = ("id", "tokens", "salt", "lora", "mm", "prompt_logprobs")
OP_FIELDS = {
    "serve": (*_IDENTITY, *OUTPUT_FIELDS),
    "begin": _IDENTITY,
    "probe": _IDENTITY,
    "decode": ("id", "tokens"),
    "finish": ("id",),
    "reset": ("id",),
    "evict_block": (*_IDENTITY, "index"),
}


def replay_ops(run: Fields, expected: Fields, findings: Findings, name: str) -> None:
    """Run all operations, then compare what the case expects."""
    findings.unknown_fields(f"{name}input", run, RUN_FIELDS)
    num_blocks = run.whole("capacity_blocks", most=MOST_BLOCKS) + 1  # the null block comes on top
    config = make_config(run, num_blocks)
    replay = _OpsReplay(CaseOutcome.of(run, config))
    for number, op in enumerate(run.objects("ops")):
        verb = op.verb(OP_FIELDS)
        findings.unknown_fields(f"{name}op {number} {verb}", op, ("op", *OP_FIELDS[verb]))
        replay.apply(verb, op)
        findings.num_operations += 1
    compare_case(expected, replay.outcome, replay.engine, findings, name)


class _OpsReplay:
    """An engine driven by its lower verbs."""

    def __init__(self, outcome: CaseOutcome) -> None:
        self.outcome = outcome
        self.engine = Engine(outcome.config, emit=outcome.watch)
        self._streams = outcome.streams
        self._seen: set[str] = set()
        self._running: set[str] = set()

    def apply(self, verb: str, op: Fields) -> None:
        """Carry out one operation."""
        match verb:
            case "serve":
                self._begin(op)
                self._decode(op, output_tokens(op, self._streams))
                self._finish(op)
            case "begin":
                self._begin(op)
            case "decode":
                self._decode(op, op.token_text("tokens", self._streams))
            case "finish":
                self._finish(op)
            case "probe":
                self.outcome.hits[op.text("id")] = self.engine.lookup(case_request(op, self._streams)).hit
            case "reset":
                self.engine.reset()
            case "evict_block":
                self._evict(op)
        self._note_free(verb, op.text("id", ""))

    def _note_free(self, verb: str, request_id: str) -> None:
        """Free blocks after this operation: under the id for a request's first one, else under `verb_id`."""
        free = self.engine.view.num_free
        self.outcome.free_after.setdefault(request_id, free)
        self.outcome.free_after[f"{verb}_{request_id}" if request_id else verb] = free

    def _begin(self, op: Fields) -> None:
        request = case_request(op, self._streams)
        request_id = request.request_id
        if request_id in self._running:
            raise op.error("id", "request", f"request {request_id!r} is running already")
        self._seen.add(request_id)
        started = self.engine.start(request)
        if not started.ok:
            self.outcome.hits[request_id] = None  # it would have to wait, and nobody makes room meanwhile
            return
        self._running.add(request_id)
        self.outcome.admitted(request_id, started.hit, len(request.token_ids))

    def _decode(self, op: Fields, sampled: Sequence[int]) -> None:
        """Sampled tokens, one a step. The last one is never fed back: it has no place in the cache."""
        if not sampled or not self._runs(op):
            return
        for token in sampled[:-1]:
            self.engine.decode(op.text("id"), (token,))
        self.engine.append(op.text("id"), sampled[-1:])

    def _finish(self, op: Fields) -> None:
        if self._runs(op):
            self.engine.free(op.text("id"))
            self._running.discard(op.text("id"))

    def _runs(self, op: Fields) -> bool:
        """Whether the request was admitted; one that nobody ever began is a mistake in the case."""
        if op.text("id") not in self._seen:
            raise op.error("id", "request", f"request {op.value['id']!r} was never begun")
        return op.text("id") in self._running

    def _evict(self, op: Fields) -> None:
        """Force out the block that a look-up of this chain finds at `index`: the oldest copy."""
        request = case_request(op, self._streams)
        hashes = hash_chain(request.token_ids, self.outcome.config.block_size, request=request)
        index = op.whole("index")
        if index >= len(hashes):
            raise op.error("index", "index", f"the chain has {len(hashes)} full blocks, no block {index}")
        self.engine.evict(self.engine.view.cached_blocks(hashes[index])[:1])
