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
from tests.usage_logs import chat_rows, make_session, transcript
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


def resets_of(text: str) -> list[Json]:
    _, usage = summary_of(text)
    return [turn for one in usage["sessions"] for turn in one["turns"] if turn["reset"]]


EVERY = {4: "ttl", 8: "unexplained", 12: "shrank", 16: "model"}


def every_cause() -> dict[str, Json]:
    """A turn of each cause, as the core finds it."""
    found = resets_of(transcript([make_session(20, EVERY)]))
    found += resets_of(chat_rows(make_session(12, {6: "tools"})))
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
