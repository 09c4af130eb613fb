"""Who is behind a bin, against a plain reading of every block event of the same run."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cache
from math import ceil

import numpy as np
import pytest

from core.cost import GPUS, MODELS, CostModel
from core.engine.events import (
    BlockAllocated,
    BlockEvicted,
    BlockMissed,
    BlockNotStored,
    BlockStored,
    GrowthFailed,
    RequestAdmitted,
    RequestScheduled,
    TokensAppended,
)
from core.load import MIXES, Burst, LoadRun, LoadSpec, culprits_of, hindsight
from core.load.culprits import Culprits, Miss
from core.load.hindsight import Why
from core.types import EngineConfig
from tests.load_tape import Step, Tape, first_token_s, taped

COST = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
ACTS = (BlockAllocated, BlockStored, TokensAppended, GrowthFailed, RequestAdmitted, RequestScheduled)
CASES = {
    "small pool": (LoadSpec(seed=7, rate=6.0, num_requests=300), EngineConfig(num_blocks=257)),
    "rush": (
        LoadSpec(seed=3, rate=8.0, num_requests=320, mix=MIXES["rag"], bursts=(Burst(12, 8, 4),)),
        EngineConfig(num_blocks=513),
    ),
    "cap": (LoadSpec(seed=11, rate=6.0, num_requests=260), EngineConfig(num_blocks=513, cache_cap=90)),
    "ttl, second sighting": (
        LoadSpec(seed=5, rate=5.0, num_requests=260, mix=MIXES["templates"]),
        EngineConfig(num_blocks=257, ttl=9000, admit_after=2, admit_window=60_000),
    ),
    "tight, small blocks": (
        LoadSpec(seed=2, rate=9.0, num_requests=260, mix=MIXES["chat"]),
        EngineConfig(num_blocks=700, block_size=4),
    ),
}


@cache
def taped_run(name: str) -> tuple[LoadRun, Tape]:
    spec, config = CASES[name]
    run = LoadRun(
        spec.fitted_to(config.num_usable * config.block_size), config, COST, bin_s=1.0, most_bins=40
    )
    tape = taped(run)[0]
    while run.advance(seconds=5):
        pass
    return run, tape


@dataclass
class Bin:
    """What the block events say of one bin."""

    pushed: Counter[str] = field(default_factory=Counter)
    expired: int = 0
    missed: dict[str, int] = field(default_factory=dict)


def who_pushed(step: Step) -> tuple[Counter[str], int]:
    """Who pushed out how many in one step: whoever takes the block next, stores next (under a cap), or ends
    and leaves too much behind."""
    pushed, expired, open_evictions = Counter[str](), 0, 0
    said = ""
    for event in step.events:
        if isinstance(event, BlockEvicted) and event.cause == "ttl":
            expired += 1
        elif isinstance(event, BlockEvicted) and event.cause == "cap":
            pushed[said] += 1
        elif isinstance(event, BlockEvicted):
            open_evictions += 1
        elif isinstance(event, BlockAllocated):
            pushed[event.request_id] += open_evictions
            open_evictions = 0
        if isinstance(event, ACTS):
            said = event.request_id
    return +pushed, expired


def by_events(tape: Tape, width_s: float) -> dict[int, Bin]:
    bins: defaultdict[int, Bin] = defaultdict(Bin)
    for step in tape.steps:
        mine = bins[max(ceil(step.start_s / width_s) - 1, 0)]
        pushed, expired = who_pushed(step)
        mine.pushed += pushed
        mine.expired += expired
        for event in step.events:
            if isinstance(event, RequestAdmitted) and event.counted:
                mine.missed[event.request_id] = event.num_tokens - event.hit_tokens
    return bins


def opened(run: LoadRun, place: int, top: int = 5) -> Culprits:
    width = run.bins.width_s
    return culprits_of(run, (place + 1) * width, width, top)


@pytest.mark.parametrize("name", CASES)
def test_in_the_worst_bins_the_first_evictor_is_the_biggest(name: str) -> None:
    """In 15 of 15. Once it was 3 of 15: the last request admitted was opened, whatever it did."""
    run, tape = taped_run(name)
    bins = by_events(tape, run.bins.width_s)
    worst = sorted(bins, key=lambda place: -bins[place].pushed.total())[:15]
    assert sum(bins[place].pushed.total() > 5 for place in worst) >= 8
    for place in worst:
        found, told = opened(run, place, 10_000), bins[place]
        assert {one.request_id: one.blocks for one in found.evictors} == dict(told.pushed)
        assert found.evictors[0].blocks == max(told.pushed.values())
        assert [one.blocks for one in found.evictors] == sorted(told.pushed.values(), reverse=True)
        assert (found.evicted["ttl"], found.by_nobody) == (told.expired, 0)


@pytest.mark.parametrize("name", CASES)
def test_the_worst_miss_and_the_slowest_lead_their_lists(name: str) -> None:
    run, tape = taped_run(name)
    bins = by_events(tape, run.bins.width_s)
    arrived = {arrival.request_id: arrival.at_s for arrival in tape.arrived}
    admitted = {
        e.request_id: s.start_s
        for s in tape.steps
        for e in s.events
        if isinstance(e, RequestAdmitted) and not e.resumed
    }
    first = first_token_s(tape)
    for place, told in bins.items():
        found, end = opened(run, place), (place + 1) * run.bins.width_s
        assert found.num_admitted == len(told.missed)
        assert [one.missed for one in found.misses] == sorted(told.missed.values(), reverse=True)[:5]
        assert all(told.missed[one.request_id] == one.missed for one in found.misses)
        waits = {rid: at - arrived[rid] for rid, at in first.items() if found.begin_s < at <= end}
        assert found.num_answered == len(waits)
        assert [one.ttft_s for one in found.slowest] == pytest.approx(
            sorted(waits.values(), reverse=True)[:5]
        )
        for one in found.slowest:
            assert one.waiting_s == pytest.approx(admitted[one.request_id] - arrived[one.request_id])
            assert one.computing_s == pytest.approx(first[one.request_id] - admitted[one.request_id])


@pytest.mark.parametrize("name", CASES)
def test_every_request_keeps_the_sum_of_what_it_pushed_out(name: str) -> None:
    run, tape = taped_run(name)
    total = Counter[str]()
    for step in tape.steps:
        total += who_pushed(step)[0]
    evicted = run.records.cached.evicted
    assert {f"R{k}": int(n) for k, n in enumerate(evicted) if n} == dict(total)
    assert not run.records.plain.evicted.any()


def test_what_a_lowered_cap_throws_out_is_nobodys_doing() -> None:
    spec, config = CASES["small pool"]
    run = LoadRun(replace(spec, num_requests=80), config, COST)
    run.advance(seconds=10)
    before = dict(run.cached.engine.view.num_evicted)
    run.set_policy("cache_cap", 20)
    thrown_out = run.cached.engine.view.num_evicted["cap"] - before["cap"]
    run.advance(seconds=5)
    found = culprits_of(run, 10.0, 1.0), culprits_of(run, 11.0, 1.0)
    assert sum(one.by_nobody for one in found) == thrown_out > 20


# -- reasons --------------------------------------------------------------------------------------------

ALL_AT_ONCE = LoadSpec(seed=34, mix=MIXES["system"], clients=24, think_s=0.0, num_requests=300)
LOOPS = {
    "all at once": (ALL_AT_ONCE, EngineConfig(num_blocks=4097)),
    "long prompts in parts": (ALL_AT_ONCE, EngineConfig(num_blocks=2049, long_prefill_token_threshold=128)),
    "documents, long prompts in parts": (
        LoadSpec(seed=8, mix=MIXES["rag"], clients=50, think_s=0.0, num_requests=250),
        EngineConfig(num_blocks=1025, long_prefill_token_threshold=128),
    ),
    "ttl, roomy": (
        LoadSpec(seed=9, clients=12, think_s=2.0, num_requests=250, num_prefixes=8),
        EngineConfig(num_blocks=8193, ttl=900),
    ),
    "ttl, tight": (
        LoadSpec(seed=9, clients=12, think_s=2.0, num_requests=250, num_prefixes=8),
        EngineConfig(num_blocks=257, ttl=2500, admit_after=2, admit_window=60_000),
    ),
    "open, turns overtake answers": (
        LoadSpec(seed=31, mix=MIXES["chat"], rate=12.0, think_s=1.0, num_requests=300),
        EngineConfig(num_blocks=65, block_size=32),
    ),
}
RESTARTED = "documents, long prompts in parts"


@cache
def taped_loop(name: str) -> tuple[LoadRun, Tape]:
    spec, config = (CASES | LOOPS)[name]
    run = LoadRun(spec.fitted_to(config.num_usable * config.block_size), config, COST, most_bins=40)
    tape = taped(run)[0]
    while run.advance(requests=25):
        if name == RESTARTED and run.records.reach > 150 and not run.knobs:
            run.restart(8)
    return run, tape


Fate = tuple[str, str | None, float]
"""What became of a content last, who did it, when."""


class Fates:
    """What became of each content and where each request missed, by all block events."""

    def __init__(self, run: LoadRun, tape: Tape) -> None:
        self.now: dict[bytes, Fate] = {}
        self.missed: dict[tuple[str, float], Fate] = {}
        self.order: dict[tuple[str, float], int] = {}  # of admissions
        open_miss: dict[str, bytes] = {}
        restarts = [knob.at_s for knob in run.knobs if knob.name == "block_size"]
        for step in tape.steps:
            said, at_s = "", step.start_s
            if restarts and at_s >= restarts[0]:
                self.now.clear()
                restarts.pop(0)
            for place, event in enumerate(step.events):
                match event:
                    case BlockMissed():
                        open_miss[event.request_id] = event.hash
                    case RequestAdmitted() if not event.resumed:
                        gone = open_miss.pop(event.request_id, None)
                        fate = self.now.get(gone, ("new", None, 0.0)) if gone else ("end", None, 0.0)
                        self.missed[event.request_id, at_s] = fate
                        self.order[event.request_id, at_s] = len(self.order)
                    case BlockStored():
                        self.now[event.hash] = ("stored", None, at_s)
                    case BlockNotStored():
                        self.now[event.hash] = (event.cause, None, at_s)
                    case BlockEvicted():
                        taker = next(
                            (e.request_id for e in step.events[place:] if isinstance(e, BlockAllocated)), None
                        )
                        doer = {"reused": taker, "cap": said}.get(event.cause)
                        self.now[event.hash] = (event.cause, doer, at_s)
                if isinstance(event, ACTS):
                    said = event.request_id


@pytest.mark.parametrize("name", [*CASES, *LOOPS])
def test_reasons_are_what_the_whole_log_says(name: str) -> None:
    """Told again from a little before the bin, or from the beginning: the same reasons, the same doers.
    Whoever is named had the same tokens and was let in before; in one step too, where order alone tells. Once
    the first request of all was told that the last one of its step had not computed its text yet."""
    run, tape = taped_run(name) if name in CASES else taped_loop(name)
    fates, seen = Fates(run, tape), Counter[str]()
    texts = {one.request_id: [*one.request().token_ids, *one.output.ids().tolist()] for one in tape.arrived}
    num_bins = int(run.now_s / run.bins.width_s)
    for place in range(0, num_bins, 11 if name in CASES else max(num_bins // 8, 1)):
        culprits = opened(run, place)
        told = hindsight(run, culprits, look_back=60)
        for miss in culprits.misses:
            why, fate = told.why[miss.request_id], fates.missed[miss.request_id, miss.at_s]
            seen[why.kind] += 1
            check_reason(run, miss, why, fate)
            if why.kind in ("in_flight", "before", "ttl", "cold"):
                turns = [turn for (rid, _), turn in fates.order.items() if rid == why.other]
                assert min(turns) < fates.order[miss.request_id, miss.at_s]
                assert why.other != miss.request_id
                end = miss.hit + (run.first_config if why.kind == "cold" else run.config).block_size
                assert texts[miss.request_id][:end] == texts[str(why.other)][:end]
        for evictor in culprits.evictors:
            assert sum(victim.blocks for victim in told.victims[evictor.request_id]) == evictor.blocks
    assert seen["new"] + seen["not_full"]
    assert seen["evicted"] + seen["before"] or LOOPS.get(name, (None,))[0] is ALL_AT_ONCE
    assert seen["in_flight"] or "in parts" not in name
    assert seen["ttl"] or name != "ttl, roomy"
    assert seen["cold"] or name != RESTARTED


def check_reason(run: LoadRun, miss: Miss, why: Why, fate: Fate) -> None:
    kind, doer, at_s = fate
    match why.kind:
        case "evicted":
            assert (why.cause, why.other, why.at_s) == (kind, doer, at_s)
        case "sightings" | "cap":
            assert why.kind == kind
        case "last_token" | "not_full":
            assert kind == "end"
            assert (why.kind == "last_token") == (miss.missed == run.config.block_size)
        case "new" | "cold":
            assert kind == "new"
        case "in_flight":
            assert kind == "new"
            other = int(str(why.other)[1:])
            assert not run.records.cached.finished_s[other] <= miss.at_s
        case "before" | "ttl":
            assert kind in (("ttl",) if why.kind == "ttl" else ("reused", "ttl", "cap", "sightings"))
            assert why.at_s is not None
            assert at_s <= why.at_s or why.kind == "ttl"


def test_who_comes_later_in_the_same_step_is_no_reason() -> None:
    """All clients ask at moment 0, with one beginning: to the first of them it is new."""
    spec = LoadSpec(seed=34, mix={"system": 1.0}, clients=24, think_s=0.0, num_requests=24)
    config = EngineConfig(block_size=16, num_blocks=4097)
    run = LoadRun(spec.fitted_to(4096 * 16), config, COST)
    while run.advance(requests=20):
        pass
    found = culprits_of(run, run.bins.width_s, run.bins.width_s, top=24)
    ledger = run.records.admissions
    together = ledger.number[ledger.at_s == ledger.at_s[0]].tolist()
    assert len(together) > 1
    why = hindsight(run, found).why
    assert why[f"R{together[0]}"].kind == "new"
    for miss in found.misses:
        if why[miss.request_id].kind == "in_flight":
            order = ledger.number.tolist()
            other = why[miss.request_id].other
            assert other is not None
            assert order.index(int(other[1:])) < order.index(int(miss.request_id[1:]))


def test_a_request_sent_again_in_the_same_bin_has_one_row() -> None:
    spec, config = LoadSpec(seed=3, rate=40.0, num_requests=200), EngineConfig(block_size=8, num_blocks=1025)
    run = LoadRun(spec, config, COST)
    run.advance(requests=60)
    run.restart(16)
    while run.advance(requests=20):
        pass
    ledger, width_s = run.records.admissions, run.bins.width_s
    twice = [n for n in set(ledger.number.tolist()) if (ledger.number == n).sum() > 1]
    bins = {tuple(np.ceil(ledger.at_s[ledger.number == n] / width_s)) for n in twice}
    shared = [ends[0] for ends in bins if ends[0] == ends[-1]]
    assert shared
    for end in set(shared):
        names = [miss.request_id for miss in culprits_of(run, float(end) * width_s, width_s, top=500).misses]
        assert len(names) == len(set(names))
