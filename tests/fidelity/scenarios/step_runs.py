"""Scenarios for the scheduler: requests come, steps are taken, some are aborted, the cache is reset."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from core.engine.engine import Engine
from core.types import EngineConfig, MultiModalItem, Request
from tests.fidelity.scenarios.hard_cases import HardCases
from tests.fidelity.scenarios.prompts import USUAL_HABITS, Habits, Prompts

BLOCK_SIZES = (1, 2, 3, 4, 5, 7, 16, 32)
MOST_DRAWN = 60


@dataclass(frozen=True)
class StepKind:
    """What a kind turns up. The shares of everything else stay low, not zero: things must meet."""

    habits: Habits = USUAL_HABITS
    policies: tuple[str, ...] = ("fcfs", "priority")
    pools: tuple[int, int] = (4, 20)  # blocks, the null block counted
    budgets: tuple[float, ...] = (0.1, 0.25, 0.5, 2.0)  # tokens a step, as a share of the pool
    threshold: float = 0.15
    tight: float = 0.1  # with a threshold: a budget of a few of them, which several prompts in chunks share
    watermark: float = 0.1
    no_gate: float = 0.25
    caching_off: float = 0.03
    abort: float = 0.03
    reset: float = 0.02
    same_id: float = 0.1  # share of arrivals that take the id of one who is gone
    levels: int = 4  # priorities
    rising: float = 0.5  # runs in which whoever comes later is more urgent, so that the worst runs first
    seqs: tuple[int, int] = (1, 8)
    block_sizes: tuple[int, ...] = BLOCK_SIZES
    wanted: str = ""  # a hard case so rare that runs are drawn until one has it, but not for ever
    outputs: float = 0.5  # longest output, as a share of the pool


USUAL = StepKind()
# Many short prompts that grow long: whoever runs must give way, again and again.
CROWDED = replace(
    USUAL, habits=Habits(reach=0.15, copies=0.15), seqs=(3, 8), outputs=0.9, block_sizes=(1, 1, 2, 3, 5, 16)
)
CHUNKED = {"threshold": 0.8, "budgets": (0.1, 0.25), "no_gate": 0.6}
STEP_KINDS = {
    "priority": replace(CROWDED, policies=("priority",)),
    "fcfs": replace(CROWDED, policies=("fcfs",)),
    "priority_chunks": replace(CROWDED, policies=("priority",), **CHUNKED),
    "chunks": replace(USUAL, **CHUNKED),
    # Long prompts in chunks and hardly any budget: what a victim gives back, somebody behind it takes.
    "priority_budget": replace(
        CROWDED,
        policies=("priority",),
        habits=Habits(reach=0.8, shared=0.1, copies=0.05, turns=0.05),
        pools=(8, 24),
        budgets=(0.01,),
        threshold=0.3,
        tight=0.5,
        no_gate=1.0,
        rising=0.9,
        wanted="a victim's budget used by others",
    ),
    "priority_ties": replace(CROWDED, policies=("priority",), levels=1, no_gate=0.5),
    "priority_images": replace(
        CROWDED, policies=("priority",), habits=Habits(reach=0.3, copies=0.1, images=0.9), **CHUNKED
    ),
    "priority_ids": replace(CROWDED, policies=("priority",), same_id=0.9, abort=0.08, reset=0.05),
    "watermark": replace(USUAL, watermark=1.0),
    "images": replace(USUAL, habits=Habits(images=0.8, copies=0.4)),
    "keys": replace(USUAL, habits=Habits(keys=0.6, images=0.2, copies=0.45)),
    "resets": replace(USUAL, reset=0.14),
    "ids": replace(USUAL, same_id=0.9, abort=0.12, outputs=0.15),
    "off": replace(USUAL, caching_off=1.0),
    "tiny": replace(USUAL, pools=(1, 3), outputs=1.5),
    "copies": replace(USUAL, habits=Habits(copies=0.8, turns=0.1)),
    "giants": replace(USUAL, habits=Habits(giants=0.4, reach=0.9)),
}


def step_run(rng: Random, kind: StepKind) -> tuple[dict[str, Any], list[dict[str, Any]], Counter[str]]:
    """Settings, operations and hard cases of one run."""
    for _ in range(MOST_DRAWN):
        config = draw_config(rng, kind)
        run = _StepRun(rng, kind, config)
        for _ in range(rng.choice((25, 45, 70))):
            run.go_on()
        if not kind.wanted or run.cases.counts[kind.wanted]:
            break
    return config, run.ops, run.cases.counts


def draw_config(rng: Random, kind: StepKind) -> dict[str, Any]:
    """Settings of the scenario, as the recordings name them; what has its default is left out."""
    block_size, num_blocks = rng.choice(kind.block_sizes), rng.randint(*kind.pools)
    capacity = (num_blocks - 1) * block_size
    max_num_seqs = rng.randint(*kind.seqs)
    budget = int(capacity * rng.choice(kind.budgets))  # vLLM refuses one below max_num_seqs
    config: dict[str, Any] = {
        "block_size": block_size,
        "num_blocks": num_blocks,
        "max_num_seqs": max_num_seqs,
        "max_num_batched_tokens": max(budget, max_num_seqs, rng.randint(2, 8)),
    }
    optional: dict[str, tuple[float, Any]] = {
        "long_prefill_token_threshold": (kind.threshold, rng.randint(1, 2 * block_size + 2)),
        "watermark": (kind.watermark, rng.choice((0.05, 0.1, 0.2, 0.34, 0.5, 0.99))),
        "reserve_full_prompt": (kind.no_gate, False),
        "enable_caching": (kind.caching_off, False),
    }
    config |= {name: value for name, (share, value) in optional.items() if rng.random() < share}
    threshold = config.get("long_prefill_token_threshold")
    if threshold and rng.random() < kind.tight:
        tokens = threshold * rng.randint(2, 3) + rng.randrange(threshold)
        config["max_num_batched_tokens"] = max(tokens, max_num_seqs)
    if (policy := rng.choice(kind.policies)) != "fcfs":
        config["policy"] = policy
    return config


class _StepRun:
    """One scenario in the making, with our engine walking along."""

    def __init__(self, rng: Random, kind: StepKind, config: dict[str, Any]) -> None:
        self.ops: list[dict[str, Any]] = []
        settings = EngineConfig(**config)
        self.cases = HardCases(settings.policy, settings.max_num_batched_tokens)
        self._rng, self._kind, self._config = rng, kind, settings
        self._capacity = settings.num_usable * settings.block_size
        self._engine = Engine(settings, emit=self.cases)
        self._prompts = Prompts(rng, kind.habits, settings.block_size, self._capacity)
        self._gone: list[str] = []  # ids of requests that were here once
        self._num_ids = self._num_added = 0
        self._is_rising = rng.random() < kind.rising
        self.cases.counts["caching off"] += not settings.enable_caching
        self.cases.counts["at most two usable blocks"] += settings.num_usable <= 2

    def go_on(self) -> None:
        """One more operation."""
        live = [*self._engine.view.running_ids(), *self._engine.view.waiting_ids()]
        chance = self._rng.random()
        if len(live) < 9 and chance < (0.3 if live else 0.7):
            self._add(live)
        elif live and chance > 1 - self._kind.abort:
            self._do({"op": "abort", "id": self._rng.choice([*live, *self._gone[-1:]])})
        elif chance > 1 - self._kind.abort - self._kind.reset:
            self._do({"op": "reset", "running": self._rng.random() < 0.5})
        else:
            self._do({"op": "step"})

    def _add(self, live: list[str]) -> None:
        rng = self._rng
        free = [name for name in self._gone if name not in live]
        if free and rng.random() < self._kind.same_id:
            name = rng.choice(free)
        else:
            name = f"r{self._num_ids}"
            self._num_ids += 1
        op = {"op": "add", "id": name} | self._prompts.draw()
        op["outputs"] = self._prompts.tokens(rng.randint(1, max(2, int(self._capacity * self._kind.outputs))))
        if self._config.policy == "priority":
            op["priority"] = self._priority()
        if rng.random() < 0.3:  # a next turn will have what was sampled in it
            self._prompts.remember(
                {key: op[key] for key in ("tokens", "salt", "lora", "mm") if key in op}, op["outputs"]
            )
        self._do(op)

    def _priority(self) -> int:
        self._num_added += 1
        if self._is_rising and self._kind.levels > 1:
            return -self._num_added // 2
        return self._rng.randrange(self._kind.levels) - 1

    def _do(self, op: dict[str, Any]) -> None:
        engine, verb = self._engine, op["op"]
        self.ops.append(op)
        self.cases.begin(verb, engine.view.running_ids())
        known = {*engine.view.running_ids(), *engine.view.waiting_ids()}
        match verb:
            case "add":
                engine.submit(as_request(op), check_fit=False)
                self._gone.append(op["id"])
                self._count_add(op)
            case "abort" if op["id"] in known:
                engine.abort(op["id"])
            case "reset":
                engine.reset(preempt_running=op["running"])
            case "step":
                engine.step()

    def _count_add(self, op: dict[str, Any]) -> None:
        self.cases.counts.update(key_cases(op, "an image in the scheduler"))
        self.cases.counts["a request larger than the pool"] += len(op["tokens"]) > self._capacity


def as_request(op: dict[str, Any]) -> Request:
    """The request of an operation."""
    lora = op.get("lora")
    return Request(
        op["id"],
        op["tokens"],
        op.get("outputs", ()),
        salt=op.get("salt"),
        lora=None if lora is None else (lora[0], lora[1]),
        mm=tuple(MultiModalItem(item["id"], item["offset"], item["length"]) for item in op.get("mm", ())),
        priority=op.get("priority", 0),
        skip_read=op.get("skip_read", False),
    )


def key_cases(op: dict[str, Any], image: str) -> list[str]:
    """The hard cases that a request's keys are."""
    names = {"salt": "a salt", "lora": "an adapter", "mm": image}
    return [name for field, name in names.items() if op.get(field)]
