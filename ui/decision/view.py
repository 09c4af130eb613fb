"""A sheet on the screen: finding, four numbers, three figures, then tables and what stands behind it."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from html import escape

import streamlit as st

from core.cost import FORMULAS
from ui.decision.asked import Asked
from ui.decision.curves import NARROW, WIDE, Curve, curve_svg, hit_curve, wait_curve
from ui.decision.html import (
    ON_PHONES,
    STYLE,
    behind_html,
    colours,
    grid_html,
    kinds_html,
    numbers_html,
    sizes_html,
    titled,
)
from ui.decision.paper import paper_html
from ui.decision.said import hit_words, progress, verdict, wait_words
from ui.decision.tables import sheet_csv
from ui.frame.formulas import formula_lines
from ui.frame.session import say
from ui.words.formula_words import DECISION, SERVING

_PAGE_STYLE = """
.st-key-decision-body{gap:.75rem}
.st-key-decision-top .stVerticalBlock{gap:.25rem}
.st-key-decision-about{gap:0 .75rem;flex-wrap:wrap}
.st-key-decision-head h1{font-size:1.75rem;line-height:1.2;padding:0 0 .75rem}
.st-key-decision-figures .stColumn{border:1px solid light-dark(#D5DCE4,#333E4B);border-radius:12px;
padding:10px 12px}
.ds-drawn{container-type:inline-size}
.ds-drawn svg{display:block;width:100%;max-height:290px}
.ds-drawn svg+svg{display:none}
@container (min-width:460px){.ds-drawn svg{display:none}.ds-drawn svg+svg{display:block}}
@media (max-width:720px){.st-key-decision-head h1{font-size:1.5rem}}
"""


def style() -> None:
    """Rules of this page."""
    st.html(f"<style>{colours(both=True)}{STYLE}{ON_PHONES}{_PAGE_STYLE}</style>")


def show_finding(asked: Asked) -> None:
    """The verdict; while there is something to compute, how far that is."""
    with st.container(key="decision-head", gap="small"):
        st.title(verdict(asked), anchor=False)
        if not asked.done:
            st.progress(asked.sheet.num_done / asked.sheet.num_runs, progress(asked))


def show_sheet(asked: Asked) -> None:
    """Numbers and figures; then tables and basis."""
    if asked.size is None:
        return
    st.html(numbers_html(asked))
    with st.container(key="decision-figures"):
        hit, wait, grid = st.columns(3, gap="small")
        with hit:
            _curve(asked, "hit", hit_curve(asked), hit_words(asked))
        with wait:
            _curve(asked, "wait", wait_curve(asked), wait_words(asked))
        with grid:
            st.html(grid_html(asked))
    sizes, kinds = st.columns([1.6, 1], gap="medium")
    with sizes:
        st.html(sizes_html(asked))
    with kinds:
        if drawn := kinds_html(asked):
            st.html(drawn)
    st.html(behind_html(asked))


def _curve(asked: Asked, name: str, curve: Curve | None, words: str) -> None:
    """A figure with its title, and what it shows in words for who does not see it."""
    title = titled(asked.say(f"{name}.title", n=asked.cards(asked.gpus)), asked.seeds_so_far)
    if curve is None:
        st.html(f'<div class="ds">{title}<p class="note">{escape(words)}</p></div>')
        return
    st.html(f'<div class="ds">{title}</div>')
    drawn = "".join(curve_svg(asked, curve, words, extent) for extent in (NARROW, WIDE))
    st.markdown(f'<div class="ds ds-drawn">{drawn}</div>', unsafe_allow_html=True)


def formula_popover(asked: Asked) -> None:
    """How the times come about."""
    machine = asked.machine
    gpu = machine.gpu if machine.num_gpus == 1 else f"{machine.num_gpus} × {machine.gpu}"
    words = {name: FORMULAS[f"formula.{name}"] for name in ("prefill", "decode", "ttft")}
    with st.popover(say("decision.formula")):
        st.markdown(say("monitor.formula.ttft", model=machine.model, gpu=gpu, **words).replace("\n", "\n\n"))
        formula_lines((*SERVING, *DECISION))


def take_along(now: Callable[[], Asked], link: str) -> None:
    """One page of A4, and a CSV, of what is known at the click (``now``)."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    with st.popover(say("decision.take")):
        if not now().done:
            st.caption(say("decision.take.open"))
        _save("paper", "html", "text/html", lambda: paper_html(now(), link, today))
        # the mark in front tells spreadsheets that the text is UTF-8
        _save("csv", "csv", "text/csv", lambda: "\ufeff" + sheet_csv(now()))


def _save(name: str, ending: str, mime: str, make: Callable[[], str]) -> None:
    st.download_button(
        say(f"decision.take.{name}"),
        make,
        file_name=f"broth-decision.{ending}",
        mime=mime,
        key=f"decision_take_{name}",
        on_click="ignore",
        width="stretch",
        help=say(f"decision.take.{name}.help"),
    )
