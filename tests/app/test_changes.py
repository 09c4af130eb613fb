"""What a person changes on a page changes the run, the link, and nothing else."""

from __future__ import annotations

import pytest

from tests.app.visit import choose, go_to, open_tab, payload, press, setup_of, texts, visit
from ui.stage.fork import Fork
from ui.stage.setup import Setup
from ui.words.i18n import MODES, LangMode, t


@pytest.mark.parametrize("lang", MODES)
def test_a_language_switch_keeps_the_setup(lang: LangMode) -> None:
    link = {"s": "P9", "slots": "5", "ttl": "40", "m": "guided", "bet": "20", "fork": "12.slots.6"}
    at = visit("execute", lang="en", **link)
    before = setup_of(at)
    at.button_group(key="widget_lang").set_value(lang)
    at.run()
    assert setup_of(at) == before
    assert payload(at)["lang"] == lang
    assert payload(at)["a"]["meta"]["slots"] == 5
    assert payload(at)["b"]["meta"]["slots"] == 6
    if lang != "en":  # an opened link stays as it is until something changes
        assert at.query_params["lang"] == lang
        assert {name: at.query_params[name] for name in link} == link


def test_the_same_prompts_in_the_other_language() -> None:
    at = visit("execute", lang="en", s="P1")
    english = payload(at)
    at.button_group(key="widget_lang").set_value("zh")
    at.run()
    chinese = payload(at)
    assert chinese["rev"] != english["rev"]
    assert chinese["a"]["pieces"]["R0"][:2] == ["你", "是"]
    assert [step["op"] for step in chinese["a"]["events"]] == [step["op"] for step in english["a"]["events"]]
    at.button_group(key="widget_lang").set_value("en")
    at.run()
    assert payload(at)["rev"] == english["rev"]


def test_no_language_at_all_is_not_possible() -> None:
    """A second click on the chosen segment takes the choice away; the page stays as it is."""
    at = visit("execute", lang="zh")
    at.button_group(key="widget_lang").set_value(None)
    at.run()
    assert payload(at)["lang"] == "zh"
    assert at.button_group(key="widget_lang").value == "zh"


def test_another_scenario_is_another_run_with_its_own_settings() -> None:
    at = visit("execute", lang="en", s="P9", slots="5", fork="3.slots.6")
    at = choose(at, "widget_scenario", "P10")
    assert setup_of(at) == Setup("P10")
    assert payload(at)["a"]["meta"]["scenario"] == "P10"
    assert payload(at)["b"] is None
    assert at.number_input(key="widget_ttl").value == 10
    assert at.number_input(key="widget_num_slots").value == 10
    assert at.query_params["s"] == "P10"
    assert "slots" not in at.query_params


@pytest.mark.parametrize("page", ["start", "execute"])
def test_a_knob_changes_the_run(page: str) -> None:
    """P9: five slots instead of four, and hits appear."""
    before = payload(visit("execute", lang="en", s="P9"))
    assert before["a"]["meta"]["slots"] == 4
    at = open_tab(visit(page, lang="en", s="P9"), "knobs")
    at = choose(at, "widget_num_slots", 5)
    after = payload(go_to(at, "execute"))
    assert after["a"]["meta"]["slots"] == 5
    assert after["rev"] != before["rev"]
    hits = [sum(step["op"] == "match" for step in data["a"]["events"]) for data in (before, after)]
    assert hits == [0, 20]
    assert at.query_params["slots"] == "5"


@pytest.mark.parametrize(
    ("key", "value", "knob"),
    [
        ("widget_block_size", 2, ("block_size", 2)),
        ("widget_queue_rule", "all_to_back", ("queue_rule", "all_to_back")),
        ("widget_cache_cap", 3, ("cache_cap", 3)),
        ("widget_admit_after", 2, ("admit_after", 2)),
        ("widget_ttl", 9, ("ttl", 9)),
        ("widget_ttl_kind", "absolute", ("ttl_kind", "absolute")),
        ("widget_version", "v2", ("version", "v2")),
        ("widget_salt", "mine", ("salt", "mine")),
    ],
)
def test_every_knob_arrives_in_the_setup(key: str, value: object, knob: tuple[str, object]) -> None:
    at = choose(visit("execute", lang="en", s="P7"), key, value)
    assert setup_of(at).knobs == dict([knob])
    assert at.error.len == 0


def test_an_optional_knob_is_empty_when_off_and_can_be_emptied_again() -> None:
    at = visit("execute", lang="en", s="P10")
    assert at.number_input(key="widget_cache_cap").value is None
    assert at.number_input(key="widget_ttl").value == 10
    at = choose(at, "widget_ttl", None)
    assert setup_of(at).knobs == {"ttl": None}
    assert at.query_params["ttl"] == "off"
    assert not any(step["op"] == "ttl" for step in payload(at)["a"]["events"])


def test_knobs_can_all_be_put_back() -> None:
    at = visit("execute", lang="en", s="P9", slots="5", ttl="3")
    button = next(button for button in at.button if button.label == t("knob.reset", "en"))
    button.click()
    at.run()
    assert setup_of(at) == Setup("P9")
    assert payload(at)["a"]["meta"]["slots"] == 4


def test_a_pool_too_small_is_told_and_can_be_mended() -> None:
    """The sentence says what to do, and the knob to do it with is on the page."""
    at = visit("execute", lang="zh", s="P0", slots="3")
    assert [error.value for error in at.error] == [
        t("error.request.too_large", "zh", request_id="R0", needed=5, usable=3)
    ]
    assert at.number_input(key="widget_num_slots").value == 3
    at = choose(at, "widget_num_slots", 12)
    assert at.error.len == 0
    assert payload(at)["a"]["meta"]["slots"] == 12


def test_on_the_front_page_too() -> None:
    at = open_tab(visit("start", lang="en", s="P0", slots="3"), "knobs")
    assert at.error.len == 1
    at = choose(at, "widget_num_slots", 12)
    assert at.error.len == 0
    assert payload(go_to(at, "execute"))["a"]["meta"]["slots"] == 12


# -- what if -----------------------------------------------------------------------------------------------


def test_a_what_if_brings_a_second_run() -> None:
    at = visit("execute", lang="en", s="P9", fork="20.slots.5")
    data = payload(at)
    assert (data["a"]["meta"]["slots"], data["b"]["meta"]["slots"]) == (4, 5)
    assert setup_of(at).fork == Fork(20, "slots", 5)


def test_a_what_if_that_cannot_be_is_told_and_closed() -> None:
    at = visit("execute", lang="en", s="P1", fork="99999.prompt.Hello")
    assert [said.value for said in at.toast] == [t("error.fork.no_prompt", "en").replace(".", "\\.")]
    assert setup_of(at).fork is None
    assert payload(at)["b"] is None
    assert payload(at)["a"]["meta"]["scenario"] == "P1"


def test_a_card_takes_its_scenario() -> None:
    at = press(visit("start", lang="en"), "preset_P4")
    assert setup_of(at) == Setup("P4")
    assert f"**{t('scenario.P4.title', 'en')}**" in texts(at)
    assert payload(go_to(at, "execute"))["a"]["meta"]["scenario"] == "P4"
