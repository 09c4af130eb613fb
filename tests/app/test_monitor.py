"""The monitor page without a browser: it runs on, hears its knobs, pauses, sends a request to the stage."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.visit import calm, choose, components, payload, press, texts, visit
from ui.moment.link import OF_A_LOG, of_load
from ui.moment.link import from_query as moment_from_query
from ui.moment.shown import shown_moment
from ui.monitor.asked import Asked
from ui.monitor.deeds import Deed, LoadPlan, from_query, to_query
from ui.monitor.run import LoadSession
from ui.monitor.setup import LoadSetup
from ui.words.i18n import MODES, LangMode, languages, t


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
    plan, lost = from_query(dict(at.query_params.items()))
    assert [(deed.name, deed.value) for deed in plan.deeds] == [
        ("cache_cap", 100),
        ("ttl_s", 30),
        ("admit_after", 2),
    ]
    assert (plan.first, lost) == (LoadSetup(pool=256), [])
    assert at.session_state["load_setup"] == LoadSetup(pool=256, cache_cap=100, ttl_s=30, admit_after=2)


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
    assert len(at.get("plotly_chart")) == 2, "the figure, and the one that nobody sees"
    calm(at.run())
    assert load_of(at).run.now_s == now


def test_a_second_that_is_typed_lists_who_is_behind_its_bin_and_close_takes_the_mark_too() -> None:
    at = visit("monitor", lang="en", lp="256")
    load_of(at).run.advance(seconds=12)
    at = paused(at)
    load_of(at).picked = ("R3", 2.0)
    field = next(one for one in at.number_input if str(one.key).startswith("load_second_"))
    calm(field.set_value(7.4).run())
    assert load_of(at).asked == Asked(8.0, 1.0, "evict")
    assert t("monitor.bin.title", "en", begin="7", end="8") in texts(at)
    assert load_of(at).picked is None, "another second was looked at before"
    at = press(at, "behind_close")
    assert (load_of(at).asked, load_of(at).picked) == (None, None)
    assert t("monitor.bin.title", "en", begin="7", end="8") not in texts(at)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_formulas_are_one_click_away(lang: LangMode) -> None:
    at = paused(visit("monitor", lang=lang, on="Llama-3-8B~H100~1~2~1~0.1"))
    assert "Llama-3-8B" in texts(at)
    assert "t₀ + 2·P·n / (u·F)" in texts(at)
    assert t("formula.busy", lang) in texts(at)


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
    at = visit("start", lang="en")
    at.session_state["moment"] = shown_moment(_some_load().run, "R20", 4.0, "t")
    at.session_state["moment_link"] = of_load("R20", 4.0, 8.0)
    assert calm(at.run()).query_params["lq"] == "R20~4~8"
    at = press(at, "preset_P1")
    assert at.session_state["moment"] is None
    assert "lq" not in at.query_params
    at.session_state["visited"] = "execute"
    assert payload(calm(at.run()))["a"]["meta"]["scenario"] == "P1"


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


# -- reload and shared link -----------------------------------------------------------------------------

PLAN = LoadPlan(
    LoadSetup(pool=256),
    (Deed(4, "cache_cap", 90), Deed(4, "burst"), Deed(9, "block_size", 8), Deed(12, "ttl_s", 20)),
    speed=16,
)


def ticked(at: AppTest, until_s: float) -> AppTest:
    while load_of(at).run.now_s < until_s:
        at = calm(at.run())
    return at


def test_a_link_does_again_what_was_done_and_the_widgets_follow() -> None:
    at = ticked(visit("monitor", lang="en", **to_query(PLAN)), 20)
    at = calm(at.run())
    assert [(flag["name"], flag["value"]) for flag in message(at)["samples"]["flags"]] == [
        ("cache_cap", 90),
        ("burst", 4.0),
        ("block_size", 8),
        ("ttl", 20.0),
    ]
    shown = {one.key: one.value for one in at.number_input}
    assert (shown["load_cache_cap"], shown["load_ttl_s"]) == (180, 20)
    assert at.selectbox(key="load_block_size").value == 8
    assert from_query(dict(at.query_params.items())) == (PLAN, [])


def test_who_turns_a_knob_takes_over() -> None:
    at = visit("monitor", lang="en", **{**to_query(PLAN), "lv": "1"})
    assert load_of(at).pending == PLAN.deeds
    at = choose(at, "load_ttl_s", 7)
    assert load_of(at).pending == ()
    plan = from_query(dict(at.query_params.items()))[0]
    assert [(deed.name, deed.value) for deed in plan.deeds] == [("ttl_s", 7)]


def test_another_speed_takes_nothing_over_and_joins_the_link() -> None:
    at = visit("monitor", lang="en", **to_query(PLAN))
    at = choose(at, "load_speed", 64)
    assert load_of(at).plan().deeds == PLAN.deeds
    assert at.query_params["lv"] == "64"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_a_link_has_no_room_for_is_told(lang: LangMode) -> None:
    at = visit("monitor", lang=lang, ld="5R.~12")
    assert t("monitor.left_out", languages(lang)[0], n=12) in texts(at)
    assert t("monitor.left_out", "en", n=12) not in texts(visit("monitor", lang="en", ld="5R"))


def test_a_damaged_list_of_changes_is_named() -> None:
    at = visit("monitor", lang="en", ld="5R.xyz.3R", lv="7")
    names = ", ".join([t("link.deeds", "en"), t("monitor.speed", "en")])
    assert at.warning[0].value == t("page.link_lost", "en", names=names)
    assert load_of(at).plan().deeds == (Deed(5, "burst"),)


def test_what_is_lost_is_told_though_a_deed_is_due_at_once() -> None:
    """The first run of the script stopped for the knob that the link turned, and took the notice with it."""
    at = visit("monitor", lang="en", ld="C2s.Q.T1e")
    assert [one.value for one in at.warning] == [t("page.link_lost", "en", names=t("link.deeds", "en"))]
    assert load_of(at).plan().deeds == (Deed(0, "cache_cap", 100),)
    assert calm(at.run()).warning.len == 0, "said once"


def opened_request(at: AppTest) -> AppTest:
    """What a click on a point does, as far as it goes without a browser."""
    load = load_of(at)
    load.playing = False
    moment = shown_moment(load.run, "R30", 5.0, t("monitor.moment", "en", name="R30"))
    at.session_state["moment"] = moment
    at.session_state["moment_link"] = of_load("R30", 5.0, load.run.now_s)
    at.session_state["visited"] = "execute"
    return calm(at.run())


def test_a_reload_brings_the_request_of_a_load_back() -> None:
    before = opened_request(ticked(visit("monitor", lang="en", **to_query(PLAN)), 20))
    query = dict(before.query_params.items())
    after = visit("execute", **query)
    shown, again = payload(before)["a"], payload(after)["a"]
    assert again == shown
    assert again["meta"]["scenario"] == "R30"
    assert payload(after)["flags"]["step"] == before.session_state["moment"].step
    assert dict(after.query_params.items()) == query
    assert load_of(after).run.samples() == load_of(before).run.samples()
    assert (load_of(after).picked, load_of(after).playing) == (("R30", 5.0), False)
    after = press(after, "moment_leave")
    assert payload(after)["a"]["meta"]["scenario"] == "P0"
    assert "lq" not in after.query_params


def test_repeating_a_long_run_stops_and_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.monitor.repeat.SLICE_S", 0.0)
    monkeypatch.setattr("ui.monitor.repeat.NUM_SLICES", 1)
    at = visit("execute", lang="en", lp="256", lq="R30~5~20")
    assert not components(at)
    assert t("monitor.repeat.far", "en", name="R30", seconds=0) in [one.value for one in at.info]
    monkeypatch.setattr("ui.monitor.repeat.SLICE_S", 9.0)
    at = press(at, "moment_repeat")
    assert payload(at)["a"]["meta"]["scenario"] == "R30"


def test_a_request_that_never_came_is_told() -> None:
    at = visit("execute", lang="en", lp="256", lq="R9999~5~7")
    assert [len(at.error), len(components(at))] == [1, 0]
    at = press(at, "moment_leave")
    assert payload(at)["a"]["meta"]["scenario"] == "P0"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_request_of_a_log_is_gone_with_a_reload_and_the_page_says_so(lang: LangMode) -> None:
    at = visit("execute", lang=lang, lq="log")
    assert [one.value for one in at.info] == [t("traffic.gone", languages(lang)[0])]
    assert not components(at)
    back = next(one for one in at.button if one.key == "moment_back")
    assert back.label == t("traffic.back", languages(lang)[0])
    assert moment_from_query(dict(at.query_params.items())) == (OF_A_LOG, [])
    at = press(at, "moment_leave")
    assert payload(at)["a"]["meta"]["scenario"] == "P0"


def test_another_load_takes_its_request_off_the_stage() -> None:
    at = opened_request(ticked(visit("monitor", lang="en", lp="256", lv="16"), 16))
    at.session_state["visited"] = "monitor"
    at = choose(calm(at.run()), "load_seed", 11)
    assert at.session_state["moment"] is None
    assert "lq" not in at.query_params


def test_other_times_take_a_request_of_a_load_off_the_stage_and_other_prices_do_not() -> None:
    at = visit("ch06", lang="en", lq="R20~4~8")
    at = choose(at, "widget_machine_per_gpu_hour", 3.0)
    assert at.query_params["lq"] == "R20~4~8"
    assert "lq" not in choose(at, "widget_machine_num_gpus", 2).query_params
    of_a_log = choose(visit("ch06", lang="en", lq="log"), "widget_machine_num_gpus", 2)
    assert of_a_log.query_params["lq"] == "log"
