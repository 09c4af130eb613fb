"""What kind of traffic pays: lengths, turns, prefixes, one-off prompts."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.tradeoffs.best import Charges
from core.tradeoffs.tradeoffs import (
    conversation,
    costs_of_room,
    lost_to_threshold,
    prefixes_against_room,
    saving,
    size_costs,
    threshold_against_noise,
)
from ui.course.ch08_costs.overhead import measured
from ui.course.tradeoff_panels.sides import COMPUTED, amounts, number, rates, two_sides
from ui.frame.session import say
from ui.machine.machine import MACHINE
from ui.words.numbers import digits, percent

PRIVATE = (32, 128, 512)
COUNTS = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 26, 32, 40)
NOISES = tuple(k / 10 for k in range(10))
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SHARED, OWN = 2048, 128
POPULARITY = (("even", 0.0), ("popular", 1.2))


def lengths_panel() -> None:
    """Saving against shared and private length; what the block size costs."""
    cost = MACHINE.get().cost()
    size = st.select_slider(say("knob.block_size"), (1, 16, 64, 256), 16, key="tradeoff_size")
    shared = range(0, 4097, 64)
    curves = {}
    for private in PRIVATE:
        found = [(float(one), saving(one, private, size, cost)) for one in shared]
        curves[say("tradeoff.tokens_of", n=private)] = [(x, one.token_share) for x, one in found]
        curves[say("tradeoff.time_of", n=private)] = [(x, one.time_share) for x, one in found]
    sizes = size_costs(SIZES, SHARED, OWN, cost, Charges())
    costs = {
        say("tradeoff.lengths.work"): [(float(one.block_size), 1e3 * one.work_s) for one in sizes],
        say("tradeoff.lengths.again"): [(float(one.block_size), 1e3 * one.again_s) for one in sizes],
        say("tradeoff.lengths.both"): [
            (float(one.block_size), 1e3 * (one.work_s + one.again_s)) for one in sizes
        ],
    }
    two_sides(
        "lengths",
        rates(curves, "tradeoff.shared", "tradeoff.saved"),
        amounts(costs, "knob.block_size", "tradeoff.ms_a_request", log_x=True, ticks=SIZES),
        ("lengths", "block_size"),
    )
    one = saving(SHARED, OWN, size, cost)
    here = next(found for found in sizes if found.block_size == size)
    least = min(sizes, key=lambda found: found.work_s + found.again_s)
    st.caption(
        say(
            "tradeoff.lengths.words",
            tokens=percent(one.token_share),
            time=percent(one.time_share),
            model=MACHINE.get().model,
        )
    )
    st.caption(
        say(
            "tradeoff.lengths.cost_words",
            size=size,
            entries=digits(here.num_blocks),
            kib=f"{here.num_blocks * measured().bytes_a_block / 1024:,.3g}",
            bytes=f"{measured().bytes_a_block:.0f}",
            mib=f"{cost.block_bytes(1) * SHARED / 2**20:,.4g}",
            least=least.block_size,
        )
    )


def turns_panel() -> None:
    """A conversation that grows."""
    left, middle, right = st.columns(3)
    with left:
        system = number("system", 0, 4000, 500, 50)
    with middle:
        question = number("question", 1, 500, 50)
    with right:
        answer = number("answer", 1, 1000, 300)
    turns = conversation(20, system, question, answer, 16)
    computed = {
        say("tradeoff.turns.without"): [(float(k), float(one.sum_prompt)) for k, one in enumerate(turns, 1)],
        say("tradeoff.turns.with"): [(float(k), float(one.sum_computed)) for k, one in enumerate(turns, 1)],
    }
    block = MACHINE.get().cost().block_bytes(16) / 2**30
    gib = [(one.prompt + answer - 1) // 16 * block for one in turns]
    held = {
        say("tradeoff.turns.without"): [(float(k), 0.0) for k in range(1, 21)],
        say("tradeoff.turns.with"): [(float(k), one) for k, one in enumerate(gib, 1)],
    }
    two_sides(
        "turns",
        amounts(computed, "tradeoff.turn", "tradeoff.computed"),
        amounts(held, "tradeoff.turn", "tradeoff.gib"),
        ("counted", "gib"),
    )
    last = turns[-1]
    words = {"without": digits(last.sum_prompt), "with_": digits(last.sum_computed)}
    share = percent(1 - last.sum_computed / last.sum_prompt)
    st.caption(say("tradeoff.turns.words", share=share, **words))
    st.caption(say("tradeoff.turns.cost_words", gib=f"{gib[-1]:.3g}", model=MACHINE.get().model))


def prefixes_panel() -> None:
    """How many prefixes a cache of some size carries."""
    slots = number("slots", 20, 300, 110, 10)
    curves, again = {}, {}
    for name, zipf in POPULARITY:
        words = say(f"tradeoff.zipf.{name}")
        curves[words] = COMPUTED.get(
            ("prefixes", slots, zipf), partial(prefixes_against_room, COUNTS, slots, zipf=zipf)
        )
        costs = COMPUTED.get(("room", slots, zipf), partial(costs_of_room, COUNTS, slots, zipf=zipf))
        again[words] = [(float(one.count), one.again_tokens) for one in costs]
        most = costs[-1]
    two_sides(
        "prefixes",
        rates(curves, "tradeoff.count", "traffic.rate"),
        amounts(again, "tradeoff.count", "tradeoff.again_a_request"),
        ("counted", "counted"),
    )
    st.caption(say("tradeoff.prefixes.words", slots=slots, room=slots // 8))
    gib = MACHINE.get().cost().gib(slots, 16).value or 0.0
    told = {"gib": f"{gib:.3g}", "model": MACHINE.get().model, "evicted": f"{most.evicted:.1f}"}
    st.caption(say("tradeoff.prefixes.cost_words", most=most.count, **told))


def threshold_panel() -> None:
    """Storing only what was seen before, against prompts that never come again."""
    slots = number("small_slots", 12, 60, 26)
    curves, lost = {}, {}
    for threshold in (1, 2, 3):
        title = say("tradeoff.threshold", n=threshold)
        curves[title] = COMPUTED.get(
            ("threshold", slots, threshold), partial(threshold_against_noise, NOISES, threshold, slots)
        )
        found = COMPUTED.get(("lost", slots, threshold), partial(lost_to_threshold, NOISES, threshold, slots))
        why = "evicted" if threshold == 1 else "not_stored"
        lost[say(f"tradeoff.lost.{why}", n=threshold)] = [(one.noise, getattr(one, why)) for one in found]
    two_sides(
        "threshold",
        rates(curves, "tradeoff.noise", "tradeoff.rate_of_others", percent_x=True),
        rates(lost, "tradeoff.noise", "tradeoff.lost", percent_x=True),
        ("counted", "counted"),
    )
    st.caption(say("tradeoff.threshold.words"))
    st.caption(say("tradeoff.threshold.cost_words"))
