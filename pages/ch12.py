"""Chapter 12 · Interview questions: answers that unfold, flash cards, and wrong answers that go round."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.cost import FORMULAS, typical_error
from pages.navigation import page
from ui.course.chapter import begin_chapter, end_chapter, pick_one
from ui.course.lessons import show_part
from ui.frame.session import lang_mode, say
from ui.interview.questions import SHOWS, words
from ui.stage.show_me import address
from ui.study.flashcards import Deck, new_deck
from ui.study.names import QUESTIONS, THEMES, WRONG
from ui.study.study import STUDY
from ui.words.i18n import languages

NAME = "ch12"
OPEN = "ch12-open"
MODES = ("read", "cards", "wrong")


def render() -> None:
    """Three ways through the questions; one of them is drawn."""
    begin_chapter(NAME, page)
    mode = _choice("mode", MODES)
    {"read": _read, "cards": _cards, "wrong": _wrong}[mode]()
    with st.popover(say("course.ch12.basis")):
        formulas = {name: FORMULAS[f"formula.{name}"] for name in ("prefill", "decode")}
        show_part(NAME, "basis", error=f"{100 * typical_error():.0f}", **formulas)
    end_chapter(NAME, page)


def _choice(what: str, options: tuple[str, ...]) -> str:
    titles = {name: say(f"course.ch12.{what}.{name}") for name in options}
    return pick_one(say(f"course.ch12.{what}"), titles, f"ch12-{what}")


# -- reading ---------------------------------------------------------------------------------------------


def _read() -> None:
    theme = _choice("theme", tuple(THEMES))
    for name in THEMES[theme]:
        with st.expander(_label(name, "ask")):
            _second_language(name, "ask")
            _answer(name)


def _wrong() -> None:
    show_part(NAME, "wrong")
    for name in WRONG:
        with st.expander(_label(name, "claim"), icon=":material/format_quote:"):
            _second_language(name, "claim")
            for lang in languages(lang_mode()):
                st.markdown(words(name, "why", lang))
            _show_me(name)


def _label(name: str, key: str) -> str:
    return words(name, key, languages(lang_mode())[0])


def _second_language(name: str, key: str) -> None:
    """A heading to open has room for one language; the other one stands inside."""
    for lang in languages(lang_mode())[1:]:
        st.caption(words(name, key, lang))


def _answer(name: str) -> None:
    for lang in languages(lang_mode()):
        st.markdown(f"**{words(name, 'short', lang)}**\n\n{words(name, 'long', lang)}")
    _show_me(name)


def _show_me(name: str) -> None:
    """The way to where it can be seen: a step on the stage, or another page."""
    show = SHOWS.get(name)
    if show is None:
        return
    if show.page:
        title = f"course.{show.page}.title" if show.page.startswith("ch") else f"nav.{show.page}"
        st.page_link(
            page(show.page), label=f"{say('course.ch12.see')} {say(title)}", icon=":material/arrow_forward:"
        )
    else:
        label = f"{say('course.show_me')} · {words(name, 'show', languages(lang_mode())[0])}"
        st.link_button(label, address(show, lang_mode()), icon=":material/play_circle:")


# -- flash cards -----------------------------------------------------------------------------------------


def _cards() -> None:
    show_part(NAME, "cards")
    deck = STUDY.get().deck
    total = deck.num_cards
    told = say("course.ch12.progress", known=len(deck.known), total=total, again=deck.num_again)
    st.progress(len(deck.known) / total, told)
    if deck.card is None:
        st.success(say("course.ch12.done", total=total))
    else:
        _card(deck, deck.card)
    st.button(
        say("course.ch12.reset"), key="ch12-reset", type="tertiary", on_click=_keep, args=(new_deck(total),)
    )


def _card(deck: Deck, card: int) -> None:
    """One card. Its buttons are reached by Tab as well as by their letters."""
    name = QUESTIONS[card]
    is_open = st.session_state.get(OPEN) == card
    with st.container(border=True):
        theme = next(theme for theme, names in THEMES.items() if name in names)
        st.caption(say(f"course.ch12.theme.{theme}"))
        for lang in languages(lang_mode()):
            st.markdown(f"##### {words(name, 'ask', lang)}")
        if is_open:
            _answer(name)
    with st.container(horizontal=True):
        if not is_open:
            st.button(
                say("course.ch12.show"),
                key="ch12-show",
                type="primary",
                shortcut="S",
                on_click=_open,
                args=(card,),
            )
            return
        st.button(
            say("course.ch12.knew"),
            key="ch12-knew",
            type="primary",
            shortcut="K",
            on_click=_keep,
            args=(deck.knew(),),
        )
        st.button(
            say("course.ch12.again"), key="ch12-again", shortcut="A", on_click=_keep, args=(deck.again(),)
        )


def _open(card: int) -> None:
    st.session_state[OPEN] = card


def _keep(deck: Deck) -> None:
    st.session_state.pop(OPEN, None)
    STUDY.set(replace(STUDY.get(), deck=deck))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
