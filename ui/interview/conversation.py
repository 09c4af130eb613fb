"""The interview: one question at a time, from what is asked to its trap. Each press answers what stood open
and asks the next thing; nothing is told before. What is newest stands in a box of its own, which the browser
brings into sight (assets/page/interview.js)."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.course.page import reading
from ui.frame.session import lang_mode, say
from ui.frame.static_files import ROOT, SOURCE
from ui.interview import talk as steps
from ui.interview.picture import show_picture
from ui.interview.questions import num_must, words
from ui.interview.show import show_me
from ui.interview.talk import ANSWER, ANY, ASK, FAILS, NAMED, TALK, THEN, Talk
from ui.study.names import LEVEL_OF, LEVELS, QUESTIONS, THEMES
from ui.words.i18n import languages, t

Pages = Callable[[str], Any]
_ON = ("said", "to_answer", "to_then", "to_fails")
"""What the one button says at each beat but the last."""
_STYLE = """<style>
.st-key-interview-go kbd{border:1px solid currentColor;border-bottom-width:3px;border-radius:5px;
padding:0 .45em;margin-left:.35em;line-height:1.5;background:none;opacity:.9}
</style>"""
"""A letter that presses a button looks like the key it is."""


def interview(pages: Pages) -> None:
    """Level and theme, the question on the table, and beside it its path."""
    _choice()
    card = steps.card_now()
    talk = steps.talk_about(card) if card is not None else TALK.get()
    text, beside = reading("interview")
    with beside:
        show_picture(card, talk, steps.deck_now())
    with text:
        if card is None:
            _nothing_left()
        else:
            _question(card, talk, pages)
        st.button(say("course.ch12.reset"), key="ch12-over", type="tertiary", on_click=steps.start_over)


def _choice() -> None:
    talk = TALK.get()
    with st.container(horizontal=True):
        for what, options, now in (("level", LEVELS, talk.level), ("theme", tuple(THEMES), talk.theme)):
            titles = {one: say(f"course.ch12.{what}.{one}") for one in options}
            titles = {ANY: say(f"course.ch12.{what}.all"), **titles}
            st.selectbox(
                say(f"course.ch12.{what}"),
                list(titles),
                list(titles).index(now),
                key=f"ch12-{what}",
                format_func=titles.__getitem__,
                on_change=_chosen,
                label_visibility="collapsed",
                width=260,
            )


def _chosen() -> None:
    """What was sent is held against the levels and themes there are, as all that comes from outside."""
    level, theme = (st.session_state.get(f"ch12-{what}") or ANY for what in ("level", "theme"))
    if level in (ANY, *LEVELS) and theme in (ANY, *THEMES):
        steps.choose(level, theme)


def _nothing_left() -> None:
    if steps.deck_now().card is None:
        st.success(say("course.ch12.done", total=len(QUESTIONS)))
    else:
        st.info(say("course.ch12.none"))


def _question(card: int, talk: Talk, pages: Pages) -> None:
    name = QUESTIONS[card]
    theme = next(theme for theme, names in THEMES.items() if name in names)
    with st.container(border=True, key="interview"):
        level = say(f"course.ch12.level.{LEVEL_OF[name]}")
        with _part(ASK, talk):
            st.caption(f"{say(f'course.ch12.theme.{theme}')} · {level}")
            for one in languages(lang_mode()):
                st.markdown(f"##### {words(name, 'ask', one)}")
            if talk.beat == ASK:
                st.caption(say("course.ch12.aloud"))
        if talk.beat == NAMED:
            with _part(NAMED, talk):
                _ticks(card, talk)
        if talk.beat >= ANSWER:
            with _part(ANSWER, talk):
                _answer(name, talk, pages)
        if talk.beat >= THEN:
            with _part(THEN, talk):
                tell(name, "then")
                _ask_of_the_trap(name)
        if talk.beat >= FAILS:
            with _part(FAILS, talk):
                tell(name, "fails")
    _press_on(card, talk)
    _follow(f"{name}.{talk.beat}", is_begun=talk.beat > ASK)


def _part(beat: int, talk: Talk) -> DeltaGenerator:
    """What one beat adds; the last one has a name of its own."""
    return st.container(key="newest" if beat == talk.beat else f"part-{beat}")


def _follow(step: str, *, is_begun: bool) -> None:
    """The browser brings the newest part into sight, once for each step."""
    call = f"follow(window, {json.dumps(step)}, {json.dumps(is_begun)});"
    st.html(f"{_STYLE}<script>{{\n{_script()}\n{call}\n}}</script>", unsafe_allow_javascript=True)


@cache
def _script() -> str:
    return (ROOT / SOURCE / "page" / "interview.js").read_text("utf-8").replace("export ", "")


def _ticks(card: int, talk: Talk) -> None:
    """What a good answer names, to tick for oneself before the answer is shown."""
    name = QUESTIONS[card]
    st.markdown(say("course.ch12.must"))
    for place in range(1, num_must(name) + 1):
        label = " · ".join(words(name, f"must_{place}", one) for one in languages(lang_mode()))
        key = f"ch12-named-{card}-{place}"
        st.checkbox(label, place in talk.named, key=key, on_change=_ticked, args=(card, place, key))


def _ticked(card: int, place: int, key: str) -> None:
    steps.tick(card, place, bool(st.session_state[key]))


def _answer(name: str, talk: Talk, pages: Pages) -> None:
    total = num_must(name)
    marks = [
        f"{'●' if place in talk.named else '○'} {words(name, f'must_{place}', one)}"
        for one in languages(lang_mode())
        for place in range(1, total + 1)
    ]
    st.caption(f"{say('course.ch12.named', n=len(talk.named), total=total)} {' · '.join(marks)}")
    for one in languages(lang_mode()):
        st.markdown(f"**{words(name, 'short', one)}**")
    with st.expander(say("course.ch12.at_length")):
        for one in languages(lang_mode()):
            st.markdown(words(name, "long", one))
    show_me(name, pages)
    for one in languages(lang_mode()):
        st.markdown(f"{t('course.ch12.then_asked', one)}\n\n##### {words(name, 'next', one)}")


def _ask_of_the_trap(name: str) -> None:
    for one in languages(lang_mode()):
        st.markdown(t("course.ch12.trap", one, claim=words(name, "trap", one)))


def tell(name: str, key: str) -> None:
    """One text of a question, with its heading."""
    for one in languages(lang_mode()):
        st.markdown(f"**{t(f'course.ch12.told.{key}', one)}** {words(name, key, one)}")


def _press_on(card: int, talk: Talk) -> None:
    """The one button; at the end the visitor says how it went. Each is reached by a letter, too."""
    with st.container(horizontal=True, key="interview-go"):
        if talk.beat < FAILS:
            _button(_ON[talk.beat], "S", steps.go_on, (card,))
        else:
            _button("knew", "K", steps.lay_away, (card, True))
            _button("again", "A", steps.lay_away, (card, False), kind="secondary")


def _button(
    name: str, letter: str, do: Callable[..., None], args: tuple[object, ...], kind: Any = "primary"
) -> None:
    label = say(f"course.ch12.{name}")
    st.button(label, key=f"ch12-{name}", type=kind, shortcut=letter, on_click=do, args=args)
