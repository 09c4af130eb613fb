"""Sentences of the usage view: every cause in both languages, nothing claimed that the log does not say."""

from __future__ import annotations

import io
import json
from html import unescape
from typing import Any

import pytest

from core.traces.door.read import read_trace
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traffic.usage.summary import usage_summary
from tests.usage_logs import chat_rows, make_session, transcript
from ui.report.usage import usage_part
from ui.report.words import Words
from ui.usage.billed import engine_words, how_lines, price_lines, remarks, row_name, row_note
from ui.usage.payload import ttl_lines, usage_payload
from ui.usage.prices import priced, with_prices
from ui.usage.reported import rate_sentences, rate_text
from ui.usage.told import (
    CAUSES,
    cause_title,
    cause_why,
    cost_sentence,
    fine_money,
    gathered,
    headline,
    pause_text,
    percent_text,
    session_name,
    span_text,
)
from ui.words.i18n import LANGS, Lang, t
from ui.words.numbers import Count

Json = dict[str, Any]


def read(text: str) -> Trace:
    return read_trace([TraceFile("log.jsonl", io.BytesIO(text.encode()))], options=ReadOptions())


def summary_of(text: str) -> tuple[Trace, Json]:
    trace = read(text)
    found = priced(trace)
    usage = usage_summary(trace, found)
    assert usage is not None
    return trace, with_prices(usage, found)


def resets_of(text: str) -> list[Json]:
    _, usage = summary_of(text)
    return [turn for one in usage["sessions"] for turn in one["turns"] if turn["reset"]]


EVERY = {4: "ttl", 8: "unexplained", 12: "shrank", 16: "model"}


def every_cause() -> dict[str, Json]:
    """A turn of each cause, as the core finds it."""
    found = resets_of(transcript([make_session(20, EVERY)]))
    found += resets_of(chat_rows(make_session(12, {6: "tools", 10: "ttl"}, ttl_s=500)))
    return {turn["reset"]["cause"]: turn for turn in found}


@pytest.mark.parametrize("lang", LANGS)
def test_every_cause_has_its_evidence(lang: Lang) -> None:
    """The values are the core's own: a name or a number under the same key, by cause."""
    found = every_cause()
    assert set(found) == set(CAUSES)
    for cause, turn in found.items():
        title, why = cause_title(turn, {"ttl_s": 300}, lang), cause_why(turn, lang)
        assert title
        assert f"{turn['read']:,}" in why
        assert not set(title + why) & set("{}?"), cause
    assert "claude-sonnet-4-5-20250929 → claude-opus-4-5-20251101" in cause_why(found["model"], lang)
    assert pause_text(300, lang) in cause_title(found["ttl"], {}, lang)
    assert "browser_open" in cause_why(found["tools"], lang)
    assert f"{found['shrank']['reset']['values']['before']:,}" in cause_why(found["shrank"], lang)
    grown = found["shrank"] | {"total": 10**6}  # the prompt left the one before it early, and yet grew
    assert "1,000,000" in cause_why(grown, lang)
    assert f"{found['shrank']['reset']['values']['before']:,}" not in cause_why(grown, lang)


def test_amounts_and_pauses_as_people_read_them() -> None:
    amounts = (0, 0.00001, 0.0042, 0.117, 0.5, 4.586, 3184.2, -0.05)
    shown = ["$0", "< $0.0001", "$0.0042", "$0.117", "$0.500", "$4.59", "$3,184", "−$0.050"]
    assert [fine_money(one, "$") for one in amounts] == shown
    pauses = (0.4, 42, 60, 412, 4440, 90_000)
    assert [pause_text(one, "en") for one in pauses] == ["0.4 s", "42 s", "1 min", "7 min", "1.2 h", "1 d"]
    assert pause_text(None, "zh") == "不详"


@pytest.mark.parametrize("lang", LANGS)
def test_the_bill_in_words(lang: Lang) -> None:
    _, usage = summary_of(transcript([make_session()], hour=range(1, 8)))
    rows = usage["bill"]["rows"]
    first = row_note(rows[0], rows[0], usage, lang)
    assert f"{rows[0]['written_5m']:,}" in first
    assert f"{rows[0]['written_1h']:,}" in first, "writes for five minutes and for an hour stand apart"
    assert len({row_name(row, lang) for row in rows}) == len(rows)
    told = " ".join([*how_lines(usage, lang), *price_lines(usage, lang)])
    assert "claude-sonnet-4-5-20250929" in told
    assert usage["bill"]["rules"]["read_on"] in told
    assert remarks(usage, lang) == []


def remarked(text: str, lang: Lang) -> str:
    """What stands beside the bill, which page and report must both say."""
    trace, usage = summary_of(text)
    log = {"reported_unknown": 0, "reported_bounds": None, "reported_readings": None}
    html = unescape(usage_part(Words(lang), {"usage": usage, "log": log}))
    data = usage_payload(usage, 0, trace.name, "", lang)
    beside = [line for lines in data["bill"]["basis"] for line in lines]
    for line in [*price_lines(usage, lang), *remarks(usage, lang)]:
        assert any(line in one for one in beside)
        assert line in html.split("<details>")[0], "not folded away"
    return "\n".join(beside)


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_not_sure_of_the_prices_stands_beside_the_bill(lang: Lang) -> None:
    unlisted = remarked(transcript([make_session()], model="claude-x"), lang)
    assert t("usage.prices.unlisted", lang, model="claude-x", provider="Anthropic", price="$3") in unlisted
    unnamed = remarked(chat_rows(make_session(5), model=None), lang)
    assert t("usage.prices.no_model", lang, n=Count(5), provider="OpenAI", price="$1.25") in unnamed
    memory = remarked(chat_rows(make_session(5), model="gpt-4-turbo"), lang)
    assert t("usage.prices.memory", lang, model="gpt-4-turbo", price="$10") in memory
    long = remarked(chat_rows(make_session(200), model="gpt-5.4"), lang)
    assert "272,000" in long
    assert "$5" in long
    several = remarked(transcript([make_session(20, {16: "model"})]), lang)
    assert "claude-sonnet-4-5-20250929" in several
    assert "claude-opus-4-5-20251101" in several
    assert "$5" in several


def test_a_log_with_two_models_is_billed_by_both() -> None:
    """By hand: each turn's tokens at its own model's price."""
    _, usage = summary_of(transcript([make_session(20, {16: "model"})]))
    price = {"claude-sonnet-4-5-20250929": 3.0, "claude-opus-4-5-20251101": 5.0}
    right = sum(
        (turn["read"] * 0.1 + turn["written"] * 1.25 + turn["new"]) * price[turn["model"]] / 1e6
        for turn in usage["sessions"][0]["turns"]
    )
    assert usage["bill"]["rows"][0]["cost"] == pytest.approx(right)


@pytest.mark.parametrize("lang", LANGS)
def test_a_pause_within_what_a_provider_leaves_open_is_a_likely_cause_only(lang: Lang) -> None:
    """OpenAI: gone after 5 to 10 idle minutes as a rule, after an hour for sure."""
    _, usage = summary_of(chat_rows(make_session(12, {6: "ttl"}, ttl_s=510)))
    [turn] = [turn for turn in usage["sessions"][0]["turns"] if turn["reset"]]
    assert turn["reset"]["cause"] == "probably_idle"
    why = cause_why(turn, lang)
    assert pause_text(turn["pause_s"], lang) in why
    assert span_text((300, 600), lang) in why
    assert pause_text(3600, lang) in why
    data = usage_payload(usage, 0, "log", "", lang)
    assert data["ttls"] == [3600.0]
    assert (data["band"]["from"], data["band"]["to"]) == (300, 600)
    assert span_text((300, 600), lang) in data["band"]["said"]
    _, sharp = summary_of(transcript([make_session()]))
    assert usage_payload(sharp, 0, "log", "", lang)["band"] is None


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_not_explained_claims_no_more_than_the_log_shows(lang: Lang) -> None:
    found = every_cause()["unexplained"]

    def said(**values: Any) -> str:
        reset = found["reset"] | {"values": found["reset"]["values"] | values}
        return cause_title(found | {"reset": reset}, {}, lang) + cause_why(found | {"reset": reset}, lang)

    hidden, shown = t("usage.why.hidden", lang), t("usage.why.shown", lang)
    assert hidden in said(), "a transcript shows no tools"
    assert shown in said(shows="prompts")
    assert t("usage.why.unnamed", lang) in said(model_named=False)
    assert t("usage.why.unnamed", lang) not in said()
    near = said(likely="together", gap_s=0.3)
    assert "0.3" in near
    assert hidden not in near
    assert "17" in said(likely="behind_changed", stops_at=17)


@pytest.mark.parametrize("lang", LANGS)
def test_rows_that_do_not_say_make_every_count_a_least(lang: Lang) -> None:
    rows = chat_rows(make_session(30, {8: "ttl", 20: "ttl"}, ttl_s=3600)).splitlines()
    for place in (3, 12, 25):
        row = json.loads(rows[place])
        del row["usage"]["prompt_tokens_details"]
        rows[place] = json.dumps(row)
    trace, usage = summary_of("\n".join(rows))
    assert headline(usage, 3, lang) == t("usage.headline.least", lang, n=Count(2))
    assert "27" in cost_sentence(usage, lang)
    assert "30" in cost_sentence(usage, lang)
    assert session_name(usage["sessions"][0], lang) == t(
        "usage.session.line.least", lang, name="7f3a", n=Count(27), resets=Count(2)
    )
    first = usage["bill"]["rows"][0]
    low, high = trace.reported().bounds or (0.0, 0.0)
    assert low < first["rate"] < high
    note = row_note(first, first, usage, lang)
    assert percent_text(low, lang) in note
    assert percent_text(first["rate"], lang) not in note


def test_lines_of_the_time_to_live() -> None:
    _, five = summary_of(transcript([make_session()]))
    assert ttl_lines(five["sessions"][0], five) == [300.0, 3600.0]
    _, mixed = summary_of(transcript([make_session()], hour=range(1, 8)))
    assert ttl_lines(mixed["sessions"][0], mixed) == [3600.0, 300.0], "only the longer one ends all"


def test_single_requests_are_one_list() -> None:
    made = [make_session(1, {}, name=f"s{place}", begins_s=90 * place) for place in range(40)]
    _, usage = summary_of(transcript([*made, make_session()]))
    found = gathered(usage)
    assert [len(one["turns"]) for one in found["sessions"]] == [25, 40]
    assert [turn["n"] for turn in found["sessions"][1]["turns"]] == list(range(1, 41))
    data = usage_payload(found, 1, "log", "", "both")
    assert data["timed"], "the chart says that these do not continue each other, not that there are no times"
    assert sum(len(one["turns"]) for one in usage["sessions"]) == 65, "the summary itself stays as it was"


@pytest.mark.parametrize("lang", LANGS)
def test_the_report_tells_the_same(lang: Lang) -> None:
    trace, usage = summary_of(transcript([make_session()]))
    log = {"reported_unknown": 0, "reported_bounds": None, "reported_readings": None}
    html = usage_part(Words(lang), {"usage": usage, "log": log})
    assert headline(usage, 0, lang) in html
    assert html.count('class="read"') == 25
    assert html.count("▼") == 5
    assert "<script" not in html
    assert usage_part(Words(lang), {"usage": None, "log": log}) == ""
    assert rate_text(trace.reported(), lang).startswith("74.0")
    assert "602,062" in " ".join(rate_sentences(trace.reported(), lang))


def test_names_in_the_report_stay_text() -> None:
    _, usage = summary_of(transcript([make_session(name="<b>x</b>")]))
    log = {"reported_unknown": 0, "reported_bounds": None, "reported_readings": None}
    html = usage_part(Words("en"), {"usage": usage, "log": log})
    assert "<b>x</b>" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html


@pytest.mark.parametrize("lang", LANGS)
def test_the_minimum_is_named_where_it_matters(lang: Lang) -> None:
    engine = {"rate": 0.899, "reported_rate": 0.0, "requests": 30, "below": 12, "minimums": [1024, 4096]}
    told = engine_words(engine, lang)
    assert all(one in told for one in ("89.9", "1,024 – 4,096", "12"))
    assert "1,024" not in engine_words(engine | {"below": 0, "minimums": []}, lang)
    row = {"id": "engine", "rate": 0.0, "rate_bounds": None, "cost_bounds": None, "cost": 1.0, "unsure": {}}
    usage = {"engine": engine, "bill": {"rules": {"currency": "$"}}}
    assert "1,024 – 4,096" in row_note(row, {"cost": 1.0}, usage, lang)
