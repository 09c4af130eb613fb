"""Chapter 6's folded panels of what was timed: one prompt three ways, and how much sooner the token comes."""

from __future__ import annotations

import streamlit as st

from core.cost import FORMULAS
from ui.course.ch06_saving.charts import faster_curve, saved_bars
from ui.course.ch06_saving.counts import BLOCK_SIZE
from ui.course.ch06_saving.panels import CONFIG, DECODER, NAME, SHARED, beside, names_of, show_strips
from ui.course.lessons import show_part
from ui.course.measured import DECODERS, LARGER, kept, pairs, sweep, where
from ui.course.strips import Stretch
from ui.frame.session import lang, say
from ui.machine.machine import MACHINE
from ui.prefill.about import times
from ui.words.formula_words import legend
from ui.words.numbers import percent, seconds
from ui.words.tables import markdown_table

BAND = (0.3, 0.5)
"""The usual claim: the share by which the first token comes sooner."""


# -- one prompt ------------------------------------------------------------------------------------------


def one_prompt_panel() -> None:
    """Claim, model and clock; the library chosen here is the one whose measurements the others show."""
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with right:
        chosen = st.segmented_control(
            say("course.ch06.clock"), list(DECODERS), default=DECODER.get(), required=True, key="ch06-clock"
        )
    decoder = chosen or DECODER.get()
    DECODER.set(decoder)
    points = sweep(DECODERS[decoder])
    total = points[0].total
    by_hit = {point.hit_tokens: point for point in points}
    with left:
        shared = st.select_slider(
            say("course.ch06.shared", total=total), list(by_hit), SHARED, key="ch06-timed"
        )
    point, prefix, own = by_hit[shared], say("course.ch06.part.prefix"), say("course.ch06.part.own")
    rows = {
        say("course.ch06.without"): [Stretch(prefix, shared, False), Stretch(own, total - shared, False)],
        say("course.ch06.with"): [Stretch(prefix, shared, True), Stretch(own, total - shared, False)],
    }
    show_strips("prompt", rows)
    cost, names = MACHINE.get().cost(), names_of(decoder)
    one = cost.compare(total, shared)
    left, right = st.columns(2)
    with left:
        beside("one", names, (one.linear_ratio, one.ratio, point.ratio))
    with right:
        modelled = [cost.compare(total, hit).ratio for hit in by_hit]
        axes = (say("course.ch06.fraction"), say("course.ch06.faster"))
        larger = say("course.ch06.larger", **where(kept(LARGER)["sweep"]))
        timed = {names.measured: points, larger: sweep(LARGER)}
        figure = faster_curve(timed, modelled, point, names, axes)
        st.plotly_chart(figure, key="ch06-curve", config=CONFIG)
    show_part(
        NAME,
        "one_result",
        total=total,
        hit=shared,
        computed=total - shared,
        claim=f"{one.linear_ratio:.2f}",
        model=f"{one.ratio:.2f}",
        measured=times(point.ratio)[:-1],
    )
    show_part(NAME, "basis", linear=FORMULAS["formula.linear_claim"], prefill=FORMULAS["formula.prefill"])
    with st.container(key="table-ch06-timed"):
        st.markdown(_measured_table())
    if any(kept(name)["pair"].disturbed for name in (*DECODERS.values(), LARGER)):
        show_part(NAME, "disturbed")
    st.caption(legend(("formula.linear_claim", "formula.prefill"), lang()))


def _measured_table() -> str:
    """Everything that was timed for one pair, with its machine."""
    head = [
        say(f"course.ch06.head.{name}") for name in ("decoder", "full", "hit", "ratio", "spread", "where")
    ]
    rows = []
    for name in (*DECODERS.values(), LARGER):
        report = kept(name)["pair"]
        row, [point] = report.rows[0], pairs(name, "pair")
        facts = where(report)
        cells = (
            say("course.ch06.decoder", **facts),
            seconds(row["full"]["cpu_ms"] / 1000),
            seconds(row["hit"]["cpu_ms"] / 1000),
            f"**{times(point.ratio)}**",
            f"{times(point.low)} – {times(point.high)}",
            say("course.ch06.where", runs=report.runs, rounds=report.settings["rounds"], **facts),
        )
        rows.append(cells)
    return markdown_table(head, rows, "lrrrrl")


# -- how much sooner -------------------------------------------------------------------------------------


def sooner_panel() -> None:
    decoder = DECODER.get()
    points = pairs(DECODERS[decoder], "saving")
    greeting = int(kept(DECODERS[decoder])["saving"].rows[0]["shared"])
    band = {"low": percent(BAND[0], 0), "high": percent(BAND[1], 0)}
    show_part(NAME, "sooner", greeting=greeting, **band)
    cost, names = MACHINE.get().cost(), names_of(decoder)
    groups = [
        say("course.ch06.case", hit=point.hit_tokens, total=point.total, percent=percent(point.fraction, 0))
        for point in points
    ]
    values = {
        names.claim: [point.fraction for point in points],
        names.model: [cost.compare(point.total, point.hit_tokens).saved_share for point in points],
        names.measured: [point.saved for point in points],
    }
    words = (say("course.ch06.sooner"), say("course.ch06.band", **band))
    st.plotly_chart(saved_bars(groups, values, BAND, words), key="ch06-sooner", config=CONFIG)
    show_part(
        NAME,
        "sooner_result",
        fractions=" / ".join(percent(point.fraction, 0) for point in points[1:]),
        saved=" / ".join(percent(point.saved, 0) for point in points[1:]),
        greeting=greeting,
        reused=points[0].hit_tokens,
        size=BLOCK_SIZE,
        little=percent(points[0].saved, 0),
        **band,
    )
