"""The class's results without accounts: codes are pasted, counted at once, and kept nowhere."""

from __future__ import annotations

import streamlit as st

from core.csv_table import csv_text
from ui.frame.session import lang, lang_mode, plain, say
from ui.study.class_code import LONGEST, Pasted, read_codes
from ui.study.class_count import Belief, ClassCount, count_class, table
from ui.study.ideas import RIGHT
from ui.study.six_questions import NOTHING
from ui.teacher.card import card_css, card_html
from ui.teacher.example_class import example_text
from ui.teacher.places import address_of
from ui.teacher.stops import words
from ui.words.i18n import Lang, languages, t

CODES, _LARGE = "results-codes", "results-large"
KEPT = (CODES,)
"""Outlives the other parts of the page, and nothing else."""
MOST_TOLD = 5
"""Lines that could not be read and are named one by one."""

STOPS = {
    "stamp": "stamp",
    "part": "partial",
    "hit": "touch",
    "done": "done",
    "repeat": "full",
    "speed": "decode",
}
"""Each idea's stop in the lecture."""


def results_panel() -> None:
    """Codes on the left, the card on the right; or the card alone, for the whole class."""
    if st.session_state.get(_LARGE):
        _large()
        return
    left, right = st.columns([3, 8], gap="medium")
    with left:
        pasted = _codes()
    counted = count_class(pasted.codes)
    with right:
        if not pasted.codes:
            st.info(say("results.none"))
            return
        with st.container(horizontal=True):
            if "after" in counted.times:
                st.button(
                    say("results.project"),
                    key="results-project",
                    type="primary",
                    on_click=_show,
                    args=(True,),
                )
            else:  # nothing on a wall answers what will be asked again
                st.caption(say("results.for_you"))
            if "after" in counted.times:
                st.caption(say("results.project.help"))
            st.download_button(
                say("results.csv"),
                lambda: answers_csv(pasted, lang()),
                "broth-class.csv",
                "text/csv",
                key="results-csv",
                on_click="ignore",
            )
        _card(counted, large=False)
        _stop(counted.still)


def _codes() -> Pasted:
    text = st.text_area(say("results.paste"), key=CODES, height=260, max_chars=LONGEST)
    st.caption(say("results.tip"))
    st.button(say("results.example"), key="results-example", on_click=_show_example)
    pasted = read_codes(text or "")
    if not (text or "").strip():
        return pasted
    st.markdown(f"**{say('results.read', n=len(pasted.codes))}**")
    for one in pasted.misread[:MOST_TOLD]:
        st.warning(say(f"results.bad.{one.why}", line=one.line, text=plain(one.text)))
    if (more := len(pasted.misread) - MOST_TOLD) > 0:
        st.warning(say("results.bad.more", n=more))
    if pasted.by_hand:
        st.caption(say("results.by_hand", n=pasted.by_hand))
    if pasted.twins:
        st.caption(say("results.twins", lines=", ".join(map(str, pasted.twins))))
    return pasted


def _show_example() -> None:
    st.session_state[CODES] = example_text()


def _show(large: bool) -> None:
    st.session_state[_LARGE] = large


def _large() -> None:
    """For the last row: the card over everything, and a way back."""
    counted = count_class(read_codes(st.session_state.get(CODES) or "").codes)
    if counted.num:
        _card(counted, large=True)
    with st.container(key="results-close"):
        st.button(say("results.close"), key="results-back", shortcut="Esc", on_click=_show, args=(False,))


def _card(counted: ClassCount, *, large: bool) -> None:
    made_up = st.session_state.get(CODES) == example_text()
    st.html(card_css() + card_html(counted, languages(lang_mode()), made_up=made_up, large=large))


def _stop(still: Belief | None) -> None:
    """The way to where that belief is answered."""
    if still is None:
        return
    name = STOPS[still.name]
    st.link_button(
        say("results.open", title=words(name, "title", lang())),
        address_of(name).link(lang_mode()),
        key="results-stop",
        icon=":material/open_in_new:",
    )


def answers_csv(pasted: Pasted, leading: Lang) -> str:
    """Every option with its people. The mark in front tells spreadsheets that the text is UTF-8."""
    rows: list[list[object]] = [[*t("results.csv.head", leading).split(",")]]
    for name, time, letter, people, sure, sheets in table(pasted.codes):
        right = letter == RIGHT[name]
        if letter == NOTHING:
            meaning = t("sheet.left_out", leading)
        else:
            meaning = t(f"six.{name}.so" if right else f"six.{name}.belief.{letter}", leading)
        told = [t(f"six.{name}.name", leading), t(f"results.{time}", leading), letter, meaning]
        rows.append([*told, t("results.csv.right", leading) if right else "", people, sure, sheets])
    return "\ufeff" + csv_text(rows)
