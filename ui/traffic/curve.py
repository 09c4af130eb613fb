"""The hit rate at every size as a chart, with the cliff, where you are, and what copies make of it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.replay.curve import Deviation
from core.traffic.analysis import Analysis
from core.traffic.enough import Enough
from core.traffic.settings import room_for_all
from core.traffic.sweeps import curve_points, deviation_of
from ui.frame.session import lang, say, say_each, tell
from ui.machine.machine import MACHINE
from ui.traffic.charts import diamonds, lines, mark, requests_at
from ui.traffic.open import clicked
from ui.traffic.settings import Open
from ui.traffic.setup import UNITS
from ui.traffic.spread import enough_in
from ui.traffic.state import Log, choose, chosen, state
from ui.traffic.words import bounded, rate_words
from ui.traffic.work import work
from ui.words.numbers import Count, digits


def curve_view(log: Log, analysis: Analysis, open_it: Open) -> None:
    """The chart, its unit, its words; of a single point a sentence."""
    curve = analysis.curve
    points = curve_points(analysis)
    if len(points) < 2:
        st.subheader(say_each("traffic.curve"), anchor=False)
        rate = rate_words(points[0][1] if points else None, analysis.lower_bound, lang())
        st.markdown(say("traffic.curve.flat", first=Count(curve.first), rate=rate))
        st.caption(_words(analysis, None, enough_in(log, analysis), None))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.subheader(say_each("traffic.curve"), anchor=False, width="content")
        unit = _unit()
    factor = _factor(analysis, unit)
    name = say("traffic.curve.name")
    numbers = {name: requests_at(curve, [slots for slots, _ in points])}
    shown = {name: [(slots * factor, rate) for slots, rate in points]}
    log_x = len(points) > 1
    title = _title(unit)
    axis = say("traffic.column.rate_bound" if analysis.lower_bound else "traffic.rate")
    figure = lines(shown, title, axis, log_x=log_x, requests=numbers, markers=True)
    cliff = curve.cliff()
    if cliff is not None:
        edge = min(cliff[1], curve.last)
        mark(figure, edge * factor, say("traffic.cliff", n=_about(analysis, edge)), log_x=log_x, y=0.06)
    here = min(analysis.num_slots, room_for_all(analysis.tree))
    enough = enough_in(log, analysis)
    first = enough is None or here < enough.slots  # of two lines the left one has its words on the left
    if here >= curve.first:
        mark(figure, min(here, curve.last) * factor, say("traffic.here"), log_x=log_x, left=first)
    if enough is not None:
        where = min(enough.slots, curve.last) * factor
        words = say("traffic.enough.mark", n=_about(analysis, enough.slots))
        mark(figure, where, words, log_x=log_x, y=0.5, left=not first)
    off = None
    if not curve.exact:
        key = ("deviation", log.key, analysis.settings.block_size, curve.ttl)
        off = work(key, lambda tell: deviation_of(analysis, progress=tell))
    if off is not None:
        exact = zip(off.capacities, off.exact_rates, strict=True)
        diamonds(figure, say("traffic.curve.replayed"), [(slots * factor, rate) for slots, rate in exact])
    told = st.plotly_chart(
        figure, key=f"traffic_curve_{state().looks}_{unit}", on_select="rerun", selection_mode="points"
    )
    st.caption(tell(_words(analysis, cliff, enough, off), say("traffic.click")))
    if point := clicked(told):
        slots = int(point[1])
        open_it(int(point[0]), replace(analysis.settings, num_slots=slots))


def _about(analysis: Analysis, slots: int) -> str:
    """Slots that people are pointed to; more or less where blocks are cut."""
    return bounded(digits(slots), "either" if analysis.lower_bound else None, lang())


def _unit() -> str:
    words = {one: say(f"traffic.unit.{one}") for one in UNITS}
    st.session_state.setdefault("traffic_unit", chosen().unit)
    found = st.segmented_control(
        say("traffic.unit"),
        UNITS,
        format_func=words.__getitem__,
        label_visibility="collapsed",
        key="traffic_unit",
    )
    choose(unit=found or chosen().unit)
    return chosen().unit


def _factor(analysis: Analysis, unit: str) -> float:
    size = analysis.curve.block_size
    if unit == "gib":
        return MACHINE.get().cost().block_bytes(size) / 2**30
    return float(size) if unit == "tokens" else 1.0


def _title(unit: str) -> str:
    words = say(f"traffic.unit.{unit}")
    return f"{words}: {MACHINE.get().model}" if unit == "gib" else words


def _words(
    analysis: Analysis, cliff: tuple[int, int] | None, enough: Enough | None, off: Deviation | None
) -> str:
    curve, bound, ttl_s = analysis.curve, analysis.lower_bound, analysis.settings.ttl_s
    words = [say("traffic.curve.from", first=Count(curve.first), last=_about(analysis, curve.last))]
    if ttl_s is not None:
        words.append(say("traffic.curve.ttl", ttl=f"{ttl_s:g}"))
    if cliff is not None:
        high = min(cliff[1], curve.last)
        rates = {
            "low": rate_words(curve.rate_at(cliff[0]), bound, lang()),
            "high": rate_words(curve.rate_at(high), bound, lang()),
        }
        words.append(
            say("traffic.cliff.words", c=_about(analysis, cliff[0]), d=_about(analysis, high), **rates)
        )
    if enough is not None:
        words.append(say("traffic.curve.enough", n=_about(analysis, enough.slots)))
    if curve.exact:
        words.append(say("traffic.curve.exact"))
    else:
        words.append(say("traffic.curve.copies", n=curve.num_repeats))
    if off is not None:
        most = f"{100 * off.largest:.3f}"
        words.append(say("traffic.curve.deviation", n=len(off.capacities), points=most))
    return tell(*words)
