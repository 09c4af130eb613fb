"""Two more ways through the questions, off the path: reading by theme, and flash cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from ui.course.chapter import pick_one
from ui.course.lessons import show_part
from ui.frame.session import lang_mode, say
from ui.interview.questions import num_must, words
from ui.interview.show import show_me
from ui.study.flashcards import Deck, new_deck
from ui.study.names import LEVEL_OF, QUESTIONS, THEMES
from ui.study.study import STUDY
from ui.words.i18n import languages, t

Pages = Callable[[str], Any]
OPEN = "ch12-open"


def read_by_theme(pages: Pages) -> None:
    """All questions of a theme, each to be opened."""
    titles = {theme: say(f"course.ch12.theme.{theme}") for theme in THEMES}
    theme = pick_one(say("course.ch12.theme"), titles, "ch12-read")
    for name in THEMES[theme]:
        asked = [words(name, "ask", one) for one in languages(lang_mode())]
        with st.expander(asked[0]):
            for other in asked[1:]:
                st.caption(other)
            st.caption(say(f"course.ch12.level.{LEVEL_OF[name]}"))
            whole_tree(name, pages)


def whole_tree(name: str, pages: Pages) -> None:
    """Everything about a question, for who wants to read it."""
    for one in languages(lang_mode()):
        must = "\n".join(f"- {words(name, f'must_{place}', one)}" for place in range(1, num_must(name) + 1))
        st.markdown(f"**{words(name, 'short', one)}**\n\n{words(name, 'long', one)}")
        st.markdown(f"{t('course.ch12.names', one)}\n\n{must}")
        st.markdown(f"**{words(name, 'next', one)}** {words(name, 'then', one)}")
        trap = t("course.ch12.trap_read", one, claim=words(name, "trap", one))
        st.markdown(f"{trap} {words(name, 'fails', one)}")
    show_me(name, pages)


def flash_cards(pages: Pages) -> None:
    """The deck, one card after another."""
    show_part("ch12", "cards")
    deck = STUDY.get().deck
    total = deck.num_cards
    told = say("course.ch12.progress", known=len(deck.known), total=total, again=deck.num_again)
    st.progress(len(deck.known) / total, told)
    if deck.card is None:
        st.success(say("course.ch12.done", total=total))
    else:
        _card(deck, deck.card, pages)


def _card(deck: Deck, card: int, pages: Pages) -> None:
    name = QUESTIONS[card]
    is_open = st.session_state.get(OPEN) == card
    with st.container(border=True):
        theme = next(theme for theme, names in THEMES.items() if name in names)
        st.caption(say(f"course.ch12.theme.{theme}"))
        for one in languages(lang_mode()):
            st.markdown(f"##### {words(name, 'ask', one)}")
        if is_open:
            for one in languages(lang_mode()):
                st.markdown(f"**{words(name, 'short', one)}**\n\n{words(name, 'long', one)}")
            show_me(name, pages)
    with st.container(horizontal=True):
        if not is_open:
            st.button(say("course.ch12.show"), key="card-show", type="primary", on_click=_open, args=(card,))
        else:
            knew, again = deck.knew(), deck.again()
            st.button(say("course.ch12.knew"), key="card-knew", type="primary", on_click=_keep, args=(knew,))
            st.button(say("course.ch12.again"), key="card-again", on_click=_keep, args=(again,))


def _open(card: int) -> None:
    st.session_state[OPEN] = card


def _keep(deck: Deck) -> None:
    st.session_state.pop(OPEN, None)
    STUDY.set(replace(STUDY.get(), deck=deck if deck.num_cards else new_deck(len(QUESTIONS))))
