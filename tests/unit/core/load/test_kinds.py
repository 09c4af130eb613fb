"""A load kind by kind against a service level, counted once more request by request."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.cost import GPUS, MODELS, CostModel, Prices
from core.load import MIXES, KindSide, LoadRun, LoadSpec
from core.load.records import Side
from core.load.server import Server
from core.types import EngineConfig

LEVEL_S = 0.4


@pytest.fixture(scope="module", params=[30.0, 100.0])
def run(request: pytest.FixtureRequest) -> LoadRun:
    """Overloaded and left in the middle: without a cache requests wait at the door and inside; at the higher
    rate on both servers."""
    cost = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])
    load = LoadRun(
        LoadSpec(seed=3, rate=request.param, num_requests=900), EngineConfig(num_blocks=1025), cost
    )
    load.advance(seconds=8.0)
    return load


def plainly(run: LoadRun, server: Server, side: Side, numbers: list[int]) -> dict[str, object]:
    door = {arrival.number: arrival.at_s for arrival in server.door}
    ttft, waiting = [], []
    for number in numbers:
        came = door.get(number, float(side.arrival_s[number]))
        first = float(side.first_s[number])
        if first == first:
            ttft.append(first - came)
        elif came == came:
            waiting.append(server.now_s - came)
    late = sum(wait > LEVEL_S for wait in ttft)
    late_already = sum(wait > LEVEL_S for wait in waiting)
    known = len(ttft) + late_already
    return {
        "answered": len(ttft),
        "waiting": len(waiting),
        "late": (late + late_already) / known if known else None,
        "median": sorted(ttft)[len(ttft) // 2] if len(ttft) % 2 else None,
    }


def test_every_kind_on_both_servers(run: LoadRun) -> None:
    rows, records = run.by_kind(LEVEL_S), run.records
    assert rows[0].kind is None
    stream, kinds = run.new_stream(), list[str]()
    come = run.cached.num_taken
    for _ in range(max(come, run.plain.num_taken)):  # an open stream: both servers take them in this order
        kinds.append(stream.take().kind)
    if run.spec.rate > 50:
        assert len(kinds) > np.count_nonzero(records.kind >= 0), "some stand at both doors"
    assert rows[0].num_requests == sum(row.num_requests for row in rows[1:]) == come
    assert run.summary().num_arrived == come
    assert rows[0].without_cache.num_waiting > 100
    for row in rows:
        mine = [number for number, kind in enumerate(kinds) if row.kind in (None, kind)]
        assert row.num_requests == sum(number < come for number in mine)
        sides: tuple[tuple[Server, Side, KindSide], ...] = (
            (run.cached, records.cached, row.with_cache),
            (run.plain, records.plain, row.without_cache),
        )
        for server, side, told in sides:
            plain = plainly(run, server, side, mine)
            assert (told.num_answered, told.num_waiting) == (plain["answered"], plain["waiting"])
            assert told.late.value == plain["late"]
            if plain["median"] is not None:
                assert told.ttft_p50.value == pytest.approx(plain["median"])
        let_in = [number for number in mine if records.cached.hit[number] >= 0]
        asked = sum(int(records.num_prompt[number]) for number in let_in)
        hits = sum(int(records.cached.hit[number]) for number in let_in)
        assert row.hit_rate.value == (hits / asked if asked else None)
    assert rows[0].hit_rate.value == run.summary().hit_rate.value


def test_nothing_is_told_of_nothing() -> None:
    cost = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])
    fresh = LoadRun(LoadSpec(num_requests=5), EngineConfig(num_blocks=1025), cost)
    assert fresh.by_kind(LEVEL_S) == ()
    fresh.plain.run_until(1e9)  # only one side has anything to tell
    row = fresh.by_kind(LEVEL_S)[0]
    assert row.hit_rate.value is None
    assert row.with_cache.late.value is None
    assert row.with_cache.ttft_p95.value is None
    assert row.without_cache.num_answered == 5


@pytest.mark.parametrize("mix", ["agents", "chat"])
def test_clients_who_wait_are_counted_not_numbered(mix: str) -> None:
    """Clients overtake one another, so the highest number says little; a client has at most one open."""
    cost = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])
    spec = LoadSpec(seed=5, mix=MIXES[mix], clients=16, think_s=2.0)
    load = LoadRun(spec, EngineConfig(num_blocks=1025), cost)
    load.advance(seconds=90.0)
    summary = load.summary()
    sent = load.records.cached
    finished = sum(one == one for one in sent.finished_s.tolist())
    inside = load.cached.num_inside
    assert summary.num_arrived == finished + inside == load.by_kind(LEVEL_S)[0].num_requests
    assert inside <= 16
    assert load.records.reach > summary.num_arrived, "somebody was overtaken"


def test_what_the_cache_saves_stays_near_the_difference_of_equal_work() -> None:
    """The money rests on it. The same clients, once up to a moment, once until all of that is done."""
    cost = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])
    spec = LoadSpec(seed=5, mix=MIXES["system"], rate=6.0)
    config = EngineConfig(num_blocks=1025)
    load = LoadRun(spec, config, cost)
    load.advance(seconds=2.0)
    assert load.summary().money(Prices(), 1) is None
    load.advance(seconds=58.0)
    summary = load.summary()
    done = LoadRun(replace(spec, num_requests=summary.with_cache.num_finished), config, cost)
    while done.advance(seconds=20.0):
        pass
    busy = done.plain_meter.busy_s - done.cached_meter.busy_s
    assert summary.saved_busy.value == pytest.approx(busy, rel=0.15)
    assert (summary.saved_prefill.value or 0) > 3 * busy, "one by one on an idle GPU is more than batched"
