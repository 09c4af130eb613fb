"""What a film is made of: from which step to which, where it stops, how long each picture stays."""

from __future__ import annotations

from functools import partial

import streamlit as st

from ui.export.film import MAX_PICTURES, Film, film, film_steps
from ui.export.pictures import LEVELS
from ui.frame.kept import LastFew
from ui.frame.session import lang, say
from ui.stage.payload import Payload
from ui.words.numbers import digits, seconds
from ui.words.palette import Theme

PACES_S = (0.5, 1.0, 2.0, 4.0)
_FILMS = LastFew("films", 2)


def film_panel(shown: Payload, name: str) -> Film | None:
    """The choices, and the film they make; none of a run in which nothing happens. ``name``: of the run."""
    last = len(shown["events"])
    if not last:
        st.info(say("film.none"))
        return None
    st.caption(say("film.help"))
    ends = st.slider(say("film.range"), 0, last, (0, last), key=f"film_range_{last}")
    level, pace_s, theme, loop = _choices()
    steps = film_steps(shown, level, *ends)
    made_from = (name, last, lang(), theme, level, pace_s, loop, ends)
    make = partial(film, shown, steps, lang(), theme, level=level, pace_s=pace_s, loop=loop)
    with st.spinner(say("film.making", n=min(len(steps), MAX_PICTURES))):
        made = _FILMS.get(made_from, make)
    st.caption(_told(made, len(steps)))
    return made


def _choices() -> tuple[str, float, Theme, bool]:
    levels = {level: say(f"stage.level.{level}") for level in LEVELS}
    themes: dict[Theme, str] = {"light": say("export.theme.light"), "dark": say("export.theme.dark")}
    columns = st.columns(4, vertical_alignment="bottom")
    with columns[0]:
        level = st.selectbox(say("film.level"), levels, 1, format_func=levels.__getitem__, key="film_level")
    with columns[1]:
        pace_s = st.selectbox(say("film.pace"), PACES_S, 2, format_func="{:g} s".format, key="film_pace")
    with columns[2]:
        theme = st.selectbox(say("export.theme"), themes, format_func=themes.__getitem__, key="film_theme")
    with columns[3]:
        loop = st.checkbox(say("film.loop"), True, key="film_loop")
    return level, pace_s, theme, loop


def _told(made: Film, num_steps: int) -> str:
    size = digits(len(made.svg.encode()) / 1e3)
    told = say("film.told", n=len(made.steps), time=seconds(made.seconds), size=size)
    if num_steps > len(made.steps):
        told += " " + say("film.cut", limit=MAX_PICTURES, n=num_steps, last=made.steps[-1])
    return told
