"""The proof proved: an engine with one rule broken on purpose must not pass the recordings.

Each mutant breaks one rule (numbers as in docs/fidelity.md). What it breaks must show up as mismatches; a
mutant that merely crashes proves nothing and fails here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.conformance import cache_replay, case_ops, case_schedule, results, sched_replay
from core.conformance.findings import Findings
from core.engine import hash_chain
from core.engine.block_manager import BlockManager
from core.engine.cache_controller import CacheController
from core.engine.engine import Engine
from core.engine.events import BlockReleased
from core.engine.scheduler import Scheduler
from core.engine.sequence import Sequence
from core.engine.stats import Statistics
from core.types import EngineConfig, Request

DATA = Path(__file__).parent / "data"
FILES = [DATA / f"{name}.jsonl.gz" for name in ("hand", "sched", "random_random", "random_chat")]
PRIORITY_SMALL = DATA / "priority_small.jsonl.gz"

Patch = pytest.MonkeyPatch
pytestmark = pytest.mark.slow


def mutant_configs(patch: Patch, **settings: Any) -> None:
    """Every engine is made with other settings than the recording asks for."""

    def engine(config: EngineConfig, **more: Any) -> Engine:
        return Engine(replace(config, **settings), **more)

    for replay in (cache_replay, sched_replay, case_ops, case_schedule):
        patch.setattr(replay, "Engine", engine)


def hash_without_parent(patch: Patch) -> None:  # rule 2
    def extend(self: Any, data: memoryview | bytes, full: int) -> None:
        size = self._block_size * hash_chain.TOKEN_BYTES
        for start in range(0, len(data), size):
            extras = hash_chain.block_extras(self._request, self._version, len(self.hashes), self._block_size)
            self.hashes.append(hash_chain.xxh3_128_digest(bytes(data[start : start + size]) + extras))

    patch.setattr(hash_chain.HashChain, "_extend", extend)


def salt_ignored(patch: Patch) -> None:  # rule 4
    extras = hash_chain.block_extras

    def without_salt(request: Request, version: str, index: int, block_size: int) -> bytes:
        return extras(replace(request, salt=None), version, index, block_size)

    patch.setattr(hash_chain, "block_extras", without_salt)


def newest_copy_served(patch: Patch) -> None:  # rule 17
    def match(self: CacheController, hashes: SequenceOf[bytes], limit: int) -> list[int]:
        copies = [self.carriers(digest) for digest in hashes[:limit]]
        num_hits = next((i for i, found in enumerate(copies) if not found), len(copies))
        return [found[-1] for found in copies[:num_hits]]

    patch.setattr(CacheController, "match", match)


def no_last_token_rule(patch: Patch) -> None:  # rule 20
    def look_up(self: Scheduler, sequence: Any) -> list[int]:
        if not self._looks_up(sequence):
            return []
        return self._cache.match(sequence.hashes, sequence.num_tokens // self._config.block_size)

    patch.setattr(Scheduler, "look_up", look_up)


def head_freed_first(patch: Patch) -> None:  # rule 13
    release = CacheController.release

    def backwards(
        self: CacheController, request_id: str, block_ids: SequenceOf[int], num_computed: int | None = None
    ) -> None:
        release(self, request_id, block_ids[::-1], num_computed)

    patch.setattr(CacheController, "release", backwards)


def all_to_the_back(patch: Patch) -> None:  # rule 13
    mutant_configs(patch, queue_rule="all_to_back")


def hits_touched_before_the_check(patch: Patch) -> None:  # rule 25
    plan = Scheduler.plan

    def refreshing(self: Scheduler, sequence: Any, max_new: int | None, reserve_full: bool) -> Any:
        planned = plan(self, sequence, max_new, reserve_full)
        if not planned.fits:
            self._cache.touch(sequence.request_id, planned.hits)
            self._cache.release(sequence.request_id, planned.hits)
        return planned

    patch.setattr(Scheduler, "plan", refreshing)


def look_up_refreshes(patch: Patch) -> None:  # rule 22
    lookup = Engine.lookup

    def refreshing(self: Engine, request: Request) -> Any:
        outcome = lookup(self, request)
        self._cache.touch(request.request_id, outcome.block_ids)
        self._cache.release(request.request_id, outcome.block_ids)
        return outcome

    patch.setattr(Engine, "lookup", refreshing)


def idle_hits_cost_nothing(patch: Patch) -> None:  # rule 24
    patch.setattr(CacheController, "idle", lambda self, block_ids: [])
    pop = BlockManager.pop
    # Overdrawing the queue would crash; this mutant just takes what is there.
    patch.setattr(
        BlockManager, "pop", lambda self, count: pop(self, count) if count <= self.num_free else [1]
    )


def no_whole_prompt_gate(patch: Patch) -> None:  # rule 26
    plan = Scheduler.plan
    patch.setattr(Scheduler, "plan", lambda self, sequence, max_new, _: plan(self, sequence, max_new, False))


def watermark_ignored(patch: Patch) -> None:  # rule 27
    mutant_configs(patch, watermark=0.0)


def watermark_while_idle(patch: Patch) -> None:  # rule 27
    plan = Scheduler.plan

    def stricter(self: Scheduler, sequence: Any, max_new: int | None, reserve_full: bool) -> Any:
        planned = plan(self, sequence, max_new, reserve_full)
        fits = planned.num_needed + self._watermark_blocks <= self._blocks.num_free
        return replace(planned, fits=fits)

    patch.setattr(Scheduler, "plan", stricter)


def next_block_taken_early(patch: Patch) -> None:  # rule 30
    grow = Scheduler.grow

    def eager(self: Scheduler, sequence: Any, num_new: int) -> bool:
        grown = grow(self, sequence, num_new)
        if grown and sequence.num_computed % self._config.block_size == 0 and self._blocks.num_free:
            sequence.table += self._cache.allocate(sequence.request_id, len(sequence.table), 1)
        return grown

    patch.setattr(Scheduler, "grow", eager)


def decode_blocks_not_cached(patch: Patch) -> None:  # rule 33
    store = Scheduler._store

    def prompt_only(self: Scheduler, sequence: Any) -> None:
        if sequence.num_computed <= len(sequence.request.token_ids):
            store(self, sequence)

    patch.setattr(Scheduler, "_store", prompt_only)


def oldest_preempted(patch: Patch) -> None:  # rule 38
    patch.setattr(Scheduler, "_victim", lambda self: self.running[0])


def admission_after_a_preemption(patch: Patch) -> None:  # rule 39
    grow_running = Scheduler._grow_running

    def forgetful(self: Scheduler, scheduled: dict[str, int]) -> tuple[int, bool]:
        return grow_running(self, scheduled)[0], False

    patch.setattr(Scheduler, "_grow_running", forgetful)


def reset_sorts_the_queue(patch: Patch) -> None:  # rule 42
    reset = CacheController.reset

    def sorting(self: CacheController) -> int | None:
        cleared = reset(self)
        if cleared is not None:
            for block_id in self._blocks.queue():
                self._blocks.take_out(block_id)
            self._blocks.put_back(range(1, self._blocks.num_blocks))
        return cleared

    patch.setattr(CacheController, "reset", sorting)


def resumed_look_ups_counted(patch: Patch) -> None:  # rule 45
    patch.setattr(Statistics, "count_resumed", Statistics.count)


def reset_empties_the_counters(patch: Patch) -> None:  # rule 46
    add = Statistics.add

    def forgetting(self: Statistics, event: Any) -> None:
        add(self, event)
        if getattr(event, "ok", False):
            self._lifetime = (0, 0, 0)

    patch.setattr(Statistics, "add", forgetting)


def release_not_told(patch: Patch) -> None:  # the log itself
    def quiet(self: Engine, config: EngineConfig, emit: Callable[[Any], None]) -> None:
        loud(self, config, lambda event: None if isinstance(event, BlockReleased) else emit(event))

    loud = Engine.__init__
    patch.setattr(Engine, "__init__", quiet)


# -- the priority policy: rules 38-40 and 43 --------------------------------------------------------


def victims(patch: Patch, choose: Callable[[Scheduler], Any]) -> None:
    """Under the priority policy somebody else is preempted."""
    victim = Scheduler._victim

    def chosen(self: Scheduler) -> Any:
        return choose(self) if self._config.policy == "priority" else victim(self)

    patch.setattr(Scheduler, "_victim", chosen)


def last_runner_preempted(patch: Patch) -> None:
    victims(patch, lambda self: self.running[-1])


def victim_by_priority_alone(patch: Patch) -> None:
    victims(patch, lambda self: max(self.running, key=lambda runner: runner.request.priority))


def victim_by_arrival_alone(patch: Patch) -> None:
    victims(patch, lambda self: max(self.running, key=lambda runner: runner.rank[1]))


def earliest_of_the_worst_preempted(patch: Patch) -> None:
    victims(patch, lambda self: max(self.running, key=lambda r: (r.rank[0], -r.rank[1])))


def most_urgent_preempted(patch: Patch) -> None:
    victims(patch, lambda self: min(self.running, key=lambda runner: runner.rank))


def larger_number_is_more_urgent(patch: Patch) -> None:
    enqueue = Scheduler._enqueue

    def turned(self: Scheduler, sequence: Sequence) -> int | None:
        if self._config.policy == "priority" and sequence.num_preemptions == 0:
            sequence.rank = (-sequence.rank[0], sequence.rank[1])
        return enqueue(self, sequence)

    patch.setattr(Scheduler, "_enqueue", turned)


class Line:
    """A waiting line as one list, in which a mutant says where a request waits."""

    def __init__(self, place_for: PlaceFor) -> None:
        self._place_for, self._line = place_for, list[Sequence]()

    def __len__(self) -> int:
        return len(self._line)

    def __iter__(self) -> Iterator[Sequence]:
        return iter(self._line)

    def first(self) -> Sequence:
        return self._line[0]

    def add(self, sequence: Sequence) -> None:
        self._line.insert(self._place_for(self._line, sequence, sequence.num_preemptions > 0), sequence)

    def remove(self, sequence: Sequence) -> None:
        self._line.remove(sequence)

    def place_of(self, sequence: Sequence) -> int:
        return self._line.index(sequence)


PlaceFor = Callable[[list[Sequence], Sequence, bool], int]
"""From who waits, who comes, and whether it was preempted, to its place."""


def queueing(patch: Patch, place_for: PlaceFor) -> None:
    """Under the priority policy requests wait somewhere else."""
    begin = Scheduler.__init__

    def begun(self: Scheduler, config: EngineConfig, *more: Any) -> None:
        begin(self, config, *more)
        if config.policy == "priority":
            self.waiting = Line(place_for)  # type: ignore[assignment]

    patch.setattr(Scheduler, "__init__", begun)


def by_rank(line: list[Sequence], sequence: Sequence) -> int:
    """The right place."""
    return sum(waiter.rank < sequence.rank for waiter in line)


def arrivals_wait_in_order_of_arrival(patch: Patch) -> None:
    queueing(patch, lambda line, sequence, again: by_rank(line, sequence) if again else len(line))


def newest_of_equals_first(patch: Patch) -> None:
    queueing(patch, lambda line, sequence, again: sum(w.rank[0] < sequence.rank[0] for w in line))


def preempted_wait_at_the_front(patch: Patch) -> None:
    queueing(patch, lambda line, sequence, again: 0 if again else by_rank(line, sequence))


def preempted_wait_at_the_end(patch: Patch) -> None:
    queueing(patch, lambda line, sequence, again: len(line) if again else by_rank(line, sequence))


def preempted_counts_as_a_new_arrival(patch: Patch) -> None:
    preempt = Scheduler.preempt

    def renewed(self: Scheduler, sequence: Sequence, **more: Any) -> None:
        sequence.rank, self._num_arrivals = (sequence.rank[0], self._num_arrivals), self._num_arrivals + 1
        preempt(self, sequence, **more)

    patch.setattr(Scheduler, "preempt", renewed)


def runners_in_order_of_rank(patch: Patch) -> None:
    admit = Scheduler.admit

    def sorting(self: Scheduler, *args: Any, **more: Any) -> Any:
        plan = admit(self, *args, **more)
        if self._config.policy == "priority":
            self.running.sort(key=lambda runner: runner.rank)
        return plan

    patch.setattr(Scheduler, "admit", sorting)


FAULTS = (
    "a self-preemption ends the step",  # as in vLLM 0.32
    "a self-preemption lets others be admitted",
    "the victim's budget is lost",
    "the next runner is skipped",
    "only one victim",
    "only those behind give way",
    "nobody preempts itself",
)


def growing(patch: Patch, fault: str) -> None:
    """The first half of a step once more, with one fault; with none it is right, which a test holds it to."""

    def stays(self: Scheduler, victim: Sequence, sequence: Sequence, num_victims: int) -> bool:
        behind = self.running.index(victim) >= self.running.index(sequence)
        return (
            (fault == "only one victim" and num_victims > 0)
            or (fault == "only those behind give way" and not behind)
            or (fault == "nobody preempts itself" and victim is sequence)
        )

    def grow_running(self: Scheduler, scheduled: dict[str, int]) -> tuple[int, bool]:
        if self._config.policy != "priority":
            return right(self, scheduled)
        budget, place, preempted = self._config.max_num_batched_tokens, 0, False
        while place < len(self.running) and budget > 0:
            sequence = self.running[place]
            wanted = min(sequence.num_uncomputed, self._limit(budget))
            num_victims, grown = 0, False
            while wanted > 0 and not (grown := self.grow(sequence, wanted)):
                victim = self._victim()
                if stays(self, victim, sequence, num_victims):
                    break
                if fault != "the next runner is skipped":
                    place -= self.running.index(victim) < place
                num_unwritten = scheduled.pop(victim.request_id, 0)
                if fault != "the victim's budget is lost":
                    budget += num_unwritten
                self.preempt(victim, waits=True, num_unwritten=num_unwritten)
                num_victims += 1
                itself = victim is sequence
                preempted |= not itself or fault != "a self-preemption lets others be admitted"
                if itself and fault == "a self-preemption ends the step":
                    return budget, preempted
                if itself:
                    break
            if grown:
                scheduled[sequence.request_id] = wanted
                budget -= wanted
            place += sequence in self.running
        return budget, preempted

    right = Scheduler._grow_running
    patch.setattr(Scheduler, "_grow_running", grow_running)


PRIORITY_MUTANTS: dict[str, Callable[[Patch], None]] = {
    mutant.__name__: mutant
    for mutant in (
        last_runner_preempted,
        victim_by_priority_alone,
        victim_by_arrival_alone,
        earliest_of_the_worst_preempted,
        most_urgent_preempted,
        larger_number_is_more_urgent,
        arrivals_wait_in_order_of_arrival,
        newest_of_equals_first,
        preempted_wait_at_the_front,
        preempted_wait_at_the_end,
        preempted_counts_as_a_new_arrival,
        runners_in_order_of_rank,
    )
} | {fault: partial(growing, fault=fault) for fault in FAULTS}


MUTANTS: tuple[Callable[[Patch], None], ...] = (
    hash_without_parent,
    salt_ignored,
    head_freed_first,
    all_to_the_back,
    newest_copy_served,
    no_last_token_rule,
    look_up_refreshes,
    idle_hits_cost_nothing,
    hits_touched_before_the_check,
    no_whole_prompt_gate,
    watermark_ignored,
    watermark_while_idle,
    next_block_taken_early,
    decode_blocks_not_cached,
    oldest_preempted,
    admission_after_a_preemption,
    reset_sorts_the_queue,
    resumed_look_ups_counted,
    reset_empties_the_counters,
    release_not_told,
)


def any_mismatch(paths: Iterable[Path]) -> bool:
    """Whether a replay finds anything; stops at the first find."""
    return any(isinstance(result, Findings) and result.mismatches for result in results(paths))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_broken_rule_is_found(mutant: Callable[[Patch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    mutant(monkeypatch)
    assert any_mismatch(FILES)


@pytest.mark.parametrize("name", PRIORITY_MUTANTS)
def test_a_broken_priority_rule_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by a scenario of a few operations. (What was recorded at large misses one: the lost budget.)"""
    PRIORITY_MUTANTS[name](monkeypatch)
    assert any_mismatch([PRIORITY_SMALL])


def test_the_unbroken_engine_passes_the_same_files() -> None:
    assert not any_mismatch([*FILES, PRIORITY_SMALL])


def test_the_broken_half_step_is_right_without_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    growing(monkeypatch, fault="")
    assert not any_mismatch(
        [DATA / f"{name}.jsonl.gz" for name in ("sched", "priority_small", "v033_priority")]
    )
