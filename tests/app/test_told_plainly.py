"""What Your traffic says around its numbers: whose they are, by whose rule, what was left out, what to do."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.test_traffic import metrics, paste, rows, state_of
from tests.app.visit import calm, choose, press, texts, visit
from ui.traffic.rules import rule_title
from ui.words.i18n import LANGS, Lang, t

GOOD = {"messages": [{"role": "user", "content": "one two three " * 12}]}
METRICS = (
    '# TYPE vllm:prefix_cache_queries counter\nvllm:prefix_cache_queries_total{engine="0"} 1000\n'
    '# TYPE vllm:prefix_cache_hits counter\nvllm:prefix_cache_hits_total{engine="0"} 50\n'
)


def upload(at: AppTest, *files: tuple[str, str]) -> AppTest:
    choose(at, "traffic_source", "upload")
    data = [(name, text.encode(), "application/json") for name, text in files]
    at.file_uploader(key="traffic_upload").set_value(data)
    return calm(at.run())


def reported(prompt: int, cached: int) -> dict[str, object]:
    details = {"cached_tokens": cached}
    return GOOD | {
        "usage": {"prompt_tokens": prompt, "completion_tokens": 1, "prompt_tokens_details": details}
    }


@pytest.mark.parametrize(
    ("model", "rule"), [(None, "own"), ("claude-sonnet-5", "anthropic_5m"), ("gpt-4o", "openai_old")]
)
def test_a_log_is_judged_by_the_rule_of_whose_it_is(model: str | None, rule: str) -> None:
    """A provider's minimum called logs of engines too short to store, beside a rate of 28.7 %."""
    row = GOOD if model is None else GOOD | {"model": model}
    at = paste(visit("traffic", lang="en"), rows(row, row))
    assert at.metric[-1].delta == rule_title(rule, "en")
    assert metrics(at)[-1] == t(f"traffic.verdict.{'worth' if rule == 'own' else 'short'}", "en")


def test_a_log_of_an_engine_is_its_own_whatever_its_model() -> None:
    row = {"timestamp": 0, "input_length": 32, "output_length": 1, "hash_ids": [1, 2], "model": "deepseek-r1"}
    at = paste(visit("traffic", lang="en"), rows(row, row))
    assert at.metric[-1].delta == rule_title("own", "en")


@pytest.mark.parametrize("lang", LANGS)
def test_what_the_log_reports_stands_first_and_a_small_part_of_the_text_is_said(lang: Lang) -> None:
    at = paste(visit("traffic", lang=lang), rows(reported(44_000, 22_000), reported(44_000, 22_000)))
    said = [one.value for one in at.warning]
    assert len(said) == 1
    rate, share = t("unit.percent", lang, n="50.0"), t("unit.percent", lang, n="0.1")
    assert t("traffic.reported.first", lang, rate=f"**{rate}**") in said[0]
    assert t("traffic.reported.part", lang, share=share) in said[0]
    whole = paste(visit("traffic", lang=lang), rows(reported(40, 20), reported(40, 20)))
    assert whole.warning.len == 0, "a tokenizer that counts a little more is no missing text"
    page = [one.value for one in whole.markdown]
    begins = t("traffic.reported.first", lang, rate="**").partition("**")[0]
    held = t("traffic.held.all", lang, shared="**", unshared="").partition("**")[0]
    places = [next(n for n, one in enumerate(page) if one.startswith(words)) for words in (begins, held)]
    assert places == sorted(places)


def test_less_than_a_block_is_not_called_no_repetition() -> None:
    row = {"prompt": "a b c d"}
    at = paste(visit("traffic", lang="zh"), rows(row, row))
    assert "没有重复" not in texts(at) + metrics(at)[-1]


@pytest.mark.parametrize("lang", LANGS)
def test_a_rate_of_counters_says_how_to_learn_why(lang: Lang) -> None:
    at = paste(visit("traffic", lang=lang), METRICS)
    assert t("traffic.counters.next.vllm", lang) in texts(at)
    sglang = METRICS.replace("vllm:prefix_cache_queries", "sglang:prompt_tokens")
    other = paste(
        visit("traffic", lang=lang), sglang.replace("vllm:prefix_cache_hits", "sglang:cached_tokens")
    )
    assert t("traffic.counters.next.other", lang) in texts(other)


@pytest.mark.parametrize("lang", LANGS)
def test_of_several_uploads_a_bad_one_is_left_out_by_one_click(lang: Lang) -> None:
    at = upload(visit("traffic", lang=lang), ("bad.jsonl", "{broken\n"), ("good.jsonl", rows(GOOD, GOOD)))
    assert at.error.len == 1
    press(at, "traffic_without")
    assert at.error.len == 0
    assert state_of(at).log.trace.name == "good.jsonl"  # type: ignore[union-attr]
    assert t("traffic.without.told", lang, files=["bad\\.jsonl"]) in texts(at)
    next(one for one in at.button if one.label == t("traffic.without.again", lang)).click()
    assert calm(at.run()).error.len == 1


@pytest.mark.parametrize("lang", LANGS)
def test_a_broken_line_is_placed_once_and_its_remedy_goes_with_it(lang: Lang) -> None:
    bad = '{"prompt": "a" "b"}\n'
    at = paste(visit("traffic", lang=lang), rows(GOOD) + bad + rows(GOOD))
    where = t("where.line", lang, file=t("traffic.pasted", lang), line=2)
    assert where in at.error[0].value.replace("\\", "")
    assert ("第 16 列" if lang == "zh" else "column 16") in at.error[0].value
    assert "第 1 行" not in at.error[0].value
    assert "line 1" not in at.error[0].value
    press(at, "traffic_on_skip_broken")
    assert t("traffic.read.skipped", lang, n=1) in texts(at)
    notes = next(one.value for one in at.markdown if t("trace.skipped", lang, count=1)[:6] in one.value)
    assert ("略过坏行" if lang == "zh" else "let broken") not in notes


@pytest.mark.parametrize("lang", LANGS)
def test_repeated_records_stand_beside_the_count_of_requests(lang: Lang) -> None:
    again = [GOOD | {"request_id": "r1", "timestamp": 1.0}] * 40
    at = paste(visit("traffic", lang=lang), rows(*again))
    assert t("traffic.read.repeated", lang, n=39) in texts(at)
    assert t("traffic.repeated.more", lang, n=36) in texts(at).replace("\\", "")
    assert texts(at).count("r1") < 8, "alike lines are counted, not listed"


@pytest.mark.parametrize("lang", LANGS)
def test_whose_numbers_stand_below_is_said_and_nothing_where_there_are_none(lang: Lang) -> None:
    at = choose(visit("traffic", lang=lang), "traffic_source", "upload")
    sample = t("traffic.kept.sample", lang, name=t("traffic.sample.mixed", lang))
    assert sample in texts(at)
    assert sample in texts(choose(at, "traffic_source", "paste"))
    fresh = visit("traffic", lang=lang, ys="paste")
    assert t("traffic.paste.empty", lang) in texts(fresh)
    assert fresh.metric.len == 0
    assert t("traffic.again", lang) in [one.value for one in visit("traffic", lang=lang, ys="upload").info]


def test_both_languages_show_both() -> None:
    at = visit("traffic", lang="both")
    for key in ("traffic.title", "traffic.definitions", "traffic.curve"):
        assert f"{t(key, 'zh')} · {t(key, 'en')}" in texts(at) + at.header[0].value + str(
            [x.value for x in at.subheader]
        )
