"""A bet on a page: the question, an answer that nobody can give by accident, and only then the truth.

Moving the slider redraws the bet alone; what was said is taken up by the whole page, for the road and the
link show it too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from ui.course.asked import Asked, Grade, Words
from ui.course.said import BETS, DICE, Make, Place, Said, another, commit, grade_of, now_put, standing
from ui.frame import link
from ui.frame.kept import Kept
from ui.frame.session import lang, lang_mode, say
from ui.words.i18n import Lang, languages, t

__all__ = ["BETS", "DICE", "Asked", "bet", "grade_of", "road"]

Pages = Callable[[str], Any]
GLYPHS: dict[Grade | None, str] = {None: "○", "right": "●", "close": "◐", "wrong": "◍", "placed": "◌"}
_MOST_ON_A_SLIDER = 21  # places that a thumb can hit
_ON_THE_ROAD: Kept[dict[str, Grade | None]] = Kept("bets_on_the_road", dict)
"""What the road shows on this page."""

_TAKEN: Kept[bool] = Kept("bet_taken", bool)
"""Something was said since the whole page was last drawn."""


def bet(chapter: str, make: Make, *, place: str = "a") -> bool:
    """Draw the bet of a chapter; True once it is answered. ``make``: a seed -> the question, computed by the
    engine."""
    here = (chapter, place)
    _TAKEN.set(False)
    done = now_put(here, make)[2] is not None
    shown = _ON_THE_ROAD.get()
    if chapter in shown and shown.pop(chapter) != grade_of(chapter):
        st.rerun()  # it has been graded just now
    _draw(here, make)
    return done


def road(chapters: Sequence[str], pages: Pages, place: str = "") -> None:
    """One mark a chapter: no bet yet, right, close or wrong. Each leads to its chapter. ``place``: what is
    said first in the line below."""
    grades = [grade_of(chapter) for chapter in chapters]
    _ON_THE_ROAD.set(dict(zip(chapters, grades, strict=True)))
    with st.container(horizontal=True, vertical_alignment="center", gap=None, key="road"):
        for chapter, grade in zip(chapters, grades, strict=True):
            name = f"{int(chapter[2:])} · {say(f'course.{chapter}.title')}"
            label = f"{int(chapter[2:])} {GLYPHS[grade]}"
            st.page_link(pages(chapter), label=label, help=f"{name}: {_state(grade)}")
    told = [grade for grade in GLYPHS if grade != "placed" or grade in grades]
    signs = " ".join(f"{GLYPHS[grade]} {_state(grade)}" for grade in told)
    done = sum(grade is not None for grade in grades)
    words = f"{place}{say('course.bet.done', n=done, total=len(grades))} {signs} · {say('course.bet.best')}"
    st.caption(words)


def _state(grade: Grade | None) -> str:
    return say(f"course.bet.mark.{grade or 'none'}")


@st.fragment
def _draw(here: Place, make: Make) -> None:
    if _TAKEN.get():
        st.rerun()
    seed, asked, said = now_put(here, make)
    with st.container(border=True, key=f"bet-{here[0]}-{here[1]}"):
        st.markdown(f"**{say('course.bet.title')}**")
        if said is None and here in BETS.get() and not standing(here).again:
            st.caption(say("course.bet.other"))
        _spoken((asked.ask, asked.args))
        if said is None:
            _answer(here, seed, asked)
        else:
            _truth(here, make, asked, said)


def _answer(here: Place, seed: int, asked: Asked) -> None:
    """Nothing is chosen at first, so that nobody commits to what happened to stand there."""
    key = f"bet-{here[0]}-{here[1]}-{seed}-{asked.face}"
    if st.session_state.get(key) is not None:
        link.write()  # somebody thinks about this question: it is the same one after a reload
    if asked.options:
        answer = _choice(asked, key)
    else:
        st.caption(_rule(asked))
        typed = len(asked.answers()) > _MOST_ON_A_SLIDER
        answer = _field(asked, key) if typed else _slider(asked, key)
        if typed:  # a button that is shut would not hear the click that ends the typing
            st.button(
                say("course.bet.commit"),
                type="primary",
                key=f"{key}-commit",
                on_click=_take_typed,
                args=(here, seed, asked, key),
            )
            return
    label = say("course.bet.commit" if answer is not None else "course.bet.first")
    taken = partial(_take, here, seed, asked, answer)
    st.button(label, type="primary", key=f"{key}-commit", disabled=answer is None, on_click=taken)


def _rule(asked: Asked) -> str:
    """How far off is still right, and still close."""
    right, close = (_plain_number(asked, one) for one in asked.tolerance)
    kind = "within" if asked.tolerance[0] else "close" if asked.tolerance[1] else "exact"
    return say(f"course.bet.rule.{kind}", right=right, close=close)


def _plain_number(asked: Asked, number: float) -> str:
    """Of the size of the bet's own steps."""
    return f"{round(number):,}" if float(asked.step).is_integer() else f"{number:,.1f}"


def _choice(asked: Asked, key: str) -> float | None:
    names = [say(name, **args) for name, args in asked.options]
    return st.radio(
        say("course.bet.title"),
        range(len(names)),
        index=None,
        format_func=names.__getitem__,
        key=key,
        label_visibility="collapsed",
    )


def _field(asked: Asked, key: str) -> float | None:
    """An empty field with − and +."""
    kind = int if all(float(one).is_integer() for one in (asked.low, asked.high, asked.step)) else float
    low, high = (said_as(asked, one) for one in (asked.low, asked.high))
    label = say("course.bet.number", low=low, high=high)
    return st.number_input(label, kind(asked.low), kind(asked.high), None, kind(asked.step), key=key)


def _slider(asked: Asked, key: str) -> float | None:
    """It starts beside all numbers."""
    names: dict[float | None, str] = {None: "?"} | {one: said_as(asked, one) for one in asked.answers()}
    return st.select_slider(
        say("course.bet.title"),
        tuple(names),
        format_func=names.__getitem__,
        key=key,
        label_visibility="collapsed",
    )


def _take_typed(here: Place, seed: int, asked: Asked, key: str) -> None:
    _take(here, seed, asked, st.session_state.get(key))


def _take(here: Place, seed: int, asked: Asked, answer: float | None) -> None:
    if answer is not None:
        commit(here, seed, asked, answer)
        _TAKEN.set(True)


def _truth(here: Place, make: Make, asked: Asked, said: Said) -> None:
    with st.container(key=f"told-{here[0]}-{here[1]}"):
        for one in languages(lang_mode()):
            key, args = asked.told(said.answer)
            both = {"bet": said_as(asked, said.answer, one), "truth": said_as(asked, asked.truth, one)}
            compared = t(
                "course.bet.same" if said.answer == asked.truth else "course.bet.compared", one, **both
            )
            grade = f"{GLYPHS[said.grade]} {t(f'course.bet.{said.grade}', one)}"
            st.markdown(f"**{grade}** {compared}\n\n{t(key, one, **args)}")
    st.button(say("course.bet.again"), key=f"again-{here[0]}-{here[1]}", on_click=partial(_renew, here, make))


def _renew(here: Place, make: Make) -> None:
    another(here, make)
    _TAKEN.set(True)


def said_as(asked: Asked, answer: float, spoken: Lang | None = None) -> str:
    """An answer in words: the option, or the number with its unit."""
    spoken = spoken or lang()
    if asked.options:
        key, args = asked.options[int(answer)]
        return t(key, spoken, **args)
    number: float = int(answer) if float(answer).is_integer() else round(answer, 2)
    return t(asked.unit, spoken, n=number) if asked.unit else f"{number:,}".replace("-", "−")


def _spoken(words: Words) -> None:
    for one in languages(lang_mode()):
        st.markdown(t(words[0], one, **words[1]))
