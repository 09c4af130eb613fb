"""The path of the chapter on costs: how much room is enough, who goes when it is not, and a bet on that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.engine.engine import Engine
from core.engine.events import BlockEvicted, Event, RequestAdmitted
from core.types import EngineConfig, Request
from ui.course.asked import Asked, Words
from ui.course.ch08_costs.rival import BLOCK, Rival, rival, serve
from ui.course.grid import stage_colours
from ui.course.lessons import show_part
from ui.frame import plain_figure as go
from ui.frame.kept import Kept
from ui.frame.session import say
from ui.frame.shared import Shared
from ui.traffic.charts import finished
from ui.words.numbers import percent

NAME = "ch08"
RECIPES = ("beef", "pork", "hen", "fish")
ROUNDS, OWN_WORDS = 6, 2
SLOTS = range(2, 9)
ENOUGH = len(RECIPES) + 1
LONG, LONG_SLOTS = 33, 9  # of the prompt that a stranger takes apart: eight blocks and one token
QUIET = {"displayModeBar": False}
_CLIFF_HIGH = 180  # with the row of slots it fits above the text of a phone

_COUNTED = Shared(32)
TRIED: Kept[frozenset[int]] = Kept("ch08_rooms", frozenset)
"""Pools that this visitor has seen: only those are drawn, the others stay open."""


# -- room --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Room:
    """Four recipes in turn, in a pool of so many slots: requests and tokens that hit, blocks evicted, and
    what stands in each slot while the last order is served: a recipe, "own" words, or "" (nothing yet)."""

    slots: int
    requests: int
    orders: int
    hits: int
    tokens: int
    evicted: int
    holds: tuple[str, ...]

    @property
    def rate(self) -> float:
        """Share of the requests that hit."""
        return self.requests / self.orders


def room(slots: int) -> Room:
    """What the engine makes of it."""
    found: list[RequestAdmitted] = []
    evicted: list[BlockEvicted] = []

    def note(event: Event) -> None:
        if isinstance(event, RequestAdmitted):
            found.append(event)
        elif isinstance(event, BlockEvicted):
            evicted.append(event)

    engine = Engine(EngineConfig(BLOCK, slots + 1), note)
    recipe = {name: range(1000 * k, 1000 * k + BLOCK) for k, name in enumerate(RECIPES, 1)}
    orders = [name for _ in range(ROUNDS) for name in RECIPES]
    stands: dict[str, str] = {}
    for number, name in enumerate(orders):
        rid, own = f"R{number}", range(10_000 + OWN_WORDS * number, 10_000 + OWN_WORDS * (number + 1))
        engine.start(Request(rid, (*recipe[name], *own)))
        tag = engine.view.block_hash(engine.view.block_table(rid)[0])
        stands[str(tag)] = name
        last = engine.view.block_table(rid)
        if number + 1 < len(orders):
            engine.free(rid)
    holds = tuple(
        stands.get(str(engine.view.block_hash(slot)), "own" if slot in last else "")
        for slot in range(1, slots + 1)
    )
    return Room(
        slots,
        sum(event.hit_tokens > 0 for event in found),
        len(orders),
        sum(event.hit_tokens for event in found),
        sum(event.num_tokens for event in found),
        len(evicted),
        holds,
    )


def rooms() -> dict[int, Room]:
    """Every pool of the slider."""
    return _COUNTED.get(("rooms",), lambda: {slots: room(slots) for slots in SLOTS})


def room_words(one: Room) -> tuple[str, dict[str, object]]:
    """The part of the lesson that tells of it, and its numbers."""
    words: dict[str, object] = {"slots": one.slots, "evicted": one.evicted, "kept": one.slots - 1}
    if one.hits == 0:
        return "room_short", words
    counted = {"requests": one.requests, "orders": one.orders, "hits": one.hits, "tokens": one.tokens}
    return "room_enough", {"slots": one.slots, **counted, "percent": percent(one.rate, 0)}


def both_sides(tried: Collection[int]) -> bool:
    """Whether somebody has seen a pool that is too small and one that is large enough."""
    return min(tried, default=ENOUGH) < ENOUGH <= max(tried, default=0)


def room_step(picture: DeltaGenerator) -> None:
    """Turn the slots, from none on; the picture keeps what was seen. What it means is said once both sides
    were tried."""
    show_part(NAME, "room")
    counts: dict[int | None, str] = {None: "?"} | {slots: str(slots) for slots in SLOTS}
    slots = st.select_slider(
        say("course.ch08.slots"), tuple(counts), format_func=counts.__getitem__, key="ch08-path-slots"
    )
    if slots is not None:
        TRIED.set(TRIED.get() | {slots})
        part, words = room_words(rooms()[slots])
        show_part(NAME, part, **words)
    if both_sides(TRIED.get()):
        show_part(NAME, "room_cliff", below=ENOUGH - 1, enough=ENOUGH)
    with picture:
        st.markdown(f"**{say('course.ch08.cliff')}**")
        st.plotly_chart(_cliff(slots, TRIED.get()), key="ch08-cliff", config=QUIET)
        if slots is None:
            return
        one = rooms()[slots]
        st.markdown(f"**{say('course.ch08.pool', n=slots)}**")
        names = {name: say(f"course.ch08.broth.{name}") for name in RECIPES}
        names |= {"own": say("course.ch08.pool.own"), "": say("course.ch08.pool.empty")}
        kinds = ["own" if held == "own" else "kept" if held else "empty" for held in one.holds]
        st.plotly_chart(
            row_of_slots([names[held] for held in one.holds], kinds, SLOTS[-1]),
            key="ch08-slots",
            config=QUIET,
        )


def _cliff(slots: int | None, tried: frozenset[int]) -> go.Figure:
    colours, figure = stage_colours(), go.Figure()
    seen = [number for number in SLOTS if number in tried]
    rates = [rooms()[number].rate for number in seen]
    figure.add_bar(
        x=list(SLOTS),
        y=[1.0] * len(SLOTS),
        marker={"color": "rgba(0,0,0,0)", "line": {"color": colours["hair"], "width": 1}},
        hoverinfo="skip",
    )
    figure.add_bar(
        x=seen,
        y=rates,
        text=[f"<b>{say('unit.percent', n=percent(rate, 0))}</b>" for rate in rates],
        textposition="outside",
        cliponaxis=False,
        marker={
            "color": [colours["hit" if number == slots else "cached"] for number in seen],
            "line": {"color": colours["hit_edge"], "width": 2},
        },
        hoverinfo="skip",
    )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.15], tickvals=[0, 0.5, 1])
    figure.update_yaxes(fixedrange=True)
    figure.update_xaxes(dtick=1, fixedrange=True)
    figure.update_layout(barmode="overlay", bargap=0.35, clickmode="none")
    finished(figure, False, _CLIFF_HIGH)
    return figure.update_layout(margin={"l": 8, "r": 8, "t": 4, "b": 28})


# -- a row of slots ----------------------------------------------------------------------------------------

LOOKS = {  # fill, edge, letters, glyph
    "kept": ("cached", "hit_edge", "cached_label", "✓"),
    "own": ("miss", "miss_edge", "miss_label", "+"),
    "gone": ("evict_soft", "evict_edge", "ink", "✕"),
    "empty": ("bg", "line", "muted", ""),
}


def row_of_slots(words: Sequence[str], kinds: Sequence[str], most: int) -> go.Figure:
    """Squares from left to right, as wide as if there were ``most``: each with its glyph and its word."""
    colours, figure = stage_colours(), go.Figure()
    for place, (word, kind) in enumerate(zip(words, kinds, strict=True)):
        fill, edge, letters, glyph = LOOKS[kind]
        figure.add_shape(
            type="rect",
            x0=place + 0.05,
            x1=place + 0.95,
            y0=0,
            y1=1,
            fillcolor=colours[fill],
            line={"color": colours[edge], "width": 2, "dash": "dot" if kind == "empty" else "solid"},
            layer="below",
        )
        figure.add_annotation(
            x=place + 0.5,
            y=0.5,
            text="<br>".join([f"<b>{glyph}</b>", *word.split("\n")] if glyph else [word]),
            showarrow=False,
            font={"color": colours[letters], "size": 12},
        )
    figure.add_scatter(x=[0], y=[0], mode="markers", marker={"opacity": 0}, hoverinfo="skip")
    figure.update_xaxes(range=[0, most], visible=False, fixedrange=True)
    figure.update_yaxes(range=[-0.05, 1.05], visible=False, fixedrange=True)
    figure.update_layout(height=76, margin={"l": 2, "r": 2, "t": 4, "b": 4}, showlegend=False)
    return figure


# -- who goes ----------------------------------------------------------------------------------------------


def who_step(picture: DeltaGenerator) -> None:
    """A stranger needs slots: which blocks of a cached prompt are left? It starts before one has come."""
    show_part(NAME, "who", tokens=LONG, slots=LONG_SLOTS)
    needs = st.slider(say("course.ch08.needs"), 0, LONG_SLOTS, 0, key="ch08-needs")
    one = left_of_long(needs)
    kinds = ["kept" if number <= one.hit // BLOCK else "gone" for number in range(1, LONG_SLOTS)]
    words = [say("course.ch08.block", n=number) for number in range(LONG_SLOTS - 1)]
    with picture:
        st.markdown(f"**{say('course.ch08.left_of', n=LONG)}**")
        st.plotly_chart(row_of_slots(words, kinds, LONG_SLOTS - 1), key="ch08-who", config=QUIET)
    if needs:
        show_part(NAME, "who_result", needs=needs, lost=one.lost, hit=one.hit, tokens=LONG)
        show_part(NAME, "who_limit")


def left_of_long(needs: int) -> Rival:
    """The long prompt after a stranger that takes so many slots."""
    prompt = range(LONG)
    empty = LONG_SLOTS - LONG // BLOCK
    hit, alone = (serve(prompt, LONG_SLOTS, number) for number in (needs, 0))
    return Rival(LONG, LONG_SLOTS, empty, needs, alone, hit)


# -- the bet -----------------------------------------------------------------------------------------------


def asked(ids: Sequence[int], seed: int) -> Asked:
    """How much of the visitor's prompt is left after a stranger."""
    one = rival(ids, seed)
    words = {"tokens": one.tokens, "slots": one.slots, "empty": one.empty, "needs": one.needs, "block": BLOCK}

    def told(answer: float) -> Words:
        said = {**words, "lost": one.lost, "hit": one.hit, "alone": one.alone}
        if one.alone == 0:
            return ("course.ch08.bet.last" if one.tokens == BLOCK else "course.ch08.bet.small"), said
        if answer == 0 < one.hit:
            return "course.ch08.bet.oldest", said
        if answer >= one.alone > one.hit:
            return "course.ch08.bet.nothing", said
        return ("course.ch08.bet.told" if one.empty else "course.ch08.bet.full"), said

    return Asked(
        ask="course.ch08.bet.ask",
        args=words,
        low=0,
        high=one.tokens,
        unit="course.bet.unit.tokens",
        truth=one.hit,
        tolerance=(0, BLOCK),
        told=told,
    )
