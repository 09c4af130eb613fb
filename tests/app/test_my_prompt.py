"""The visitor's own prompt in the first chapters: typed once, kept in the link, worked on, bet on."""

from __future__ import annotations

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from pages.navigation import CHAPTERS
from tests.app.betting import widget_of
from tests.app.visit import calm, go_to, payload, press, texts, visit
from ui.course.bets import GLYPHS
from ui.course.ch01 import bet_on_repeats
from ui.course.ch02 import bet_on_answer
from ui.course.ch03 import bet_on_hits
from ui.course.lessons import part
from ui.course.mine import _OURS, MINE, joined, our_prompt, own_words
from ui.frame.session import plain
from ui.words.i18n import LANGS, Lang, t

TYPED = ("<b>You</b> sell *soup*.", "Is it hot?", "", "汤辣吗？")
LINK = MINE.write(own_words(*TYPED))["mine"]
MINE_READY = joined(own_words(*TYPED))


def typed(at: AppTest, *words: str) -> AppTest:
    at.text_area[0].set_value(words[0])
    for field, text in zip(at.text_input, words[1:], strict=True):
        field.set_value(text)
    return press(at, "mine-take")


def fields(at: AppTest) -> list[str]:
    return [at.text_area[0].value or "", *(field.value or "" for field in at.text_input)]


def picture(at: AppTest) -> str:
    return "\n".join(one.proto.body for one in at.get("html"))


def prompts(at: AppTest) -> list[str]:
    return ["".join(pieces) for pieces in payload(at)["a"]["pieces"].values()]


def test_what_is_typed_is_worked_on_in_every_chapter_and_stands_in_the_link() -> None:
    at = typed(visit("ch01", lang="en"), *TYPED)
    whole = [MINE_READY.system + message for message in MINE_READY.messages]
    assert prompts(at) == whole
    assert at.query_params["mine"] == LINK
    assert fields(at) == list(TYPED)
    assert prompts(go_to(at, "ch03")) == whole
    assert prompts(go_to(at, "ch02"))[0].startswith(whole[0])
    again = visit("ch03", lang="en", mine=LINK)
    assert prompts(again) == whole, "a link brings it along"


def test_its_words_are_text_and_never_markup() -> None:
    shown = picture(visit("ch03", lang="en", mine=LINK))
    assert "<b>You" not in shown
    assert "&lt;" in shown
    assert "You" in unescape(shown)


def test_ours_comes_back_in_the_language_one_reads() -> None:
    at = visit("ch01", lang="en", mine=LINK)
    press(at, "mine-ours")
    assert "mine" not in at.query_params
    assert fields(at)[0] == t("course.mine.ours.0", "en")
    at.session_state["lang"] = "zh"
    calm(at.run())
    assert fields(at)[0] == t("course.mine.ours.0", "zh")
    press(at, "mine-take")
    assert "mine" not in at.query_params, "untouched, ours stays ours"


@pytest.mark.parametrize(
    ("words", "code"),
    [(("  ", "a", "b", "c"), "mine.empty"), (("soup " * 110, "a " * 90, "b", "c"), "mine.long")],
)
def test_what_cannot_be_used_is_said_and_nothing_typed_is_lost(words: tuple[str, ...], code: str) -> None:
    at = typed(visit("ch01", lang="en"), *words)
    assert len(at.error) == 1
    assert plain(t(f"error.{code}", "en", size=200, limit=160))[:30] in at.error[0].value
    assert fields(at) == list(words)
    assert "mine" not in at.query_params


def test_the_requests_come_one_after_another() -> None:
    at = visit("ch01", lang="en")
    assert "tr-again" not in picture(at).partition("</style>")[2]
    at.button_group(key="ch01-came").set_value(3)
    calm(at.run())
    assert "tr-again" in picture(at).partition("</style>")[2]


ASKED = {
    "ch01": lambda lang, prompt, seed: bet_on_repeats(prompt, seed),
    "ch02": lambda lang, prompt, seed: bet_on_answer(prompt, seed),
    "ch03": bet_on_hits,
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", ASKED)
def test_a_bet_tells_nothing_before_and_everything_after(name: str, lang: Lang) -> None:
    at = visit(name, lang=lang)
    told = t("course.bet.again", lang)
    assert told not in [button.label for button in at.button]
    assert "bets" not in at.query_params
    seed = _seed_of(at, name)
    asked = ASKED[name](lang, our_prompt(lang), seed)
    assert t(asked.ask, lang, **asked.args) in texts(at)
    recap = part(name, "recap", lang)
    assert recap not in texts(at), "its last words would answer the bet"
    assert t("course.recap.first", lang) in texts(at)
    widget = widget_of(at, name)
    assert widget.value is None
    calm(widget.set_value(asked.truth).run())
    assert told not in [button.label for button in at.button]
    press(at, f"{widget.key}-commit")
    assert recap in texts(at)
    assert f"{GLYPHS['right']} {t('course.bet.right', lang)}" in texts(at)
    assert told in [button.label for button in at.button]
    again = visit(name, lang=lang, bets=at.query_params["bets"])
    assert t("course.bet.right", lang) in texts(again)
    other = visit(name, lang=lang, bets=at.query_params["bets"], mine=LINK)
    assert t("course.bet.other", lang) in texts(other)


def _seed_of(at: AppTest, name: str) -> int:
    """The seed stands in the name of the widget."""
    return int(str(widget_of(at, name).key).split("-")[3])


def test_ours_is_shared_and_what_was_typed_is_not() -> None:
    before = set(_OURS._found)
    visit("ch03", lang="en", mine=LINK)
    assert set(_OURS._found) == before
    visit("ch03", lang="en")
    assert all(TYPED[0] not in repr(key) for key in _OURS._found)
    assert len(_OURS._found) > 0


ODD = {
    "one token": ("a", "", "", ""),
    "equal questions": ("You are a cook.", "Why so?", "Why so?", "Why so?"),
    "as long as may be": ("汤" * 150, "面好了吗", "", "面"),
    "signs": TYPED,
}


@pytest.mark.parametrize("words", ODD.values(), ids=ODD)
@pytest.mark.parametrize("name", CHAPTERS)
def test_every_chapter_takes_any_prompt(name: str, words: tuple[str, ...]) -> None:
    at = visit(name, lang="en", mine=MINE.write(own_words(*words))["mine"])
    assert [error.value for error in at.error] == []
    assert "<b>You" not in picture(at)
