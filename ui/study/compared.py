"""A sheet that is done: each idea before and after, what is right and why, and which belief moved."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import streamlit as st

from ui.frame.session import lang_mode, say
from ui.stage.show_me import Show, address
from ui.study.ideas import NEW, RIGHT, SIX
from ui.study.six_questions import Answered, Sheet, num_new_right, num_right
from ui.study.variants import Variant, variant
from ui.words.i18n import Lang, languages, t

SHOWS: Mapping[str, Show] = MappingProxyType(
    {
        "stamp": Show("P3", "miss", "R1", 0),
        "part": Show("P0", "miss", "R1", 2),
        "hit": Show("three", "touch", "R1", 0),
        "done": Show("P1", "done", "R0"),
        "repeat": Show("P6", "plan", "R1"),
        "speed": Show("P1", "append", "R1"),
        "tools": Show("P2b", "miss", "R1", 2),
        "salts": Show("P11", "miss", "R1", 0),
    }
)
"""The step of a run that answers each idea."""
MARKS = {True: "✓", False: "✗", None: "–"}


def result(sheet: Sheet) -> None:
    """Scores, then one box for each question."""
    scores = {"before": num_right(sheet.before), "after": num_right(sheet.after), "total": len(SIX)}
    is_new = sheet.after is not None and sheet.after.seed is not None
    for one in languages(lang_mode()):
        st.markdown(f"#### {t('sheet.result', one, **scores)}")
        if is_new:
            st.markdown(t("sheet.result.new", one, n=num_new_right(sheet.after), total=len(NEW)))
    _tell_earlier(sheet)
    names = tuple(RIGHT if is_new else SIX)
    settled = [name for place, name in enumerate(names) if _is_settled(sheet, place, name)]
    for place, name in enumerate(names):
        if name not in settled:
            with st.container(border=True, key=f"sheet-of-{name}"):
                _idea(sheet, place, name)
    if settled:
        titles = " · ".join(say(f"six.{name}.name") for name in settled)
        with st.expander(say("sheet.no_longer", n=len(settled), names=titles)):
            for place, name in enumerate(names):
                if name in settled:
                    with st.container(border=True, key=f"sheet-of-{name}"):
                        _idea(sheet, place, name)


def _is_settled(sheet: Sheet, place: int, name: str) -> bool:
    """Right at the last time: folded, for what is wrong deserves the room."""
    return sheet.after is not None and sheet.after.letter(place) == RIGHT[name]


def _tell_earlier(sheet: Sheet) -> None:
    earlier = [
        say(f"sheet.time.{time}")
        for time, one in (("before", sheet.before), ("after", sheet.after))
        if one is not None and one.seed is None
    ]
    if earlier:
        st.info(say("sheet.old", times=" · ".join(earlier)))


def _idea(sheet: Sheet, place: int, name: str) -> None:
    times = {"after": sheet.after} if name in NEW else {"before": sheet.before, "after": sheet.after}
    letters = [one.letter(place) if one else None for one in times.values()]
    marks = " → ".join(MARKS[_is_right(name, letter)] for letter in letters)
    titles = " · ".join(t(f"six.{name}.name", one) for one in languages(lang_mode()))
    st.markdown(f"**{place + 1}. {titles}** &nbsp; {marks}")
    earlier = any(one is not None and one.seed is None for one in times.values())
    for one in languages(lang_mode()):
        if not earlier and (moved := _moved(name, letters, one)):  # options of other questions prove nothing
            st.markdown(moved)
    seeds = [one.seed for one in times.values() if one is not None and one.seed is not None]
    alike = len({variant(name, seed).why("en") for seed in seeds}) == 1
    left, right = st.columns(2)
    for column, (time, answered) in zip((left, right), times.items(), strict=False):
        with column:
            _one_time(place, name, time, answered, with_why=not alike)
    with right if name in NEW else st.container():
        for one in languages(lang_mode()):
            if alike:  # the same words for both times: once
                st.markdown(variant(name, seeds[0]).why(one))
            st.markdown(f"**{t(f'six.{name}.so', one)}**")
        if any(letter not in (None, RIGHT[name]) for letter in letters):
            look = address(SHOWS[name], lang_mode())
            st.link_button(say("sheet.look"), look, key=f"sheet-look-{name}", icon=":material/play_circle:")


def _is_right(name: str, letter: str | None) -> bool | None:
    return None if letter is None else letter == RIGHT[name]


def _moved(name: str, letters: list[str | None], lang: Lang) -> str:
    """What became of a wrong belief, in a sentence; nothing where there was none."""
    held = [letter if letter not in (None, RIGHT[name]) else None for letter in letters]
    told = [t(f"six.{name}.belief.{letter}", lang) if letter else "" for letter in held]
    if len(told) == 1:
        return ""
    old, new = told
    if old and new:
        if old == new:
            return t("sheet.stays", lang, belief=new)
        return t("sheet.turned", lang, old=old, new=new)
    if old and letters[1] == RIGHT[name]:
        return t("sheet.fell", lang, belief=old)
    return t("sheet.came", lang, belief=new) if new else ""


def _one_time(place: int, name: str, time: str, answered: Answered | None, *, with_why: bool) -> None:
    st.caption(say(f"sheet.time.{time}"))
    if answered is None:
        return
    letter = answered.letter(place)
    if answered.seed is None:
        shown = say("sheet.old.letter", letter=letter.upper()) if letter else say("sheet.left_out")
        st.markdown(f"{shown} {MARKS[_is_right(name, letter)]}")
        return
    asked = variant(name, answered.seed)
    for one in languages(lang_mode()):
        st.markdown(_told(asked, letter, answered.sure(place), one))
        if with_why:
            st.markdown(asked.why(one))


def _told(asked: Variant, letter: str | None, sure: bool, lang: Lang) -> str:
    """Question, own answer, right answer."""
    lines = [asked.ask(lang)]
    if letter is None:
        lines.append(f"– *{t('sheet.left_out', lang)}*")
    else:
        yours = t("sheet.yours.sure" if sure else "sheet.yours", lang, answer=asked.option(letter, lang))
        lines.append(f"{MARKS[letter == asked.right]} {yours}")
    if letter != asked.right:
        lines.append(f"✓ {t('sheet.right', lang, answer=asked.option(asked.right, lang))}")
    return "\n\n".join(lines)
