"""Runs under load: every number again from the event log, knobs, bounds, determinism."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.load import BOUNDS, measure
from core.cost import GPUS, MODELS, CostModel, Prices, StepWork
from core.engine.engine import Engine
from core.engine.events import (
    RequestAdmitted,
    RequestArrived,
    RequestPreempted,
    RequestScheduled,
    TokensAppended,
)
from core.engine.hash_chain import hash_chain
from core.errors import ConfigError, RequestError
from core.load import MIXES, TICKS_PER_S, Burst, LoadRun, LoadSpec, RequestStream
from core.load.bins import Bins
from core.load.records import Side
from core.load.samples import take_slot_map
from core.timeline.snapshot import LETTERS, LEVELS, take_snapshot
from core.types import EngineConfig
from tests.load_tape import (
    Slots,
    Tape,
    counted,
    evicted,
    finished_s,
    first_token_s,
    quantile,
    taped,
)

COST = CostModel(MODELS["Llama-3-8B"], GPUS["A100"])
SPEC = LoadSpec(
    seed=11, rate=40, num_requests=240, num_prefixes=8, prefix_tokens=64, own_tokens=20, output_tokens=8,
    document_tokens=24, think_s=0.5, max_tokens=400,
)  # fmt: skip
CONFIG = EngineConfig(block_size=8, num_blocks=81, max_num_seqs=6, max_num_batched_tokens=512)


def finished_run(spec: LoadSpec = SPEC, config: EngineConfig = CONFIG, **options: Any) -> LoadRun:
    run = LoadRun(spec, config, COST, **options)
    while run.advance(requests=25):
        pass
    return run


@pytest.fixture(scope="module")
def recorded() -> tuple[LoadRun, Tape, Tape]:
    """One run with everything that was told."""
    run = LoadRun(SPEC, CONFIG, COST, bin_s=0.5)
    cached, plain = taped(run)
    while run.advance(requests=25):
        pass
    return run, cached, plain


Recorded = tuple[LoadRun, Tape, Tape]


# -- every number again, a plain way --------------------------------------------------------------------


def test_the_run_is_one_worth_looking_at(recorded: Recorded) -> None:
    """Everything that the tests below compare does occur: hits, evictions, queues, preemptions."""
    run, cached, plain = recorded
    summary = run.summary()
    assert 0.2 < (summary.hit_rate.value or 0) < 0.9
    assert run.cached.engine.view.num_evicted["reused"] > 50
    assert max(step.queue for step in plain.steps) > 10
    assert any(isinstance(event, RequestPreempted) for event in cached.events + plain.events)


def test_both_servers_get_the_same_requests_at_the_same_moments(recorded: Recorded) -> None:
    run, cached, plain = recorded
    stream = RequestStream(SPEC, run.max_tokens)
    expected = [stream.take() for _ in range(SPEC.num_requests)]
    assert cached.arrived == plain.arrived == expected
    told = [e.token_ids for e in plain.events if isinstance(e, RequestArrived)]
    assert told == [tuple(int(t) for t in arrival.request().token_ids) for arrival in expected]
    assert not any(e.hit_tokens for e in plain.events if isinstance(e, RequestAdmitted))


def test_hit_rates(recorded: Recorded) -> None:
    run, cached, _ = recorded
    samples = run.samples()
    assert samples.window_s == 60.0
    for place, end in enumerate(samples.end_s):
        for name, begin in (("hit_rate", end - 0.5), ("hit_rate_window", end - 60), ("hit_rate_total", -1)):
            queries, hits = counted(cached, begin if name != "hit_rate" or place else -1, end)
            found = samples.curves[name][place]
            assert found == (hits / queries if queries else None), (name, place)


def test_the_last_minute_forgets_what_lies_further_back() -> None:
    """A minute is 60 seconds though it is no whole number of bins of 7: once it was 8 bins, 56 seconds."""
    spec = replace(SPEC, rate=1.5, num_requests=200, mix={"system": 1.0}, bursts=(Burst(50, 10, 5),))
    run = LoadRun(spec, replace(CONFIG, ttl=2000), COST, bin_s=7.0)
    cached, _ = taped(run)
    while run.advance(requests=25):
        pass
    samples = run.samples()
    assert samples.window_s == 60.0
    assert samples.end_s[-1] > 90
    for place, end in enumerate(samples.end_s):
        queries, hits = counted(cached, end - 60, end)
        assert samples.curves["hit_rate_window"][place] == (hits / queries if queries else None)


def test_evictions_and_expiries(recorded: Recorded) -> None:
    run, cached, _ = recorded
    samples = run.samples()
    for place, end in enumerate(samples.end_s):
        begin = end - 0.5 if place else -1
        expected = evicted(cached, {"reused", "cap", "forced"}, begin, end) / 0.5
        assert samples.curves["evicted_per_s"][place] == expected
        assert samples.curves["expired_per_s"][place] == evicted(cached, {"ttl"}, begin, end) / 0.5


@pytest.mark.parametrize("name", ["with", "without"])
def test_ttft_and_throughput(recorded: Recorded, name: str) -> None:
    run, cached, plain = recorded
    tape = cached if name == "with" else plain
    arrival_s = {arrival.request_id: arrival.at_s for arrival in tape.arrived}
    first, last = first_token_s(tape), finished_s(tape)
    samples = run.samples()
    for place, end in enumerate(samples.end_s):
        waits = [at - arrival_s[rid] for rid, at in first.items() if end - 0.5 < at <= end]
        for share in (50, 95):
            found = samples.curves[f"ttft_p{share}_{name}"][place]
            assert found == pytest.approx(quantile(waits, share / 100))
        done = sum(end - 0.5 < at <= end for at in last.values())
        assert samples.curves[f"throughput_{name}"][place] == done / 0.5
    side = run.summary().with_cache if name == "with" else run.summary().without_cache
    waits = [at - arrival_s[rid] for rid, at in first.items()]
    assert side.ttft_p50.value == pytest.approx(quantile(waits, 0.5))
    assert side.ttft_p95.value == pytest.approx(quantile(waits, 0.95))
    assert side.throughput.value == pytest.approx(240 / max(last.values()))


def test_levels_are_those_after_the_first_step_behind_each_bin(recorded: Recorded) -> None:
    """Unless that step began later: then nobody was there. And at the end nobody is."""
    run, cached, plain = recorded
    samples = run.samples()
    slots = Slots(CONFIG.num_blocks, CONFIG.block_size)
    after = []
    for step in cached.steps:
        for event in step.events:
            slots.take(event)
        after.append(slots.letters())
    for place, end in enumerate(samples.end_s):
        for name, tape in (("with", cached), ("without", plain)):
            later = next((j for j, step in enumerate(tape.steps) if step.end_s >= end), len(tape.steps))
            step = tape.steps[later] if later < len(tape.steps) and tape.steps[later].start_s < end else None
            assert samples.curves[f"queue_{name}"][place] == (step.queue if step else 0)
            if step is None:
                assert samples.curves[f"inside_{name}"][place] == 0
            if name == "with":
                letters = after[later if step else later - 1]
                shares = [letters.count(letter) / 80 for letter in LETTERS]
                assert [samples.curves[level][place] for level in LEVELS] == shares
    assert run.slot_map().letters == after[-1]
    assert samples.curves["inside_with"][-1] == samples.curves["inside_without"][-1] == 0


@pytest.mark.parametrize("name", ["with", "without"])
def test_each_step_takes_what_its_tokens_cost(recorded: Recorded, name: str) -> None:
    """Prefills and decodes are told apart from the log alone."""
    run, cached, plain = recorded
    tape = cached if name == "with" else plain
    side = run.summary().with_cache if name == "with" else run.summary().without_cache
    assert side.busy.value == pytest.approx(busy_by_the_log(tape))
    new_tokens = sum(
        e.num_scheduled for e in tape.events if isinstance(e, RequestAdmitted | RequestScheduled)
    )
    assert side.computed_tokens <= new_tokens  # the difference was preempted before it was computed


def busy_by_the_log(tape: Tape) -> float:
    """Seconds of all steps; each is compared with the cost of what its events say was computed."""
    num_prompt = {arrival.request_id: arrival.num_prompt for arrival in tape.arrived}
    busy = 0.0
    for step in tape.steps:
        todo: dict[str, tuple[int, int]] = {}
        for event in step.events:
            if isinstance(event, RequestAdmitted | RequestScheduled):
                before = event.num_computed - event.num_scheduled
                todo[event.request_id] = (event.num_scheduled, before)
            elif isinstance(event, RequestPreempted):
                todo.pop(event.request_id, None)
        work = StepWork()
        admitted = {e.request_id for e in step.events if isinstance(e, RequestAdmitted)}
        for request_id, (new, before) in todo.items():
            if new == 1 and before >= num_prompt[request_id] and request_id not in admitted:
                work.add_decode(before)
            else:
                work.add_prefill(new, before)
        assert step.end_s - step.start_s == pytest.approx(COST.step_s(work), abs=1e-12)
        busy += step.end_s - step.start_s
    return busy


def test_the_summary(recorded: Recorded) -> None:
    run, cached, plain = recorded
    summary = run.summary()
    admitted = [e for e in cached.events if isinstance(e, RequestAdmitted)]
    asked = [e for e in admitted if e.counted]
    assert summary.saved_tokens.value == sum(e.hit_tokens for e in asked)
    assert summary.hit_rate.value == sum(e.hit_tokens for e in asked) / sum(e.num_tokens for e in asked)
    saved = sum(
        COST.prefill_s(e.num_tokens) - COST.prefill_s(e.num_tokens - e.hit_tokens, e.hit_tokens)
        for e in asked
    )
    assert summary.saved_prefill.value == pytest.approx(saved)
    assert summary.with_cache.num_admitted == len(admitted)
    assert summary.with_cache.num_finished == summary.without_cache.num_finished == 240
    busy = [sum(step.end_s - step.start_s for step in tape.steps) for tape in (plain, cached)]
    assert summary.saved_busy.value == pytest.approx(busy[0] - busy[1])
    worth = summary.money(Prices(per_gpu_hour=3600), 2)
    assert worth is not None
    assert worth.value == pytest.approx(2 * (busy[0] - busy[1]))
    modelled = (summary.saved_prefill, summary.saved_busy, summary.with_cache.ttft_p50)
    assert {figure.basis for figure in modelled} == {"modelled"}
    assert {summary.hit_rate.basis, summary.saved_tokens.basis} == {"counted"}


def test_the_hottest_prefixes(recorded: Recorded) -> None:
    run, cached, _ = recorded
    found = run.hottest(5)
    stream = run.cached.stream
    counts = [sum(a.prefix == place for a in cached.arrived) for place in range(len(stream.prefixes))]
    best = sorted(range(len(counts)), key=lambda place: (-counts[place], place))[:5]
    assert [hot.name for hot in found] == [stream.prefixes[place].name for place in best]
    hits = {e.request_id: e.hit_tokens for e in cached.events if isinstance(e, RequestAdmitted) and e.counted}
    for hot, place in zip(found, best, strict=True):
        mine = [a for a in cached.arrived if a.prefix == place]
        assert hot.num_requests == len(mine)
        assert hot.hit_rate == sum(hits[a.request_id] for a in mine) / sum(a.num_prompt for a in mine)
        assert sum(hot.counts) == len(mine)
        ends = run.samples().end_s
        assert hot.counts == [sum(end - 0.5 < a.at_s <= end for a in mine) for end in ends]
        if hot.tag is not None:
            assert hash_chain(mine[0].request().token_ids, 8)[0].hex().startswith(hot.tag)


# -- the scheduler is the engine's own ------------------------------------------------------------------


@pytest.mark.parametrize("caching", [True, False])
def test_waiting_at_the_door_is_the_same_as_waiting_inside(caching: bool) -> None:
    """A plain loop that submits everybody at once, against the server that lets six in."""
    run = finished_run(replace(SPEC, rate=200))
    config = run.cached.engine.config if caching else run.plain.engine.config
    events: list[Any] = []
    engine = Engine(config, events.append, block_events=False)
    stream = RequestStream(replace(SPEC, rate=200), run.max_tokens)
    arrivals = [stream.take() for _ in range(SPEC.num_requests)]
    num_prompt = {arrival.request_id: arrival.num_prompt for arrival in arrivals}
    now, todo, first = 0.0, list(arrivals), {}
    while todo or engine.view.request_ids():
        if not engine.view.request_ids():
            now = max(now, todo[0].at_s)
        while todo and todo[0].at_s <= now:
            engine.submit(todo.pop(0).request())
        events.clear()
        scheduled = dict(engine.step().scheduled)
        work = StepWork()
        for event in events:
            if isinstance(event, RequestAdmitted | RequestScheduled) and event.request_id in scheduled:
                before = event.num_computed - event.num_scheduled
                grows = isinstance(event, RequestScheduled)
                if grows and event.num_scheduled == 1 and before >= num_prompt[event.request_id]:
                    work.add_decode(before)
                else:
                    work.add_prefill(event.num_scheduled, before)
        now += COST.step_s(work)
        for event in events:
            if isinstance(event, TokensAppended):
                first.setdefault(event.request_id, now)
    side = run.records.cached if caching else run.records.plain
    assert side.first_s.tolist() == [first[arrival.request_id] for arrival in arrivals]


def test_calls_of_any_size_give_the_same_run() -> None:
    def result(run: LoadRun) -> list[list[float]]:
        sides: list[Side] = [run.records.cached, run.records.plain]
        return [array.tolist() for side in sides for array in vars(side).values()]

    by_hand = LoadRun(SPEC, CONFIG, COST)
    while by_hand.advance(seconds=0.07):
        pass
    assert result(by_hand) == result(finished_run()) == result(finished_run(bin_s=4.0))
    assert by_hand.samples() == finished_run().samples()
    assert result(by_hand) != result(finished_run(replace(SPEC, seed=12)))


def test_the_cache_helps_under_pressure() -> None:
    """The same arrivals, too many for the server without the cache: it queues, the other does not."""
    spec = LoadSpec(seed=2, rate=22, num_requests=400, mix=MIXES["system"])
    run = finished_run(spec, EngineConfig(num_blocks=4097))
    summary = run.summary()
    with_cache, without = summary.with_cache, summary.without_cache
    assert (without.ttft_p95.value or 0) > 5 * (with_cache.ttft_p95.value or 1)
    assert (with_cache.throughput.value or 0) > (without.throughput.value or 0)
    assert (summary.saved_busy.value or 0) > 0


# -- knobs ----------------------------------------------------------------------------------------------


def test_a_cap_acts_at_once_and_is_flagged() -> None:
    run = LoadRun(SPEC, CONFIG, COST, bin_s=0.25)
    run.advance(requests=120)
    run.set_policy("cache_cap", 10)
    flag = run.flags[-1]
    assert (flag.name, flag.value) == ("cache_cap", 10)
    while run.advance(requests=20):
        pass
    samples = run.samples()
    late = [i for i, end in enumerate(samples.end_s) if end > flag.at_s + 0.25]
    cached = samples.curves["cached"]
    assert all(cached[i] is None or cached[i] * 80 <= 10 for i in late)
    assert max(value or 0 for value in cached) * 80 > 20
    assert run.cached.engine.view.num_evicted["cap"] > 0
    assert sum(samples.curves["evicted_per_s"]) * 0.25 == sum(  # type: ignore[arg-type]
        run.cached.engine.view.num_evicted[cause] for cause in ("reused", "cap", "forced")
    )


def test_time_to_live_counts_in_modelled_time() -> None:
    """A pause of ten modelled seconds, and one second to live: everything idle expires."""
    spec = replace(SPEC, rate=0.1, num_requests=20, mix=MIXES["system"])
    config = replace(CONFIG, ttl=1 * TICKS_PER_S)
    short, long = finished_run(spec, config), finished_run(spec, replace(config, ttl=10_000 * TICKS_PER_S))
    assert (long.summary().hit_rate.value or 0) > 0.5
    gaps = np.diff(short.records.cached.arrival_s)
    hits = short.records.cached.hit[1:]
    assert ((hits > 0) == (gaps < 1.2)).all()
    assert (gaps > 1.2).any()
    assert short.cached.engine.view.num_evicted["ttl"] > 0


def test_admission_without_a_window_gets_one() -> None:
    """Otherwise the engine would remember every content that it ever saw."""
    run = LoadRun(SPEC, CONFIG, COST)
    run.set_policy("admit_after", 2)
    assert (run.config.admit_after, run.config.admit_window) == (2, 60 * TICKS_PER_S)
    assert LoadRun(SPEC, replace(CONFIG, admit_after=3), COST).config.admit_window == 60 * TICKS_PER_S
    with pytest.raises(RequestError):
        run.set_policy("block_size", 4)
    assert [flag.name for flag in run.flags] == ["admit_window", "admit_after"]


def test_a_new_block_size_restarts_cold_and_loses_nobody() -> None:
    run = LoadRun(SPEC, CONFIG, COST, bin_s=0.25)
    cached, plain = taped(run)
    run.advance(requests=120)
    hits_before = run.cached_meter.hits
    assert run.cached.live
    run.restart(16)
    assert (run.config.block_size, run.config.num_usable) == (16, 40)
    assert set(run.slot_map().letters) == {"e"}
    while run.advance(requests=20):
        pass
    assert not np.isnan(run.records.cached.finished_s).any()
    assert not np.isnan(run.records.plain.finished_s).any()
    assert run.cached_meter.hits > hits_before > 0
    flag = run.flags[-1]
    assert (flag.name, flag.value) == ("block_size", 16)
    admitted = [e for e in cached.events if isinstance(e, RequestAdmitted) and e.counted]
    assert run.summary().saved_tokens.value == sum(e.hit_tokens for e in admitted)
    for tape, side in ((cached, run.records.cached), (plain, run.records.plain)):
        first = first_token_s(tape)  # of the first time, even where it was sent again
        assert side.first_s.tolist() == [first[f"R{number}"] for number in range(SPEC.num_requests)]


def test_a_block_size_that_leaves_no_room_is_refused_and_nothing_changes() -> None:
    run = LoadRun(replace(SPEC, max_tokens=639), CONFIG, COST)
    run.advance(requests=20)
    before = take_snapshot(run.cached.engine)
    with pytest.raises(ConfigError) as caught:
        run.restart(100)
    assert caught.value.code == "load.block_size"
    with pytest.raises(ConfigError):
        run.restart(0)
    assert take_snapshot(run.cached.engine) == before
    assert run.flags == []


def test_a_burst_brings_more_requests_and_longer_waits() -> None:
    spec = replace(SPEC, rate=20)
    calm, busy = finished_run(spec), LoadRun(spec, CONFIG, COST)
    busy.advance(requests=60)
    burst = busy.burst(seconds=2, factor=10)
    while busy.advance(requests=20):
        pass
    came = busy.records.cached.arrival_s
    lasting = (came >= burst.start_s) & (came < burst.start_s + 2)
    assert lasting.sum() > 100
    assert (busy.flags[-1].name, busy.flags[-1].at_s) == ("burst", burst.start_s)
    waits = [run.records.ttft_s(run.records.plain).max() for run in (calm, busy)]
    assert waits[1] > 2 * waits[0]
    cached, plain = busy.records.cached, busy.records.plain
    assert not np.isnan(cached.first_s).any()
    assert not np.isnan(plain.first_s).any()


# -- bounds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restarted", [False, True])
def test_nothing_is_ever_above_one_hundred_percent(recorded: Recorded, restarted: bool) -> None:
    """A new block size halves the number of blocks; what was drawn before must not grow with it."""
    run = recorded[0]
    if restarted:
        run = LoadRun(SPEC, CONFIG, COST, bin_s=0.5)
        run.advance(requests=150)
        before = run.samples().curves["cached"]
        run.restart(16)
        assert run.samples().curves["cached"] == before
        while run.advance(requests=50):
            pass
    samples = run.samples()
    for name in ("hit_rate", "hit_rate_window", "hit_rate_total", *LEVELS):
        assert all(value is None or 0 <= value <= 1 for value in samples.curves[name]), name
    levels = zip(*(samples.curves[name] for name in LEVELS), strict=True)
    assert all(sum(row) == pytest.approx(1) for row in levels if None not in row)  # type: ignore[arg-type]


def test_bins_merge_and_lose_nothing() -> None:
    coarse, fine = finished_run(bin_s=0.05, most_bins=8), finished_run(bin_s=0.05, most_bins=8 * 64)
    assert coarse.bins.generation > fine.bins.generation >= 0
    assert coarse.bins.width_s == 0.05 * 2**coarse.bins.generation
    assert len(coarse.samples().end_s) <= 8
    for name in coarse.bins.sums:
        assert coarse.bins.sums[name].sum() == pytest.approx(fine.bins.sums[name].sum()), name
    assert coarse.samples().curves["hit_rate_total"][-1] == coarse.summary().hit_rate.value


def test_a_moment_on_a_border_belongs_to_the_bin_that_ends_there() -> None:
    bins = Bins(0.1, 4, ["n"], [])
    for border in range(1, 5):
        assert bins.index(border * 0.1) == border - 1
        assert bins.index(np.nextafter(border * 0.1, 0)) == border - 1
    assert bins.index(0.0) == 0
    bins.add("n", 0.15)
    bins.add("n", 0.75)  # makes room: bins of 0.2
    assert (bins.width_s, bins.generation, bins.sums["n"].tolist()) == (0.2, 1, [1, 0, 0, 1])


def test_the_first_server_that_is_done_stays_as_it_is_while_the_other_goes_on() -> None:
    """Also where bins are merged meanwhile: nobody in flight, nothing in use, the pool as it was left."""
    spec = LoadSpec(
        seed=3,
        mix={"system": 1.0},
        clients=24,
        think_s=0,
        num_requests=300,
        prefix_tokens=2048,
        output_tokens=8,
    )
    run = LoadRun(spec, EngineConfig(num_blocks=1025), COST, bin_s=0.5, most_bins=12)
    while run.cached.has_work:
        run.advance(seconds=1.0)
    done_s, merges = run.cached.now_s, run.bins.generation
    while run.advance(seconds=1.0):
        run.samples()
    assert run.bins.generation > merges
    samples = run.samples()
    behind = [place for place, end in enumerate(samples.end_s) if end >= done_s]
    assert len(behind) > 3
    for place in behind:
        assert samples.curves["inside_with"][place] == samples.curves["queue_with"][place] == 0
        assert samples.curves["in_use"][place] == 0
        assert sum(samples.curves[name][place] or 0 for name in LEVELS) == pytest.approx(1)


def test_only_new_bins_are_sent_when_asked() -> None:
    run = finished_run(bin_s=0.25)
    whole = run.samples()
    tail = run.samples(since=3)
    assert tail.start == 3
    assert tail.end_s == whole.end_s[3:]
    assert len(whole.curves) == 20
    assert tail.curves == {name: curve[3:] for name, curve in whole.curves.items()}
    assert run.samples(since=10_000).end_s == []


def test_samples_are_plain_json(recorded: Recorded) -> None:
    run = recorded[0]
    run_json = json.loads(json.dumps(run.samples().to_json(), allow_nan=False))
    assert run_json["time_basis"] == "modelled"
    assert run_json["curves"]["hit_rate_total"][-1] == pytest.approx(run.summary().hit_rate.value, rel=1e-5)
    assert LoadRun(SPEC, CONFIG, COST).samples().to_json()["end_s"] == []


def test_memory_stays_bounded() -> None:
    spec = replace(SPEC, num_requests=1200, rate=2000, own_tokens=4, output_tokens=2)
    run = finished_run(spec)
    assert 101 * 1200 < run.records.num_bytes < 220 * 1200
    assert len(run.marks) <= 32
    assert len(run.cached.live) == len(run.plain.live) == 0
    assert len(run.bins.sums["hits"]) == 600


def test_a_large_pool_is_drawn_with_4096_cells_at_most() -> None:
    engine = Engine(EngineConfig(num_blocks=10_001, block_size=1))
    engine.submit(LoadRun(SPEC, CONFIG, COST).cached.stream.take().request())
    engine.run()
    drawn = take_slot_map(engine)
    assert (drawn.slots_per_cell, len(drawn.letters), len(drawn.ages)) == (3, 3334, 3334)
    assert drawn.letters[0] == "c"
    assert drawn.ages[0] == "0"
    assert (drawn.letters[-1], drawn.ages[-1]) == ("e", "9")
    engine.wait(TICKS_PER_S * 5)
    assert take_slot_map(engine).ages[0] == "3"


def test_a_pool_too_small_for_the_stream_is_refused_and_fitted_to_mends_it() -> None:
    small = replace(CONFIG, num_blocks=9)
    with pytest.raises(ConfigError) as caught:
        LoadRun(SPEC, small, COST)
    assert caught.value.code == "load.pool"
    run = LoadRun(replace(SPEC.fitted_to(64), num_requests=40), small, COST)
    while run.advance(requests=10):
        pass
    assert run.summary().with_cache.num_finished == 40


def test_before_anything_has_come() -> None:
    run = LoadRun(SPEC, CONFIG, COST)
    summary = run.summary()
    assert (summary.num_arrived, summary.hit_rate.value, summary.saved_busy.value) == (0, None, None)
    assert summary.with_cache.ttft_p50.value is None
    assert run.hottest() == []
    assert set(run.slot_map().letters) == {"e"}


def test_the_benchmark_measures_everything_it_has_a_bound_for() -> None:
    """The bounds themselves are about 20,000 requests: `python -m benchmarks.load`."""
    found = measure(replace(SPEC, num_requests=120), CONFIG, COST)
    assert set(BOUNDS) <= set(found)
    assert found["requests"] == 120
    assert 101 * 120 / 1e6 < found["records_mb"] < 201 * 120 / 1e6  # arrays, and what grows with admissions
