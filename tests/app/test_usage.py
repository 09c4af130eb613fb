"""The usage view in Streamlit's own test tool, on logs made by a provider's rules: the truth is known."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.test_traffic import metrics, paste
from tests.app.visit import choose, components, press, texts, visit
from tests.usage_logs import Made, chat_rows, lines, make_session, transcript
from ui.words.i18n import LANGS, Lang, t


def shown(at: AppTest) -> dict[str, Any]:
    """What the figure got."""
    [one] = components(at, "broth_usage")
    data: dict[str, Any] = json.loads(one.bytes)
    return data


def opened(log: str, lang: Lang = "en", **query: str) -> AppTest:
    """The page with this log pasted."""
    return paste(visit("traffic", lang=lang, **query), log)


@pytest.mark.parametrize("lang", LANGS)
def test_a_log_with_usage_only_says_what_was_reset(lang: Lang) -> None:
    """It used to end at "no hit rate can be computed"."""
    at = opened(transcript([make_session()]), lang)
    assert at.subheader[-1].value == t("usage.headline", lang, n=5)
    assert [(one["at"] + 1, one["cause"]) for one in shown(at)["marks"]] == make_session().truth
    assert t("traffic.no_rate", lang) not in texts(at) + "".join(str(one.value) for one in at.info)
    said = [part for mark in shown(at)["marks"] for part in mark["title"] + mark["why"]]
    assert not any("{" in one or "None" in one or "nan" in one for one in said), said
    assert t("usage.count.unexplained", lang, n=2) in texts(at)


def test_every_amount_follows_the_prices_and_they_stay_in_the_link() -> None:
    at = opened(transcript([make_session()]))
    before = shown(at)["bill"]["rows"]
    at.number_input(key="usage_per_million").set_value(6.0)
    at.run()
    after = shown(at)["bill"]["rows"]
    assert [row["parts"]["read"] * 2 for row in before] == [row["parts"]["read"] for row in after]
    assert at.query_params["yp"] == "~6~~~~"
    again = opened(transcript([make_session()]), yp="~6~~~~")
    assert shown(again)["bill"]["rows"] == after
    press(again, "usage_as_listed")
    assert shown(again)["bill"]["rows"] == before


def test_another_provider_takes_back_what_was_changed() -> None:
    at = opened(transcript([make_session()]), yp="~6~~~~")
    choose(at, "usage_rule", "openai")
    assert at.query_params["yp"] == "openai~~~~~"
    assert shown(at)["ttls"] == [300]
    beside = shown(at)["bill"]["basis"][0]
    assert "OpenAI" in beside[0]
    assert "claude-sonnet-4-5-20250929" in beside[1], "no list price of OpenAI's: said beside the bill"


@pytest.mark.parametrize("text", ["x~1~~~~", "~1~2", "~-1~~~~", "~1e9~~~~", "~99999999~~~~"])
def test_prices_that_no_link_can_mean_are_named(text: str) -> None:
    at = visit("traffic", lang="en", yp=text)
    assert t("usage.prices", "en") in "".join(str(one.value) for one in at.warning)


def test_several_sessions_are_chosen_by_name_and_resets() -> None:
    plans = ({}, {9: "ttl", 12: "unexplained"}, {10: "shrank"})
    made = [make_session(25, plan, name=f"s{k}", begins_s=40_000 * k) for k, plan in enumerate(plans)]
    at = opened(transcript(made))
    assert at.subheader[-1].value == t("usage.headline.sessions", "en", n=3, k=2, all=3)
    picker = at.selectbox(key="usage_session")
    assert picker.options == [
        t("usage.session.line", "en", name=f"s{k}", n=25, resets=n) for k, n in enumerate((0, 2, 1))
    ]
    assert [mark["cause"] for mark in shown(at)["marks"]] == ["ttl", "unexplained"], "the one that lost most"
    choose(at, "usage_session", 2)
    assert [mark["cause"] for mark in shown(at)["marks"]] == ["shrank"]
    assert at.query_params["yw"] == "2"


def test_another_log_begins_with_its_own_session() -> None:
    first = [
        make_session(25, {9: "ttl"} if k == 1 else {}, name=f"s{k}", begins_s=40_000 * k) for k in range(3)
    ]
    at = choose(opened(transcript(first)), "usage_session", 2)
    paste(at, transcript(reversed(first)))
    assert at.selectbox(key="usage_session").value == 1
    assert "yw" not in at.query_params


def test_text_and_usage_are_one_view_more_and_the_engine_stands_beside() -> None:
    at = choose(opened(chat_rows(make_session(6, {}), full=True)), "traffic_view", "usage")
    data = shown(at)
    assert not data["stored"]
    assert not any(data["turns"]["new"]), "what was computed stands where writes would"
    assert [row["id"] for row in data["bill"]["rows"]][-1] == "engine"
    assert "our engine" in texts(at)
    stub = choose(opened(chat_rows(make_session(6, {}))), "traffic_view", "usage")
    assert "engine" not in [row["id"] for row in shown(stub)["bill"]["rows"]], "a stub is not the prompt"
    assert "gpt-5.1" in " ".join(data["bill"]["how"]["lines"])


def test_the_view_is_offered_only_where_something_is_reported() -> None:
    at = opened(lines([{"prompt": "a b c d"}]))
    views = next(one for one in at.button_group if one.key == "traffic_view")
    assert "usage" not in views.options
    assert t("traffic.view.usage", "en") not in views.options


def test_without_times_no_pause_is_blamed() -> None:
    at = choose(opened(chat_rows(make_session(), timed=False)), "traffic_view", "usage")
    data = shown(at)
    assert set(data["turns"]["pause"]) == {None}
    assert "ttl" not in {mark["cause"] for mark in data["marks"]}


def test_where_no_row_reports_zero_there_are_bounds_and_no_all_clear() -> None:
    """Two of ten rows say 800 of 1,000; the others say nothing: 80 % would be the rate of survivors."""
    rows = [_chat(800 if place < 2 else None) for place in range(10)]
    at = choose(opened(lines(rows)), "traffic_view", "usage")
    assert metrics(at)[-1] == "16 % – 80 %"
    assert at.subheader[-1].value == t("usage.headline.unknown", "en")
    assert "no row ever reports 0" in texts(at)


def _chat(cached: int | None) -> dict[str, Any]:
    details = {"cached_tokens": cached}
    usage = {"prompt_tokens": 1000, "completion_tokens": 1, "prompt_tokens_details": details}
    return {"messages": [{"role": "user", "content": "a b c"}], "usage": usage}


def test_one_turn_has_lost_nothing() -> None:
    at = opened(transcript([make_session(1, {})]))
    assert at.subheader[-1].value == t("usage.headline.none", "en")
    assert t("usage.counts.single", "en") in texts(at)


def test_nothing_was_reset_is_a_finding_too() -> None:
    at = opened(transcript([make_session(18, {})]))
    assert at.subheader[-1].value == t("usage.headline.none", "en")
    assert t("usage.counts.none", "en") in texts(at)


def test_three_thousand_turns_are_quick_and_travel_light() -> None:
    plan = dict.fromkeys(range(20, 3000, 60), "ttl")
    made: Made = make_session(3000, plan, name="long")
    at = opened(transcript([made]))
    begun = time.process_time()
    choose(at, "usage_rule", "openai")
    assert time.process_time() - begun < 8, "seconds of computing for other prices"
    [one] = components(at, "broth_usage")
    assert len(one.bytes) < 400_000
    assert len(shown(at)["turns"]["n"]) == 3000


def test_names_from_the_log_stay_text() -> None:
    name = "<img src=x onerror=alert(1)> **b** $x$"
    at = opened(transcript([make_session(name=name), make_session(name="b", begins_s=90_000)]))
    assert "<img" not in "".join(str(one.value).replace("\\<img", "") for one in [*at.markdown, *at.caption])


def test_a_count_of_two_readings_shows_both_and_one_click_takes_the_other() -> None:
    """The choice stands beside the numbers, in the link, and everything follows it."""
    usage = {"input": 17_903, "input_cached_tokens": 17_817, "output": 100, "total": 35_820}
    rows = [_observed(place, usage) for place in range(3)]
    at = opened(lines(rows))
    first = metrics(at)[-1]
    chip = shown(at)["bill"]["chips"][-1]
    options = next(one for one in at.button_group if one.key == "usage_reading_choice").options
    assert len(options) == 2
    choose(at, "usage_reading_choice", "other")
    assert metrics(at)[-1] != first
    assert shown(at)["bill"]["chips"][-1] != chip
    assert chip.startswith(t("usage.readings.chip", "en", how="")[:7])


def _observed(place: int, usage: dict[str, int]) -> dict[str, Any]:
    head = {"id": f"o{place}", "traceId": f"t{place}", "type": "GENERATION", "model": "m"}
    return head | {"startTime": f"2026-01-02T10:0{place}:00Z", "usageDetails": usage}
