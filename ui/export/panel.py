"""The export part of a page: data, pictures, offline page, handout, link. A file is made when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from ui.decision.setup import CHOICE
from ui.export.browser import png, printing, show_files, video
from ui.export.film_panel import film_panel
from ui.export.handout import handout_html
from ui.export.offline import offline_html
from ui.export.pictures import LEVELS, MAX_FRAMES, frames_zip, picture, stops
from ui.export.requests import requests_csv
from ui.finish.far import FAR
from ui.frame.open_parts import draw_open_tab
from ui.frame.session import lang, lang_mode, say
from ui.machine.machine import MACHINE
from ui.monitor.deeds import PLAN
from ui.stage.own import OWN
from ui.stage.payload import Payload, stage_payload
from ui.stage.record import RECORD, open_question, run_name
from ui.stage.record import to_query as record_query
from ui.stage.run import Run
from ui.stage.setup import SETUP, to_query
from ui.words.i18n import MODES, LangMode, t
from ui.words.palette import Theme

THEMES: tuple[Theme, ...] = ("light", "dark")


def export_panel(run: Run | None) -> None:
    """Everything a visitor can take home; without a run only what needs none."""
    parts: dict[str, Callable[[], None]] = {  # pictures and handout take a moment nobody should wait for
        "data": lambda: _data(run),
        "pictures": lambda: _pictures(run),
        "film": lambda: _film(run),
        "handout": _handout,
        "link": _link,
    }
    draw_open_tab("export_tab", {name: (say(f"export.{name}"), draw) for name, draw in parts.items()})


def _link() -> None:
    far_s = FAR.get()
    if far_s is not None:
        st.markdown(f"**{say('export.link.load')}**")
        st.caption(say("export.link.load.help"))
        address = run_link(st.context.url, _load_query(far_s), "finish")
        st.code(address, language=None, wrap_lines=True)
        st.markdown(f"**{say('export.link.stage')}**")
    st.caption(say("export.link.help"))
    if SETUP.get().scenario == OWN:
        st.caption(say("export.link.own"))
    st.code(run_link(st.context.url, _link_query()), language=None, wrap_lines=True)


def _save(key: str, name: str, mime: str, make: Callable[[], str | bytes], **args: object) -> None:
    """A button with the sentence that says what the file is; clicking it makes the file anew each time."""
    st.download_button(
        say(f"export.{key}"),
        make,
        file_name=name,
        mime=mime,
        key=f"export_{key}",
        on_click="ignore",
        width="stretch",
    )
    st.caption(say(f"export.{key}.help", **args))


def _no_run() -> None:
    st.info(say("export.none"))


def _data(run: Run | None) -> None:
    if run is None:
        _no_run()
        return
    _, log, shown = run
    name = f"broth-{run_name(SETUP.get())}"
    left, middle, right = st.columns(3)
    with left:
        _save("jsonl", f"{name}.jsonl", "application/x-ndjson", log.to_jsonl, n=len(log.events))
    with middle:
        # the mark in front tells spreadsheets that the text is UTF-8
        _save("csv", f"{name}.csv", "text/csv", lambda: "\ufeff" + requests_csv(log))
    with right:
        flags = {"whole": True, "step": 0, "level": "micro", "ask": SETUP.get().mode == "guided"}
        payload = stage_payload(shown, None, lang_mode(), flags)
        _save("offline", f"{name}.html", "text/html", partial(offline_html, payload, shown["meta"]["title"]))


def _pictures(run: Run | None) -> None:
    if run is None:
        _no_run()
        return
    shown, name = _until_asked(run[2]), f"broth-{run_name(SETUP.get())}"
    last = len(shown["events"])
    themes = {theme: say(f"export.theme.{theme}") for theme in THEMES}
    levels = {level: say(f"stage.level.{level}") for level in reversed(LEVELS)}
    left, middle, right = st.columns(3)
    with left:
        step = int(st.number_input(say("export.step"), 0, last, last, key=f"export_step_{last}"))
    with middle:
        theme = st.selectbox(say("export.theme"), THEMES, format_func=themes.__getitem__, key="export_theme")
    with right:
        level = st.selectbox(
            say("export.level"), list(levels), format_func=levels.__getitem__, key="export_level"
        )
    svg = picture(shown, step, lang(), theme)
    show_files([png(svg, f"{name}-{step}.png")], key="export-picture", preview=svg, alt=_alt(shown, step))
    one, many = st.columns(2)
    with one:
        _save("svg", f"{name}-{step}.svg", "image/svg+xml", lambda: svg)
    with many:
        count = len(stops(shown, level))
        make = partial(frames_zip, shown, level, lang(), theme)
        _save("frames", f"{name}-{level}.zip", "application/zip", make, n=min(count, MAX_FRAMES))
        if count > MAX_FRAMES:
            st.caption(say("export.frames.first", limit=MAX_FRAMES, n=count))


def _until_asked(shown: Payload) -> Payload:
    """As much of a run as may be seen: pictures answer no question that its visitor has still to answer."""
    step = open_question(RECORD.get(), SETUP.get(), shown["events"])
    if step is None:
        return shown
    st.info(say("export.open", step=step))
    return {**shown, "events": shown["events"][:step]}


def _film(run: Run | None) -> None:
    if run is None:
        _no_run()
        return
    shown, name = _until_asked(run[2]), f"broth-{run_name(SETUP.get())}"
    made = film_panel(shown, name)
    if made is None:
        return
    ends = f"{name}-{made.steps[0]}-{made.steps[-1]}"
    label = t("film.label", lang(), title=shown["meta"]["title"], first=made.steps[0], last=made.steps[-1])
    show_files([video(made, ends)], key="export-film", preview=made.svg, alt=label)
    st.caption(say("export.video.help"))
    _save("film_svg", f"{ends}.svg", "image/svg+xml", lambda: made.svg)


def _alt(shown: Payload, step: int) -> str:
    return f"{shown['meta']['title']}, {say('stage.count', step=step, total=len(shown['events']))}"


def _handout() -> None:
    st.caption(say("export.handout.help"))
    names = {mode: say(f"lang.{mode}") for mode in MODES}
    mode: LangMode = st.segmented_control(
        say("lang.label"),
        MODES,
        default=lang_mode(),
        format_func=names.__getitem__,
        key="export_handout_lang",
        required=True,
    )
    html, name = handout_html(mode or lang_mode()), f"broth-handout-{mode}.html"
    show_files([printing(html, name)], key="export-print")
    _save("paper", name, "text/html", lambda: html)


def _link_query() -> dict[str, str]:
    """Setup, changes tried and language; the visitor's own bet and answers stay at home."""
    setup = replace(SETUP.get(), bet=None)
    done = record_query(RECORD.get().without_answers(), run_name(setup))
    return {**to_query(setup), **done, "lang": lang_mode()}


def _load_query(far_s: int) -> dict[str, str]:
    """The same, and the load that the page reports: what ran, on which machine, how far, at which level."""
    query = _link_query() | PLAN.write(PLAN.get()) | MACHINE.write(MACHINE.get())
    return query | CHOICE.write(CHOICE.get()) | FAR.write(far_s)


def run_link(url: str | None, query: Mapping[str, str], page: str = "execute") -> str:
    """The address of this run on that page, as somebody else would open it."""
    parts = urlsplit(url or "")
    path = parts.path.rpartition("/")[0] + f"/{page}"
    return urlunsplit((parts.scheme, parts.netloc, path, urlencode(query), ""))
