"""Sentences of the usage view: every cause in both languages, nothing claimed that the log does not say."""

from __future__ import annotations

import io
from typing import Any

import pytest

from core.traces.door.read import read_trace
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traffic.usage.summary import usage_summary
from tests.usage_logs import make_session, transcript
from ui.report.usage import usage_part
from ui.report.words import Words
from ui.usage.billed import how_lines, money_parts, row_name, row_note
from ui.usage.payload import ttl_lines, usage_payload
from ui.usage.prices import priced
from ui.usage.reported import rate_sentences, rate_text
from ui.usage.told import CAUSES, cause_title, cause_why, fine_money, gathered, headline, pause_text
from ui.words.i18n import LANGS, Lang

Json = dict[str, Any]


def read(text: str) -> Trace:
    return read_trace([TraceFile("log.jsonl", io.BytesIO(text.encode()))], options=ReadOptions())


def summary_of(text: str) -> tuple[Trace, Json]:
    trace = read(text)
    usage = usage_summary(trace, priced(trace).rules)
    assert usage is not None
    return trace, usage


def turn_with(cause: str, **values: Any) -> Json:
    reset = {"cause": cause, "values": values, "extra_tokens": 900, "extra_cost": 0.01}
    numbers = {"read": 8_000, "total": 31_300, "expected": 30_900, "pause_s": 4440.0, "model": "m-2"}
    return {"n": 4, "reset": reset, **numbers}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("cause", CAUSES)
def test_every_cause_has_its_evidence(cause: str, lang: Lang) -> None:
    turn = turn_with(cause, ttl_s=3600, before=30_900, model_before="m-1", model="m-2", also=["tools"])
    title, why = cause_title(turn, {"ttl_s": 3600}, lang), cause_why(turn, lang)
    assert title
    assert "8,000" in why
    assert not set(title + why) & set("{}")
    if cause == "model":
        assert "m-1 → m-2" in why
    if cause == "ttl":
        assert pause_text(3600, lang) in title + why


@pytest.mark.parametrize("lang", LANGS)
def test_tools_are_named_where_the_log_names_them(lang: Lang) -> None:
    named = cause_why(turn_with("tools", added=["browser_open"], removed=[]), lang)
    assert "browser_open" in named
    unnamed = cause_why(turn_with("tools"), lang)
    assert "browser_open" not in unnamed
    assert "None" not in unnamed


@pytest.mark.parametrize("lang", LANGS)
def test_a_longer_prompt_did_not_shrink(lang: Lang) -> None:
    """The cause is also given where a prompt leaves the one before it early and yet grows."""
    grown, short = turn_with("shrank", before=20_000), turn_with("shrank", before=45_000)
    assert "45,000" in cause_why(short, lang)
    assert "20,000" not in cause_why(grown, lang)


def test_amounts_and_pauses_as_people_read_them() -> None:
    amounts = (0, 0.00001, 0.0042, 0.117, 0.5, 4.586, 3184.2, -0.05)
    shown = ["$0", "< $0.0001", "$0.0042", "$0.117", "$0.500", "$4.59", "$3,184", "−$0.050"]
    assert [fine_money(one, "$") for one in amounts] == shown
    pauses = (0.4, 42, 60, 412, 4440, 90_000)
    assert [pause_text(one, "en") for one in pauses] == ["0.4 s", "42 s", "1 min", "7 min", "1.2 h", "1 d"]
    assert pause_text(None, "zh") == "不详"


def test_what_was_paid_adds_up() -> None:
    _, usage = summary_of(transcript([make_session()], hour=range(1, 8)))
    rules = usage["bill"]["rules"]
    for row in usage["bill"]["rows"]:
        assert sum(money_parts(row, rules).values()) == pytest.approx(row["cost"]), row["id"]


@pytest.mark.parametrize("lang", LANGS)
def test_the_bill_in_words(lang: Lang) -> None:
    trace, usage = summary_of(transcript([make_session()], hour=range(1, 8)))
    rows = usage["bill"]["rows"]
    first = row_note(rows[0], rows[0], usage, lang)
    assert f"{rows[0]['written_5m']:,}" in first
    assert f"{rows[0]['written_1h']:,}" in first, "writes for five minutes and for an hour stand apart"
    assert len({row_name(row, lang) for row in rows}) == len(rows)
    how = " ".join(how_lines(usage, priced(trace), lang))
    assert "claude-sonnet-4-5-20250929" in how
    assert usage["bill"]["rules"]["read_on"] in how


def test_lines_of_the_time_to_live() -> None:
    _, five = summary_of(transcript([make_session()]))
    assert ttl_lines(five["sessions"][0], five) == [300.0, 3600.0]
    _, mixed = summary_of(transcript([make_session()], hour=range(1, 8)))
    assert ttl_lines(mixed["sessions"][0], mixed) == [3600.0, 300.0], "only the longer one ends all"


def test_single_requests_are_one_list() -> None:
    made = [make_session(1, {}, name=f"s{place}", begins_s=90 * place) for place in range(40)]
    trace, usage = summary_of(transcript([*made, make_session()]))
    found = gathered(usage)
    assert [len(one["turns"]) for one in found["sessions"]] == [25, 40]
    assert [turn["n"] for turn in found["sessions"][1]["turns"]] == list(range(1, 41))
    data = usage_payload(found, 1, priced(trace), "log", "", "both")
    assert data["alone"]
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
