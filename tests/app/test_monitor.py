"""The monitor page without a browser: it runs on, hears its knobs, pauses, sends a request to the stage."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.visit import calm, choose, components, payload, press, texts, visit
from ui.i18n import MODES, LangMode, languages, t
from ui.monitor_moment import shown_moment
from ui.monitor_run import LoadSession
from ui.monitor_setup import LoadSetup


def message(at: AppTest) -> dict[str, Any]:
    """What the monitor of the page got last."""
    data: dict[str, Any] = json.loads(components(at, "broth_monitor")[0].bytes)
    return data


def load_of(at: AppTest) -> LoadSession:
    load: LoadSession = at.session_state["load"]
    return load


def paused(at: AppTest) -> AppTest:
    load_of(at).playing = False
    return calm(at.run())


@pytest.mark.parametrize("lang", MODES)
def test_it_runs_and_goes_on_with_each_tick(lang: LangMode) -> None:
    at = visit("monitor", lang=lang, bet="40")
    first = message(at)
    second = message(calm(at.run()))
    assert (first["lang"], first["bet"], first["side"]) == (lang, 40, False)
    assert second["run"] == first["run"]
    assert second["samples"]["end_s"][-1] > first["samples"]["end_s"][-1]
    for one in languages(lang):
        assert first["text"][one]["monitor.strip.hit"] == t("monitor.strip.hit", one)


def test_a_link_decides_what_runs() -> None:
    at = visit("monitor", lang="en", lp="256", lm="chat", ls="3", lr="8", la="2")
    assert load_of(at).setup == LoadSetup(pool=256, mix="chat", seed=3, rate=8.0, admit_after=2)
    assert len(message(at)["map"]["letters"]) == 256


def test_a_knob_is_turned_flagged_and_joins_the_link() -> None:
    at = visit("monitor", lang="en", lp="256")
    name = message(at)["run"]
    at = choose(at, "load_cache_cap", 100)
    at = choose(at, "load_ttl_s", 30)
    at = choose(at, "load_admit_after", 2)
    told = message(at)
    assert told["run"] == name, "the same run goes on"
    flags = [(flag["name"], flag["value"]) for flag in told["samples"]["flags"]]
    assert flags == [("cache_cap", 100), ("ttl", 30.0), ("admit_after", 2)]
    assert [at.query_params[key] for key in ("lc", "lt", "la")] == ["100", "30", "2"]


def test_a_new_block_size_starts_cold_and_another_seed_anew() -> None:
    at = visit("monitor", lang="en", lp="256")
    name = message(at)["run"]
    at = choose(at, "load_block_size", 8)
    assert message(at)["run"] == name
    assert message(at)["samples"]["flags"][-1]["name"] == "block_size"
    at = choose(at, "load_seed", 11)
    assert message(at)["run"] != name
    assert message(at)["samples"]["flags"] == []


def test_the_machine_of_the_stage() -> None:
    at = visit("monitor", lang="en", s="P9", slots="12")
    button = next(one for one in at.button if one.label == t("monitor.like_stage", "en"))
    button.click()
    calm(at.run())
    assert (load_of(at).setup.pool, load_of(at).setup.block_size) == (12, 4)
    assert at.query_params["lp"] == "12"


def test_rush_hour() -> None:
    at = press(visit("monitor", lang="en", lp="256"), "load_burst")
    assert [flag["name"] for flag in message(at)["samples"]["flags"]] == ["burst"]


@pytest.mark.parametrize("lang", MODES)
def test_a_pause_shows_charts_and_stands_still(lang: LangMode) -> None:
    at = visit("monitor", lang=lang, lp="256")
    now = load_of(at).run.now_s
    at = paused(at)
    assert message(at)["side"] is True
    assert t("monitor.paused", languages(lang)[0]) in texts(at)
    assert len(at.get("plotly_chart")) == 1
    calm(at.run())
    assert load_of(at).run.now_s == now


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_formulas_are_one_click_away(lang: LangMode) -> None:
    at = paused(visit("monitor", lang=lang, on="Llama-3-8B~H100~1~2~1~0.1"))
    assert "Llama-3-8B" in texts(at)
    assert "t₀ + 2·P·n / (u·F)" in texts(at)


def test_execute_shows_the_request_and_leads_back() -> None:
    at = visit("execute", lang="en")
    load = _some_load()
    moment = shown_moment(load.run, "R20", 4.0, t("monitor.moment", "en", name="R20"))
    at.session_state["moment"] = moment
    at.session_state["go"] = ["token", moment.step]
    calm(at.run())
    shown = payload(at)
    assert shown["a"]["meta"]["scenario"] == "R20"
    assert shown["flags"]["go"] == ["token", moment.step]
    at = press(at, "moment_leave")
    assert payload(at)["a"]["meta"]["scenario"] == "P0"


def test_another_setup_makes_the_request_leave_the_stage() -> None:
    at = visit("execute", lang="en")
    at.session_state["moment"] = shown_moment(_some_load().run, "R20", 4.0, "t")
    calm(at.run())
    assert payload(at)["a"]["meta"]["scenario"] == "R20"
    at.session_state["moment"] = None
    calm(at.run())
    at = choose(at, "widget_scenario", "P1")
    assert "moment" not in at.session_state
    assert payload(at)["a"]["meta"]["scenario"] == "P1"


def _some_load() -> LoadSession:
    at = visit("monitor", lang="en", lp="256")
    load = load_of(at)
    load.run.advance(requests=40)
    return load


def test_a_refused_setting_is_told_and_the_run_goes_on() -> None:
    at = visit("monitor", lang="en", lp="256")
    before = load_of(at)
    at.session_state["load_setup"] = LoadSetup(pool=256, cache_cap=-1)
    at.run()
    assert [error.value for error in at.exception] == []
    assert len(at.error) == 1
    calm(at.run())
    assert load_of(at) is before
    assert len(at.error) == 0
