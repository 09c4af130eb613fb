"""Clients who wait for their answers: what each sends, when, and what a second plain account says of it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from core.cost import GPUS, MODELS, CostModel
from core.errors import ConfigError
from core.load import MIXES, Arrival, Burst, ClientStream, LoadRun, LoadSpec, RequestStream, scenario_around
from core.load.prompts import Library, Writer
from core.types import EngineConfig
from tests.load_tape import Tape, finished_s, first_token_s, taped
from tests.unit.core.load.test_load import CONFIG, COST, SPEC
from tests.unit.core.load.test_stream import tokens_of

CLIENTS = 7
CLOSED = replace(SPEC, clients=CLIENTS, think_s=0.3, tool_s=0.1, tool_tokens=20, calls=6.0)
Recorded = tuple[LoadRun, Tape, Tape]
MIXED = {**MIXES["mixed"], "agent": 0.3}


def run_of(spec: LoadSpec, **options: Any) -> Recorded:
    run = LoadRun(spec, CONFIG, COST, **options)
    cached, plain = taped(run)
    while run.advance(requests=25):
        pass
    return run, cached, plain


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return run_of(replace(CLOSED, mix=MIXED), bin_s=0.5)


def by_client(arrivals: list[Arrival]) -> dict[int, list[Arrival]]:
    found = defaultdict(list)
    for arrival in arrivals:
        found[arrival.number % CLIENTS].append(arrival)
    return found


def content(arrival: Arrival) -> tuple[object, ...]:
    return arrival.number, arrival.kind, arrival.prefix, arrival.segments, arrival.output


# -- who sends what -------------------------------------------------------------------------------------


def test_each_clients_requests_are_the_same_on_both_servers_in_the_same_order(recorded: Recorded) -> None:
    run, cached, plain = recorded
    assert [a.number for a in cached.arrived] != [a.number for a in plain.arrived]  # one overtakes another
    assert cached.arrived != plain.arrived
    with_cache, without = by_client(cached.arrived), by_client(plain.arrived)
    assert sorted(with_cache) == list(range(CLIENTS))
    for client, sent in with_cache.items():
        assert [a.number for a in sent] == list(range(client, SPEC.num_requests, CLIENTS))
        assert list(map(content, sent)) == list(map(content, without[client]))
    expected = [content(arrival) for arrival in run.contents()]
    assert sorted(map(content, cached.arrived), key=lambda one: one[0]) == expected  # type: ignore[arg-type, return-value]


def test_a_client_sends_only_when_it_has_been_answered(recorded: Recorded) -> None:
    for tape in recorded[1:]:
        last = finished_s(tape)
        for sent in by_client(tape.arrived).values():
            for before, after in pairwise(sent):
                assert after.at_s >= last[before.request_id]


def test_no_more_are_inside_than_there_are_clients(recorded: Recorded) -> None:
    run, *tapes = recorded
    for tape, side in zip(tapes, (run.records.cached, run.records.plain), strict=True):
        last = finished_s(tape)
        moments = sorted(last.values())
        for at_s in moments[::5]:
            inside = sum(a.at_s <= at_s < last[a.request_id] for a in tape.arrived)
            assert inside <= CLIENTS
        np.testing.assert_array_equal(
            side.arrival_s, [a.at_s for a in sorted(tape.arrived, key=lambda a: a.number)]
        )
    curves = run.samples().curves
    for name in ("with", "without"):
        known = [value for value in curves[f"inside_{name}"] if value is not None]
        assert 0 < max(known) <= CLIENTS


def test_the_seed_fixes_everything_and_the_steps_of_a_page_change_nothing() -> None:
    spec = replace(CLOSED, mix=MIXED)
    one, _, _ = run_of(spec)
    other = LoadRun(spec, CONFIG, COST)
    while other.advance(seconds=0.37):
        pass
    for side in ("cached", "plain"):
        for name, column in vars(getattr(one.records, side)).items():
            np.testing.assert_array_equal(column, getattr(getattr(other.records, side), name))
    third, _, _ = run_of(replace(spec, seed=4))
    assert third.records.num_prompt.tolist() != one.records.num_prompt.tolist()


def test_a_clients_requests_do_not_depend_on_how_many_others_there_are() -> None:
    few, many = (
        list(ClientStream(replace(CLOSED, clients=n, mix=MIXED), 400).by_number()) for n in (2, CLIENTS)
    )
    for one, other in zip(few[::2][:30], many[::CLIENTS], strict=False):  # of client 0
        assert (one.kind, one.prefix, one.num_prompt) == (other.kind, other.prefix, other.num_prompt)


def test_own_texts_are_nobody_elses() -> None:
    seen: set[int] = set()
    for arrival in ClientStream(replace(CLOSED, mix={"agent": 1.0, "system": 1.0}), 400).by_number():
        new = {int(t) for part in (arrival.segments[-1], arrival.output) for t in part.ids()}
        assert not new & seen
        assert max(new) < 2**31
        seen |= new


@pytest.mark.parametrize("clients", [None, CLIENTS])
def test_an_agents_call_sends_all_before_it_and_a_tools_answer(clients: int | None) -> None:
    """With clients, the very task of this client; in an open stream some task that goes on."""
    spec = replace(CLOSED, clients=clients, mix=MIXES["agents"], num_requests=300)
    stream = RequestStream(spec, 400) if clients is None else ClientStream(spec, 400)
    left: dict[tuple[int, ...], int] = {}  # what each call left behind, and who made it
    calls = 0
    for arrival in stream.by_number():
        who = arrival.number % (clients or 1)
        if len(arrival.segments) == 2:
            assert arrival.segments[1].name.startswith("task")
        else:
            assert arrival.segments[-1].name.startswith("result")
            before = tuple(tokens_of(arrival)[: -arrival.segments[-1].length])
            assert left.pop(before) == who
            calls += 1
        left[tuple(tokens_of(arrival) + arrival.output.ids().tolist())] = who
        assert arrival.num_tokens <= 400
    assert 150 < calls < 290


def test_pauses_are_those_of_a_tool_now_and_then_of_a_person() -> None:
    spec = LoadSpec(
        mix=MIXES["agents"], calls=500.0, tool_s=6.0, ask_share=0.1, think_s=300.0, num_requests=1
    )
    writer = Writer(Library(spec, 10**6, np.random.default_rng(1)), np.random.default_rng(2), 0)
    session = writer.begin(0, "agent")
    session.turns_left = 9
    pauses = np.array([writer.pause_s(session) for _ in range(4000)])
    tools = np.array([replace_ask(writer, session) for _ in range(4000)])
    assert np.median(tools) == pytest.approx(6.0, rel=0.06)
    assert np.quantile(tools, 0.75) == pytest.approx(9.6, rel=0.08)
    assert (pauses > 60).mean() == pytest.approx(0.1 * np.exp(-60 / 300), abs=0.02)
    session.turns_left = 0
    assert np.mean([writer.pause_s(session) for _ in range(4000)]) == pytest.approx(300, rel=0.06)


def replace_ask(writer: Writer, session: Any) -> float:
    """Of a task in which nobody is asked."""
    library = writer.library
    spec = replace(library.spec, ask_share=0.0)
    return Writer(_with(library, spec), writer.dice, 0).pause_s(session)


def _with(library: Library, spec: LoadSpec) -> Library:
    twin = object.__new__(Library)
    twin.__dict__ |= vars(library) | {"spec": spec}
    return twin


# -- Little's law ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("clients", "think_s", "seed"), [(1, 0.2, 1), (3, 0.0, 2), (12, 0.3, 4)])
def test_clients_are_throughput_times_cycle(clients: int, think_s: float, seed: int) -> None:
    """Counted from the tapes alone, over a run that still goes on: nobody has stopped sending."""
    spec = replace(CLOSED, seed=seed, clients=clients, think_s=think_s, num_requests=800)
    run = LoadRun(spec, CONFIG, COST)
    tapes = taped(run)
    while run.cached.num_taken < 400:
        run.advance(seconds=1.0)
    loop = run.loop()
    assert loop is not None
    done = [{rid for rid, at_s in finished_s(tape).items() if at_s <= run.now_s} for tape in tapes]
    for tape, cycle in zip(tapes, (loop.with_cache, loop.without_cache), strict=True):
        last = {rid: at_s for rid, at_s in finished_s(tape).items() if at_s <= run.now_s}
        first, sent = first_token_s(tape), {a.request_id: a.at_s for a in tape.arrived}
        cycles = {}
        for rid, at_s in last.items():
            before = int(rid[1:]) - clients
            cycles[rid] = at_s - (last[f"R{before}"] if before >= 0 else 0.0)
        assert len(last) / run.now_s * np.mean(list(cycles.values())) == pytest.approx(clients, rel=0.05)
        assert cycle.per_s == pytest.approx(len(last) / run.now_s, rel=0.05)
        both = done[0] & done[1]
        assert abs(loop.num_answered - len(both)) <= 2  # a step may end a little behind the moment
        for found, expected in (
            (cycle.total_s, [cycles[rid] for rid in both]),
            (cycle.decode_s, [last[rid] - first[rid] for rid in both]),
            (cycle.answer_s, [last[rid] - sent[rid] for rid in both]),
            (
                cycle.inside / clients,
                [(last[rid] - sent[rid]) / np.mean(list(cycles.values())) for rid in both],
            ),
        ):
            assert found == pytest.approx(np.mean(expected), rel=0.03)
    assert 1 < loop.gain < loop.ceiling


@pytest.mark.parametrize(
    ("seed", "mix", "pool", "size", "clients", "think_s", "prefix", "output", "cost"),
    [
        (5, "system", 256, 4, 1, 0.0, 2048, 8, COST),
        (1, "chat", 64, 4, 1, 0.0, 512, 8, CostModel(MODELS["Llama-3-8B"], GPUS["RTX 4090"])),
        (1, "chat", 4096, 16, 3, 2.0, 2048, 8, CostModel(MODELS["Llama-3-8B"], GPUS["H100"])),
    ],
)
def test_no_cache_exceeds_the_ceiling(
    seed: int, mix: str, pool: int, size: int, clients: int, think_s: float, prefix: int, output: int,
    cost: CostModel,
) -> None:  # fmt: skip
    """Where a step that prefills one token is cheaper than a decode step, and with rush hours, which find the
    faster server with more of its requests inside."""
    spec = LoadSpec(
        seed=seed, mix=MIXES[mix], clients=clients, think_s=think_s, num_requests=150,
        prefix_tokens=prefix, output_tokens=output,
    ).fitted_to(pool * size)  # fmt: skip
    run = LoadRun(spec, EngineConfig(size, pool + 1), cost)
    while run.advance(seconds=20.0):
        if think_s:
            run.burst(seconds=10.0, factor=4.0)
        loop = run.loop()
        assert loop is None or 1 <= loop.gain <= loop.ceiling
    loop = run.loop()
    assert loop is not None
    assert loop.with_cache.think_s == loop.without_cache.think_s
    assert 1 <= loop.gain <= loop.ceiling


@pytest.mark.parametrize("at_s", [150.0, 400.0])
def test_a_young_run_does_not_know_only_the_short_pauses(at_s: float) -> None:
    """100 clients who pause for a minute: requests per second as counted from what has finished."""
    spec = LoadSpec(seed=1, mix=MIXES["chat"], clients=100, think_s=60.0, num_requests=2000)
    run = LoadRun(spec, EngineConfig(16, 1025), COST)
    run.advance(seconds=at_s)
    loop = run.loop()
    assert loop is not None
    finished = np.count_nonzero(run.records.cached.finished_s <= at_s)
    assert loop.with_cache.per_s == pytest.approx(finished / at_s, rel=0.15)


def test_an_open_stream_has_no_cycle() -> None:
    run = LoadRun(SPEC, CONFIG, COST)
    run.advance(requests=50)
    assert run.loop() is None


# -- rush hour, knobs, marks ----------------------------------------------------------------------------


def pauses_of(run: LoadRun, side: str) -> list[tuple[float, float]]:
    """Of every request but the first of each client: when it was sent, and how long its client had paused."""
    records = getattr(run.records, side)
    later = range(CLIENTS, SPEC.num_requests)
    return [(records.arrival_s[n], records.arrival_s[n] - records.finished_s[n - CLIENTS]) for n in later]


def test_in_a_rush_hour_clients_pause_shorter_and_send_the_same() -> None:
    calm, busy = (LoadRun(replace(CLOSED, think_s=2.0), CONFIG, COST) for _ in range(2))
    for run in (calm, busy):
        run.advance(seconds=8.0)
    burst = busy.burst(seconds=10.0, factor=5.0)
    for run in (calm, busy):
        while run.advance(seconds=1.0):
            pass
    assert list(map(content, calm.contents())) == list(map(content, busy.contents()))
    for side in ("cached", "plain"):
        now, then = (
            [pause for sent, pause in pauses_of(run, side) if burst.start_s + 2 < sent < burst.start_s + 10]
            for run in (busy, calm)
        )
        assert len(now) > 2 * len(then)
        assert np.mean(now) < 0.4 * np.mean(then)
        before = getattr(calm.records, side).arrival_s < burst.start_s
        np.testing.assert_array_equal(
            getattr(calm.records, side).arrival_s[before], getattr(busy.records, side).arrival_s[before]
        )


def test_a_burst_announced_late_is_the_same_burst() -> None:
    told = LoadRun(CLOSED, CONFIG, COST)
    told.advance(seconds=1.5)
    burst = told.burst(seconds=2.0, factor=4.0)
    known = LoadRun(replace(CLOSED, bursts=(burst,)), CONFIG, COST)
    for run in (told, known):
        while run.advance(seconds=1.0):
            pass
    np.testing.assert_array_equal(told.records.cached.finished_s, known.records.cached.finished_s)


def run_with_knobs(*, every: int) -> LoadRun:
    run = LoadRun(replace(CLOSED, mix=MIXED), CONFIG, COST)
    run._mark_every = every
    run.advance(requests=50)
    run.set_policy("cache_cap", 30)
    run.burst(seconds=1, factor=4)
    run.advance(requests=60)
    run.set_policy("ttl", 400)
    run.restart(4)
    while run.advance(requests=30):
        pass
    return run


def test_any_request_comes_again_with_its_neighbours_with_and_without_marks() -> None:
    marked, unmarked = run_with_knobs(every=25), run_with_knobs(every=10_000)
    assert len(marked.marks) >= 3
    assert not unmarked.marks
    order = marked.records.cached.order().tolist()
    assert order != sorted(order)
    for place in (0, 3, 60, 111, 150, 239):
        name = f"R{order[place]}"
        moment = scenario_around(marked, name, before=2, after=2)
        assert moment == scenario_around(unmarked, name, before=2, after=2)
        assert {f"R{number}" for number in order[max(place - 2, 0) : place + 3]} <= set(moment.pieces)


def test_what_comes_after_the_last_request_goes_on_at_the_pace_so_far() -> None:
    run = LoadRun(replace(CLOSED, num_requests=30), CONFIG, COST)
    while run.advance(requests=10):
        assert np.isfinite(run.now_s)
    assert run.summary().saved_busy.value is not None


@pytest.mark.parametrize("clients", [0, 1.5, True, 10_001])
def test_a_number_of_clients_that_makes_no_sense_is_refused(clients: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        replace(CLOSED, clients=clients)
    assert caught.value.code == "load.clients"


def test_more_clients_than_requests_is_as_many_as_requests() -> None:
    run = LoadRun(replace(CLOSED, clients=500, num_requests=40), CONFIG, COST)
    while run.advance(requests=10):
        pass
    assert run.records.cached.num_arrived == run.records.plain.num_arrived == 40


def test_bursts_of_a_spec_hold_for_clients_too() -> None:
    calm = list(_sent(CLOSED))
    busy = list(_sent(replace(CLOSED, bursts=(Burst(0.0001, 5.0, 10.0),))))
    assert np.mean(busy) < 0.2 * np.mean(calm)


def _sent(spec: LoadSpec) -> list[float]:
    stream = ClientStream(spec, 400)
    return [stream.take().at_s for _ in range(CLIENTS)]
