"""The first view of a log: what it gains at which size, six ways to say so, what it saves, what it holds."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.cost import FORMULAS
from core.traffic.analysis import Analysis, held, savings
from core.traffic.groups import whole
from core.traffic.settings import Settings, block_sizes, room_for_all
from core.traffic.sweeps import curve_points
from ui import session
from ui.machine_panel import machine_panel
from ui.numbers import digits, money, percent, seconds
from ui.session import plain, say
from ui.traffic_charts import lines, mark, requests_at
from ui.traffic_open import clicked
from ui.traffic_state import Log, state

Open = Callable[[int], None]
HOLD_S = 10.0


def settings_row(log: Log, fits: int) -> Settings:
    """Block size, slots, time to live. ``fits``: slots for which the chosen GPU has room."""
    now = state()
    size, slots, ttl, room = st.columns([1, 1, 1, 1], vertical_alignment="bottom")
    sizes = block_sizes(log.trace)
    current = now.block_size or log.trace.block_size or 16
    with size:
        st.session_state.setdefault("traffic_block", current if current in sizes else sizes[0])
        now.block_size = st.selectbox(say("knob.block_size"), sizes, key="traffic_block")
    with slots:
        st.session_state.setdefault("traffic_slots", now.num_slots)
        now.num_slots = st.number_input(
            say("traffic.slots"),
            1,
            10**9,
            None,
            key="traffic_slots",
            placeholder=say("traffic.room_for_all"),
            help=say("traffic.slots.help"),
        )
    with ttl:
        st.session_state.setdefault("traffic_ttl", now.ttl_s)
        timed = all(request.arrival_s is not None for request in log.trace.requests)
        now.ttl_s = st.number_input(
            say("traffic.ttl"),
            0.0,
            1e8,
            None,
            key="traffic_ttl",
            placeholder=say("knob.off"),
            disabled=not timed,
            help=say("traffic.ttl.help" if timed else "traffic.ttl.no_times"),
        )
    with room:
        st.button(
            say("traffic.fits", n=digits(fits)),
            on_click=_take,
            args=(fits,),
            disabled=not fits,
            width="stretch",
        )
    return now.settings_for(log)


def _take(slots: int) -> None:
    st.session_state["traffic_slots"] = state().num_slots = slots


def overview(log: Log, analysis: Analysis, open_it: Open) -> None:
    """Numbers, the curve, definitions, savings, held blocks."""
    _headline(analysis)
    _curve(analysis, open_it)
    left, right = st.columns(2, gap="large")
    with left:
        _definitions(analysis)
    with right:
        _savings(analysis)
        _held(analysis)
    _reported(log)


def _headline(analysis: Analysis) -> None:
    rate = analysis.hit_rate
    saved = savings(analysis, session.machine().cost(), session.machine().prices)
    cells = st.columns(4)
    cells[0].metric(
        say("traffic.rate"), "–" if rate is None else f"{percent(rate)} %", help=say("traffic.rate.help")
    )
    cells[1].metric(say("traffic.best"), f"{percent(analysis.best_rate)} %", help=say("traffic.best.help"))
    value = seconds(saved.gpu_seconds.value or 0.0)
    cells[2].metric(say("traffic.saved"), value, help=say("traffic.saved.help"))
    verdict = whole(analysis).verdict()
    cells[3].metric(
        say("traffic.verdict"), say(f"traffic.verdict.{verdict}"), help=say("traffic.verdict.help")
    )
    if analysis.result.num_refused:
        st.warning(say("traffic.refused", n=analysis.result.num_refused, first=analysis.curve.first))
    if analysis.result.way == "engine":
        reasons = ", ".join(say(f"replay.reason.{reason}") for reason in analysis.result.reasons)
        st.caption(say("replay.engine", reasons=reasons))


def _curve(analysis: Analysis, open_it: Open) -> None:
    curve, cost = analysis.curve, session.machine().cost()
    points = curve_points(analysis)
    st.subheader(say("traffic.curve"), anchor=False)
    units = ("blocks", "tokens", "gib")
    words = {one: say(f"traffic.unit.{one}") for one in units}
    unit = st.segmented_control(
        say("traffic.unit"),
        units,
        default="blocks",
        format_func=words.__getitem__,
        label_visibility="collapsed",
        key="traffic_unit",
    )
    size = curve.block_size
    factor = {"tokens": float(size), "gib": cost.block_bytes(size) / 2**30}.get(unit or "blocks", 1.0)
    shown = [(slots * factor, rate) for slots, rate in points]
    name = say("traffic.curve.name")
    numbers = {name: requests_at(curve, [slots for slots, _ in points])}
    log_x = len(points) > 1
    title = say(f"traffic.unit.{unit or 'blocks'}")
    figure = lines({name: shown}, title, say("traffic.rate"), log_x=log_x, requests=numbers, markers=True)
    cliff = curve.cliff()
    if cliff is not None:
        edge = min(cliff[1], curve.last)
        mark(figure, edge * factor, say("traffic.cliff", n=digits(edge)), log_x=log_x, high=False)
    here = min(analysis.num_slots, room_for_all(analysis.tree))
    if here >= curve.first:
        mark(figure, min(here, curve.last) * factor, say("traffic.here"), log_x=log_x)
    told = st.plotly_chart(
        figure, key=f"traffic_curve_{state().looks}_{unit}", on_select="rerun", selection_mode="points"
    )
    st.caption(_curve_words(analysis, cliff))
    if (number := clicked(told)) is not None:
        open_it(number)


def _curve_words(analysis: Analysis, cliff: tuple[int, int] | None) -> str:
    curve = analysis.curve
    words = [say("traffic.curve.from", first=digits(curve.first), last=digits(curve.last))]
    if cliff is not None:
        high = min(cliff[1], curve.last)
        rates = {"low": percent(curve.rate_at(cliff[0])), "high": percent(curve.rate_at(high))}
        words.append(say("traffic.cliff.words", c=digits(cliff[0]), d=digits(high), **rates))
    words.append(
        say("traffic.curve.exact") if curve.exact else say("traffic.curve.copies", n=curve.num_repeats)
    )
    return " ".join((*words, say("traffic.click")))


def _definitions(analysis: Analysis) -> None:
    st.subheader(say("traffic.definitions"), anchor=False)
    rows = []
    for one in analysis.definitions:
        number = digits(one.hits) if one.name == "mean_of_ratios" else f"{int(one.hits):,}"
        arithmetic = f"{number} / {one.total:,}"
        rate = "–" if one.rate is None else f"{percent(one.rate, 3)} %"
        rows.append({"name": say(f"traffic.definition.{one.name}"), "how": arithmetic, "rate": rate})
    st.dataframe(
        rows, hide_index=True, column_config=_columns("name", "how", "rate"), key="traffic_definitions"
    )
    st.caption(say("traffic.definitions.help"))


def _columns(*names: str) -> dict[str, str]:
    return {name: say(f"traffic.column.{name}") for name in names}


def _savings(analysis: Analysis) -> None:
    st.subheader(f"{say('traffic.savings')} · {say('basis.modelled')}", anchor=False)
    machine = machine_panel()
    saved = savings(analysis, machine.cost(), machine.prices)
    hours, tokens = saved.money_by_hour, saved.money_by_token
    told = {
        "seconds": seconds(saved.gpu_seconds.value or 0.0),
        "share": percent(saved.share),
        "linear": percent(saved.linear_share),
        "hours": money(hours.value or 0.0, hours.unit),
        "tokens": money(tokens.value or 0.0, tokens.unit),
    }
    st.markdown(say("traffic.savings.words", **told).replace("$", "\\$"))
    st.caption(f"`{FORMULAS['formula.saved_s']}`")


def _held(analysis: Analysis) -> None:
    st.subheader(say("traffic.held"), anchor=False)
    timed = analysis.tree.arrivals_s is not None
    peak = held(analysis, HOLD_S if timed else None)
    words = {"shared": digits(peak.shared), "unshared": digits(peak.unshared), "seconds": f"{HOLD_S:g}"}
    st.markdown(say("traffic.held.timed" if timed else "traffic.held.all", **words))


def _reported(log: Log) -> None:
    totals = log.trace.reported()
    if totals.ratio_of_sums is None:
        return
    st.subheader(say("traffic.reported"), anchor=False)
    words = {
        "rate": percent(totals.ratio_of_sums, 2),
        "cached": digits(totals.cached_tokens),
        "prompt": digits(totals.prompt_tokens),
        "known": totals.num_known,
        "unknown": totals.num_unknown + totals.num_contradictory,
        "mean": "–" if totals.mean_of_ratios is None else percent(totals.mean_of_ratios, 2),
    }
    st.markdown(say("traffic.reported.words", **words))


def without_identity(log: Log) -> None:
    """A log of lengths, of usage or of counters: what it says, and that no hit rate follows from it."""
    st.info(say("traffic.no_rate"))
    lengths = [request.num_tokens for request in log.trace.requests]
    if lengths:
        middle = sorted(lengths)[len(lengths) // 2]
        words = {"n": len(lengths), "mean": digits(sum(lengths) / len(lengths)), "median": digits(middle)}
        st.markdown(say("traffic.lengths", **words))
    _reported(log)
    for one in log.trace.counters:
        if one.hit_rate is not None:
            words = {"engine": plain(one.labels), "rate": percent(one.hit_rate, 2)}
            st.markdown(say("traffic.counters", **words))
