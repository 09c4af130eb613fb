"""The views of the chapter on two caches that are drawn: one timeline, one plane, a day's first users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.cost import FORMULAS, CostModel
from core.tradeoffs.tradeoffs import saving
from ui.course.bars import Kind, token_plane
from ui.course.ch08_costs.on_stage import table
from ui.course.ch09_two_caches.counts import (
    ANSWER,
    BLOCK,
    OWN,
    SHARED,
    USERS,
    LaneName,
    Span,
    Work,
    computed_in_all,
    end_s,
    first_users,
    lanes,
    plane,
)
from ui.course.chapter import chapter_stage, course_run, pick_one
from ui.course.grid import stage_colours
from ui.course.lessons import show_part
from ui.frame import plain_figure as go
from ui.frame.session import say
from ui.machine.machine import MACHINE
from ui.machine.panel import machine_panel
from ui.stage.show_me import find_step, op_is
from ui.traffic.charts import finished
from ui.words.numbers import percent, seconds

NAME = "ch09"
QUIET = {"displayModeBar": False}
PATTERNS: Mapping[Work, str] = {"prefill": "/", "again": "x", "decode": "."}

# -- one timeline --------------------------------------------------------------------------------------


MANUAL, PATH_ANSWER = 1024, 12


def one_step(picture: DeltaGenerator, tokens: int) -> None:
    """The path: the visitor's prompt of ``tokens``, alone or behind a manual, the timeline beside it."""
    show_part(NAME, "one")
    names = {"mine": say("course.ch09.path.mine"), "manual": say("course.ch09.path.manual", n=f"{MANUAL:,}")}
    served = pick_one(say("course.ch09.path"), names, "ch09-path")
    total, step = (tokens, 1) if served == "mine" else (tokens + MANUAL, 64)
    label, key = say("course.ch09.path.shared"), f"ch09-path-shared-{served}-{tokens}"
    shared = st.slider(label, 0, (total - 1) // step * step, 0, step, key=key) if total > 1 else 0
    found, hit = served_thrice(shared, total - shared, PATH_ANSWER, MACHINE.get().cost())
    with picture:
        st.markdown(f"**{say('course.ch09.picture', n=total)}**")
        st.plotly_chart(_timeline(found, hit), key="ch09-path-chart", config=QUIET)
        st.caption(say("course.ch09.picture.basis", model=MACHINE.get().model, answer=PATH_ANSWER))
    _tell(found, shared, hit)
    if hit and served == "mine":
        show_part(NAME, "one_little")


def served_thrice(
    shared: int, private: int, answer: int, cost: CostModel
) -> tuple[dict[LaneName, list[Span]], int]:
    """The three lanes, and the tokens that are loaded in the last."""
    hit = saving(shared, private, BLOCK, cost).hit_tokens
    return lanes(cost, shared, private, answer), hit


def told_of(shared: int, hit: int) -> str:
    """Which part of the lesson says what is seen."""
    if not hit:
        return "one_small" if shared else "one_none"
    return "one_result"


def _tell(found: Mapping[LaneName, Sequence[Span]], shared: int, hit: int) -> None:
    show_part(NAME, told_of(shared, hit), shared=shared, hit=hit, block=BLOCK, **lane_numbers(found))


def one_panel() -> None:
    """All that can be turned: lengths, answer, machine; then the same on the stage."""
    columns = st.columns(3)
    shared = columns[0].slider(say("course.ch09.shared"), 0, 4096, 512, 64, key="ch09-shared")
    private = columns[1].slider(say("course.ch09.private"), 16, 512, 128, 16, key="ch09-private")
    answer = columns[2].slider(say("course.ch09.answer"), 2, 32, 12, key="ch09-answer")
    chosen = machine_panel()
    found, hit = served_thrice(shared, private, answer, chosen.cost())
    st.plotly_chart(_timeline(found, hit), key="ch09-time", config=QUIET)
    _tell(found, shared, hit)
    formulas = {"prefill": FORMULAS["formula.prefill"], "decode": FORMULAS["formula.decode"]}
    with st.expander(say("course.ch09.basis")):
        show_part(NAME, "one_basis", model=chosen.model, n=chosen.num_gpus, gpu=chosen.gpu, **formulas)
    show_part(NAME, "one_stage")
    shown = course_run("P1")[2]
    chapter_stage(NAME, shown, find_step(shown, op_is("touch", "R1")), key="stage-one")


def lane_numbers(found: Mapping[LaneName, Sequence[Span]]) -> dict[str, str]:
    """First token, the last token and the end of each lane; each token takes a little more than the one
    before."""
    kv, both = found["kv"], found["both"]
    return {
        "first_kv": seconds(kv[0].length_s),
        "first_both": seconds(both[0].length_s),
        "less": percent(1 - both[0].length_s / kv[0].length_s),
        "token_neither": seconds(found["neither"][-1].length_s),
        "token_kv": seconds(kv[-1].length_s),
        "end_neither": seconds(end_s(found["neither"])),
        "end_kv": seconds(end_s(kv)),
        "end_both": seconds(end_s(both)),
    }


def _timeline(found: Mapping[LaneName, Sequence[Span]], hit: int) -> go.Figure:
    colours, figure = stage_colours(), go.Figure()
    fills = {"prefill": colours["miss"], "again": colours["bg"], "decode": colours["miss_soft"]}
    for work in PATTERNS:
        spans = [(name, span) for name, lane in found.items() for span in lane if span.work == work]
        if not spans:
            continue
        figure.add_bar(
            x=[span.length_s * 1000 for _, span in spans],
            y=[say(f"course.ch09.lane.{name}") for name, _ in spans],
            base=[span.start_s * 1000 for _, span in spans],
            orientation="h",
            name=say(f"course.ch09.work.{work}"),
            marker={
                "color": fills[work],
                "line": {"color": colours["miss_edge"], "width": 1.5},
                "pattern": {
                    "shape": PATTERNS[work],
                    "fillmode": "overlay",
                    "fgcolor": colours["miss_edge"],
                    "fgopacity": 0.8 if work == "again" else 0.25,
                },
            },
            hovertemplate="%{x:.1f} ms<extra>%{fullData.name}</extra>",
        )
    if hit:  # microseconds: a line at the start, which covers nothing
        figure.add_scatter(
            x=[0],
            y=[say("course.ch09.lane.both")],
            name=f"✓ {say('course.ch09.loaded', n=hit)}",
            mode="markers",
            marker={
                "symbol": "line-ns",
                "size": 32,
                "color": colours["hit_edge"],
                "line": {"color": colours["hit_edge"], "width": 4},
            },
            hovertemplate="%{fullData.name}<extra></extra>",
            cliponaxis=False,
        )
    for name, lane in found.items():
        figure.add_annotation(
            x=end_s(lane) * 1000,
            y=say(f"course.ch09.lane.{name}"),
            text=f"<b>{seconds(end_s(lane))}</b>",
            showarrow=False,
            xanchor="left",
            xshift=6,
        )
    most = max(end_s(lane) for lane in found.values()) * 1000
    figure.update_xaxes(title_text=say("course.ch09.ms"), range=[-0.008 * most, most * 1.12], fixedrange=True)
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, type="category")
    figure.update_yaxes(categoryarray=[say(f"course.ch09.lane.{name}") for name in found])
    figure.update_layout(barmode="overlay", bargap=0.35)
    return finished(figure, True, 270)


# -- one plane -----------------------------------------------------------------------------------------


def plane_panel() -> None:
    """Tokens from left to right, users from top to bottom."""
    left, right = st.columns(2, vertical_alignment="bottom")
    cached = left.toggle(say("course.ch09.prompt_cache"), True, key="ch09-cached")
    users = right.select_slider(
        say("course.ch09.users"),
        (1, 10, 100, 1_000, 10_000),
        10_000,
        format_func=lambda number: f"{number:,}",
        key="ch09-users",
    )
    rows = plane(USERS, cached)
    names = [say("course.ch09.user", n=number + 1) for number in range(USERS)]
    words: dict[Kind, str] = {
        kind: say(f"course.ch09.kind.{kind}") for kind in ("read", "computed", "decoded")
    }
    figure = token_plane(rows, names, words, say("course.ch09.axis"))
    st.plotly_chart(figure, key="ch09-plane", config=QUIET)
    show_part(NAME, "plane_result", **plane_numbers(users))


def plane_numbers(users: int) -> dict[str, str]:
    """What so many users compute, with and without the prompt cache."""
    kept, plain = computed_in_all(users, True), computed_in_all(users, False)
    return {
        "users": f"{users:,}",
        "tokens": f"{SHARED + OWN + ANSWER:,}",
        "shared": str(SHARED),
        "own": str(OWN),
        "answer": str(ANSWER),
        "kept": f"{kept:,}",
        "plain": f"{plain:,}",
        "less": percent(1 - kept / plain),
    }


# -- the first users of a day --------------------------------------------------------------------------

EARLY = 5


def warm_panel() -> None:
    """Send the prefix before the doors open, or do not."""
    warm = bool(st.session_state.get("ch09_warm"))
    label = say("course.ch09.cool" if warm else "course.ch09.warm")
    st.button(label, type="primary", on_click=_turn_over, key="ch09-warm-button")
    chosen = machine_panel()
    cost = chosen.cost()
    hits = first_users(EARLY, warm)
    times = [cost.prefill_s(SHARED + OWN - hit, hit) for hit in hits]
    colours = stage_colours()
    figure = go.Figure(
        go.Bar(
            x=[say("course.ch09.user", n=number + 1) for number in range(EARLY)],
            y=[value * 1000 for value in times],
            text=[f"<b>{seconds(value)}</b><br>✓ {hit}" for value, hit in zip(times, hits, strict=True)],
            textposition="outside",
            cliponaxis=False,
            marker={
                "color": colours["miss"],  # what one waits for is what is computed
                "line": {"color": colours["miss_edge"], "width": 2},
                "pattern": {"shape": "/", "fillmode": "overlay", "fgopacity": 0.25},
            },
            hoverinfo="skip",
        )
    )
    top = cost.prefill_s(SHARED + OWN) * 1000
    figure.update_yaxes(title_text=say("course.ch09.ttft"), range=[0, top * 1.35], fixedrange=True)
    figure.update_xaxes(fixedrange=True)
    st.plotly_chart(finished(figure, False, 300), key="ch09-first", config=QUIET)
    cold, hot = (cost.prefill_s(SHARED + OWN - hit, hit) for hit in (0, SHARED))
    words = {"cold": seconds(cold), "hot": seconds(hot), "before": seconds(cost.prefill_s(SHARED))}
    show_part(NAME, "warm_done" if warm else "warm_not", tokens=SHARED, **words)
    table(
        [say(f"course.ch09.head.{name}") for name in ("when", "by_nobody", "by_first", "in_all")],
        [
            (say(f"course.ch09.when.{name}"), *(f"{number:,}" for number in row))
            for name, row in warm_rows().items()
        ],
    )
    st.caption(f"{say('course.ch09.modelled')} {FORMULAS['formula.prefill']}")


def _turn_over() -> None:
    st.session_state["ch09_warm"] = not st.session_state.get("ch09_warm")


def warm_rows() -> dict[str, tuple[int, int, int]]:
    """Tokens computed before anybody waits, by the first user, and in all, with and without warm-up."""
    found = {}
    for name in ("cold", "warm"):
        hits = first_users(EARLY, name == "warm")
        before = SHARED if name == "warm" else 0
        computed = [SHARED + OWN - hit for hit in hits]
        found[name] = (before, computed[0], before + sum(computed))
    return found
