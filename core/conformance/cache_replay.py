"""Replay of a cache scenario: one engine verb per recorded operation, every outcome field compared."""

from __future__ import annotations

from typing import Any

from core.conformance.contents import Contents
from core.conformance.fields import MOST_BLOCKS, Fields
from core.conformance.findings import Findings
from core.conformance.inputs import make_config, make_request
from core.conformance.operations import OperationFormat, replay_operations
from core.conformance.tape import Tape
from core.engine.engine import Engine
from core.types import MAX_TOKEN_ID, EngineConfig

TOP_FIELDS = ("name", "kind", "seed", "config", "ops", "contents", "final")
CONFIG_FIELDS = ("block_size", "num_blocks", "enable_caching", "watermark")
_PROMPT = ("tokens", "salt", "lora", "mm", "skip_read")
OP_FIELDS = {
    "start": ("id", *_PROMPT, "chunk", "fit"),
    "resume": ("id", "chunk", "fit"),
    "prefill": ("id", "n"),
    "decode": ("id", "token", "tokens"),
    "append": ("id", "token", "tokens"),
    "free": ("id",),
    "preempt": ("id",),
    "lookup": ("id", *_PROMPT),
    "reset": (),
    "evict": ("blocks",),
}
_REQUEST_OUT = ("computed", "table", "refs", "new", "evicted", "cached", "released", "preempted_lookup")
OPERATIONS = OperationFormat(
    fields=OP_FIELDS,
    outcome=("ok", "hit", "hit_blocks", *_REQUEST_OUT, "cleared", "free", "queue", "events", "win", "ctr"),
    ignored=("need",),  # the recorder's own numbers on the way to its decision
    empty_if_absent=("events",),
)
FINAL_FIELDS = ("cached", "blocks", "usage")
_TAKING = ("start", "resume", "prefill", "decode")  # operations that take blocks


def replay_cache(scenario: Fields, findings: Findings) -> None:
    """Run the whole scenario; what differs goes into `findings`."""
    findings.unknown_fields("scenario", scenario, TOP_FIELDS)
    config = read_config(scenario, findings)
    contents = Contents(scenario, config.block_size)
    contents.report_clashes(findings)
    replay = _CacheReplay(config, contents)
    if replay_operations(scenario, OPERATIONS, replay.apply, findings):
        final = scenario.object("final")
        findings.compare("final", final.value, replay.final(), FINAL_FIELDS)


def read_config(scenario: Fields, findings: Findings) -> EngineConfig:
    """The engine's settings from `config`."""
    fields = scenario.object("config")
    findings.unknown_fields("config", fields, CONFIG_FIELDS)
    return make_config(fields, fields.whole("num_blocks", least=1, most=MOST_BLOCKS))


class _CacheReplay:
    """An engine, its tape, and which requests exist according to the recording."""

    def __init__(self, config: EngineConfig, contents: Contents) -> None:
        self._tape = Tape(contents, config.block_size)
        self._contents = contents
        self._config = config
        self._engine = Engine(config, emit=self._tape)
        self._alive: set[str] = set()

    def apply(self, verb: str, op: Fields, recorded: Fields) -> dict[str, Any]:
        """Carry out one operation and say everything the format asks about it."""
        self._tape.cut()
        request_id = self._request_id(verb, op)
        before = self._engine.view.computed(request_id) if verb == "free" else 0
        preempted_before = self._tape.statistics.preempted
        outcome = self._run(verb, op, request_id)
        if verb == "start" and recorded.value.get("ok", outcome["ok"]):
            self._alive.add(request_id)
        if verb == "free":
            self._alive.discard(request_id)
        outcome |= self._blocks(verb, outcome["ok"])
        if verb == "free":
            outcome |= {"computed": before, "table": [], "refs": []}
        elif verb not in ("lookup", "reset", "evict") and (verb != "start" or outcome["ok"]):
            outcome |= self._request(request_id)
        view, events = self._engine.view, self._tape.publish()
        outcome |= {"free": view.num_free, "queue": list(view.free_queue()), "events": events}
        outcome |= self._tape.counters()
        preempted = self._tape.statistics.preempted
        if preempted != preempted_before:
            pairs = zip(preempted, preempted_before, strict=True)
            outcome["preempted_lookup"] = [after - earlier for after, earlier in pairs]
        return outcome

    def _request_id(self, verb: str, op: Fields) -> str:
        if verb in ("lookup", "reset", "evict"):
            return ""
        request_id = op.text("id")
        if (request_id in self._alive) == (verb == "start"):
            state = "is running or preempted already" if verb == "start" else "does not exist"
            raise op.error("id", "request", f"request {request_id!r} {state}")
        return request_id

    def _run(self, verb: str, op: Fields, request_id: str) -> dict[str, Any]:
        engine = self._engine
        match verb:
            case "start":
                request = make_request(op, op.tokens("tokens"), skip_read=op.flag("skip_read", False))
                started = engine.start(request, chunk=_chunk(op), fit=op.flag("fit", True))
                return {"ok": started.ok, "hit": started.hit}
            case "resume":
                resumed = engine.resume(request_id, chunk=_chunk(op), fit=op.flag("fit", True))
                return {"ok": resumed.ok, "hit": resumed.hit}
            case "prefill":
                return {"ok": engine.prefill(request_id, op.whole("n")).ok}
            case "decode":
                return {"ok": engine.decode(request_id, _sampled(op)).ok}
            case "append":
                return {"ok": engine.append(request_id, _sampled(op)).ok}
            case "free":
                return {"ok": engine.free(request_id).ok}
            case "preempt":
                return {"ok": engine.preempt(request_id).ok}
            case "lookup":
                request = make_request(op, op.tokens("tokens"), skip_read=op.flag("skip_read", False))
                found = engine.lookup(request)
                return {"ok": found.ok, "hit": found.hit, "hit_blocks": self._tape.hit_blocks()}
            case "reset":
                return {"ok": engine.reset()}
        return {"ok": engine.evict(op.integers("blocks")).ok}

    def _blocks(self, verb: str, ok: bool) -> dict[str, Any]:
        """What happened to blocks, as the block events tell it."""
        tape = self._tape
        if verb in _TAKING and ok:
            return {"new": tape.new(), "evicted": tape.evicted(), "cached": tape.cached()}
        if verb in ("free", "preempt"):
            return {"released": tape.released()}
        if verb == "reset":
            return {"cleared": tape.num_cleared()}
        return {"evicted": tape.evicted()} if verb == "evict" else {}

    def _request(self, request_id: str) -> dict[str, Any]:
        view = self._engine.view
        table = view.block_table(request_id)
        refs = [view.ref_count(block_id) for block_id in table]
        return {"computed": view.computed(request_id), "table": list(table), "refs": refs}

    def final(self) -> dict[str, Any]:
        """The state after the last operation."""
        view, index, usable = self._engine.view, self._contents.index, self._config.num_usable
        return {
            "cached": {str(index(key)): list(view.cached_blocks(key)) for key in view.cached_hashes()},
            "blocks": [[i, view.ref_count(i), index(view.block_hash(i))] for i in range(1, usable + 1)],
            "usage": [usable - view.num_free, usable],
        }


def _chunk(op: Fields) -> int | None:
    """Tokens of the first chunk; none and 0 mean all of them."""
    return op.whole("chunk", 0) or None


def _sampled(op: Fields) -> tuple[int, ...]:
    """Sampled tokens: `token` for one, `tokens` for several."""
    return op.tokens("tokens") if "tokens" in op else (op.whole("token", most=MAX_TOKEN_ID),)
