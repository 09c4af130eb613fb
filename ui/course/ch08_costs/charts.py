"""The situations of the chapter on costs that are charts and tables: threshold, a changed word, management,
two engines on one store, the best setting."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cost import FORMULAS, CostModel
from core.traces.door.read import read_trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.tradeoffs.best import (
    THRESHOLDS,
    Charges,
    Choice,
    best_after_costs,
    best_of,
    bill,
    settings_grid,
)
from core.tradeoffs.shared_pool import CARDS, Move, interleave, num_stale, runs_with_stale
from core.tradeoffs.tradeoffs import Points, threshold_against_noise
from core.traffic.samples import sample_log
from ui.course.bars import Kind, Row, token_plane
from ui.course.ch08_costs.counts import TEMPLATE, changed_word
from ui.course.ch08_costs.on_stage import NAME, kept, pick, table
from ui.course.ch08_costs.overhead import BLOCK, TOKENS, Overhead, measure, measured
from ui.course.grid import stage_colours
from ui.course.lessons import show_part
from ui.course.tradeoff_panels.best import after_costs_words
from ui.frame import plain_figure as go
from ui.frame.session import say
from ui.machine.panel import machine_panel
from ui.traffic.charts import finished, lines
from ui.words.numbers import percent, seconds

# -- a threshold ---------------------------------------------------------------------------------------------

NOISES = (0.0, 0.2, 0.4, 0.6, 0.8)
SIGHTINGS = (1, 2, 3)


def hot_panel() -> None:
    """Store at the first, second or third sighting, against guests who never come again."""
    noise = st.select_slider(
        say("course.ch08.noise"),
        NOISES,
        0.6,
        format_func=lambda one: say("unit.percent", n=f"{100 * one:.0f}"),
        key="ch08-noise",
    )
    curves = kept(("hot",), hot_curves)
    titles = {f"{say('tradeoff.threshold', n=number)}": points for number, points in curves.items()}
    figure = lines(titles, say("course.ch08.noise"), say("tradeoff.rate_of_others"), markers=True)
    figure.update_xaxes(tickformat=".0%", fixedrange=True)
    figure.update_yaxes(fixedrange=True)
    figure.add_vline(x=noise, line_dash="dot", line_width=1.5, line_color=stage_colours()["line"])
    st.plotly_chart(figure.update_layout(height=300), key="ch08-hot", config={"displayModeBar": False})
    at = [dict(points)[noise] for points in curves.values()]
    first, second, third = map(percent, at)
    winner = SIGHTINGS[max(range(len(at)), key=at.__getitem__)]
    words = {"first": first, "second": second, "third": third, "winner": winner}
    show_part(NAME, "hot_result", noise=f"{100 * noise:.0f}", **words)


def hot_curves() -> dict[int, Points]:
    """Sighting at which content is stored -> (share of one-off prompts, hit rate of the others)."""
    return {number: threshold_against_noise(NOISES, number) for number in SIGHTINGS}


# -- one changed word ----------------------------------------------------------------------------------------


def word_panel() -> None:
    """Four requests over an old and a new template, block by block."""
    place = st.slider(say("course.ch08.place"), 1, TEMPLATE, 300, key="ch08-place")
    visits = changed_word(place)
    rows: list[Row] = [[("read", one.hit), ("computed", one.tokens - one.hit)] for one in visits]
    names = [say(f"course.ch08.visit.{visit.name}") for visit in visits]
    words: dict[Kind, str] = {
        "read": say("course.ch08.mark.read"),
        "computed": say("course.ch08.mark.computed"),
    }
    figure = token_plane(rows, names, words, say("course.ch08.token"))
    st.plotly_chart(figure, key="ch08-word", config={"displayModeBar": False})
    hits = {visit.name: visit.hit for visit in visits}
    show_part(NAME, "word_result", place=place, template=TEMPLATE, **hits)


# -- management ----------------------------------------------------------------------------------------------


def overhead_panel() -> None:
    """Hashing, looking up and the table, beside prefill and KV."""
    if st.button(say("course.ch08.measure"), key="ch08-measure"):
        st.session_state["ch08_overhead"] = measure(memory=False)
    now: Overhead | None = st.session_state.get("ch08_overhead")
    chosen = machine_panel()
    cost, one = chosen.cost(), measured()
    used = now or one
    full, hit = cost.prefill_s(TOKENS), cost.prefill_s(128, TOKENS - 128)
    rows = [
        ("hash", "measured", used.hash_us / 1e6),
        ("look_up", "measured", used.look_up_us / 1e6),
        ("hit", "modelled", hit),
        ("full", "modelled", full),
    ]
    _scale(rows)
    numbers = overhead_numbers(used, one, cost, chosen.model)
    show_part(NAME, "overhead_result", **numbers)
    with st.expander(say("course.ch08.basis")):
        where = {"date": used.date, "device": used.device}
        show_part(NAME, "overhead_basis", formula=FORMULAS["formula.prefill"], **where)


def overhead_numbers(used: Overhead, committed: Overhead, cost: CostModel, model: str) -> dict[str, str]:
    """Times as measured (``used``), bytes as committed, prefill as modelled."""
    full = cost.prefill_s(TOKENS)
    kv = cost.block_bytes(BLOCK)
    return {
        "tokens": str(TOKENS),
        "blocks": str(used.blocks),
        "hash": f"{used.hash_us:.1f}",
        "look_up": f"{used.look_up_us:.1f}",
        "prefill": seconds(full),
        "times": f"{full / (used.look_up_us / 1e6):,.0f}",
        "model": model,
        "table": f"{committed.bytes_a_block:.0f}",
        "kv": f"{kv / 2**20:.3g}",
        "share": f"{kv / committed.bytes_a_block:,.0f}",
    }


def _scale(rows: Sequence[tuple[str, str, float]]) -> None:
    """Times on an axis on which each line stands for ten times more."""
    figure, colours = go.Figure(), stage_colours()
    for name, basis, value in rows:
        known = basis == "measured"
        figure.add_scatter(
            x=[value * 1e6],
            y=[f"{say(f'course.ch08.time.{name}')} ({say(f'course.ch08.basis.{basis}')})"],
            mode="markers+text",
            text=[f"<b>{seconds(value)}</b>" if value >= 1e-3 else f"<b>{value * 1e6:.1f} µs</b>"],
            textposition="middle right",
            marker={
                "size": 14,
                "symbol": "circle" if known else "diamond-open",
                "color": colours["register_edge" if known else "line"],
                "line": {"width": 3},
            },
            hoverinfo="skip",
            cliponaxis=False,
        )
    figure.update_xaxes(
        type="log",
        range=[0, 6.2],
        tickvals=[10**power for power in range(7)],
        ticktext=["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"],
        title_text=say("course.ch08.time"),
        showgrid=True,
        fixedrange=True,
    )
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True)
    st.plotly_chart(finished(figure, False, 250), key="ch08-scale", config={"displayModeBar": False})


# -- two engines ---------------------------------------------------------------------------------------------

IN_SLOTS = ("beef", "pork")
ORDERS = (("beef", "pork"), ("fish",))
NUM_SEEDS = 200


def cards_panel() -> None:
    """Two engines on one store take turns in an order that dice decide."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        atomic = pick("atomic", ("no", "yes")) == "yes"
    wrong = kept(("cards", atomic), lambda: stale_seeds(atomic))
    untold = kept(("cards", False), lambda: stale_seeds(False))
    seed = right.slider(say("course.ch08.seed"), 0, 49, untold[0], key="ch08-seed")
    moves = interleave(IN_SLOTS, ORDERS, seed, atomic=atomic)
    head = ["#", *(say("course.ch08.card", card=card) for card in CARDS)]
    head += [say("course.ch08.slot", n=number + 1) for number in range(len(IN_SLOTS))]
    rows = [_act_row(number, move) for number, move in enumerate(moves, 1)]
    table(head, rows, words=True)
    words = {"wrong": len(wrong), "seeds": NUM_SEEDS, "percent": percent(len(wrong) / NUM_SEEDS, 0)}
    outcome = "atomic" if atomic else "stale" if num_stale(moves) else "lucky"
    show_part(NAME, f"cards_{outcome}", **words)


def stale_seeds(atomic: bool) -> list[int]:
    """The seeds that go wrong."""
    return runs_with_stale(IN_SLOTS, ORDERS, NUM_SEEDS, atomic=atomic)


def _act_row(number: int, move: Move) -> list[object]:
    order = say(f"course.ch08.broth.{move.order}")
    words = say(f"course.ch08.act.{move.act}", order=order, n=move.slot or 0)
    if move.act == "stale":
        instead = say(f"course.ch08.broth.{move.contents[(move.slot or 1) - 1]}")
        words = f":violet-background[**✕ {words}: {instead}**]"
    cells = [words if move.card == card else "" for card in CARDS]
    pointers = {slot: tag for tag, slot in move.table}
    for slot, content in enumerate(move.contents, 1):
        tag = pointers.get(slot)
        tagged = say("course.ch08.tagged", tag=say(f"course.ch08.broth.{tag}")) if tag else "–"
        cells.append(f"{say(f'course.ch08.broth.{content}')} · {tagged}")
    return [number, *cells]


# -- the best setting ----------------------------------------------------------------------------------

LOADS = ("rag", "templates", "agent")
ROOMS = (2000, 3000, 4000, 8000)


def best_panel() -> None:
    """All block sizes with both thresholds, run; the best one is named."""
    left, right = st.columns(2, vertical_alignment="bottom")
    titles = {load: say(f"traffic.sample.{load}") for load in LOADS}
    load = left.selectbox(say("course.ch08.load"), LOADS, format_func=titles.__getitem__, key="ch08-load")
    room = right.select_slider(say("tradeoff.room"), ROOMS, 2000, key="ch08-room")
    choices = kept(("best", load, room), lambda: load_grid(load, room))
    best = best_of(choices)
    if best is None:
        show_part(NAME, "best_none", room=f"{room:,}")
        return
    colours = stage_colours()
    figure = go.Figure()
    for place, threshold in enumerate(THRESHOLDS):
        of_it = [one for one in choices if one.admit_after == threshold]
        figure.add_bar(
            x=[str(one.block_size) for one in of_it],
            y=[one.hit_rate for one in of_it],
            name=say("tradeoff.threshold", n=threshold),
            text=[
                say("unit.percent", n=percent(one.hit_rate)) + (" ★" if one == best else "") for one in of_it
            ],
            textposition="outside",
            cliponaxis=False,
            marker={
                "color": colours[("hit", "cached")[place]],
                "line": {"color": colours["hit_edge"], "width": 1.5},
                "pattern": {"shape": ("", "/")[place], "fgopacity": 0.4},
            },
            hoverinfo="skip",
        )
    figure.update_yaxes(tickformat=".0%", range=[0, 1], title_text=say("traffic.rate"), fixedrange=True)
    figure.update_xaxes(title_text=say("knob.block_size"), type="category", fixedrange=True)
    st.plotly_chart(finished(figure, True, 300), key="ch08-best", config={"displayModeBar": False})
    numbers = {"size": best.block_size, "threshold": best.admit_after, "rate": percent(best.hit_rate)}
    worst = min(choices, key=lambda one: one.hit_rate)
    show_part(NAME, "best_result", num=len(choices), worst=percent(worst.hit_rate), **numbers)
    machine = machine_panel()
    after = best_after_costs([bill(one, machine.cost(), Charges()) for one in choices])
    assert after is not None
    st.markdown(after_costs_words(after))


def load_grid(load: str, room: int) -> list[Choice]:
    """Every setting on one of the made-up logs."""
    trace = read_trace(TraceFile(load, sample_log(load)), options=ReadOptions())
    return settings_grid([request.request() for request in trace.requests], room)
