"""Visitors of one server share nothing of theirs: what one sets up, types or answers, no other sees."""

from __future__ import annotations

from dataclasses import replace

from streamlit.testing.v1 import AppTest

from tests.app.visit import choose, payload, press, prompts, setup_of, visit
from ui.stage.setup import Setup


def type_prompt(at: AppTest, system: str, messages: str) -> AppTest:
    at.text_area(key="own_system").set_value(system)
    at.text_area(key="own_messages").set_value(messages)
    return press(at, "own_run")


def test_two_visitors_in_turn() -> None:
    """Each step of one stands between two steps of the other."""
    ann, bob = visit("execute", lang="en"), visit("execute", lang="zh", s="P9")
    ann = choose(ann, "widget_scenario", "P4")
    assert payload(bob)["a"]["meta"]["scenario"] == "P9"
    bob = choose(bob, "widget_num_slots", 5)
    ann = choose(ann, "widget_num_slots", 30)
    assert (setup_of(ann).knobs, setup_of(bob).knobs) == ({"num_slots": 30}, {"num_slots": 5})
    ann = type_prompt(ann, "Ann's secret recipe. ", "one\ntwo")
    bob.run()
    assert "Ann" not in str(payload(bob)["a"])
    assert payload(bob)["lang"] == "zh"
    bob = type_prompt(bob, "Bob knows nothing. ", "three")
    ann.run()
    assert prompts(ann) == ["Ann's secret recipe. one", "Ann's secret recipe. two"]
    assert prompts(bob) == ["Bob knows nothing. three"]


def test_a_new_visitor_starts_clean() -> None:
    ann = type_prompt(visit("execute", lang="en"), "Ann's secret recipe. ", "one")
    assert setup_of(ann).scenario == "own"
    cat = visit("execute", lang="en")
    assert setup_of(cat) == Setup()
    assert "Ann" not in str(payload(cat)["a"])
    assert all("Ann" not in str(area.value) for area in cat.text_area)


def test_equal_setups_get_equal_runs() -> None:
    ann, bob = visit("execute", lang="en", s="P5"), visit("execute", lang="en", s="P5")
    assert payload(ann) == payload(bob)


def test_runs_of_a_visitor_are_kept_but_not_for_ever() -> None:
    at = visit("execute", lang="en")
    for number in range(6):
        own = replace(Setup().own, system="My recipe. ", messages=(f"question {number}",))
        at.session_state["setup"] = Setup("own", own=own)
        at.run()
    assert len(at.session_state["runs"]) == 4
    assert prompts(at) == ["My recipe. question 5"]
