"""Metrics pages and server logs: what is read off them, in which order, and what is passed over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import TraceError
from core.traces.door.read import read_trace
from core.traces.engine_facts import EngineCounters, Meters
from core.traces.meters.exposition import sample_of
from core.traces.meters.metric_names import known_metric
from core.traces.meters.stamps import stamp_in, stamp_of
from core.traces.packing.sources import TraceFile
from tests.unit.core.traces.logs import error_of, notes, read

COUNTERS = Path(__file__).resolve().parents[3] / "data" / "counters"


def meters_of(text: str, format_name: str | None = None) -> Meters:
    found = read(text, format_name).meters
    assert found is not None
    return found


def the_engine(text: str) -> EngineCounters:
    (engine,) = meters_of(text).engines
    return engine


def queries(engine: EngineCounters) -> list[float | None]:
    return [reading.queries for reading in engine.readings]


PAIR = (
    'vllm:prefix_cache_queries_total{{engine="0"}} {}{at}\n'
    'vllm:prefix_cache_hits_total{{engine="0"}} {}{at}\n'
)


def pair(queries: int, hits: int, at: str = "") -> str:
    return PAIR.format(queries, hits, at=at)


@pytest.mark.parametrize(
    "between", ["", "\n", "\n\n\n", "# EOF\n", "Mon Nov 30 16:36:27 UTC 2026\n", "junk\n"]
)
def test_a_series_that_comes_again_begins_a_scrape(between: str) -> None:
    engine = the_engine(pair(100, 50) + between + pair(300, 60))
    assert queries(engine) == [100, 300]


def test_labels_in_another_order_are_the_same_series() -> None:
    text = (
        'vllm:prefix_cache_queries{a="1",b="2"} 10\nvllm:prefix_cache_hits{b="2",a="1"} 5\n'
        'vllm:prefix_cache_queries{b="2",a="1",} 20\nvllm:prefix_cache_hits{ a = "1" , b = "2" } 8\n'
    )
    assert queries(the_engine(text)) == [10, 20]


@pytest.mark.parametrize("unit", [1, 1000])
def test_samples_with_times_are_ordered_by_them_wherever_they_stand(unit: int) -> None:
    late, early = 1_770_000_060 * unit, 1_770_000_000 * unit
    found = meters_of(pair(300, 60, f" {late}") + pair(100, 50, f" {early}"))
    assert found.order == "time"
    assert [moment.at_s for moment in found.moments] == [1_770_000_000, 1_770_000_060]
    assert queries(found.engines[0]) == [100, 300]


def test_a_dump_that_lists_one_series_after_the_other() -> None:
    lines = [f"vllm:prefix_cache_queries_total {100 * k} {1_770_000_000 + k}" for k in range(1, 4)]
    lines += [f"vllm:prefix_cache_hits_total {10 * k} {1_770_000_000 + k}" for k in range(1, 4)]
    found = meters_of("\n".join(lines))
    assert [(one.queries, one.hits) for one in found.engines[0].readings] == [(100, 10), (200, 20), (300, 30)]


def test_a_gauge_without_a_time_belongs_to_its_page() -> None:
    """Counters had times and the gauge had none: it made a scrape of its own, and the order was lost."""
    usage = "vllm:kv_cache_usage_perc 0.{}\n"
    for text in (
        pair(1, 0, " 1770000000") + usage.format(1) + pair(2, 0, " 1770000015") + usage.format(2),
        usage.format(1) + pair(1, 0, " 1770000000") + "# EOF\n" + usage.format(2) + pair(2, 0, " 1770000015"),
    ):
        found = meters_of(text)
        assert (found.order, len(found.moments)) == ("time", 2)
        assert [reading.usage for reading in found.engines[0].readings] == [0.1, 0.2]


def test_files_are_scrapes_and_their_names_tell_which_came_first() -> None:
    early, late = TraceFile("run-before.txt", pair(100, 50)), TraceFile("run-after.txt", pair(300, 60))
    for files, order in (([early, late], "file"), ([late, early], "name")):
        trace = read_trace(files)
        assert trace.meters is not None
        assert (trace.meters.order, queries(trace.counters[0])) == (order, [100, 300])
    numbered = [TraceFile(f"scrape-{number}.txt", pair(number, 0)) for number in (1, 10, 2)]
    assert queries(read_trace(numbered).counters[0]) == [1, 2, 10]
    same_name = [TraceFile("metrics", pair(100, 50)), TraceFile("metrics", pair(300, 60))]
    assert queries(read_trace(same_name).counters[0]) == [100, 300]


def test_lines_that_say_nothing_are_counted_and_refuse_nothing() -> None:
    junk = 'go_x 1\nbroken{\nvllm:other{le="0.3"} 12.0 # {trace_id="ab"} 0.28 1770000000.1\n\x00\n'
    trace = read(junk + pair(100, 50) + junk)
    assert queries(trace.counters[0]) == [100]
    assert notes(trace) == {"other_lines": 8, "no_requests": 1}
    assert error_of(pair(100, 50) + "vllm:prefix_cache_hits_total{ 3\n").values["line"] == 3


def test_windows_line_ends_and_a_mark_in_front() -> None:
    text = "\ufeff" + (pair(100, 50) + "# EOF\n" + pair(300, 60)).replace("\n", "\r\n")
    assert queries(the_engine(text)) == [100, 300]


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("vllm:gpu_prefix_cache_queries 10\nvllm:gpu_prefix_cache_hits 4\n", 0.4),
        (
            "vllm:gpu_prefix_cache_queries 10\nvllm:gpu_prefix_cache_hits 4\n"
            "vllm:prefix_cache_queries 20\nvllm:prefix_cache_hits 4\n",
            0.2,  # the older names stay for a while beside the newer ones
        ),
        ("trtllm_kv_cache_reused_blocks_total 3\ntrtllm_kv_cache_missed_blocks_total 1\n", 0.75),
        ("llamacpp:prompt_tokens_total 20\nllamacpp:prompt_tokens_cached_total 80\n", 0.8),
        (
            'sglang:realtime_tokens_total{mode="prefill_compute"} 30\n'
            'sglang:realtime_tokens_total{mode="prefill_cache"} 10\n',
            0.25,
        ),
        ("lmcache_mp_lookup_requested_tokens_total 8\nlmcache_mp_lookup_hit_tokens_total 2\n", 0.25),
        ("llamacpp:prompt_tokens_total 20\nllamacpp:kv_cache_usage_ratio 0.1\n", None),
        ("tgi_request_input_length_sum 20\n", None),
    ],
)  # fmt: skip
def test_engines_have_their_own_names_for_it(text: str, rate: float | None) -> None:
    assert the_engine(text).hit_rate == rate


def test_sglang_counts_by_source_and_streaming_apart() -> None:
    text = (
        'sglang:prompt_tokens_total{model_name="m",is_streaming="true"} 600\n'
        'sglang:prompt_tokens_total{model_name="m",is_streaming="false"} 400\n'
        'sglang:cached_tokens_total{model_name="m",cache_source="device"} 300\n'
        'sglang:cached_tokens_total{model_name="m",cache_source="host"} 100\n'
        'sglang:cached_tokens_total{model_name="m",cache_source="storage_file"} 50\n'
        'sglang:cached_tokens_total{model_name="m",cache_source="total"} 450\n'
        'sglang:token_usage{model_name="m",tp_rank="0",pid="7"} 0.5\n'
        'sglang:cache_hit_rate{model_name="m",tp_rank="0",pid="7"} 0.9\n'
    )
    engine = the_engine(text)
    (reading,) = engine.readings
    assert (reading.queries, reading.hits, reading.external_hits, reading.any_hits) == (1000, 300, 150, None)
    assert (reading.usage, reading.said, engine.window) == (0.5, 0.9, "last_batch")


def test_a_counter_is_born_with_its_first_hit() -> None:
    """The client library shows no series before its first count: that is a 0, and not unknown."""
    text = "sglang:prompt_tokens_total 100\n# EOF\nsglang:prompt_tokens_total 200\n"
    text += "sglang:cached_tokens_total 40\n"
    assert [reading.hits for reading in the_engine(text).readings] == [0, 40]


def test_a_gauge_alone_has_its_window() -> None:
    for text, window in (
        ("vllm:gpu_prefix_cache_hit_rate 0.5\n", "since_start"),
        ("sglang:cache_hit_rate 0.5\n", "last_batch"),
        ("lmcache:retrieve_hit_rate 0.5\n", "since_last_log"),
    ):
        engine = the_engine(text)
        assert (engine.window, engine.readings[0].said) == (window, 0.5)
    off = the_engine("vllm:gpu_prefix_cache_hit_rate -1\n")
    assert (off.window, off.readings[0].said) == (None, None)


def test_an_answer_of_prometheus_is_the_same_as_its_pages() -> None:
    def series(name: str, *values: int, **labels: str) -> dict[str, object]:
        pairs = [[1_770_000_000.5 + 15 * k, str(value)] for k, value in enumerate(values)]
        return {"metric": {"__name__": name, **labels}, "values": pairs}

    result = [
        series("vllm:prefix_cache_queries_total", 10, 30, pod="a"),
        series("vllm:prefix_cache_hits_total", 1, 6, pod="a"),
        series("up", 1, 1, pod="a"),
    ]
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    for text in (json.dumps(answer), json.dumps(answer, indent=2)):
        trace = read(text)
        assert (trace.format, queries(trace.counters[0])) == ("prometheus_api", [10, 30])
    answer["data"]["result"][0]["values"] = [["x"]]  # type: ignore[index]
    assert error_of(json.dumps(answer)).values["line"] == 1


def answer(*series: tuple[dict[str, str], list[int]], **more: str) -> str:
    result = [
        {"metric": labels, "values": [[1_770_000_000 + 15 * k, str(value)] for k, value in enumerate(values)]}
        for labels, values in series
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}, **more})


def test_sums_are_read_where_the_query_is_kept_beside_them() -> None:
    """`sum` drops the name; whose counter it was stands in the query."""
    asked = answer(({"pod": "a"}, [10, 30]), query="sum by (pod) (vllm:prefix_cache_queries_total)")
    found = answer(({"pod": "a"}, [1, 6]), expr='sum(vllm:prefix_cache_hits_total{job="x"}) without (le)')
    engine = the_engine(f"{asked}\n{found}\n")
    assert [(one.queries, one.hits) for one in engine.readings] == [(10, 1), (30, 6)]
    assert engine.labels == (("pod", "a"),)


@pytest.mark.parametrize(
    "text",
    [
        answer(({}, [1, 2])),
        answer(({"pod": "a"}, [1, 2]), query="sum by (pod) (rate(vllm:prefix_cache_hits_total[5m]))"),
        answer(({}, [1, 2]), query="sum(vllm:prefix_cache_hits) / sum(vllm:prefix_cache_queries)"),
        answer(({}, [1, 2]), query="sum(vllm:kv_cache_usage_perc)"),
        answer(({}, [90, 40]), query="sum(vllm:prefix_cache_hits_total)"),  # one of several began anew
        json.dumps({"status": "success", "data": {"resultType": "scalar", "result": [1770000000, "0.5"]}}),
    ],
)
def test_an_expression_s_result_is_refused_with_what_to_ask_instead(text: str) -> None:
    error = error_of(text)
    assert (error.code, error.values["line"]) == ("trace.expression", 1)
    assert "vllm:prefix_cache_" in str(error.values["counters"])


def test_names_and_samples() -> None:
    assert known_metric("vllm:prefix_cache_hits_total") == known_metric("vllm_prefix_cache_hits")
    assert known_metric("vllm:num_requests_running") is None
    sample = sample_of('x{a="}\\"",b="é ü"} 1.5e3 1770000000.123 # {t="1"} 2', "x")
    assert sample is not None
    assert (sample.labels, sample.value, sample.at_s) == ((("a", '}\\"'), ("b", "é ü")), 1500, 1770000000.123)
    for broken in ("x{a=1} 2", 'x{a="1"}', "x", "x y", "x 1_0", "x 1 2 3", 'x{a="1" 3'):
        assert sample_of(broken, "x") is None


def test_times_of_shells_and_servers() -> None:
    assert stamp_of("=== 2026-01-02T10:00:00Z ===") == stamp_of("# Fri Jan  2 10:00:00 UTC 2026")
    assert stamp_of("1770000000") == stamp_of("1770000000000") == 1770000000
    assert stamp_of("2026-01-02T10:00:00+02:00") == 1767340800
    assert [stamp_of(text) for text in ("", "up 1", "2026-13-02 10:00:00", "12345")] == [None] * 4
    assert stamp_in("INFO 01-02 10:00:10 [loggers.py:127] x") == 10 + (stamp_in("INFO 01-02 10:00:00 x") or 0)
    assert stamp_in("[2026-01-02 10:00:00 TP0] Prefill batch.") == 1767348000


# -- lines of servers --------------------------------------------------------------------------------------


def test_vllm_lines_have_a_window_and_no_sum() -> None:
    trace = read_trace(COUNTERS / "l11-vllm-server.log")
    (engine,) = trace.counters
    assert (engine.window, [one.said for one in engine.readings]) == ("last_requests", [0.322, 0.33])
    assert [one.usage for one in engine.readings] == [0.823, 0.853]
    text = (
        "(APIServer pid=1) INFO 01-02 10:00:00 [loggers.py:9] 4 Engines Aggregated: "
        "Prefix cache hit rate: 40.0%, External prefix cache hit rate: 12.5%, MM cache hit rate: 99.0%\n"
        "INFO 11-16 10:37:50 metrics.py:465] Prefix cache hit rate: GPU: 93.75%, CPU: 0.00%\n"
    )
    first, second = meters_of(text).engines
    assert {(one.window, one.readings[0].said, one.readings[0].said_external) for one in (first, second)} == {
        ("last_requests", 0.4, 0.125),
        ("since_start", 0.9375, None),
    }


def test_sglang_lines_add_up_and_ranks_that_repeat_do_not() -> None:
    line = (
        "[2026-01-02 10:00:00 {}] Prefill batch{} #new-seq: 1, #new-token: 30, #cached-token: 10, "
        "cache hit rate: 5.00%, token usage: 0.10\n"
    )
    ranks = ("DP0 TP0", "DP0 TP1", "DP1 TP0", "DP1 TP1")
    text = "".join(line.format(rank, mark) for rank in ranks for mark in (".", ",", " [7],"))
    engines = meters_of(text).engines
    assert [(one.labels, one.readings[-1].queries, one.readings[-1].hits) for one in engines] == [
        ((("dp", "0"),), 120, 30),
        ((("dp", "1"),), 120, 30),
    ]


LLAMA = """\
slot get_availabl: id  3 | task -1 | selected slot by LRU, t_last = -1
slot update_slots: id  3 | task 0 | new prompt, n_ctx_slot = 8192, n_keep = 0, {total} = 52
slot update_slots: id  3 | task 0 | {freed} [0, end)
slot update_slots: id  3 | task 0 | {freed} [32, end)
slot print_timing: id  3 | task 0 |
prompt eval time =     877.88 ms /    52 tokens (   16.88 ms per token,    59.23 tokens per second)
slot update_slots: id  3 | task 9 | new prompt, n_ctx_slot = 8192, n_keep = 0, {total} = 80
slot update_slots: id  3 | task 9 | {freed} [60, end)
slot print_timing: id  3 | task 9 | prompt eval time = 10 ms / 20 tokens (1 ms per token, 59.2 a second)
"""
OLD_LLAMA = """\
INFO [            update_slots] kv cache rm [p0, end) | tid="1" timestamp=1718000000 id_slot=0 id_task=0 p0=0
INFO [           print_timings] prompt eval time = 100.0 ms / 52 tokens (1 ms a token) | id_slot=0 id_task=0
INFO [            update_slots] kv cache rm [p0, end) | tid="1" timestamp=1718000010 id_slot=0 id_task=5 p0=60
INFO [           print_timings] prompt eval time = 100.0 ms / 20 tokens (1 ms a token) | id_slot=0 id_task=5
"""


@pytest.mark.parametrize(
    "text",
    [
        LLAMA.format(total="task.n_tokens", freed="n_tokens = 7, memory_seq_rm"),
        LLAMA.format(total="n_prompt_tokens", freed="kv cache rm"),
        LLAMA.format(total="task.n_tokens", freed="cached n_tokens = 7, memory_seq_rm").replace(
            "update_slots:", "  operator():"
        ),
        OLD_LLAMA,
    ],
)
def test_llama_cpp_says_it_in_several_lines(text: str) -> None:
    engine = the_engine(text)
    assert [(one.queries, one.hits) for one in engine.readings] == [(52, 0), (132, 60)]


def test_ollama_and_lmcache_lines() -> None:
    ollama = (
        "time=2026-06-03T14:21:06.039+02:00 level=DEBUG source=cache.go:151 "
        'msg="loading cache slot" id=0 cache=53 prompt=62 used=40 remaining=22\n'
    )
    lmcache = (
        "[2026-01-20 21:20:40,951] LMCache INFO: Reqid: c-0, Total tokens 2005, "
        "LMCache hit tokens: 1792, need to load: 1792 (a.py:1)\n"
    )
    for text, family, counts in ((ollama, "ollama", (62, 40)), (lmcache, "lmcache", (2005, 1792))):
        engine = the_engine(text)
        assert (engine.family, engine.readings[0].queries, engine.readings[0].hits) == (family, *counts)


def test_requests_go_before_lines_and_the_lines_are_kept() -> None:
    batch = "[2030-01-01 00:00:00 TP0] Prefill batch. #new-seq: 1, #new-token: 3, #cached-token: 1, x\n"
    finish = "[2030-01-01 00:00:01] Finish: obj=GenerateReqInput(rid='a', input_ids=[1, 2, 3]), out={}\n"
    trace = read(batch * 50 + finish)
    assert (trace.format, len(trace.requests)) == ("sglang_log", 1)
    assert trace.counters[0].readings[-1].queries == 200


def test_a_server_s_lines_inside_a_runtime_s_json_are_its_lines() -> None:
    """The prompt is longer than the 16 KiB at which runtimes cut; what it quotes is escaped twice."""
    prompt = 'it\'s "so"\n' + "word " * 9000
    lines = (
        f"INFO 01-02 10:00:00 [logger.py:39] Received request a: prompt: {prompt!r}, params: S(n=1)",
        "INFO 01-02 10:00:10 [loggers.py:127] Engine 000: Running: 1 reqs, Prefix cache hit rate: 32.2%",
        "INFO 01-02 10:00:20 [logger.py:39] Received request b: prompt: 'b', params: S(n=1)",
    )
    pieces = [(n, line[k : k + 16384], k + 16384 >= len(line)) for n, line in enumerate(lines)
              for k in range(0, len(line), 16384)]  # fmt: skip
    at = "2026-01-02T10:00:{}0.5Z"
    docker = [
        {"log": text + "\n" * last, "stream": "stderr", "time": at.format(n)} for n, text, last in pieces
    ]
    shipped = [{"kubernetes": {"pod_name": "p"}, "message": f"{at.format(n)} stderr {'PF'[last]} {text}"}
               for n, text, last in pieces]  # fmt: skip
    kubernetes = [f"{at.format(n)} stderr {'PF'[last]} {text}" for n, text, last in pieces]
    bare = read("\n".join(lines))
    for text in (*("\n".join(map(json.dumps, one)) for one in (docker, shipped)), "\n".join(kubernetes)):
        trace = read(text)
        assert trace.format == "vllm_log"
        assert [one.num_tokens for one in trace.requests] == [one.num_tokens for one in bare.requests]
        assert [one.arrival_s for one in trace.requests] == [0, 20]
        assert [one.said for one in trace.counters[0].readings] == [0.322]


def test_a_line_without_a_time_has_that_of_its_envelope() -> None:
    text = "".join(
        json.dumps({"log": f"{line}\n", "time": f"2026-01-02T10:00:0{k}Z"}) + "\n"
        for k, line in enumerate(LLAMA.format(total="n_tokens", freed="memory_seq_rm").splitlines())
    )
    found = meters_of(text)
    assert [(one.queries, one.hits) for one in found.engines[0].readings] == [(52, 0), (132, 60)]
    first, second = (moment.at_s or 0 for moment in found.moments)
    assert second - first == 5


def test_vllm_s_request_log_keeps_the_lines_between() -> None:
    text = (
        "INFO 01-02 10:00:00 [logger.py:39] Received request cmpl-1: prompt: 'a b c', "
        "params: SamplingParams(n=1), prompt_token_ids: [1, 2, 3], lora_request: None.\n"
        "INFO 01-02 10:00:10 [loggers.py:127] Engine 000: Running: 1 reqs, Prefix cache hit rate: 32.2%\n"
    )
    trace = read(text)
    assert (trace.format, len(trace.requests)) == ("vllm_log", 1)
    assert [one.said for one in trace.counters[0].readings] == [0.322]


def test_a_page_without_any_counter_is_empty() -> None:
    with pytest.raises(TraceError) as caught:
        read("vllm:num_requests_running 3\n", "engine_metrics")
    assert caught.value.code == "trace.empty"
