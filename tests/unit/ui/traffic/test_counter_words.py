"""What engines counted, in words: both languages, the report's numbers, other people's text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from core.cost import GPUS, MODELS, CostModel, Prices
from core.traces.door.read import read_trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traffic.summary import summarise
from ui.report.page import report_html
from ui.traffic.counter_words import STORE, axis, curves, remarks, restart_marks, table, told
from ui.words.i18n import LANGS, Lang, t

COUNTERS = Path(__file__).resolve().parents[3] / "data" / "counters"
Json = dict[str, Any]
GAUGES = "vllm:gpu_prefix_cache_hit_rate 0.5\nsglang:cache_hit_rate 0.2\nlmcache:retrieve_hit_rate 0.1\n"
TEXTS = {
    "restart": "".join(
        f"vllm:prefix_cache_queries {q}\nvllm:prefix_cache_hits 1\n" for q in (9, 19, 29, 4, 8)
    ),
    "nothing asked": "vllm:prefix_cache_queries 9\nvllm:prefix_cache_hits 5\n" * 2,
    "contradiction": "vllm:prefix_cache_queries 9\nvllm:prefix_cache_hits 15\n",
    "llama": "llamacpp:prompt_tokens_total 9\n",
    "tgi": "tgi_request_input_length_sum 9\n",
    "usage only": "vllm:kv_cache_usage_perc 0.5\n",
    "gauges": GAUGES * 2,
    "one gauge": GAUGES,
    "any": 'sglang:prompt_tokens_total 9\nsglang:cached_tokens_total{cache_source="total"} 3\n',
    "router": "dynamo_component_router_kv_hit_rate_count 4\ndynamo_component_router_kv_hit_rate_sum 1\n",
    "blocks": "trtllm_kv_cache_reused_blocks_total 3\ntrtllm_kv_cache_missed_blocks_total 1\n",
    "store beside": "vllm:prefix_cache_queries 9\nvllm:prefix_cache_hits 5\n"
    "lmcache:num_requested_tokens 4\nlmcache:num_hit_tokens 1\n"
    "dynamo_frontend_input_sequence_tokens_sum 9\ndynamo_frontend_cached_tokens_sum 5\n",
    "comes and goes": "".join(
        f'vllm:prefix_cache_queries{{e="{e}"}} {9 * k}\nvllm:prefix_cache_hits{{e="{e}"}} {5 * k}\n'
        for k, engines in enumerate(("ab", "bc", "c"), 1)
        for e in engines
    ),
    "external in a log": "INFO 01-02 10:00:00 x: Prefix cache hit rate: 5.0%, "
    "External prefix cache hit rate: 7.0%\n",
}


def summary_of(*files: TraceFile) -> Json:
    trace = read_trace(list(files))
    cost = CostModel(MODELS["Llama-2-7B"], GPUS["A100"], 1)
    return summarise(trace, [], cost, Prices(), ReadOptions().tokenizer)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", TEXTS)
def test_every_sentence_is_there_with_all_it_needs(name: str, lang: Lang) -> None:
    summary = summary_of(TraceFile("log", TEXTS[name]))
    counters = summary["log"]["counters"]
    sentences = [t(key, lang, **values) for key, values in [*told(counters), *remarks(counters)]]
    assert sentences
    assert not [one for one in sentences if "{" in one or "None" in one]
    head, rows = table(counters, lang)
    assert {len(row) for row in rows} == {len(head)}
    page = report_html(summary, lang)
    for key, values in told(counters):
        assert t(key, lang, **values).split("**")[0].split('"')[0] in page.replace("&#x27;", "'")
    assert t("traffic.no_rate", lang).split("**")[0] not in page


def scrape(**counts: tuple[int, int]) -> str:
    return "".join(
        f'vllm:prefix_cache_{name}{{e="{e}"}} {value}\n'
        for e, pair in counts.items()
        for name, value in zip(("queries", "hits"), pair, strict=True)
    )


FIRST, SECOND, OTHER = scrape(a=(1000, 500)), scrape(a=(2000, 600)), scrape(b=(9000, 8000))
HOW = {
    "from.ends": (FIRST, SECOND),
    "from.ends.some": (FIRST, SECOND, OTHER),
    "from.one": (FIRST,),
    "from.one.each": (FIRST, OTHER),
    "from.steps": (FIRST, SECOND, scrape(a=(300, 60))),
    "from.spans": (FIRST + OTHER, SECOND + scrape(b=(9900, 8100)), scrape(a=(3000, 700))),
    "if_new": (FIRST, SECOND + OTHER),
    "missing": (FIRST + OTHER, SECOND, scrape(a=(3000, 700), b=(9900, 8100))),
    "appeared.unknown": (FIRST, SECOND + OTHER),
    "vanished": (FIRST + OTHER, SECOND + scrape(b=(9900, 8100)), scrape(a=(3000, 700))),
}


@pytest.mark.parametrize("key", HOW)
def test_a_sentence_says_how_it_was_counted_only_where_it_was(key: str) -> None:
    counters = summary_of(*(TraceFile(f"m{k}", text) for k, text in enumerate(HOW[key])))["log"]["counters"]
    said = [one[0].removeprefix("traffic.counters.") for one in (*told(counters), *remarks(counters))]
    assert key in said
    assert sum(one.startswith("from.") for one in said) == 1, said
    texts = [
        t(one, lang, **values) for lang in LANGS for one, values in (*told(counters), *remarks(counters))
    ]
    assert not [one for one in texts if "{" in one or "None" in one]


@pytest.mark.parametrize("lang", LANGS)
def test_the_report_has_the_numbers_of_the_json(lang: Lang) -> None:
    files = [TraceFile(path.name, path) for path in sorted(COUNTERS.glob("l0[12]*pasted*"))]
    summary = summary_of(*files)
    page = re.sub(r"<[^>]*>", "", report_html(summary, lang))
    assert summary["log"]["reported_rate"] == 0.05
    assert t("unit.percent", lang, n="5.00") in page
    assert "10,000" in page
    assert t("basis.reported.engine", lang) in page


def test_the_table_says_who_is_in_no_sum() -> None:
    third = FIRST.replace('"a"', '"c"'), SECOND.replace('"a"', '"c"')
    files = [TraceFile("m1", FIRST + third[0]), TraceFile("m2", SECOND + third[1] + OTHER)]
    _, rows = table(summary_of(*files)["log"]["counters"], "en")
    assert [row[0] for row in rows] == [
        "vLLM, e=a",
        "vLLM, e=b (not in the sum)",
        "vLLM, e=c",
        "sum of 2 engines",
    ]
    assert rows[-1][1] == "2,000"


def test_names_of_engines_stay_text() -> None:
    label = 'x="<b>1</b> **2**"'
    text = "".join(
        f'vllm:prefix_cache_queries{{{label},e="{e}"}} {k}\nvllm:prefix_cache_hits{{{label},e="{e}"}} 1\n'
        for k in (5, 3)
        for e in ("<i>", "b")
    )
    page = report_html(summary_of(TraceFile("<script>", text)), "en")
    assert "<script>" not in page
    assert "<i>" not in page


def test_curves_and_marks_share_an_axis() -> None:
    counters = summary_of(TraceFile("log", TEXTS["restart"]))["log"]["counters"]
    (points,) = curves(counters, counters, "en").values()
    assert [x for x, _ in points] == [2, 3, 4, 5]
    assert restart_marks(counters, counters) == [4]
    assert axis(counters, "en") == t("traffic.counters.axis.scrapes", "en")


def test_the_report_draws_the_store_outside_in_the_page_s_colour() -> None:
    """Its second colour is amber, which stands for what is computed."""
    page = "".join(
        f"vllm:prefix_cache_queries {9 * k}\nvllm:prefix_cache_hits {2 * k}\n"
        f"vllm:external_prefix_cache_queries {7 * k}\nvllm:external_prefix_cache_hits {3 * k}\n"
        for k in (1, 2, 3)
    )
    svg = report_html(summary_of(TraceFile("log", page)), "en").split("<svg")[1].split("</svg>")[0]
    assert f'<polyline stroke="{STORE}"' in svg
    assert svg.count("<polyline class=") == 1
