"""Chapter 12's cards, the glossary and the six questions, as a visitor uses them, reloads included."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.betting import commit
from tests.app.visit import calm, go_to, payload, press, texts, visit
from ui.course.glossary import terms
from ui.interview.questions import SHOWS, num_must, words
from ui.stage.show_me import address
from ui.study.class_code import to_code
from ui.study.ideas import SIX, TIMES
from ui.study.names import CLAIMS, QUESTIONS, THEMES
from ui.study.six_questions import Answered, Sheet
from ui.study.variants import variant
from ui.words.i18n import MODES, LangMode, languages, t


def query(at: AppTest) -> dict[str, str]:
    """What stands in the address now: what a reload brings back."""
    return {name: text if isinstance(text, str) else text[0] for name, text in at.query_params.items()}


def choose(at: AppTest, key: str, value: str) -> AppTest:
    widgets = [one for one in (*at.button_group, *at.selectbox) if one.key == key]
    widgets[0].set_value(value)
    return calm(at.run())


def unfold(at: AppTest, name: str) -> AppTest:
    """Open a drawer of chapter 12."""
    at.session_state[f"ch12-more-{name}"] = True
    return calm(at.run())


def labels(at: AppTest) -> list[str]:
    return [one.label for one in at.expander]


# -- chapter 12 ------------------------------------------------------------------------------------------

PRESSES = ("said", "to_answer", "to_then", "to_fails")
TOLD = (set(), {"must_1"}, {"short", "long", "next"}, {"then", "trap"}, {"fails"})
"""What each beat of a question shows first."""


def asked(at: AppTest) -> str:
    """The question on the table."""
    return QUESTIONS[int(query(at)["talk"].split(".")[2]) - 1]


def shown(at: AppTest) -> str:
    """Everything in sight, pictures and widgets included."""
    parts = [one.proto.body for one in at.get("html")] + [one.label for one in at.checkbox]
    return "\n".join([texts(at), *parts, *(button.label for button in at.button)])


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("name", ["kv_what", "pool_preempt", "scale_closed"])
def test_a_question_unfolds_beat_by_beat(name: str, lang: LangMode) -> None:
    at = visit("ch12", lang=lang, open=f"ch12.{name}")
    for beat, press_on in enumerate((*PRESSES, None)):
        for one in languages(lang):
            assert words(name, "ask", one) in shown(at)
            for place, keys in enumerate(TOLD):
                for key in keys:
                    assert (words(name, key, one) in shown(at)) == (place <= beat), key
        if press_on:
            press(at, f"ch12-{press_on}")
    assert at.button(key="ch12-knew").proto.shortcut == "k"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_whole_interview(lang: LangMode) -> None:
    """All questions of one level and theme: each asked once, the one missed comes again, then it is over."""
    at = visit("ch12", lang=lang)
    choose(at, "ch12-level", "senior")
    choose(at, "ch12-theme", "pool")
    met = []
    for turn in range(3):
        met.append(asked(at))
        for press_on in PRESSES:
            press(at, f"ch12-{press_on}")
        press(at, "ch12-again" if turn == 0 else "ch12-knew")
    assert sorted(met) == sorted(["pool_parallel", "pool_preempt", met[0]])
    assert t("course.ch12.none", lang) in [one.value for one in at.info]
    told = t("course.ch12.progress", lang, known=2, total=len(QUESTIONS), again=0)
    assert told in shown(at)
    press(at, "ch12-over")
    assert "cards" not in query(at)


def test_the_interview_survives_a_reload_at_its_beat() -> None:
    at = visit("ch12", lang="en", open="ch12.kv_slow")
    press(at, "ch12-said")
    at.checkbox(key=f"ch12-named-{QUESTIONS.index('kv_slow')}-2").check()
    calm(at.run())
    press(at, "ch12-to_answer")
    again = visit("ch12", **query(at))
    assert words("kv_slow", "short", "en") in shown(again)
    assert t("course.ch12.named", "en", n=1, total=num_must("kv_slow")) in shown(again)
    assert words("kv_slow", "then", "en") not in shown(again)
    for press_on in (*PRESSES[2:], "knew"):
        press(again, f"ch12-{press_on}")
    following = asked(again)
    later = visit("ch12", **query(again))
    assert words(following, "ask", "en") in shown(later)
    assert words("kv_slow", "ask", "en") not in shown(later)


def test_a_link_opens_its_question_at_the_beginning() -> None:
    at = visit("ch12", lang="en", open="ch12.match_radix", talk="-.-.3.4.1")
    assert words("match_radix", "ask", "en") in shown(at)
    assert words("match_radix", "short", "en") not in shown(at)


def test_an_old_link_goes_on_with_the_new_questions() -> None:
    known = "".join(f"{place:02d}" for place in range(1, 34))
    at = visit("ch12", lang="en", cards=f"{known}..")
    assert words("scale_chunked", "ask", "en") in shown(at)
    told = t("course.ch12.progress", "en", known=33, total=len(QUESTIONS), again=0)
    assert told in shown(at)


def test_buttons_have_keys_of_their_own() -> None:
    at = visit("ch12", lang="en")
    keys = {at.button(key="ch12-said").proto.shortcut}
    for press_on in PRESSES:
        press(at, f"ch12-{press_on}")
    keys |= {at.button(key=f"ch12-{name}").proto.shortcut for name in ("knew", "again")}
    assert len(keys) == 3
    assert not keys & {"", "c", "r"}


@pytest.mark.parametrize("lang", MODES)
def test_a_claim_is_decided_before_its_reason_is_told(lang: LangMode) -> None:
    at = visit("ch12", lang=lang)
    orders = []
    for _ in range(len(CLAIMS)):
        name = next(one for one in CLAIMS if words(one, "claim", languages(lang)[0]) in texts(at))
        orders.append(name)
        assert all(words(name, "why", one) not in texts(at) for one in languages(lang))
        keys = [button.key or "" for button in at.button]
        assert not any(name in key or "wrong_" in key or "true_" in key for key in keys), "a key is a class"
        press(at, "claim-true")
        verdict = f"course.ch12.claims.is_{str(CLAIMS[name]).lower()}"
        for one in languages(lang):
            assert words(name, "why", one) in texts(at)
            assert t(verdict, one) in texts(at)
        press(at, "claim-next")
    assert sorted(orders) == sorted(CLAIMS)
    right = sum(CLAIMS.values())
    score = t("course.ch12.claims.score", languages(lang)[0], n=len(CLAIMS), total=len(CLAIMS), right=right)
    assert score in texts(at)
    press(at, "claim-anew")
    assert t("course.ch12.claims.done", languages(lang)[0]) not in texts(at)


def test_the_last_question_is_about_the_visitors_own_prompt() -> None:
    at = visit("ch12", lang="en")
    picture = at.get("html")[-1].proto.body
    assert "hit" not in picture.split("</style>")[1], "hollow until the bet is placed"
    commit(at, "ch12", 100)
    picture = at.get("html")[-1].proto.body.split("</style>")[1]
    assert 'class="new"' in picture
    assert "12a" in query(at)["bets"]


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("theme", THEMES)
def test_all_can_be_read_by_theme(theme: str, lang: LangMode) -> None:
    at = unfold(visit("ch12", lang=lang), "read")
    at = choose(at, "ch12-read", theme)
    leading = languages(lang)[0]
    asks = [words(name, "ask", leading) for name in THEMES[theme]]
    assert [label for label in labels(at) if label in asks] == asks
    for name in THEMES[theme]:
        for one in languages(lang):
            assert all(words(name, key, one) in texts(at) for key in ("short", "long", "then", "fails"))


@pytest.mark.parametrize("name", [name for name, show in SHOWS.items() if not show.page])
def test_a_link_opens_the_run_it_names(name: str) -> None:
    """The part before ``#`` goes to Python, the step behind it to the browser: it must lie in that run."""
    path, step = address(SHOWS[name], "zh").split("#step=")
    page, parameters = path.split("?")
    at = visit(page, **dict(pair.split("=") for pair in parameters.split("&")))
    run = payload(at)
    assert run["a"]["meta"]["scenario"] == SHOWS[name].preset
    event = run["a"]["events"][int(step) - 1]
    assert event["op"] == SHOWS[name].op
    assert SHOWS[name].rid in (None, event["rid"])
    assert at.warning.len == 0


def test_a_card_is_asked_answered_and_repeated() -> None:
    at = unfold(visit("ch12", lang="en"), "cards")
    first, second = QUESTIONS[:2]
    press(at, "card-show")
    assert words(first, "long", "en") in texts(at)
    press(at, "card-again")
    assert words(second, "ask", "en") in texts(at)
    assert words(second, "long", "en") not in texts(at), "the answer waits"
    for _ in range(3):
        press(at, "card-show")
        press(at, "card-knew")
    told = t("course.ch12.progress", "en", known=3, total=len(QUESTIONS), again=1)
    assert told in [one.proto.text for one in at.get("progress")]
    again = unfold(visit("ch12", **query(at)), "cards")
    assert told in [one.proto.text for one in again.get("progress")], "a reload brings it back"


def test_all_known_ends_the_deck() -> None:
    known = "".join(f"{place:02d}" for place in range(1, len(QUESTIONS) + 1))
    at = visit("ch12", lang="zh", cards=f"{known}..")
    assert t("course.ch12.done", "zh", total=len(QUESTIONS)) in [one.value for one in at.success]


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


def test_a_sheet_just_opened_keeps_its_numbers() -> None:
    """A reload before anything was pressed asks the same: the seed stands in the address at once."""
    at = visit("sheet", lang="en")
    assert query(at)["six"].endswith("_")
    again = visit("sheet", **query(at))
    assert [one.label for one in again.radio] == [one.label for one in at.radio]


def test_a_second_time_with_the_first_ones_numbers_gets_others() -> None:
    at = visit("sheet", lang="en", six="7c3_AAb.cB-7c3_")
    assert not query(at)["six"].startswith("7c3_AAb.cB-7c3_")
    assert len(at.radio) == len(TIMES["after"])


def test_what_is_right_is_folded_and_what_was_wrong_leads_on() -> None:
    at = visit("sheet", lang="en", six="7c3_AAb.cB-2fq_CBBACaAa")
    (fold,) = [one for one in at.expander if one.label.startswith("Right after the course (6)")]
    assert t("six.speed.name", "en") not in fold.label
    links = [one.proto.id for one in at.get("link_button")]
    assert len(links) == 4, "stamp and part were wrong, speed and salts are"


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
