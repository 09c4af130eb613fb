"""Every page in every language: it renders, says what it should, and feeds the stage well."""

from __future__ import annotations

import json

import pytest

from core.engine.stats import Statistics
from pages.navigation import CHAPTERS, PAGES
from tests.app.visit import (
    calm,
    components,
    has_stage,
    payload,
    press,
    setup_of,
    texts,
    visit,
    visit_app,
)
from tests.stage_runs import log_of
from tests.unit.ui.stage.test_payload import PAYLOAD, wrong, wrong_patches
from ui.server.pressure import BUSY_S, PRESSURE
from ui.stage.bet import Bet
from ui.stage.presets import path
from ui.stage.setup import Setup, preset_ids
from ui.words.i18n import LANGS, MODES, Lang, LangMode, languages, t, table
from ui.words.numbers import digits


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_renders_and_feeds_the_stage(name: str, lang: LangMode) -> None:
    at = visit(name, lang=lang)
    assert [warning.value for warning in at.warning] == []
    if has_stage(at):
        data = payload(at)
        assert wrong(data, PAYLOAD, "payload") == []
        assert wrong_patches(data["a"]) == []
        assert data["lang"] == lang
        assert name in CHAPTERS or data["flags"]["step"] == 0


def test_execute_has_a_stage_and_the_front_page_an_act() -> None:
    assert has_stage(visit("execute"))
    at = visit("start")
    assert not has_stage(at), "nothing plays before anybody has placed a bet"
    assert len(components(at, "broth_act")) == 1


def test_what_travels_is_what_the_browser_parses() -> None:
    """NaN, tuples or numbers as keys would reach the browser as something else, or not at all."""
    data = visit("execute", lang="both").get("bidi_component")[0].proto.bytes
    assert json.dumps(json.loads(data), separators=(",", ":"), allow_nan=False).encode() == data


@pytest.mark.parametrize("lang", LANGS)
def test_the_front_page_speaks_one_language(lang: Lang) -> None:
    at = visit_app(lang=lang)
    said = texts(at)
    for key in ("start.alone", "start.what", "start.guided.help", "scenario.P0.question"):
        assert t(key, lang) in said
    other = LANGS[1 - LANGS.index(lang)]
    assert t("start.what", other) not in said
    labels = [button.label for button in at.button]
    assert t("start.guided", lang) in labels


@pytest.mark.parametrize("lang", MODES)
def test_widgets_speak_the_leading_language(lang: LangMode) -> None:
    at = visit("execute", lang=lang)
    leading = languages(lang)[0]
    labels = {widget.label for kind in (at.selectbox, at.number_input, at.text_input) for widget in kind}
    assert t("knob.num_slots", leading) in labels
    assert t("knob.queue_rule", leading) in labels
    assert at.selectbox(key="widget_scenario").options == [
        t(f"scenario.{name}.title", leading) for name in preset_ids()
    ]


def test_there_is_a_card_for_every_preset() -> None:
    at = visit("start", lang="zh", s="P4")
    cards = {
        (button.key or "").removeprefix("preset_"): button
        for button in at.button
        if "preset_" in str(button.key)
    }
    assert set(cards) == set(preset_ids())
    said = texts(at)
    assert all(table("zh")[f"scenario.{name}.question"] in said for name in cards)
    assert [t(f"path.{group}", "zh") in said for group in path()] == [True] * 4


@pytest.mark.parametrize("lang", LANGS)
def test_no_card_tells_the_result_of_a_run_that_was_not_seen(lang: Lang) -> None:
    """Every card printed "3 of 8 blocks reused" under its own question, and the bet's card did too."""
    at = visit("start", lang=lang, s="P4")
    said = [
        t("preset.seen", lang, reused=reused, total=total)
        for reused, total in map(result_of_en, preset_ids())
    ]
    assert not any(line in texts(at) for line in said)
    at.session_state["seen"] = frozenset({"P4"})
    at.run()
    assert [line for line in said if line in texts(at)] == [said[preset_ids().index("P4")]]


def result_of_en(name: str) -> tuple[int, int]:
    statistics = Statistics()
    for event in log_of(name).events:
        statistics.add(event)
    asked, reused = statistics.lifetime
    return reused, asked


def test_the_first_screen_leads_into_the_path() -> None:
    """What is chosen in the act opens on the stage, guided."""
    first = next(iter(path().values()))[0]
    at = visit_app(lang="en", s=first, m="guided")
    at.session_state["act_taken"] = True
    calm(at.run())
    assert payload(at)["flags"]["ask"] is True
    assert payload(at)["a"]["meta"]["scenario"] == first


@pytest.mark.parametrize(("button", "mode", "asks"), [("guided", "guided", True), ("walk", "walk", False)])
def test_the_ways_in_lead_to_the_stage(button: str, mode: str, asks: bool) -> None:
    at = visit_app(lang="en", s="P3")
    at.button(key=f"go_{button}").click()
    at.run()
    assert [error.value for error in at.exception] == []
    assert setup_of(at).mode == mode
    assert payload(at)["flags"]["ask"] is asks
    assert payload(at)["a"]["meta"]["scenario"] == "P3"


@pytest.mark.parametrize("scenario_id", preset_ids())
def test_every_preset_can_be_opened_by_its_link(scenario_id: str) -> None:
    at = visit("execute", lang="both", s=scenario_id)
    assert payload(at)["a"]["meta"]["scenario"] == scenario_id
    assert payload(at)["a"]["meta"]["title"] == t(f"scenario.{scenario_id}.title", "zh")
    assert at.error.len == 0


@pytest.mark.parametrize(("link", "bet"), [("0t", Bet(0)), ("16t", Bet(16)), ("50", Bet(50, "percent"))])
def test_a_bet_is_kept(link: str, bet: Bet) -> None:
    """To the token, in the link and on the stage; a share, where an older link tells one."""
    at = visit("execute", lang="en", s="three", m="guided", bet=link)
    assert setup_of(at).bet == bet
    assert at.query_params["bet"] == link
    card = payload(at)["flags"]["card"]
    assert (card["bet"], card["unit"]) == (bet.n, bet.unit)


def test_no_bet_is_made_for_anybody() -> None:
    at = visit("execute", lang="en", s="three", m="guided")
    assert payload(at)["flags"]["card"]["bet"] is None
    assert "bet" not in at.query_params


def test_a_bet_belongs_to_the_run_it_was_placed_on() -> None:
    at = visit("start", lang="en", s="P1", bet="40")
    assert setup_of(at).bet == Bet(40, "percent")
    at = press(at, "preset_P4")
    assert setup_of(at) == Setup("P4")


@pytest.mark.parametrize(("wait_s", "said"), [(BUSY_S, True), (BUSY_S - 0.1, False)])
def test_a_busy_server_says_so(monkeypatch: pytest.MonkeyPatch, wait_s: float, said: bool) -> None:
    monkeypatch.setattr(type(PRESSURE), "wait_s", lambda _: wait_s)
    told = [one.value for one in visit("glossary", lang="en").toast]
    assert told == ([t("server.busy", "en", seconds=digits(wait_s))] if said else [])
