"""Every page in every language: it renders, says what it should, and feeds the stage well."""

from __future__ import annotations

import json

import pytest

from pages.navigation import CHAPTERS, PAGES
from tests.app.visit import has_stage, payload, setup_of, texts, visit, visit_app
from tests.unit.ui.stage.test_payload import PAYLOAD, wrong, wrong_patches
from ui.server.pressure import BUSY_S, PRESSURE
from ui.stage.setup import preset_ids
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


@pytest.mark.parametrize("name", ["start", "execute"])
def test_these_pages_have_a_stage(name: str) -> None:
    assert has_stage(visit(name))


def test_what_travels_is_what_the_browser_parses() -> None:
    """NaN, tuples or numbers as keys would reach the browser as something else, or not at all."""
    data = visit("execute", lang="both").get("bidi_component")[0].proto.bytes
    assert json.dumps(json.loads(data), separators=(",", ":"), allow_nan=False).encode() == data


@pytest.mark.parametrize("lang", LANGS)
def test_the_front_page_speaks_one_language(lang: Lang) -> None:
    at = visit_app(lang=lang)
    said = texts(at)
    for key in ("start.hook", "start.what", "start.guided.help", "scenario.P0.question"):
        assert t(key, lang) in said
    other = LANGS[1 - LANGS.index(lang)]
    assert t("start.hook", other) not in said
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
    assert [name for name, button in cards.items() if button.disabled] == ["P4"]
    said = texts(at)
    assert all(table("zh")[f"scenario.{name}.question"] in said for name in cards)


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


def test_a_part_of_the_house_is_explained() -> None:
    at = visit("start", lang="en")
    at.button_group(key="widget_part").set_value("queue")
    at.run()
    assert t("part.queue.what", "en") in texts(at)
    assert payload(at)["flags"]["part"] == "queue"


def test_a_bet_is_kept() -> None:
    at = visit("start", lang="en")
    assert setup_of(at).bet is None, "the slider's first place is no bet"
    at.slider(key="widget_bet").set_value(30)
    at.run()
    assert setup_of(at).bet == 30
    assert t("start.bet.kept", "en", bet=30) in texts(at)
    assert at.query_params["bet"] == "30"


@pytest.mark.parametrize(("wait_s", "said"), [(BUSY_S, True), (BUSY_S - 0.1, False)])
def test_a_busy_server_says_so(monkeypatch: pytest.MonkeyPatch, wait_s: float, said: bool) -> None:
    monkeypatch.setattr(type(PRESSURE), "wait_s", lambda _: wait_s)
    told = [one.value for one in visit("glossary", lang="en").toast]
    assert told == ([t("server.busy", "en", seconds=digits(wait_s))] if said else [])
