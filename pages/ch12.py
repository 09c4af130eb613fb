"""Chapter 12 · Interview: one question at a time, then true or false, then a bet on one's own prompt."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.cost import FORMULAS, typical_error
from pages.navigation import page
from ui.course.bets import bet
from ui.course.chapter import begin_chapter, end_chapter
from ui.course.lessons import show_part
from ui.course.mine import my_prompt
from ui.course.page import more, reading
from ui.course.place import opened_at
from ui.course.said import now_put
from ui.frame.kept import Kept
from ui.frame.open_parts import draw_if_open
from ui.frame.session import lang, say
from ui.interview.bet import crowd, hit_rate_bet
from ui.interview.bet_picture import show_crowd
from ui.interview.claims import claims
from ui.interview.conversation import interview
from ui.interview.folded import flash_cards, read_by_theme
from ui.study.names import CLAIMS

NAME = "ch12"
_CLAIM_FIRST: Kept[bool] = Kept("ch12_claim_first", lambda: opened_at(NAME, CLAIMS) is not None)
"""The link named something one hears: then that is what one sees first."""


def render() -> None:
    """The path: interview, what one hears, bet. Off it, folded: all questions by theme, and as cards."""
    begin_chapter(NAME, page)
    for part in (_claims, _interview) if _CLAIM_FIRST.get() else (_interview, _claims):
        part()
    st.markdown(f"### {say('course.ch12.bet')}")
    _last_question()
    for name, draw in {"read": read_by_theme, "cards": flash_cards}.items():
        draw_if_open(f"ch12-more-{name}", say(f"course.ch12.mode.{name}"), partial(draw, page))
    with more(say("course.ch12.basis")):
        formulas = {name: FORMULAS[f"formula.{name}"] for name in ("prefill", "decode")}
        show_part(NAME, "basis", error=f"{100 * typical_error():.0f}", **formulas)
    end_chapter(NAME, page)


def _interview() -> None:
    st.markdown(f"### {say('course.ch12.interview')}")
    interview(page)


def _claims() -> None:
    st.markdown(f"### {say('course.ch12.claims')}")
    claims(page)


def _last_question() -> None:
    """The bet, beside it the prompts as blocks."""
    prompt = my_prompt(lang())
    make = partial(hit_rate_bet, prompt)
    seed, _, said = now_put((NAME, "a"), make)
    text, beside = reading("bet")
    with beside:
        show_crowd(crowd(prompt, seed), told=said is not None)
    with text:
        bet(NAME, make)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
