"""Own prompts on the page: shown as text, or refused with a clear sentence; nothing typed is lost."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.visit import calm, has_stage, open_tab, payload, press, prompts, setup_of, texts, visit
from ui.stage.own import MAX_OWN_CHARS, OwnPrompts, own_to_file, pack_own
from ui.stage.setup import Setup
from ui.words.i18n import LANGS, Lang, t

HTML = '<img src=x onerror="alert(1)"><b>bold</b>'
STRANGE = {
    "html": HTML,
    "script": "<script>alert('x')</script>",
    "emoji": "👩‍👩‍👧‍👦🍜🇨🇳 👍🏽",
    "right to left": "שלום עולם \u202eabc\u202c مرحبا",
    "markdown": "# h **b** [a](javascript:alert(1)) `c` :red[x] $x^2$ :smile:",
    "templates": "{n} {req} {n:a|b} **x** %s %(x)s ${x} {{x}}",
    "controls": "a\x01b\x07c\u200bd\ufeffe",
    "accents": "e\u0301 ñ Zürich çà",
    "quotes": "'\"`´„“\\",
    "a very long word": "x" * 5_000,
}


def run_prompt(at: AppTest, system: str, messages: str, answer: str = "") -> AppTest:
    at.text_area(key="own_system").set_value(system)
    at.text_area(key="own_messages").set_value(messages)
    at.text_input(key="own_answer").set_value(answer)
    at = press(at, "own_run")
    return at if at.error else open_set_up(at)  # a run closes it


def open_set_up(at: AppTest) -> AppTest:
    at.session_state["set_up"] = True
    return calm(at.run())


def unescaped(text: str) -> str:
    """As it is read, without the signs that keep Markdown away."""
    return text.replace("\\", "")


def typed(at: AppTest) -> list[str]:
    return [str(area.value) for area in at.text_area]


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_strange_texts_reach_the_stage_as_they_are(text: str) -> None:
    at = run_prompt(
        visit("execute", lang="en", s="own", slots="64", own=pack_own(OwnPrompts("a"))), "", text, text
    )
    assert at.error.len == 0
    assert setup_of(at).scenario == "own"
    assert prompts(at) == [text + text]
    assert typed(at) == ["", text]


@pytest.mark.parametrize("name", ["start", "execute"])
def test_markup_is_never_markup(name: str) -> None:
    """No element of the page lets HTML through with a prompt in it, and the preview escapes Markdown."""
    at = run_prompt(open_tab(visit(name, lang="en"), "own"), HTML, "[a](javascript:alert(1)) <i>i</i>")
    for element in at.markdown:
        assert not (element.allow_html and ("onerror" in element.value or "<i>" in element.value))
    shown = texts(at)
    assert "<b>" not in shown.replace("\\<", "\\")
    assert "](javascript" not in shown.replace("\\]", "")


@pytest.mark.parametrize("lang", LANGS)
def test_too_much_is_refused_and_stays_in_the_form(lang: Lang) -> None:
    at = visit("execute", lang=lang)
    before = payload(at)
    text = "面" * 100_000
    at = run_prompt(at, "", text)
    told = t("error.own.too_long", lang, size=100_000, limit=MAX_OWN_CHARS)
    assert [unescaped(error.value) for error in at.error] == [told]
    assert setup_of(at) == Setup()
    assert payload(at) == before
    assert typed(at) == ["", text]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("messages", ["", "  \n \n"])
def test_nothing_is_refused(lang: Lang, messages: str) -> None:
    at = run_prompt(visit("execute", lang=lang), " ", messages)
    assert [unescaped(error.value) for error in at.error] == [t("error.own.empty", lang)]
    assert setup_of(at) == Setup()
    assert has_stage(at)


def test_more_than_the_pool_is_told_and_can_be_mended() -> None:
    """601 tokens need 151 slots, a stage draws 128: the sentence says so, the text is still there."""
    text = "word " * 600
    at = run_prompt(visit("execute", lang="en"), "", text)
    assert at.error.len == 1
    assert "needs" in at.error[0].value
    assert typed(at)[1].split() == text.split(), "the set-up stays open"
    at.selectbox(key="widget_block_size").set_value(64)
    at.run()
    assert at.error.len == 0
    assert payload(at)["a"]["meta"]["slots"] == 16
    assert prompts(at) == [text]


def test_an_empty_system_prompt_stays_empty() -> None:
    """The example once came back into the field, to be run the next time."""
    at = run_prompt(visit("execute", lang="en"), "", "Hello there")
    assert typed(at) == ["", "Hello there"]
    at = press(at, "own_run")
    assert prompts(at) == ["Hello there"]
    assert "own_run" not in [button.key for button in at.button], "the set-up does not cover the run"


def test_a_system_prompt_alone_runs() -> None:
    at = run_prompt(visit("execute", lang="en"), "You are kind.", "")
    assert at.error.len == 0
    assert prompts(at) == ["You are kind."]


def test_the_form_shows_an_example_until_something_is_typed() -> None:
    at = open_tab(visit("start", lang="zh"), "own")
    assert typed(at) == [t("own.system.example", "zh"), t("own.messages.example", "zh")]


def test_prompts_are_still_there_after_a_look_at_another_scenario() -> None:
    at = run_prompt(visit("execute", lang="en"), "Be kind. ", "one\ntwo")
    at.selectbox(key="widget_scenario").set_value("P4")
    at.run()
    assert payload(at)["a"]["meta"]["scenario"] == "P4"
    at.selectbox(key="widget_scenario").set_value("own")
    at.run()
    assert prompts(at) == ["Be kind. one", "Be kind. two"]


def test_a_language_switch_leaves_own_prompts_alone() -> None:
    at = run_prompt(visit("execute", lang="en"), "Be kind. ", "one")
    at.button_group(key="widget_lang").set_value("zh")
    at.run()
    assert prompts(at) == ["Be kind. one"]
    assert typed(at) == ["Be kind. ", "one"]


def test_knobs_stay_with_ones_own_prompts() -> None:
    at = run_prompt(visit("execute", lang="en"), "Be kind. ", "one")
    at.selectbox(key="widget_block_size").set_value(2)
    at.run()
    at = run_prompt(at, "Be kind. ", "one\ntwo")
    assert setup_of(at).knobs == {"block_size": 2}
    assert payload(at)["a"]["meta"]["block_size"] == 2


def test_the_preview_counts_what_is_reused() -> None:
    at = run_prompt(visit("execute", lang="en"), "You run a small noodle shop.", " Is it open?\n Is it far?")
    shown = texts(at)
    assert t("own.preview", "en", number=0, n=11, reused=0) in shown
    assert t("own.preview", "en", number=1, n=11, reused=8) in shown


def test_a_draft_outlives_a_language_switch_and_a_look_elsewhere() -> None:
    """Half-typed prompts once vanished."""
    at = visit("execute", lang="en")
    at.text_area(key="own_system").set_value("Half a")
    at.run()
    at.button_group(key="widget_lang").set_value("zh")
    at.run()
    assert typed(at)[0] == "Half a"
    at.session_state["set_up"] = False
    at.run()
    assert typed(at) == []
    assert typed(open_set_up(at))[0] == "Half a"
    assert setup_of(at).own == OwnPrompts()


def test_the_preview_follows_what_is_typed() -> None:
    at = open_tab(visit("start", lang="en"), "own")
    at.text_area(key="own_system").set_value("")
    at.text_area(key="own_messages").set_value("One two three four five\nOne two three four six")
    at.run()
    assert t("own.preview", "en", number=1, n=5, reused=4) in texts(at)
    assert setup_of(at).scenario == "P0"


def test_a_kept_file_comes_back() -> None:
    own = OwnPrompts("You are kind. ", ("one", "two"), "Fine.")
    at = open_tab(visit("start", lang="en"), "own")
    at.file_uploader(key="own_file").set_value(("mine.json", own_to_file(own).encode(), "application/json"))
    calm(at.run())
    assert typed(at) == ["You are kind. ", "one\ntwo"]
    assert at.text_input(key="own_answer").value == "Fine."
    press(at, "own_run")
    assert setup_of(at).own == own


def test_a_file_that_is_none_of_ours_is_told() -> None:
    at = open_tab(visit("start", lang="zh"), "own")
    before = typed(at)
    at.file_uploader(key="own_file").set_value(("x.json", b"{\n{", "application/json"))
    calm(at.run())
    told = t("error.own.file_json", "zh", file="x.json", line=2)
    assert [unescaped(error.value) for error in at.error] == [told]
    assert typed(at) == before
