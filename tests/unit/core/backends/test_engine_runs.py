"""The real engine drives a real decoder: hits, evictions, preemption, shuffled tables change no answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.plan import Plan, PlanReader
from core.engine.engine import Engine
from core.engine.events import BlockEvicted, Event
from core.types import EngineConfig, Request
from tests.unit.core.backends.tiny import LIBRARIES, backend_of

NUM_BLOCKS, BLOCK_SIZE = 41, 4


@dataclass
class Run:
    """Random requests on one engine; every answer is compared with a computation without any cache.

    The engine's block ids are shuffled before they reach the backend, and after every command all blocks
    that hold no content are overwritten with NaN.
    """

    backend: DecoderBackend[Any]
    seed: int
    num_requests: int = 0
    num_hits: int = 0
    num_evictions: int = 0
    num_bitwise: int = 0
    worst: float = 0.0
    wrong: list[Plan] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dice = np.random.default_rng(self.seed)
        self.reader = PlanReader()
        self.engine = Engine(EngineConfig(block_size=BLOCK_SIZE, num_blocks=NUM_BLOCKS), self.listen)
        self.backend.reserve(NUM_BLOCKS, BLOCK_SIZE)
        self.place_of = [0, *(1 + self.dice.permutation(NUM_BLOCKS - 1)).tolist()]
        self.common = [self.dice.integers(0, 97, 60).tolist() for _ in range(4)]

    def listen(self, event: Event) -> None:
        self.num_evictions += isinstance(event, BlockEvicted)
        self.reader(event)

    def prompt(self) -> tuple[int, ...]:
        common = self.common[int(self.dice.integers(len(self.common)))]
        own = self.dice.integers(0, 97, int(self.dice.integers(1, 20))).tolist()
        return (*common[: int(self.dice.integers(0, 60))], *own)

    def compute(self) -> None:
        """Carry out and check what the engine has planned, then poison what is free and empty."""
        for plan in self.reader.take():
            shuffled = replace(plan, block_table=tuple(self.place_of[block] for block in plan.block_table))
            difference = self.backend.verify(shuffled)
            self.num_bitwise += difference.bitwise
            self.worst = max(self.worst, difference.max_abs)
            self.num_hits += plan.num_cached > 0
            if not difference.equal:
                self.wrong.append(plan)
        engine = self.engine
        empty = [b for b in engine.view.free_queue() if engine.view.block_hash(b) is None]
        self.backend.poison([self.place_of[block] for block in empty])

    def one_request(self) -> None:
        """Start a request (whole or in chunks), let it sample a little, now and then preempt one."""
        engine, dice = self.engine, self.dice
        while len(engine.view.running_ids()) >= 3 or (engine.view.running_ids() and dice.random() < 0.4):
            engine.free(str(dice.choice(engine.view.running_ids())))
        name = f"R{self.num_requests}"
        self.num_requests += 1
        chunk = int(dice.integers(1, 12)) if dice.random() < 0.3 else None
        if not engine.start(Request(name, self.prompt()), chunk).ok:
            for other in engine.view.running_ids():
                engine.free(other)
            assert engine.start(Request(name, self.prompt()), chunk).ok
        self.compute()
        while engine.view.computed(name) < engine.view.num_tokens(name):
            if not engine.prefill(name, 12).ok:
                break
            self.compute()
        if dice.random() < 0.3 and engine.view.computed(name) == engine.view.num_tokens(name):
            engine.decode(name, dice.integers(0, 97, 2).tolist())
            self.compute()
        if dice.random() < 0.2:
            engine.preempt(name)
            engine.resume(name)
            self.compute()
            if name not in engine.view.running_ids():
                engine.free(name)
        engine.check()


@pytest.mark.parametrize("library", LIBRARIES)
def test_hundreds_of_random_requests_give_the_answers_of_a_run_without_cache(library: str) -> None:
    run = Run(backend_of(library), seed=3)
    for _ in range(300):
        run.one_request()
    assert run.wrong == []
    assert run.worst <= 1e-4
    assert run.num_hits > 150
    assert run.num_evictions > 300


def test_steps_of_the_scheduler_too() -> None:
    """submit and step instead of the lower verbs: chunked prefill, preemption, whole batches."""
    run = Run(backend_of("numpy"), seed=5)
    run.engine = Engine(
        EngineConfig(block_size=BLOCK_SIZE, num_blocks=NUM_BLOCKS, max_num_batched_tokens=40), run.listen
    )
    preempted = 0
    for number in range(70):
        outputs = tuple(run.dice.integers(0, 97, int(run.dice.integers(1, 30))).tolist())
        run.engine.submit(Request(f"R{number}", run.prompt(), outputs))
        for _ in range(int(run.dice.integers(0, 9))):
            preempted += run.engine.step().preempted
            run.compute()
    while run.engine.view.running_ids() or run.engine.view.waiting_ids():
        preempted += run.engine.step().preempted
        run.compute()
    assert run.wrong == []
    assert run.num_hits > 300
    assert preempted > 3


def test_a_wrong_block_is_caught_and_the_order_of_cached_blocks_is_not_one() -> None:
    """The check itself: read one block twice, and the answer is seen to be wrong. Swapping two cached blocks
    changes nothing, because a key carries its position and attention adds up over a set."""
    run = Run(backend_of("numpy"), seed=1)
    prompt = tuple(run.dice.integers(0, 97, 30).tolist())
    run.engine.start(Request("a", prompt))
    run.compute()
    run.engine.start(Request("b", prompt))
    (plan,) = run.reader.take()
    table = [run.place_of[block] for block in plan.block_table]
    swapped = [table[0], table[2], table[1], *table[3:]]
    doubled = [table[0], table[2], table[2], *table[3:]]
    assert run.backend.verify(replace(plan, block_table=tuple(table))).equal
    assert run.backend.verify(replace(plan, block_table=tuple(swapped))).equal
    assert not run.backend.verify(replace(plan, block_table=tuple(doubled))).equal
