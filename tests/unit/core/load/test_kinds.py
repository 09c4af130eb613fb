"""A load kind by kind against a service level, counted once more request by request."""

from __future__ import annotations

import pytest

from core.cost import GPUS, MODELS, CostModel
from core.load import KINDS, KindSide, LoadRun, LoadSpec
from core.load.records import Side
from core.load.server import Server
from core.types import EngineConfig

LEVEL_S = 0.4


@pytest.fixture(scope="module")
def run() -> LoadRun:
    """Overloaded without a cache, and left in the middle: requests wait at the door and inside."""
    cost = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])
    load = LoadRun(LoadSpec(seed=3, rate=30.0, num_requests=400), EngineConfig(num_blocks=1025), cost)
    load.advance(seconds=10.0)
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
    assert rows[0].num_requests == sum(row.num_requests for row in rows[1:]) == records.num_arrived
    assert rows[0].without_cache.num_waiting > 100
    for row in rows:
        mine = [
            number
            for number in range(records.num_arrived)
            if row.kind is None or KINDS[records.kind[number]] == row.kind
        ]
        assert row.num_requests == len(mine)
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
