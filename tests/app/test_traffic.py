"""Your traffic, page and session: sample, pasted text, mistakes, every view, the way to the stage."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.visit import calm, choose, texts, visit
from ui.i18n import LANGS, Lang, t
from ui.traffic_state import TrafficState

VIEWS = ("overview", "misses", "sources", "sweeps", "compare")


def rows(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def paste(at: AppTest, text: str) -> AppTest:
    """Text into the box, as a person pastes it."""
    choose(at, "traffic_source", "paste")
    at.text_area(key="traffic_paste").set_value(text)
    return calm(at.run())


def state_of(at: AppTest) -> TrafficState:
    found: TrafficState = at.session_state["traffic"]
    return found


def metrics(at: AppTest) -> list[str]:
    return [str(metric.value) for metric in at.metric]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_the_sample(view: str, lang: Lang) -> None:
    at = choose(visit("traffic", lang=lang), "traffic_view", view)
    assert [error.value for error in at.error] == []
    said = texts(at)
    assert t("traffic.privacy", lang) in said
    assert "247" in said
    plain = [str(one.value).partition("`")[0] for one in at.markdown]  # formulas have braces of their own
    assert [one for one in plain if "{" in one] == []


def test_the_sample_in_numbers() -> None:
    at = visit("traffic", lang="en")
    assert metrics(at)[:2] == ["64.2 %", "64.2 %"]
    choose(at, "traffic_slots", 150)
    assert metrics(at)[0] < metrics(at)[1] == "64.2 %"


def test_pasted_text_is_read_and_stays_when_something_goes_wrong() -> None:
    at = paste(visit("traffic", lang="en"), rows({"prompt": "a b c d"}, {"prompt": "a b c e"}))
    assert "**pasted text**: 2 requests" in texts(at)
    choose(at, "traffic_block", 1)
    assert metrics(at)[0] == "37.5 %"
    paste(at, rows({"prompt": "a b c d"}) + "{broken\n")
    assert "line 2" in at.error[0].value
    log = state_of(at).log
    assert log is not None
    assert len(log.trace.requests) == 2
    at.checkbox(key="traffic_skip").check()
    calm(at.run())
    assert "1 broken line left out" in texts(at)
    assert at.error.len == 0


def test_a_chosen_format_overrules_what_was_recognised() -> None:
    at = paste(visit("traffic", lang="en"), "one two\nthree four\n")
    assert at.error.len == 1
    choose(at, "traffic_format", "text_lines")
    assert "2 requests" in texts(at)
    assert t("traffic.read.format", "en", format=t("trace.format.text_lines", "en")) in texts(at)


def test_lengths_have_no_hit_rate_and_never_zero() -> None:
    at = paste(
        visit("traffic", lang="en"), "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00,10,5\n"
    )
    assert at.info[0].value == t("traffic.no_rate", "en")
    assert metrics(at) == []
    assert "0.0 %" not in texts(at)


def test_reported_usage_stands_beside_ours() -> None:
    row = {
        "messages": [{"role": "user", "content": "a b c"}],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": 25},
        },
    }
    at = paste(visit("traffic", lang="en"), rows(row, row))
    assert "**25.00 %** cached: 50 of 200" in texts(at)


def test_names_from_a_log_are_text_and_nothing_else() -> None:
    row = {
        "prompt": "a b c d e f",
        "tenant": "<script>x</script> **bold**",
        "request_id": "[x](http://y) `z`",
    }
    at = paste(visit("traffic", lang="en"), rows(row, row | {"tenant": "$x$"}))
    for view in VIEWS:
        choose(at, "traffic_view", view)
        assert "<script>" not in "".join(str(one.value).replace("\\<script", "") for one in at.markdown)


def test_uploads_belong_to_one_session() -> None:
    mine = paste(visit("traffic", lang="en"), rows({"prompt": "secret words of mine"}))
    assert "1 request" in texts(mine)
    other = visit("traffic", lang="en")
    assert "247 requests" in texts(other)
    assert "secret" not in str(state_of(other).computed)


def test_an_example_of_a_cause_opens_on_the_stage() -> None:
    """What the button does, short of leaving for the other page: the moment stands in the session."""
    at = choose(visit("traffic", lang="en"), "traffic_view", "misses")
    example = next(one for one in at.button if (one.key or "").startswith("cause_"))
    example.click()
    at.run()  # the page to go to is not registered here, so the switch itself fails
    moment = at.session_state["moment"]
    assert moment.origin == "traffic"
    assert at.session_state["go"][1] == moment.step > 0
    assert state_of(at).picked is not None


def test_a_link_keeps_working() -> None:
    assert t("traffic.title", "zh") in [str(one.value) for one in visit("traffic", lang="zh").header]
