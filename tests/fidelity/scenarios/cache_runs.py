"""Scenarios for the cache manager alone: start, grow, free, preempt, resume, reset, evict, in any order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from core.engine.engine import Engine, Outcome
from core.types import EngineConfig
from tests.fidelity.scenarios.hard_cases import HardCases
from tests.fidelity.scenarios.prompts import USUAL_HABITS, Habits, Prompts
from tests.fidelity.scenarios.step_runs import BLOCK_SIZES, as_request, key_cases


@dataclass(frozen=True)
class CacheKind:
    """What a kind turns up. The shares of everything else stay low, not zero: things must meet."""

    habits: Habits = USUAL_HABITS
    pools: tuple[int, int] = (4, 24)  # blocks, the null block counted
    watermark: float = 0.1
    caching_off: float = 0.03
    chunk: float = 0.2
    preempt: float = 0.03
    reset: float = 0.02
    evict: float = 0.02
    same_id: float = 0.15


USUAL = CacheKind()
CACHE_KINDS = {
    "mixed": USUAL,
    "chunks": replace(USUAL, chunk=0.8),
    "preempt": replace(USUAL, preempt=0.15, habits=Habits(reach=0.9)),
    "keys": replace(USUAL, habits=Habits(keys=0.6, images=0.5, copies=0.45)),
    "water": replace(USUAL, watermark=1.0),
    "evict": replace(USUAL, evict=0.15, habits=Habits(copies=0.5)),
    "copies": replace(USUAL, habits=Habits(copies=0.8, turns=0.1)),
    "resets": replace(USUAL, reset=0.12),
    "tiny": replace(USUAL, pools=(1, 3)),
    "off": replace(USUAL, caching_off=1.0),
    "ids": replace(USUAL, same_id=0.9),
    "giants": replace(USUAL, habits=Habits(giants=0.4, reach=1.0)),
}


def cache_run(rng: Random, kind: CacheKind) -> tuple[dict[str, Any], list[dict[str, Any]], Counter[str]]:
    """Settings, operations and hard cases of one run."""
    config = draw_config(rng, kind)
    run = _CacheRun(rng, kind, config)
    for _ in range(rng.choice((25, 45, 70))):
        run.go_on()
    return config, run.ops, run.cases.counts


def draw_config(rng: Random, kind: CacheKind) -> dict[str, Any]:
    """Settings of the scenario; what has its default is left out."""
    config: dict[str, Any] = {"block_size": rng.choice(BLOCK_SIZES), "num_blocks": rng.randint(*kind.pools)}
    if rng.random() < kind.watermark:
        config["watermark"] = rng.choice((0.05, 0.1, 0.2, 0.34, 0.5, 0.99))
    if rng.random() < kind.caching_off:
        config["enable_caching"] = False
    return config


class _CacheRun:
    """One scenario in the making, with our engine walking along."""

    def __init__(self, rng: Random, kind: CacheKind, config: dict[str, Any]) -> None:
        self.ops: list[dict[str, Any]] = []
        self.cases = HardCases("fcfs", 0)
        settings = EngineConfig(**config)
        self._rng, self._kind, self._config = rng, kind, settings
        capacity = settings.num_usable * settings.block_size
        self._capacity = capacity
        self._engine = Engine(settings, emit=self.cases)
        self._prompts = Prompts(rng, kind.habits, settings.block_size, capacity)
        self._paused: list[str] = []
        self._gone: list[str] = []
        self._num_ids = 0
        self.cases.counts["caching off"] += not settings.enable_caching
        self.cases.counts["at most two usable blocks"] += settings.num_usable <= 2

    def go_on(self) -> None:
        """One more operation."""
        rng, kind = self._rng, self._kind
        running = self._engine.view.running_ids()
        chance = rng.random()
        if chance < kind.reset:
            self._do({"op": "reset"})
        elif chance < kind.reset + kind.evict and self._config.num_usable:
            some = min(rng.randint(1, 3), self._config.num_usable)
            self._do({"op": "evict", "blocks": rng.sample(range(1, self._config.num_blocks), some)})
        elif running and chance < kind.reset + kind.evict + kind.preempt:
            self._do({"op": "preempt", "id": rng.choice(running)})
        else:
            self._usual(running, rng.random())

    def _usual(self, running: tuple[str, ...], chance: float) -> None:
        rng = self._rng
        if self._paused and (chance < 0.3 or not running):
            name = rng.choice(self._paused)
            again = rng.random() < 0.8
            self._do(self._admission({"op": "resume", "id": name}) if again else {"op": "free", "id": name})
        elif (len(running) < 7 and chance < 0.5) or not running:
            op = {"op": "start", "id": self._new_id()} | self._prompts.draw()
            self._do(self._admission(op))
        elif chance < 0.86:
            self._grow(rng.choice(running))
        elif chance < 0.95:
            self._finish(rng.choice(running))
        else:
            self._do({"op": "lookup"} | self._prompts.draw())

    def _admission(self, op: dict[str, Any]) -> dict[str, Any]:
        if self._rng.random() < self._kind.chunk:
            op["chunk"] = self._rng.randint(1, 2 * self._config.block_size + 1)
            if self._rng.random() < 0.5:
                op["fit"] = False
        return op

    def _new_id(self) -> str:
        free = [name for name in self._gone if name not in (*self._engine.view.running_ids(), *self._paused)]
        if free and self._rng.random() < self._kind.same_id:
            return self._rng.choice(free)
        self._num_ids += 1
        return f"r{self._num_ids}"

    def _grow(self, name: str) -> None:
        rng, engine = self._rng, self._engine
        left = engine.view.num_tokens(name) - engine.view.computed(name)
        if left > 0 and rng.random() < 0.9:
            some = (left, 1, self._config.block_size, rng.randint(1, left))
            outcome = self._do({"op": "prefill", "id": name, "n": rng.choice(some)})
        elif rng.random() < 0.8:
            outcome = self._do({"op": "decode", "id": name, "token": self._prompts.tokens(1)[0]})
        else:
            tokens = self._prompts.tokens(rng.randint(2, 2 + self._config.block_size))
            outcome = self._do({"op": "decode", "id": name, "tokens": tokens})
        if (
            not outcome.ok and rng.random() < 0.8
        ):  # what a scheduler does; else it stands with its tokens appended
            self._do({"op": "preempt", "id": engine.view.running_ids()[-1]})

    def _finish(self, name: str) -> None:
        if self._rng.random() < 0.5:
            self._do({"op": "append", "id": name, "token": self._prompts.tokens(1)[0]})
        self._do({"op": "free", "id": name})

    def _do(self, op: dict[str, Any]) -> Outcome:
        engine, verb, name = self._engine, op["op"], op.get("id", "")
        self.ops.append(op)
        self.cases.begin(verb, engine.view.running_ids())
        tokens = op.get("tokens") or [op.get("token", 0)]
        match verb:
            case "start":
                self._gone.append(name)
                self._count_start(op)
                return engine.start(as_request(op), op.get("chunk"), op.get("fit", True))
            case "resume":
                outcome = engine.resume(name, op.get("chunk"), op.get("fit", True))
                if outcome.ok:
                    self._paused.remove(name)
                return outcome
            case "prefill":
                return engine.prefill(name, op["n"])
            case "decode":
                return engine.decode(name, tokens)
            case "append":
                return engine.append(name, tokens)
            case "free":
                if name in self._paused:
                    self._paused.remove(name)
                return engine.free(name)
            case "preempt":
                self._paused.append(name)
                return engine.preempt(name)
            case "lookup":
                return engine.lookup(as_request({"id": "look-up"} | op))
            case "evict":
                return engine.evict(op["blocks"])
        return Outcome(engine.reset())

    def _count_start(self, op: dict[str, Any]) -> None:
        self.cases.counts.update(key_cases(op, "an image in the cache"))
        self.cases.counts["a request larger than the pool"] += len(op["tokens"]) > self._capacity
