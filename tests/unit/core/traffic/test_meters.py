"""What engines counted, as differences: against runs whose truth is known, and the logs that people sent."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from core.traces.door.read import read_trace
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traffic.meters.fleet import fewer, fleet_of
from core.traffic.meters.runs import Step
from core.traffic.meters.summary import counters_summary
from core.traffic.meters.tally import Tally
from tests.unit.core.traces.metrics_pages import FAMILIES, page, run

COUNTERS = Path(__file__).resolve().parents[3] / "data" / "counters"
Json = dict[str, Any]


def summary_of(*texts: str) -> Json:
    return said(read_trace([TraceFile(f"log{place}", text) for place, text in enumerate(texts)]))


def said(trace: Trace) -> Json:
    found = counters_summary(trace)
    assert found is not None
    return found


def from_file(*names: str) -> Json:
    return said(read_trace([COUNTERS / name for name in names]))


def vllm(queries: float, hits: float, engine: int = 0, more: str = "") -> str:
    labels = f'{{engine="{engine}"}}'
    pair = f"vllm:prefix_cache_queries_total{labels} {queries}\nvllm:prefix_cache_hits_total{labels} {hits}\n"
    return pair + more.replace("LABELS", labels)


# -- runs whose truth is known -----------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(6))
def test_the_rate_of_the_run_whatever_the_pages_look_like(family: str, seed: int) -> None:
    dice = random.Random(f"{family}{seed}")
    engines = [str(number) for number in range(dice.randrange(1, 5))]
    pages, truth = run(dice, FAMILIES[family], engines, dice.randrange(2, 30))
    timed, shuffled = dice.random() < 0.5, dice.random() < 0.5
    texts = []
    for number, samples in enumerate(pages):
        lines = page(dice, samples, f" {1770000000 + 15 * number}.5" if timed else "", shuffled)
        texts.append(dice.choice(("\n", "\r\n")).join(lines))
    if timed:
        dice.shuffle(texts)
    pasted = dice.choice(("\n", "\n\n", "\n# EOF\n")).join(texts)
    for found in (summary_of(pasted), summary_of(*texts)):
        assert found["period"] == "run"
        assert found["reported_rate"] == pytest.approx(truth.rate)
        by_name = {one["engine"].split("engine=")[1].split(",")[0]: one for one in found["engines"]}
        for engine in engines:
            one = by_name[engine]
            assert (one["queries"], one["hits"]) == (truth.queries[engine], truth.hits[engine])
            assert len(one["restarts"]) == truth.restarts.get(engine, 0)
        for field in ("queries", "hits"):
            assert sum(step[field] for step in found["intervals"]) == found["fleet"][field]


@pytest.mark.parametrize("seed", range(150))
def test_damaged_pages_never_give_an_impossible_rate(seed: int) -> None:
    dice = random.Random(seed)
    pages, _ = run(dice, FAMILIES[dice.choice(list(FAMILIES))], ["0", "1"], 6)
    data = bytearray("\n".join("\n".join(page(dice, one)) for one in pages).encode())
    for _ in range(dice.randrange(1, 30)):
        place = dice.randrange(len(data))
        data[place : place + dice.randrange(3)] = bytes([dice.randrange(9, 127)])
    options = ReadOptions(skip_broken=True)
    trace = read_trace(TraceFile("log", bytes(data)), format_name="engine_metrics", options=options)
    found = said(trace)
    for one in (found["fleet"], *found["engines"], *found["intervals"]):
        for name in ("local_rate", "external_rate", "any_rate"):
            assert one[name] is None or 0 <= one[name] <= 1


# -- what people sent --------------------------------------------------------------------------------------


def test_own_and_external_hits_of_two_engines() -> None:
    found = from_file("l01-two-engines-external.metrics.txt")
    assert [round(one["local_rate"], 4) for one in found["engines"]] == [0.3282, 0.10]
    assert [round(one["any_rate"], 4) for one in found["engines"]] == [0.8205, 0.55]
    assert round(found["fleet"]["local_rate"], 4) == 0.2201
    assert round(found["fleet"]["any_rate"], 4) == 0.6924
    assert (found["period"], found["engines"][0]["external_rate"]) == ("since_start", 21888 / 29868)


@pytest.mark.parametrize(
    ("names", "rate", "period"),
    [
        (("l02-before.metrics.txt", "l02-after.metrics.txt"), 0.05, "run"),
        (("l02-after.metrics.txt", "l02-before.metrics.txt"), 0.05, "run"),  # as a shell sorts them
        (("l02-both-pasted.metrics.txt",), 0.05, "run"),
        (("l02b-old-names.metrics.txt",), 0.32, "since_start"),
        (("l02c-openmetrics.metrics.txt",), 0.32, "since_start"),
        (("l12-sglang-server.log",), 460 / 596, "lines"),
        (("l11-vllm-server.log",), None, "said"),
    ],
)
def test_reported_rates(names: tuple[str, ...], rate: float | None, period: str) -> None:
    found = from_file(*names)
    assert (found["reported_rate"], found["period"]) == (rate, period)


def test_vllm_s_window_is_said_and_not_added_up() -> None:
    (engine,) = from_file("l11-vllm-server.log")["engines"]
    assert (engine["said"]["window"], engine["said"]["window_requests"]) == ("last_requests", 1000)
    assert (engine["said"]["first"], engine["said"]["last"], engine["local_rate"]) == (0.322, 0.33, None)
    assert [point["at_s"] for point in engine["said"]["points"]] == [0, 10]


# -- beginnings and ends -----------------------------------------------------------------------------------


def test_a_counter_that_falls_counts_from_zero_and_says_where() -> None:
    found = summary_of(vllm(1000, 900) + vllm(1200, 910) + "# junk\n" + vllm(50, 40) + vllm(150, 90))
    (engine,) = found["engines"]
    assert (engine["queries"], engine["hits"]) == (200 + 50 + 100, 10 + 40 + 50)
    assert engine["restarts"] == [{"at": 3, "file": "log0", "line": 6, "at_s": None}]
    assert [step["restart"] for step in found["intervals"]] == [False, True, False]


def test_a_birth_that_moves_is_a_restart_though_nothing_fell() -> None:
    birth = "vllm:prefix_cache_queries_createdLABELS 17{}\n"
    text = vllm(100, 50, more=birth.format("00000000")) + vllm(300, 60, more=birth.format("00009000"))
    (engine,) = summary_of(text)["engines"]
    assert (engine["queries"], engine["hits"], len(engine["restarts"])) == (300, 60, 1)


def test_an_engine_first_seen_in_the_middle_counts_from_there_and_one_that_goes_until_it_went() -> None:
    found = summary_of(
        vllm(100, 50, 0) + vllm(500, 100, 1),
        vllm(200, 90, 0) + vllm(600, 150, 1) + vllm(40, 10, 2),
        vllm(300, 130, 0) + vllm(90, 30, 2),
    )
    zero, one, two = found["engines"]
    assert (zero["queries"], one["queries"], two["queries"]) == (200, 100, 50)
    assert (two["appeared"]["at"], two["birth"]) == (2, "unknown")
    assert (one["vanished"]["at"], zero["appeared"]) == (3, None)
    assert found["fleet"]["hits"] == 80 + 50 + 20
    assert found["fleet"]["if_new"]["hits"] == 80 + 50 + 30
    assert (found["fleet"]["same_span"], found["fleet"]["is_difference"]) == (False, False)


def test_what_an_engine_had_counted_before_it_is_seen_is_no_part_of_the_run() -> None:
    """90 million tokens of weeks before made 10 % into 98.89 %."""
    late = vllm(90_000_000, 89_000_000, 1)
    found = summary_of(vllm(1000, 500), vllm(2000, 600) + late)
    assert (found["reported_rate"], found["fleet"]["num_left_out"], found["fleet"]["num_unproved"]) == (
        0.1,
        1,
        1,
    )
    assert found["fleet"]["if_new"]["local_rate"] == 89_000_100 / 90_001_000
    assert found["fleet"]["is_difference"] is True


@pytest.mark.parametrize(("began", "birth", "queries"), [(30, "proved", 1040), (-9000, "disproved", 1000)])
def test_a_time_of_birth_decides(began: int, birth: str, queries: int) -> None:
    def at(text: str, second: int) -> str:
        return text.replace("\n", f" {1_770_000_000 + second}\n")

    born = f'vllm:prefix_cache_queries_created{{engine="1"}} {1_770_000_000 + began}\n'
    found = summary_of(at(vllm(1000, 500), 0), at(vllm(2000, 600) + vllm(40, 10, 1) + born, 60))
    assert (found["engines"][1]["birth"], found["fleet"]["queries"]) == (birth, queries)
    assert (found["fleet"]["if_new"], found["fleet"]["num_from_zero"]) == (None, int(birth == "proved"))


def test_what_was_subtracted_from_what() -> None:
    """Per log: how many scrapes show the sum's engines, whether it is last minus first, what else it is."""

    def how(*texts: str) -> tuple[object, ...]:
        fleet = summary_of(*texts)["fleet"]
        return tuple(fleet[name] for name in ("num_shown", "is_difference", "num_restarts", "same_span"))

    first, second = vllm(1000, 500), vllm(2000, 600)
    assert how(first, second, vllm(3000, 700)) == (3, True, 0, True)
    assert how(first, second, vllm(300, 60)) == (3, False, 1, True)
    assert how(first, second, vllm(9000, 8000, 7)) == (2, True, 0, True)  # the third is of another engine
    assert how(first, vllm(9000, 900, 1)) == (2, False, 0, False)
    assert how(first + vllm(10, 5, 1), second + vllm(20, 9, 1), vllm(3000, 700)) == (3, False, 0, False)


def test_engines_that_were_watched_for_different_times() -> None:
    def at(text: str, hours: int) -> str:
        return text.replace("\n", f" {1_770_000_000 + 3600 * hours}000\n")

    pages = (
        at(vllm(1000, 500), 0),
        at(vllm(3000, 600), 1),
        at(vllm(50, 50, 1), 0),
        at(vllm(10050, 9050, 1), 25),
    )
    fleet = summary_of(*pages)["fleet"]
    assert (fleet["watched_s"], fleet["queries"], fleet["same_span"]) == ([3600, 25 * 3600], 12000, False)


def test_a_counter_that_was_not_born_yet_counts_from_zero() -> None:
    """SGLang's page has its gauges from the start, its counters from the first request on."""
    usage = "sglang:token_usage 0.1\n"
    (engine,) = summary_of(usage, usage + "sglang:prompt_tokens_total 50\nsglang:cached_tokens_total 5\n")[
        "engines"
    ]
    assert (engine["period"], engine["queries"], engine["hits"]) == ("run", 50, 5)


def test_an_old_engine_that_was_missing_once_does_not_count_from_zero() -> None:
    def sample(name: str, pod: str, value: int, at: int) -> str:
        return f'vllm:prefix_cache_{name}{{pod="{pod}"}} {value} {1770000000 + at}\n'

    text = sample("queries", "a", 10, 0) + sample("hits", "a", 1, 0)
    text += sample("queries", "a", 20, 15) + sample("hits", "a", 2, 15)
    text += sample("queries", "b", 9000, 15) + sample("hits", "b", 1, 15)
    text += sample("queries_created", "b", 1760000000, 15)
    found = summary_of(text)
    assert found["fleet"]["queries"] == 10
    assert found["engines"][1]["period"] == "since_start"


def test_files_of_different_engines_are_no_restart_and_no_birth() -> None:
    """Two hosts, before and after: the second host's first page is where it begins, not its whole life."""
    found = summary_of(vllm(100, 50, 0), vllm(900, 800, 1), vllm(200, 60, 0), vllm(1000, 890, 1))
    assert (found["fleet"]["queries"], found["fleet"]["hits"], found["restarts"]) == (200, 100, [])


def test_a_gap_is_bridged() -> None:
    found = summary_of(vllm(10, 1, 0) + vllm(5, 1, 1), vllm(9, 2, 1), vllm(30, 5, 0) + vllm(9, 2, 1))
    zero = found["engines"][0]
    assert (zero["queries"], zero["hits"], zero["appeared"], zero["vanished"]) == (20, 4, None, None)
    assert [place["at"] for place in zero["missing"]] == [2]
    assert found["engines"][1]["missing"] == []


def test_more_hits_than_queries_is_no_rate_and_in_no_sum() -> None:
    found = summary_of(vllm(10, 20, 0) + vllm(10, 5, 1))
    assert [one["local_rate"] for one in found["engines"]] == [None, 0.5]
    assert found["engines"][0]["why"] == "contradictory"
    assert (found["reported_rate"], found["fleet"]["num_left_out"]) == (0.5, 1)
    nothing = summary_of(vllm(10, 5) + vllm(10, 5))
    assert (nothing["reported_rate"], nothing["fleet"]["why"]) == (None, "nothing_asked")


def test_a_store_and_a_frontend_are_not_added_to_the_engines() -> None:
    store = "lmcache:num_requested_tokens_total 70\nlmcache:num_hit_tokens_total 7\n"
    front = "dynamo_frontend_input_sequence_tokens_sum 100\ndynamo_frontend_cached_tokens_sum 30\n"
    found = summary_of(vllm(100, 40) + store + front)
    assert (found["reported_rate"], found["fleet"]["queries"]) == (0.4, 100)
    assert summary_of(store)["reported_rate"] == 0.1
    assert summary_of(front)["reported_rate"] == 0.3


def test_a_store_s_lines_are_no_rate_of_the_engine_that_only_says_a_window() -> None:
    line = (
        "[2026-01-20 21:20:40,951] LMCache INFO: Reqid: c, Total tokens 100, LMCache hit tokens: 60, need\n"
    )
    said_line = "INFO 01-02 10:00:10 [x] Engine 000: Prefix cache hit rate: 32.2%\n"
    found = summary_of(line + said_line)
    assert (found["reported_rate"], found["period"]) == (None, "said")
    assert summary_of(line)["reported_rate"] == 0.6


def test_scrapes_and_lines_of_one_server_are_not_added_up() -> None:
    line = "[2026-01-02 10:00:00 TP0] Prefill batch. #new-seq: 1, #new-token: 7, #cached-token: 3, x\n"
    for texts in ((vllm(100, 40), line), (line, vllm(100, 40))):
        found = summary_of(*texts)
        assert (found["source"], found["reported_rate"]) == ("scrapes", 0.4)


def test_engines_that_cannot_tell_have_no_rate() -> None:
    found = summary_of("llamacpp:prompt_tokens_total 500\nllamacpp:kv_cache_usage_ratio 0.3\n")
    assert (found["reported_rate"], found["period"]) == (None, "nothing")
    assert found["engines"][0]["local_rate"] is None


def test_a_rate_since_the_start_stands_for_the_log_only_if_it_is_all_there_is() -> None:
    gauge = "vllm:gpu_prefix_cache_hit_rate 0.25\n"
    assert summary_of(gauge)["reported_rate"] == 0.25
    assert summary_of(gauge + gauge.replace("0.25", "0.5"))["reported_rate"] is None
    assert summary_of("sglang:cache_hit_rate 0.25\n")["reported_rate"] is None


def test_many_steps_become_fewer_without_losing_a_token() -> None:
    steps = [Step(place, place + 1, Tally(10.0, 4.0), place == 500) for place in range(1001)]
    merged = fewer(steps, 100)
    assert len(merged) <= 100
    assert sum(step.tally.queries or 0 for step in merged) == 10010
    assert sum(step.restart for step in merged) == 1
    assert (merged[0].begins, merged[-1].ends) == (0, 1001)


def test_a_long_log_keeps_its_sum_and_not_every_line() -> None:
    line = "[2026-01-02 10:{:02}:{:02} TP0] Prefill batch. #new-seq: 1, #new-token: 7, #cached-token: 3, x\n"
    trace = read_trace(TraceFile("log", "".join(line.format(k // 60 % 60, k % 60) for k in range(45_000))))
    assert trace.meters is not None
    assert len(trace.meters.moments) <= 20_001
    fleet = fleet_of(trace.meters)
    assert (fleet.total.queries, fleet.reported_rate) == (450_000, 0.3)
