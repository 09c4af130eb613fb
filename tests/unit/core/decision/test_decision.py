"""The decision sheet against a second plain reading: whole loads, sorting, counting by hand."""

from __future__ import annotations

import gc
from dataclasses import replace
from functools import cache
from math import isnan
from typing import Any
from weakref import ref

import numpy as np
import pytest

from core.cost import GPUS, MODELS, CostModel, Prices
from core.cost.model import GIB
from core.decision import (
    UNLIMITED,
    Knee,
    Outcome,
    Sheet,
    SheetSpec,
    Work,
    gather,
    measure,
    measuring,
    next_work,
    plan,
    sizes_for,
)
from core.decision import work as runs
from core.errors import ConfigError
from core.load import KINDS, LoadRun, LoadSpec
from core.load.records import Side
from core.load.server import Server
from core.types import EngineConfig

COST = CostModel(MODELS["Llama-3-8B"], GPUS["A100"])
SPEC = SheetSpec(
    load=LoadSpec(num_prefixes=8),
    config=EngineConfig(),
    cost=COST,
    sizes_gib=(1.5, 3.0, 6.0),
    rate=16.0,
    gpus=(1, 2, 3),
    seeds=(3, 4, 5),
    num_requests=250,
)
CLIENTS = replace(SPEC, load=replace(SPEC.load, clients=33, think_s=1.0))


@cache
def ran(work: Work, clients: bool = False) -> Outcome:
    return measure(CLIENTS if clients else SPEC, work)


def whole_load(spec: SheetSpec, work: Work) -> LoadRun:
    """The same cell as a load with both servers; the one without a cache has the pool of the largest size."""
    rate = spec.rate / work.gpus
    clients = spec.load.clients
    if clients is not None:
        clients = clients // work.gpus + (1 if clients % work.gpus else 0)
    load = replace(spec.load, seed=work.seed, rate=rate, clients=clients, num_requests=spec.num_requests)
    gib = spec.sizes_gib[-1] if work.gib is None else work.gib
    blocks = int(gib * GIB / (16 * COST.model.kv_bytes_per_token))
    run = LoadRun(load, EngineConfig(num_blocks=blocks + 1), COST)
    while run.advance(seconds=100.0):
        pass
    return run


def sorted_quantile(values: list[float], share: float) -> float:
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


@pytest.mark.parametrize("clients", [False, True])
@pytest.mark.parametrize("work", [Work(2, 1.5, 3), Work(3, None, 4), Work(1, 6.0, 5)], ids=str)
def test_a_cell_is_one_server_of_a_whole_load(work: Work, clients: bool) -> None:
    spec = CLIENTS if clients else SPEC
    outcome, run = ran(work, clients), whole_load(spec, work)
    side: Side = run.records.plain if work.gib is None else run.records.cached
    counted = range(100, 250)  # two fifths warm up
    ttft = [float(side.first_s[n] - side.arrival_s[n]) for n in counted]
    assert outcome.ttft_s.tolist() == ttft
    assert outcome.quantile(0.95) == pytest.approx(sorted_quantile(ttft, 0.95))
    assert outcome.quantile(0.5) == pytest.approx(sorted_quantile(ttft, 0.5))
    level = sorted_quantile(ttft, 0.8)
    assert outcome.over(level) == sum(wait > level for wait in ttft) / 150
    hits, asked = sum(int(side.hit[n]) for n in counted), sum(int(run.records.num_prompt[n]) for n in counted)
    assert outcome.hit_rate == hits / asked
    assert (hits > 0) == (work.gib is not None)
    last = range(250 - (run.spec.clients or 1), 250)
    start, end = min(side.arrival_s[n] for n in counted), min(side.arrival_s[n] for n in last)
    done = sum(1 for n in range(250) if start < side.finished_s[n] <= end)
    waited = sum(max(min(side.admitted_s[n], end) - max(side.arrival_s[n], start), 0) for n in range(250))
    assert outcome.throughput == pytest.approx(done / (end - start))
    assert outcome.queue == pytest.approx(waited / (end - start))


def test_each_server_has_its_part() -> None:
    assert [SPEC.share_of(gpus, 3).rate for gpus in (1, 2, 3)] == [16.0, 8.0, 16 / 3]
    assert [CLIENTS.share_of(gpus, 3).clients for gpus in (1, 2, 3)] == [33, 17, 11]
    assert {SPEC.share_of(2, seed).seed for seed in SPEC.seeds} == set(SPEC.seeds)


def test_more_room_more_hits_and_more_gpus_less_waiting() -> None:
    for seed in SPEC.seeds:
        rates = [ran(Work(2, gib, seed)).hit_rate for gib in (*SPEC.sizes, UNLIMITED)]
        assert rates == sorted(rates)
        assert rates[0] < rates[2]
        waits = [ran(Work(gpus, None, seed)).quantile(0.95) for gpus in SPEC.gpus if gpus != 2]
        assert waits == sorted(waits, reverse=True)


def test_an_unlimited_cache_forgets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    real = Server.run_until

    def watched(server: Server, horizon_s: float) -> None:
        real(server, horizon_s)
        seen.append(sum(server.engine.view.num_evicted.values()))

    monkeypatch.setattr(Server, "run_until", watched)
    capped = replace(SPEC, config=replace(SPEC.config, cache_cap=90, ttl=2000))
    free, bound = (measure(spec, Work(2, UNLIMITED, 3)) for spec in (SPEC, capped))
    assert free.hit.tolist() == bound.hit.tolist(), "neither cap nor time to live"
    assert seen[-1] == 0
    measure(SPEC, Work(2, 1.5, 3))
    assert seen[-1] > 0


def test_a_run_that_is_left_early_says_at_least() -> None:
    """Its numbers are lower bounds of those of the whole run; it is over every level up to the ceiling."""
    spec = replace(SPEC, rate=60.0, num_requests=600, ceiling_s=2.0)
    work = Work(1, None, 3)
    short, whole = measure(spec, work), measure(replace(spec, ceiling_s=1e6), work)
    assert short.stopped
    assert not whole.stopped
    assert 2.0 < short.quantile(0.95) <= whole.quantile(0.95)
    assert short.quantile(0.5) <= whole.quantile(0.5)
    for level in (0.1, 1.0, 2.0):
        assert short.over(level) <= whole.over(level)
        assert not short.holds(level)
        assert not whole.holds(level)
    assert isnan(short.hit_rate)
    assert isnan(short.queue)
    sheet = gather(spec, [short])
    cell = sheet.cell(1, None)
    assert cell is not None
    assert cell.ttft_p95 is not None
    assert cell.ttft_p95.at_least
    assert cell.holds(2.0) == (0, 1)


def test_a_size_that_a_request_does_not_fit_into_is_too_small() -> None:
    spec = replace(SPEC, sizes_gib=(0.02, 3.0))
    outcome = measure(spec, Work(2, 0.02, 3))
    assert outcome.blocks == 10
    assert outcome.too_small is not None
    assert outcome.too_small > 10
    sheet = gather(spec, [outcome])
    point = sheet.point(2, 0.02)
    assert (point.too_small, point.hit_rate, point.over(1.0)) == (outcome.too_small, None, None)
    assert sheet.fewest(0.02, 9.0).gpus is None
    assert not outcome.holds(9.0)


# -- what all of them say ------------------------------------------------------------------------------


def made_up(work: Work, hit: int, waits: list[float], *, stopped: bool = False) -> Outcome:
    """A run of requests of 100 prompt tokens each, all chats."""
    size = len(waits)
    kind, prompt = np.full(size, KINDS.index("chat"), np.int8), np.full(size, 100, np.int32)
    return Outcome(
        work, 9, None, stopped, kind, prompt, np.full(size, hit, np.int32), np.array(waits), 1.0, 2.0
    )


def sheet_of(rates: dict[float, list[int]], spec: SheetSpec = SPEC) -> Sheet:
    """Curves with these hits of 100 tokens, one a seed."""
    return gather(
        spec,
        [
            made_up(Work(2, gib, seed), hit, [0.1] * 20)
            for gib, hits in rates.items()
            for seed, hit in zip(spec.seeds, hits, strict=False)
        ],
    )


def knee_of(rates: dict[float, list[int]]) -> Knee | None:
    return sheet_of(rates).knee(2)


def test_the_knee_by_hand() -> None:
    """From 30 to 80 in the median, 90 % of the way is 75: the middle size has 75, or 74."""
    knee = knee_of({1.5: [30, 20, 79], 3.0: [75, 60, 76], 6.0: [79, 78, 80], UNLIMITED: [80, 78, 81]})
    assert knee is not None
    assert (knee.gib, knee.flat, knee.least, knee.possible, knee.num_seeds) == (3.0, False, 0.3, 0.8, 3)
    assert knee.best_share == pytest.approx(49 / 50)
    later = knee_of({1.5: [30] * 3, 3.0: [74] * 3, 6.0: [79] * 3, UNLIMITED: [80] * 3})
    assert later is not None
    assert later.gib == 6.0
    none = knee_of({1.5: [10] * 3, 3.0: [20] * 3, 6.0: [45] * 3, UNLIMITED: [80] * 3})
    assert none is not None
    assert none.gib is None
    assert none.best_share == pytest.approx(0.5)


def test_a_flat_line_has_no_knee() -> None:
    for high, flat in ((94, True), (95, False)):
        knee = knee_of({1.5: [90] * 3, 3.0: [high] * 3, 6.0: [high] * 3, UNLIMITED: [high] * 3})
        assert knee is not None
        assert (knee.flat, knee.gib) == (flat, None if flat else 3.0)


def test_the_knee_rests_on_whole_seeds_only() -> None:
    """Of the second seed the largest size is still to come: with it the median would be another."""
    knee = knee_of({1.5: [20, 70], 3.0: [76, 20], 6.0: [77], UNLIMITED: [80, 80]})
    assert knee is not None
    assert (knee.gib, knee.num_seeds) == (3.0, 1)
    assert knee_of({1.5: [75], 3.0: [76], 6.0: [77]}) is None, "what is possible is not known yet"


def test_bands_are_least_median_most_of_the_seeds_there_are() -> None:
    point = sheet_of({3.0: [30, 50, 31]}).point(2, 3.0)
    band = point.hit_rate
    assert band is not None
    assert (band.low, band.mid, band.high, band.num_seeds) == (0.3, 0.31, 0.5, 3)
    some = sheet_of({3.0: [30, 50]}).point(2, 3.0)
    assert some.hit_rate is not None
    assert (some.hit_rate.mid, some.hit_rate.num_seeds) == (0.4, 2)
    assert sheet_of({}).points(2)[0].ttft_p95 is None


def test_fewest_gpus_need_every_seed() -> None:
    def cell(gpus: int, waits: list[float]) -> list[Outcome]:
        works = [Work(gpus, 3.0, seed) for seed in SPEC.seeds]
        return [made_up(work, 5, [wait] * 20) for work, wait in zip(works, waits, strict=False)]

    one, two, three = cell(1, [0.2, 0.2, 0.4]), cell(2, [0.2, 0.3, 0.3]), cell(3, [0.1, 0.1, 0.1])
    sheet = gather(SPEC, [*one, *two, *three])
    assert (sheet.fewest(3.0, 0.3).gpus, sheet.fewest(3.0, 0.3).settled) == (2, True)
    assert (sheet.fewest(3.0, 0.4).gpus, sheet.fewest(3.0, 0.15).gpus) == (1, 3)
    first = sheet.cell(1, 3.0)
    assert first is not None
    assert first.holds(0.3) == (2, 3)
    assert sheet.fewest(3.0, 0.01) == replace(sheet.fewest(3.0, 0.3), gpus=None)
    known = gather(SPEC, [one[2], *two]).fewest(3.0, 0.3)
    assert (known.gpus, known.settled) == (2, True), "one seed over the level is enough to know"
    unknown = gather(SPEC, [one[0], *two]).fewest(3.0, 0.3)
    assert (unknown.gpus, unknown.settled) == (2, False)
    assert gather(SPEC, []).fewest(3.0, 0.3) == replace(unknown, gpus=None)


def test_kinds_of_traffic_add_up_to_the_cell() -> None:
    outcomes = [ran(Work(2, 3.0, seed)) for seed in SPEC.seeds]
    rows = gather(SPEC, outcomes).kinds(2, 3.0)
    assert sum(row.num_requests for row in rows) == 3 * 150
    for row in rows:
        place, rates = KINDS.index(row.kind), []
        for one in outcomes:
            mine = [n for n in range(150) if one.kind[n] == place]
            asked = sum(int(one.num_prompt[n]) for n in mine)
            rates += [sum(int(one.hit[n]) for n in mine) / asked] if mine else []
        assert row.hit_rate is not None
        assert (row.hit_rate.low, row.hit_rate.mid, row.hit_rate.high) == tuple(
            np.quantile(rates, [0, 0.5, 1])
        )


# -- the plan, the machine, the money ------------------------------------------------------------------


def test_the_plan_runs_every_cell_with_the_same_seeds_once() -> None:
    works = plan(SPEC)
    cells = {(gpus, gib, seed) for gpus in SPEC.gpus for gib in (None, *SPEC.sizes) for seed in SPEC.seeds}
    unlimited = {(gpus, UNLIMITED, seed) for gpus in SPEC.gpus for seed in SPEC.seeds}
    assert len(works) == len(cells | unlimited)
    assert {(work.gpus, work.gib, work.seed) for work in works} == cells | unlimited


def test_what_decides_comes_first() -> None:
    """One GPU fails with either seed, two hold from 3 GiB on, three without a cache: nothing else is asked
    before that stands; then come the curves on two GPUs."""

    def wait(work: Work) -> float:
        return 0.1 if work.gpus >= (3 if work.gib is None else 2 if work.gib >= 3 else 3) else 0.5

    found: dict[Work, Outcome] = {}
    order = []
    while work := next_work(SPEC, found, 0.3, gather(SPEC, found.values()).leading(0.3)):
        found[work] = made_up(work, 5, [wait(work)] * 20)
        order.append(work)
        sheet = gather(SPEC, found.values())
        if sheet.finding(0.3).settled and sheet.fewest(None, 0.3).settled:
            break
    one, seeds = SPEC.seeds[0], SPEC.seeds
    first = [Work(1, gib, one) for gib in SPEC.sizes] + [Work(2, 1.5, one)]
    first += [Work(2, 3.0, seed) for seed in seeds] + [Work(1, None, one), Work(2, None, one)]
    assert order == first + [Work(3, None, seed) for seed in seeds]
    finding = sheet.finding(0.3)
    assert (finding.gpus, finding.gib, sheet.leading(0.3)) == (2, 3.0, 2)
    while work := next_work(SPEC, found, 0.3, 2):
        found[work] = made_up(work, 5, [wait(work)] * 20)
        order.append(work)
    assert [work.gpus for work in order[len(first) + 3 :][:10]] == [2] * 10, "fifteen less the five above"
    assert sorted(map(repr, order)) == sorted(map(repr, plan(SPEC)))


def test_only_sizes_beside_the_weights() -> None:
    free = 80 - 0.1 * 80 - 2 * COST.model.num_params / GIB
    assert SPEC.free_gib == pytest.approx(free)
    assert replace(SPEC, sizes_gib=(3.0, free, free + 0.01)).sizes == (3.0, free)
    large = replace(SPEC, cost=CostModel(MODELS["Qwen2.5-72B"], GPUS["A100"]))
    assert (large.sizes, plan(large)) == ((), ())
    assert sizes_for(large.load, large.cost) == ()
    spread = replace(large, cost=CostModel(MODELS["Qwen2.5-72B"], GPUS["A100"], 4))
    assert spread.sizes == SPEC.sizes_gib
    assert spread.blocks(3.0) == int(4 * 3.0 * GIB / (16 * spread.cost.model.kv_bytes_per_token))
    assert spread.cards(2) == 8


def test_the_month_at_ones_own_price() -> None:
    sheet = gather(SPEC, [])
    assert sheet.monthly(2, Prices(per_gpu_hour=2.5)).value == 2 * 2.5 * 730
    spread = gather(replace(SPEC, cost=replace(COST, num_gpus=4)), [])
    assert spread.monthly(2, Prices(per_gpu_hour=2.5)).value == 8 * 2.5 * 730


@pytest.mark.parametrize(
    ("name", "value"),
    [("sizes_gib", ()), ("sizes_gib", (3.0, 2.0)), ("gpus", (0, 2)), ("seeds", (1, 1)), ("rate", 0),
     ("num_requests", 10), ("ceiling_s", float("nan"))],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ConfigError) as caught:
        replace(SPEC, **{name: value})
    assert caught.value.code == f"sheet.{name}"


ROOMY = replace(SPEC, sizes_gib=(24.0, 48.0), num_requests=100)


@pytest.mark.parametrize("work", [Work(2, 48.0, 3), Work(2, None, 3)], ids=str)
def test_of_a_pool_only_what_the_run_can_touch_is_built(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """One link must not take a server's memory: 64 GPUs hold millions of blocks, the run touches some."""
    built = []
    real = runs.Server

    def watched(config: EngineConfig, *rest: Any) -> Server:
        built.append(config.num_blocks)
        return real(config, *rest)

    monkeypatch.setattr(runs, "Server", watched)
    whole = measure(ROOMY, work)
    monkeypatch.setattr(runs, "LARGE", 10)
    part = measure(ROOMY, work)
    assert built[1] < built[0] / 2
    assert built[0] == whole.blocks + 1 == part.blocks + 1
    assert part.ttft_s.tolist() == whole.ttft_s.tolist()
    assert part.hit.tolist() == whole.hit.tolist()
    assert (part.queue, part.throughput) == (whole.queue, whole.throughput)
    monkeypatch.setattr(runs, "MOST_BLOCKS", 100)
    with pytest.raises(ConfigError) as error:
        measure(ROOMY, work)
    assert error.value.values["field"] == "block_size"


def test_a_run_can_be_left_in_the_middle() -> None:
    """Its pieces are small, and two runs that take turns get in nobody's way."""
    first, second = Work(2, 1.5, 3), Work(2, 3.0, 4)
    under_way = {work: measuring(SPEC, work) for work in (first, second)}
    outcomes, num_pieces = {}, 0
    while under_way:
        for work, pieces in tuple(under_way.items()):
            try:
                next(pieces)
                num_pieces += 1
            except StopIteration as end:
                outcomes[work] = end.value
                del under_way[work]
    assert num_pieces > 250  # 250 requests, 8 a second: some 30 modelled seconds each
    for work in (first, second):
        assert outcomes[work].ttft_s.tolist() == ran(work).ttft_s.tolist()
        assert outcomes[work].queue == ran(work).queue


def test_a_run_that_is_over_or_left_lets_go_of_its_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = []
    real = runs.Server

    def watched(*given: Any) -> Server:
        server = real(*given)
        pools.append(ref(server.engine.view))
        return server

    monkeypatch.setattr(runs, "Server", watched)
    gc.disable()
    try:
        measure(ROOMY, Work(2, 24.0, 3))
        left = measuring(ROOMY, Work(2, 24.0, 3))
        while len(pools) < 2:
            next(left)
        assert pools[1]() is not None
        left.close()
        assert [pool() for pool in pools] == [None, None]
    finally:
        gc.enable()
