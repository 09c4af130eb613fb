"""The situations of the chapter on costs that stand on the stage: a knob, its numbers, the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from core.cost import FORMULAS
from core.engine.events import BlockEvicted, RequestArrived
from core.scenario.scenario import Scenario, run
from core.timeline.event_log import EventLog
from ui.course.ch08_costs.counts import (
    DECODE_SLOTS,
    MOST_ANSWER,
    OWNER_SLOTS,
    PLAIN,
    POTS,
    Limit,
    counted,
    long_answer,
    new_weights,
    owner_beside_lru,
    pot_curve,
    pot_knobs,
)
from ui.course.chapter import chapter_stage, course_run
from ui.course.grid import stage_colours
from ui.course.lessons import show_part
from ui.frame import plain_figure as go
from ui.frame.session import lang, say
from ui.frame.shared import Shared
from ui.machine.panel import machine_panel
from ui.stage.payload import Payload, stage_log
from ui.stage.run import Run
from ui.stage.show_me import find_step, op_is
from ui.traffic.charts import finished
from ui.words.numbers import percent
from ui.words.tables import markdown_table

NAME = "ch08"
POT_TOKENS, POT_BLOCK = 512, 16
ANSWERS = range(4, MOST_ANSWER + 1, 2)
kept = Shared(128).get
"""What the chapter has computed already."""


def pick(name: str, options: Sequence[str], default: int = 0) -> str:
    """One of a few, named in the visitor's language."""
    titles = {option: say(f"course.ch08.{name}.{option}") for option in options}
    return st.radio(
        say(f"course.ch08.{name}"),
        options,
        default,
        format_func=titles.__getitem__,
        horizontal=True,
        key=f"ch08-{name}",
    )


def table(head: Sequence[str], rows: Sequence[Sequence[object]], *, words: bool = False) -> None:
    """A plain table: numbers to the right, the first column and ``words`` to the left."""
    sides = "l" + ("l" if words else "r") * (len(head) - 1)
    st.markdown(markdown_table(head, [list(map(str, row)) for row in rows], sides))


def _stage(name: str, shown: Payload, step: int, *knobs: object) -> None:
    chapter_stage(NAME, shown, step, key="-".join(map(str, ("stage", name, *knobs))))


def _first(shown: Payload, *ops: str, rid: str | None = None) -> int:
    """The first step of the first of these kinds that the run has."""
    for op in ops:
        if any(op_is(op, rid)(step) for step in shown["events"]):
            return find_step(shown, op_is(op, rid))
    raise LookupError(f"none of {ops}")


def _made(name: str, make: Callable[[], Scenario], *knobs: object) -> Run:
    def build() -> Run:
        scenario = make()
        log = run(scenario)
        return scenario, log, stage_log(scenario, log, say(f"course.ch08.situation.{name}"))

    return kept((name, lang(), *knobs), build)


# -- three pots ---------------------------------------------------------------------------------------------


def pots_panel() -> None:
    """Four recipes in turn: the cliff, as slots of the pool or as a cap on cached blocks."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        limit: Limit = "cap" if pick("limit", ("slots", "cap")) == "cap" else "slots"
    pots = right.slider(say("course.ch08.pots"), POTS[0], POTS[-1], 3, key="ch08-pots")
    curve = kept(("pots", limit), lambda: pot_curve(limit))
    _cliff([one.rate for one in curve], pots)
    now = curve[pots - POTS[0]]
    numbers = {"hits": now.hit_tokens, "tokens": now.tokens, "percent": percent(now.rate)}
    part = "pots_enough" if now.hit_tokens else "pots_short"
    show_part(NAME, part, pots=pots, evicted=now.evicted, **numbers)
    _, _, shown = course_run("P9", **pot_knobs(limit, pots))
    _stage("pots", shown, _first(shown, "evict", "touch"), limit, pots)
    _pot_bytes()


def _cliff(rates: Sequence[float], pots: int) -> None:
    colours = stage_colours()
    here = [place == pots for place in POTS]
    figure = go.Figure(
        go.Bar(
            x=list(POTS),
            y=list(rates),
            text=[say("unit.percent", n=percent(rate)) for rate in rates],
            textposition="outside",
            cliponaxis=False,
            marker={
                "color": [colours["hit"] if chosen else colours["cached"] for chosen in here],
                "line": {"color": colours["hit_edge"], "width": 2},
            },
            hoverinfo="skip",
        )
    )
    figure.update_yaxes(tickformat=".0%", range=[0, 1], title_text=say("traffic.rate"), fixedrange=True)
    figure.update_xaxes(title_text=say("course.ch08.pots"), dtick=1, fixedrange=True)
    st.plotly_chart(finished(figure, False, 240), key="ch08-caps", config={"displayModeBar": False})


def _pot_bytes() -> None:
    machine = machine_panel()
    cost, blocks = machine.cost(), POT_TOKENS // POT_BLOCK
    gib = cost.gib(blocks, POT_BLOCK).value or 0.0
    words = {"model": machine.model, "n": machine.num_gpus, "gpu": machine.gpu, "tokens": POT_TOKENS}
    room = cost.blocks_that_fit(POT_BLOCK) // blocks
    formula = FORMULAS["formula.bytes"]
    show_part(NAME, "pots_bytes", gib=f"{gib:.3g}", room=f"{room:,}", formula=formula, **words)


# -- time to live -------------------------------------------------------------------------------------------


def ttl_panel() -> None:
    """A short break and a long one, under both meanings of a time to live."""
    left, right = st.columns(2, vertical_alignment="bottom")
    ttl = left.slider(say("course.ch08.ttl"), 4, 20, 14, 2, key="ch08-ttl")
    with right:
        kind = pick("kind", ("idle", "absolute"))
    hits = {one: counted(course_run("P10", ttl=ttl, ttl_kind=one)[1]).hits for one in ("idle", "absolute")}
    scenario, _, shown = course_run("P10", ttl=ttl, ttl_kind=kind)
    breaks = [command.args["ticks"] for command in scenario.commands if command.op == "wait"]
    head = [say("course.ch08.kind"), *(say("course.ch08.after", n=ticks) for ticks in breaks)]
    table(head, [(say(f"course.ch08.kind.{one}"), *of_it[1:]) for one, of_it in hits.items()])
    show_part(NAME, "ttl_result", ttl=ttl, short=breaks[0], long=breaks[1])
    _stage("ttl", shown, _first(shown, "ttl", "touch"), ttl, kind)


# -- new weights --------------------------------------------------------------------------------------------

WEIGHTS = ("v1", "v1", "v2", "v2", "v1")


def version_panel() -> None:
    """New weights, with the cache told of it or not."""
    told = pick("told", ("yes", "no")) == "yes"
    _, log, shown = _made("version", lambda: new_weights(lang(), told), told)
    hits = counted(log).hits
    verdicts = weight_verdicts(hits, told)
    rows = [
        (f"R{number}", weights, hit, say(f"course.ch08.verdict.{verdict}"))
        for number, (weights, hit, verdict) in enumerate(zip(WEIGHTS, hits, verdicts, strict=True))
    ]
    table(
        [say(f"course.ch08.head.{name}") for name in ("request", "weights", "hit", "verdict")],
        rows,
        words=True,
    )
    after = {"again": hits[3], "back": hits[4]} if told else {"wrong": hits[2]}
    show_part(NAME, "version_told" if told else "version_not_told", **after)
    _stage("version", shown, _first(shown, "miss" if told else "touch", rid="R2"), told)


def weight_verdicts(hits: Sequence[int], told: bool) -> list[str]:
    """Whose KV each request gets. Untold, blocks of other weights carry the same tag; what the fourth and
    fifth get was computed by the first request, and by nobody since."""
    found = []
    for weights, hit in zip(WEIGHTS, hits, strict=True):
        right = told or weights == WEIGHTS[0]
        found.append("new" if hit == 0 else "right" if right else "wrong")
    return found


# -- decode takes blocks back -------------------------------------------------------------------------------


def decode_panel() -> None:
    """A stranger's long answer needs blocks; what is left of the cached prefix?"""
    answer = st.slider(say("course.ch08.answer"), ANSWERS[0], ANSWERS[-1], 28, 2, key="ch08-answer")
    curve = kept(("decode",), lambda: decode_curve(ANSWERS))
    colours = stage_colours()
    figure = go.Figure(
        go.Scatter(
            x=list(curve),
            y=list(curve.values()),
            mode="lines+markers",
            line={"shape": "hv", "color": colours["hit_edge"], "width": 2.5},
            hovertemplate="%{x} · %{y}<extra></extra>",
        )
    )
    figure.add_scatter(
        x=[answer],
        y=[curve[answer]],
        mode="markers",
        marker={"size": 16, "symbol": "circle-open", "color": colours["ink"], "line": {"width": 3}},
        hoverinfo="skip",
    )
    figure.update_yaxes(title_text=say("course.ch08.left"), range=[-0.6, 13], dtick=4, fixedrange=True)
    figure.update_xaxes(title_text=say("course.ch08.answer"), fixedrange=True)
    st.plotly_chart(finished(figure, False, 230), key="ch08-decode", config={"displayModeBar": False})
    _, log, shown = _made("decode", lambda: long_answer(lang(), answer), answer)
    numbers = {"hit": counted(log).hits[2], "slots": DECODE_SLOTS, "evicted": evicted_by_stranger(log)}
    show_part(NAME, "decode_result", answer=answer, **numbers)
    _stage("decode", shown, _first(shown, "evict", "append", rid="R1"), answer)


def evicted_by_stranger(log: EventLog) -> int:
    """Blocks that lost their content before our last request came."""
    came = (isinstance(event, RequestArrived) and event.request_id == "R2" for event in log.events)
    return sum(isinstance(event, BlockEvicted) for event in log.events[: list(came).index(True)])


def decode_curve(answers: Sequence[int]) -> Mapping[int, int]:
    """Answer length -> tokens of the prefix that still hit. Counted; the language plays no part."""
    return {answer: counted(run(long_answer("en", answer))).hits[2] for answer in answers}


# -- the owner's rule ---------------------------------------------------------------------------------------


def owner_panel() -> None:
    """Three pots, what is ordered often, idle time to live, beside plain LRU."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        rule = pick("rule", ("owner", "lru"))
    slots = right.select_slider(say("course.ch08.slots"), OWNER_SLOTS, 5, key="ch08-owner-slots")
    both = kept(("owner",), lambda: [owner_beside_lru(number) for number in OWNER_SLOTS])
    head = [say(f"course.ch08.head.{name}") for name in ("slots", "owner", "owner_out", "lru", "lru_out")]
    rows = [
        (
            f"**{number}**" if number == slots else number,
            *(value for one in pair for value in (one.hit_tokens, one.evicted)),
        )
        for number, pair in zip(OWNER_SLOTS, both, strict=True)
    ]
    table(head, rows)
    owner, lru = both[OWNER_SLOTS.index(slots)]
    numbers = {"slots": slots, "owner": owner.hit_tokens, "lru": lru.hit_tokens, "tokens": owner.tokens}
    show_part(NAME, f"owner_{'wins' if owner.hit_tokens > lru.hit_tokens else 'loses'}", **numbers)
    _, _, shown = course_run("P9c", num_slots=slots, **({} if rule == "owner" else PLAIN))
    _stage("owner", shown, _first(shown, "notstored", "evict"), rule, slots)
