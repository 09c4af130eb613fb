"""Chapter 12's cards, the glossary and the six questions, as a visitor uses them, reloads included."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.ch12 import MODES as WAYS
from tests.app.visit import calm, go_to, payload, press, texts, visit
from ui.course.glossary import terms
from ui.interview.questions import SHOWS, words
from ui.stage.show_me import address
from ui.study.class_code import to_code
from ui.study.ideas import SIX, TIMES
from ui.study.names import QUESTIONS, THEMES, WRONG
from ui.study.six_questions import Answered, Sheet
from ui.study.variants import variant
from ui.words.i18n import MODES, LangMode, languages, t


def query(at: AppTest) -> dict[str, str]:
    """What stands in the address now: what a reload brings back."""
    return {name: text if isinstance(text, str) else text[0] for name, text in at.query_params.items()}


def choose(at: AppTest, key: str, value: str) -> AppTest:
    at.button_group(key=key).set_value(value)
    return calm(at.run())


def labels(at: AppTest) -> list[str]:
    return [one.label for one in at.expander]


# -- chapter 12 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("theme", THEMES)
def test_answers_unfold_by_theme(theme: str, lang: LangMode) -> None:
    at = choose(visit("ch12", lang=lang), "ch12-theme", theme)
    leading = languages(lang)[0]
    assert labels(at)[: len(THEMES[theme])] == [words(name, "ask", leading) for name in THEMES[theme]]
    said = texts(at)
    for name in THEMES[theme]:
        for one in languages(lang):
            assert words(name, "short", one) in said
            assert words(name, "long", one) in said


@pytest.mark.parametrize("lang", MODES)
def test_wrong_answers_are_told_with_why(lang: LangMode) -> None:
    at = choose(visit("ch12", lang=lang), "ch12-mode", "wrong")
    assert labels(at) == [words(name, "claim", languages(lang)[0]) for name in WRONG]
    assert all(words(name, "why", one) in texts(at) for name in WRONG for one in languages(lang))


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("way", WAYS)
def test_each_way_through_renders(way: str, lang: LangMode) -> None:
    at = choose(visit("ch12", lang=lang), "ch12-mode", way)
    titles = [t("course.ch12.title", one) for one in languages(lang)]
    assert all(title in texts(at) for title in titles)


@pytest.mark.parametrize("name", [name for name, show in SHOWS.items() if not show.page])
def test_a_link_opens_the_run_it_names(name: str) -> None:
    """The part before ``#`` goes to Python, the step behind it to the browser: it must lie in that run."""
    path, step = address(SHOWS[name], "zh").split("#step=")
    page, parameters = path.split("?")
    at = visit(page, **dict(pair.split("=") for pair in parameters.split("&")))
    shown = payload(at)
    assert shown["a"]["meta"]["scenario"] == SHOWS[name].preset
    event = shown["a"]["events"][int(step) - 1]
    assert event["op"] == SHOWS[name].op
    assert SHOWS[name].rid in (None, event["rid"])
    assert at.warning.len == 0


def test_a_card_is_asked_answered_and_repeated() -> None:
    at = choose(visit("ch12", lang="en"), "ch12-mode", "cards")
    first, second = QUESTIONS[:2]
    assert words(first, "ask", "en") in texts(at)
    assert words(first, "short", "en") not in texts(at), "the answer waits"
    press(at, "ch12-show")
    assert words(first, "short", "en") in texts(at)
    press(at, "ch12-again")
    assert words(second, "ask", "en") in texts(at)
    for _ in range(3):
        press(at, "ch12-show")
        press(at, "ch12-knew")
    assert words(first, "ask", "en") in texts(at), "what was not known comes again"
    told = t("course.ch12.progress", "en", known=3, total=len(QUESTIONS), again=1)
    assert told in [one.proto.text for one in at.get("progress")]


def test_cards_survive_a_reload() -> None:
    at = choose(visit("ch12", lang="en"), "ch12-mode", "cards")
    press(at, "ch12-show")
    press(at, "ch12-knew")
    again = choose(visit("ch12", **query(at)), "ch12-mode", "cards")
    assert words(QUESTIONS[1], "ask", "en") in texts(again)
    press(again, "ch12-reset")
    assert words(QUESTIONS[0], "ask", "en") in texts(again)
    assert "cards" not in query(again)


def test_all_known_ends_the_deck() -> None:
    known = "".join(f"{place:02d}" for place in range(1, len(QUESTIONS) + 1))
    at = choose(visit("ch12", lang="zh", cards=f"{known}.."), "ch12-mode", "cards")
    assert t("course.ch12.done", "zh", total=len(QUESTIONS)) in [one.value for one in at.success]


def test_buttons_have_keys_of_their_own() -> None:
    at = choose(visit("ch12", lang="en"), "ch12-mode", "cards")
    keys = {at.button(key="ch12-show").proto.shortcut}
    press(at, "ch12-show")
    keys |= {at.button(key=f"ch12-{name}").proto.shortcut for name in ("knew", "again")}
    assert len(keys) == 3
    assert not keys & {"", "c", "r"}


# -- glossary --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", MODES)
def test_the_glossary_shows_every_word(lang: LangMode) -> None:
    at = visit("glossary", lang=lang)
    said = texts(at)
    assert t("glossary.count", languages(lang)[0], n=len(terms()), total=len(terms())) in said
    for term in terms():
        assert term.name["en"] in said
        assert term.name["zh"] in said
        assert all(term.what[one] in said for one in languages(lang))
        assert address(term.show, lang) in said


def test_the_glossary_is_searched() -> None:
    at = visit("glossary", lang="en")
    at.text_input(key="glossary-search").set_value("引用计数")
    calm(at.run())
    assert "**ref count**" in texts(at)
    assert "**evict**" not in texts(at)
    at.text_input(key="glossary-search").set_value("<b>zebra | *")
    calm(at.run())
    assert [one.value for one in at.info] == [t("glossary.none", "en")]


# -- six questions ---------------------------------------------------------------------------------------


def answer(at: AppTest, time: str, marks: str) -> AppTest:
    """Fill in and hand in: a letter's thought, a capital for sure, a dot for nothing."""
    for name, mark in zip(TIMES[time], marks, strict=True):
        if mark != ".":
            at.radio(key=f"sheet-{time}-{name}").set_value(mark.lower())
        if mark.isupper():
            at.checkbox(key=f"sheet-{time}-{name}-sure").check()
    return press(at, f"sheet-keep-{time}")


@pytest.mark.parametrize("lang", MODES)
def test_before_and_after_with_a_reload_between(lang: LangMode) -> None:
    at = visit("sheet", lang=lang, six="7c3_")
    for one in languages(lang):
        assert t("sheet.before", one) in texts(at)
    told = [t(f"six.{name}.so", one) for name in SIX for one in languages(lang)]
    answer(at, "before", "AAb.cB")
    assert not any(one in texts(at) for one in told), "nothing is told before the second time"
    assert query(at)["six"] == "7c3_AAb.cB"
    assert [one.value for one in at.code] == [to_code(Sheet(Answered(9507, "AAb.cB")))]

    later = visit("sheet", **query(at))
    press(later, "sheet-go")
    assert len(later.radio) == len(TIMES["after"])
    assert [radio.value for radio in later.radio] == [None] * 8, "the first answers are hidden"
    assert not any(one in texts(later) for one in told)
    seed = query(later)["six"].removeprefix("7c3_AAb.cB-").rstrip("_")
    again = visit("sheet", **query(later))
    press(again, "sheet-go")
    assert [one.label for one in again.radio] == [one.label for one in later.radio], "a reload asks the same"
    answer(later, "after", "CBBACBAa")
    for one in languages(lang):
        assert t("sheet.result", one, before=3, after=6, total=6) in texts(later)
        assert t("sheet.result.new", one, n=1, total=2) in texts(later)
        assert t("sheet.fell", one, belief=t("six.stamp.belief.a", one)) in texts(later)
        assert variant("stamp", 9507).ask(one) in texts(later)
        assert variant("stamp", int(seed, 36)).why(one) in texts(later)
    assert all(one in texts(later) for one in told)
    assert query(later)["six"] == f"7c3_AAb.cB-{seed}_CBBACBAa"

    press(later, "sheet-clear")
    assert query(later)["six"].endswith("_"), "a sheet with other questions"
    assert len(later.radio) == 6


def test_two_visitors_have_other_numbers() -> None:
    asked = [[one.label for one in visit("sheet", lang="en").radio] for _ in range(2)]
    assert asked[0] != asked[1]


@pytest.mark.parametrize("lang", MODES)
def test_no_option_tells_its_letter(lang: LangMode) -> None:
    """What is shown is the text alone, in the order of the seed."""
    at = visit("sheet", lang=lang, six="7c3_")
    for name in SIX:
        asked = variant(name, 9507)
        shown = [" · ".join(asked.option(letter, one) for one in languages(lang)) for letter in asked.order]
        assert at.radio(key=f"sheet-before-{name}").options == shown


def test_a_question_may_be_left_out() -> None:
    at = visit("sheet", lang="en", six="7c3_......-2fq_c.......")
    assert t("sheet.result", "en", before=0, after=1, total=6) in texts(at)
    assert t("sheet.left_out", "en") in texts(at)


def test_an_earlier_sheet_is_shown_as_what_it_is() -> None:
    at = visit("sheet", lang="en", six="cb.ac.-abbacb")
    assert t("sheet.result", "en", before=4, after=5, total=6) in texts(at)
    times = f"{t('sheet.time.before', 'en')} · {t('sheet.time.after', 'en')}"
    assert [one.value for one in at.info] == [t("sheet.old", "en", times=times)]
    assert len(at.code) == 0, "no code of answers to other questions"
    assert t("sheet.old.letter", "en", letter="C") in texts(at)


def test_a_sheet_becomes_a_code_and_the_code_a_class() -> None:
    """From the student's screen to the teacher's card."""
    at = visit("sheet", lang="en", six="7c3_AAb.cB-2fq_CBBACBAa")
    code = at.code[0].value
    go_to(at, "teacher")
    choose(at, "teacher-part", "results")
    at.text_area(key="results-codes").set_value(f"{code}\n{code[:-1]}x\n\n{code}")
    calm(at.run())
    assert t("results.read", "en", n=2) in texts(at)
    card = at.get("html")[-1].proto.body
    assert t("six.stamp.belief.a", "en") in card
    assert t("results.sheets", "en", n=2) in card
    assert t("results.made_up", "en") not in card
    warned = [one.value for one in at.warning]
    assert len(warned) == 1
    assert "Line 2" in warned[0]
    assert code not in "".join(query(at).values()), "what is pasted is in no address"
    press(at, "results-project")
    large = at.get("html")[-1].proto.body
    assert 'class="class-card large"' in large
    press(at, "results-back")
    assert at.text_area(key="results-codes").value.startswith(code), "codes outlive the large card"


def test_what_is_pasted_is_never_markup() -> None:
    at = visit("teacher", lang="en")
    choose(at, "teacher-part", "results")
    at.text_area(key="results-codes").set_value("<b>*x*</b>\n" * 9)
    calm(at.run())
    assert "<b>" not in "".join(one.value.replace("\\<", "") for one in at.warning)
    assert t("results.bad.more", "en", n=4) in [one.value for one in at.warning]
    assert t("results.none", "en") in [one.value for one in at.info]


@pytest.mark.parametrize("lang", MODES)
def test_the_example_class(lang: LangMode) -> None:
    at = visit("teacher", lang=lang)
    choose(at, "teacher-part", "results")
    press(at, "results-example")
    card = at.get("html")[-1].proto.body
    leading = languages(lang)[0]
    assert t("results.made_up", leading) in card
    assert t("six.part.belief.a", leading) in card


def test_a_damaged_link_is_told() -> None:
    at = visit("sheet", lang="en", six="zzz", cards="x")
    said = [one.value for one in at.warning]
    assert len(said) == 1
    assert t("nav.sheet", "en") in said[0]
    assert t("course.ch12.title", "en") in said[0]
