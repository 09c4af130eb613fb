"""What a log gains and why its requests miss: against plain second implementations, and cause by cause."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.cost import GPUS, MODELS, CostModel, Prices
from core.errors import TraceError
from core.replay.prefix_tree import Progress
from core.traces.door.read import read_trace
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traffic.analysis import Analysis, analyse, held, misses_of, over_time, savings
from core.traffic.diagnosis.ranking import find_causes
from core.traffic.examples import after_pauses, loses_most
from core.traffic.groups import Group, groups, keys_of, whole
from core.traffic.misses import Miss, equal_behind, find_misses
from core.traffic.percentiles import percentiles
from core.traffic.providers import Rule
from core.traffic.samples import KINDS, sample_log
from core.traffic.settings import Settings, block_sizes, room_for_all
from core.traffic.sweeps import (
    both_ttls,
    compare_orders,
    curve_points,
    deviation_of,
    idle_ttl,
    sweep_block_sizes,
    with_pinning,
)
from core.traffic.words import words_at
from tests.unit.core.traces.logs import common_tokens, read_rows, real

OPTIONS = ReadOptions()


def sample(kind: str = "mixed") -> Trace:
    return read_trace(TraceFile(f"{kind}.jsonl", sample_log(kind)), options=OPTIONS)


def chats(*prompts: Any, **common: Any) -> Trace:
    """One request per prompt: a text, or a whole row."""
    rows = [row if isinstance(row, dict) else {"prompt": row} for row in prompts]
    return read_trace(
        TraceFile("log", "".join(json.dumps(row | common) + "\n" for row in rows)), options=OPTIONS
    )


def random_tokens(seed: int, count: int = 30) -> Trace:
    """Prompts that share beginnings of any length, in two scopes, some of them whole blocks."""
    dice = np.random.default_rng(seed)
    prompts: list[list[int]] = []
    for _ in range(count):
        base = prompts[dice.integers(len(prompts))] if prompts and dice.random() < 0.8 else []
        kept = base[: int(dice.integers(0, len(base) + 1))]
        prompts.append([*kept, *dice.integers(0, 4, int(dice.integers(1, 12))).tolist()])
    rows = [
        {"token_ids": prompt, "timestamp": 10.0 * number, "cache_salt": str(number % 3 == 0)}
        for number, prompt in enumerate(prompts)
    ]
    return read_rows(*rows)


# -- settings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"block_size": 0},
        {"block_size": True},
        {"num_slots": 0},
        {"num_slots": 2.5},
        {"ttl_s": -1.0},
        {"in_flight": 0},
    ],
)
def test_a_setting_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TraceError) as caught:
        Settings(**wrong)
    assert caught.value.code == "traffic.setting"
    assert caught.value.values["field"] == next(iter(wrong))


def test_a_log_of_blocks_is_cut_at_multiples_of_its_own_size() -> None:
    trace = read_rows(
        *({"timestamp": 0, "input_length": 1100, "output_length": 1, "hash_ids": [1, 2, 3]},) * 2
    )
    assert block_sizes(trace) == (512, 1024, 2048, 4096)
    assert 16 in block_sizes(sample())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [1, 2, 4])
def test_room_for_all_forgets_nothing(seed: int, size: int) -> None:
    analysis = analyse(random_tokens(seed), Settings(size))
    assert analysis.hits.tolist() == analysis.possible.tolist()
    tight = analyse(random_tokens(seed), Settings(size, room_for_all(analysis.tree)))
    assert tight.hits.tolist() == analysis.possible.tolist()


@pytest.mark.parametrize(("ttl_s", "in_flight"), [(0.0, 1), (25.0, 1), (25.0, 3), (None, 3)])
def test_more_slots_than_are_of_use_are_not_made(ttl_s: float | None, in_flight: int) -> None:
    """A hundred million slots, typed beside a time to live, stopped the server for everybody."""
    trace = random_tokens(3)
    room = room_for_all(analyse(trace, Settings(2)).tree, in_flight)
    most, just, twice = (analyse(trace, Settings(2, n, ttl_s, in_flight)) for n in (10**9, room, 2 * room))
    for name in ("hit_tokens", "evicted_blocks", "admitted"):
        results = [getattr(one.result, name).tolist() for one in (most, just, twice)]
        assert results[0] == results[1] == results[2], name


# -- why did it miss -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("size", [1, 3, 4])
def test_the_best_stored_prompt_is_the_one_a_plain_search_finds(seed: int, size: int) -> None:
    trace = random_tokens(seed)
    analysis = analyse(trace, Settings(size))
    for miss in misses_of(analysis):
        request = trace.requests[miss.request]
        most = max((common_tokens(request, other) for other in trace.requests[: miss.request]), default=0)
        assert miss.common == most if miss.best is not None else most < size
        if miss.best is not None:
            assert miss.best < miss.request
            assert common_tokens(request, trace.requests[miss.best]) == most


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("slots", [8, 14, None])
def test_every_request_has_one_reason_that_fits(seed: int, slots: int | None) -> None:
    analysis = analyse(random_tokens(seed, 60), Settings(4, slots))
    for miss in misses_of(analysis):
        length = int(analysis.lengths[miss.request])
        possible, hit = int(analysis.possible[miss.request]), miss.hit_tokens
        usable = (length - 1) // 4 * 4
        assert 0 <= miss.lost <= usable - hit
        if not analysis.result.admitted[miss.request]:
            assert miss.reason == "refused"
        elif hit < possible:
            assert (miss.reason, miss.lost) == ("evicted", possible - hit)
        elif usable == 0:
            assert miss.reason == "too_short"
        elif hit == usable:
            assert miss.reason == "all"
        else:
            assert miss.reason in ("differs", "grown", "first")


def test_content_that_expired_is_not_called_evicted() -> None:
    row = {"prompt": "one two three four five six seven eight nine"}
    trace = read_rows(row | {"timestamp": 0}, row | {"timestamp": 50}, row | {"timestamp": 80})
    analysis = analyse(trace, Settings(4, None, ttl_s=40.0))
    assert analysis.result.way == "runs"
    assert [miss.reason for miss in misses_of(analysis)] == ["first", "expired", "all"]
    assert analysis.hits.tolist() == [0, 0, 8]


def test_what_is_equal_behind_a_difference_counts() -> None:
    trace = chats("At 10:01 we cook the same long recipe", "At 10:02 we cook the same long recipe")
    first, second = trace.requests
    assert common_tokens(first, second) == 3
    assert equal_behind(second, first, 3) == 6
    assert equal_behind(second, second, 3) == second.num_tokens - 3


def test_the_text_of_a_difference() -> None:
    trace = chats("Hot soup, please: two bowls", "Hot soup, please: three bowls")
    found = [words_at(request, 5, OPTIONS.tokenizer) for request in trace.requests]
    assert [(one.before, one.token, one.behind) for one in found if one is not None] == [
        ("Hot soup, please:", " two", " bowls"),
        ("Hot soup, please:", " three", " bowls"),
    ]
    assert words_at(trace.requests[0], 99, OPTIONS.tokenizer) is None


def test_a_log_of_blocks_has_reasons_but_no_text() -> None:
    rows = [
        {"timestamp": k, "input_length": 1500, "output_length": 1, "hash_ids": [1, 2, 10 + k]}
        for k in range(3)
    ]
    trace = read_rows(*rows)
    analysis = analyse(trace, Settings(512))
    misses = misses_of(analysis)
    assert [miss.reason for miss in misses] == ["first", "all", "all"]
    assert words_at(trace.requests[1], 1024, OPTIONS.tokenizer) is None
    assert find_causes(analysis, misses, OPTIONS.tokenizer) == ()


# -- numbers of a log ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_samples_are_the_same_every_time(kind: str) -> None:
    assert sample_log(kind) == sample_log(kind)
    assert sample_log(kind) != sample_log(kind, seed=8)
    trace = sample(kind)
    assert trace.num_skipped == 0
    assert all(request.arrival_s is not None and request.tenant for request in trace.requests)


def test_the_mixed_sample_in_numbers() -> None:
    """The page says these; they move when the generator does."""
    analysis = analyse(sample(), Settings(16))
    assert (len(analysis.requests), int(analysis.lengths.sum()), int(analysis.hits.sum())) == (
        247,
        141732,
        90976,
    )


def test_savings_are_those_of_each_prompt_alone() -> None:
    cost = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])
    analysis = analyse(sample("chat"), Settings(16))
    pairs = list(zip(analysis.lengths.tolist(), analysis.hits.tolist(), strict=True))
    saved = savings(analysis, cost, Prices(per_gpu_hour=3.6))
    seconds = sum(cost.saved_s(length, hit) for length, hit in pairs)
    assert saved.gpu_seconds.value == pytest.approx(seconds)
    assert saved.gpu_seconds.basis == "modelled"
    assert saved.money_by_hour.value == pytest.approx(seconds / 1000)
    assert 0 < saved.share < saved.linear_share < 1


def test_ten_users_hold_112_blocks_instead_of_400() -> None:
    rows = [{"token_ids": [*range(512), *range(1000 * k, 1000 * k + 128)]} for k in range(1, 11)]
    peak = held(analyse(read_rows(*rows), Settings(16)))
    assert (peak.shared, peak.unshared) == (112, 400)


def test_over_time_adds_up() -> None:
    analysis = analyse(sample(), Settings(16, 200))
    stretches = over_time(analysis, 12)
    assert len(stretches) == 12
    assert sum(one.num_requests for one in stretches) == len(analysis.requests)
    assert sum(one.hit_tokens for one in stretches) == int(analysis.hits.sum())
    assert [one.begins for one in stretches] == sorted(one.begins for one in stretches)
    assert len(over_time(analyse(chats("a b", "a c"), Settings(1)), 40)) == 2


def test_groups_add_up_and_are_judged() -> None:
    analysis = analyse(sample(), Settings(16))
    assert keys_of(analysis) == ("tenant", "template", "session", "hour", "hour_of_day")
    found = groups(analysis, "tenant")
    assert {one.name for one in found} == {"chat", "agent", "rag", "batch"}
    assert sum(one.hit_tokens for one in found) == int(analysis.hits.sum()) == whole(analysis).hit_tokens
    assert [one.num_tokens for one in found] == sorted((one.num_tokens for one in found), reverse=True)


@pytest.mark.parametrize(
    ("hit", "roomy", "possible", "verdict"),
    [
        (0, 0, 0, "never"),
        (50, 60, 60, "worth"),
        (5, 60, 60, "room"),
        (5, 5, 60, "longer"),
        (5, 8, 10, "little"),
    ],
)
def test_verdicts(hit: int, roomy: int, possible: int, verdict: str) -> None:
    """Of 100 tokens; the break-even lies at 21.7 %."""
    rule, length = Rule(), np.array([100])
    paid = [float(rule.paid(length, np.array([one])).sum()) for one in (hit, roomy, possible)]
    one = percentiles(length)
    assert Group("x", 1, 100, hit, possible, 0, *paid, 0, one, one).verdict() == verdict


def test_the_sweep_of_block_sizes() -> None:
    trace = sample("chat")
    points = sweep_block_sizes(trace, Settings(16))
    assert [one.block_size for one in points] == list(block_sizes(trace))
    assert all(0 <= one.rate <= one.best_rate <= 1 for one in points)
    sixteen = next(one for one in points if one.block_size == 16)
    assert sixteen.rate == pytest.approx(analyse(trace, Settings(16)).hit_rate)
    rates = [one.best_rate for one in points]
    assert rates == sorted(rates, reverse=True)  # each size divides the next


def test_orders_and_curve_agree_where_they_must() -> None:
    analysis = analyse(sample("rag"), Settings(16))
    found = compare_orders(analysis, 4)
    for (slots, rate), (_, known) in zip(found["lru"], found["clairvoyant"], strict=True):
        if analysis.curve.exact:
            assert rate == pytest.approx(analysis.curve.rate_at(slots))
        assert 0 <= known <= 1
    assert found["lru"][-1][1] == pytest.approx(analysis.best_rate)


def test_curve_points_keep_the_cliff() -> None:
    analysis = analyse(sample(), Settings(16))
    points = dict(curve_points(analysis, 10))
    cliff = analysis.curve.cliff()
    assert cliff is not None
    assert set(cliff) <= set(points)
    assert list(points.values()) == sorted(points.values())


def test_pinning_leaves_less_room() -> None:
    analysis = analyse(sample("rag"), Settings(16))
    found = with_pinning(analysis, (4,), 3)[4]
    assert all(one.way == "engine" and one.hit_rate is not None for one in found)
    for one in found:
        assert (one.hit_rate or 0) <= analysis.curve.rate_at(one.num_usable) + 0.01
    assert found[-1].hit_rate == pytest.approx(analysis.best_rate, abs=0.002)


def test_the_ttl_curve_is_thinned_at_its_ends() -> None:
    analysis = analyse(sample("chat"), Settings(16))
    points = idle_ttl(analysis, 20)
    assert len(points) <= 20
    assert points[-1][1] == pytest.approx(analysis.best_rate)
    with pytest.raises(TraceError):
        idle_ttl(analyse(chats("a b c"), Settings(1)))


def test_two_ways_to_count_a_time_to_live() -> None:
    """One prompt every four minutes: used again and again it stays for ever, or it is computed anew."""
    rows = [{"token_ids": [1, 2, 3], "timestamp": 240 * place} for place in range(5)]
    idle, absolute = both_ttls(analyse(read_rows(*rows), Settings(1)), 300)
    assert (idle, absolute) == (pytest.approx(8 / 15), pytest.approx(4 / 15))


def test_progress_is_told_and_can_stop_the_work() -> None:
    told: list[tuple[int, int | None]] = []
    analysis = analyse(sample(), Settings(16), lambda done, total: told.append((done, total)))
    assert told

    def stop(_done: int, _total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_misses(analysis.requests, analysis.tree, analysis.hits.tolist(), progress=stop)


def test_the_curves_deviation_is_measured_where_copies_arise() -> None:
    """Aligned prompts that come again make copies: the curve is beside the exact replay, and by how much."""
    exact = analyse(chats("a b c d e", "a b c d f"), Settings(2))
    assert deviation_of(exact) is None
    dice = np.random.default_rng(3)
    rows = [{"token_ids": [int(dice.integers(1, 9))] * 4 + [1, 2, 3, 4]} for _ in range(60)]
    analysis = analyse(chats(*rows), Settings(4))
    found = deviation_of(analysis, 6)
    assert found is not None
    assert not analysis.curve.exact
    for slots, curve, replayed_rate in zip(
        found.capacities, found.curve_rates, found.exact_rates, strict=True
    ):
        assert curve == analysis.curve.rate_at(slots)
        assert replayed_rate == analyse(chats(*rows), Settings(4, slots)).hit_rate
    assert found.largest == max(abs(a - b) for a, b in zip(found.curve_rates, found.exact_rates, strict=True))
    assert max(found.num_different) > 0


def test_points_of_charts_lead_to_requests_that_show_what_they_are_about() -> None:
    analysis = analyse(sample(), Settings(16))
    few = analyse(sample(), Settings(16, 150))
    losses = few.possible - few.hits
    assert losses[loses_most(analysis, analysis.curve, 150)] == losses.max() > 0
    for point in sweep_block_sizes(sample(), Settings(16, 150)):
        here = analyse(sample(), Settings(point.block_size, point.num_slots))
        others = [
            analyse(sample(), Settings(one, 150 * 16 // one)).hits[point.example]
            for one in (1, 16)
            if one != point.block_size
        ]
        assert point.block_size == 1 or here.hits[point.example] <= max(others)
    for pause, example in zip((5.0, 60.0), after_pauses(analysis.tree, (5.0, 60.0)), strict=True):
        shorter = ttl_hits(analysis, pause * 0.5)
        assert shorter[example] < ttl_hits(analysis, pause)[example]
    with pytest.raises(TraceError):
        after_pauses(analyse(chats("a b c"), Settings(1)).tree, (1.0,))


def ttl_hits(analysis: Analysis, ttl_s: float) -> Any:
    return analyse(sample(), Settings(16, None, ttl_s)).hits


def test_progress_of_long_work_is_fine_and_never_goes_back() -> None:
    """A person who presses Stop waits for the next call, so there is one every few requests."""
    analysis = analyse(sample(), Settings(16, 150))
    misses = misses_of(analysis)
    tokenizer = ReadOptions().tokenizer
    works: dict[str, Callable[[Progress], object]] = {
        "analyse": lambda tell: analyse(sample(), Settings(16, 150), tell),
        "engine": lambda tell: analyse(sample(), Settings(16, 150, 60.0), tell),
        "blocks": lambda tell: sweep_block_sizes(sample(), Settings(16, 150), tell),
        "orders": lambda tell: compare_orders(analysis, 4, tell),
        "pinning": lambda tell: with_pinning(analysis, (4,), 3, tell),
        "causes": lambda tell: find_causes(analysis, misses, tokenizer, tell),
    }
    for name, work in works.items():
        told: list[float] = []
        work(lambda done, total, told=told: told.append(done / (total or 1)))  # type: ignore[misc]
        assert told == sorted(told), name
        assert told[0] == 0, name
        assert 0.5 < told[-1] <= 1, name
        assert len(told) >= 3 * len(analysis.requests) // 64, name


def test_lengths_have_no_hit_rate() -> None:
    text = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00,10,5\n"
    trace = read_trace(TraceFile("azure.csv", text))
    with pytest.raises(TraceError) as caught:
        analyse(trace, Settings(16))
    assert caught.value.code == "trace.no_identity"


def test_the_published_conversation_trace() -> None:
    trace = read_trace(real("mooncake_conversation.jsonl"))
    analysis = analyse(trace, Settings(512))
    rates = {one.name: round(100 * (one.rate or 0), 3) for one in analysis.definitions}
    assert (rates["tokens_full"], rates["last_half"]) == (37.338, 39.811)
    misses = misses_of(analysis)
    assert sum(miss.hit_tokens for miss in misses) == int(analysis.hits.sum())
    assert {miss.reason for miss in misses} <= {"all", "differs", "grown", "unknown", "first", "too_short"}


def test_a_smaller_cache_only_adds_evictions() -> None:
    trace = sample()
    wide, narrow = (misses_of(analyse(trace, Settings(16, slots))) for slots in (None, 150))
    changed = [(a, b) for a, b in zip(wide, narrow, strict=True) if a.reason != b.reason]
    assert changed
    assert {b.reason for _, b in changed} == {"evicted"}
    same: Sequence[tuple[Miss, Miss]] = [
        (a, b) for a, b in zip(wide, narrow, strict=True) if a.reason == b.reason
    ]
    assert all(replace(a, lost=0) == replace(b, lost=0) for a, b in same if b.reason != "evicted")


def test_an_analysis_is_frozen() -> None:
    analysis: Analysis = analyse(chats("a b c"), Settings(1))
    with pytest.raises(AttributeError):
        analysis.name = "x"  # type: ignore[misc]
