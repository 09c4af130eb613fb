"""Chapter 6's folded panels: many users, long prefixes, a queue, the bill."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cost import FORMULAS, CostModel
from core.load import Summary
from core.tradeoffs.tradeoffs import saving
from ui.course.ch06_saving.charts import Names, long_curve
from ui.course.ch06_saving.counts import (
    BLOCK_SIZE,
    LOAD_OUTPUT,
    LOAD_REQUESTS,
    OWNER_MINUTES,
    bill,
    count_users,
    first_above,
    ratios,
    under_load,
)
from ui.course.lessons import show_part
from ui.course.measured import DECODERS, Point, kept, many_users, pairs
from ui.course.strips import Stretch, strips
from ui.frame.charts import Bar, bars_beside
from ui.frame.kept import Kept, LastFew
from ui.frame.session import say
from ui.frame.shared import Shared
from ui.machine.machine import MACHINE
from ui.prefill.about import times
from ui.words.numbers import change, money, percent, seconds
from ui.words.tables import show_table

NAME = "ch06"
CONFIG = {"displayModeBar": False}
SHARED = 512
OWN = 128
PREFIXES = (256, 512, 1024, 2048, 4096, 8192, 16_384)
RATES = (1, 2, 5, 10, 20, 40, 80)
DAYS = (100, 1_000, 10_000, 100_000, 1_000_000)
_RUNS, _OWN_RUNS = Shared(96), LastFew("ch06_load", 8)
DECODER: Kept[str] = Kept("ch06_decoder", lambda: "numpy")
"""The library whose measurements are shown."""

_FIGURES = ("ttft_p50", "ttft_p95", "throughput")


def names_of(decoder: str) -> Names:
    """What claim, model and measurement are called on all figures."""
    now, measured = MACHINE.get(), kept(DECODERS[decoder])["pair"]
    return Names(
        say("course.ch06.claim"),
        say("course.ch06.model", model=now.model, gpu=now.gpu),
        say("course.ch06.measured", backend=decoder, date=measured.date),
    )


def beside(key: str, names: Names, values: Sequence[float | None], axis: str = "course.ch06.faster") -> None:
    """The three as bars; what was not measured is left out."""
    told = (("claim", "{:,.2f}×"), ("model", "{:,.2f}×"), ("measured", ""))
    bars = []
    for (kind, form), value in zip(told, values, strict=True):
        if value is not None:
            name = getattr(names, kind)
            bars.append(Bar(f"{name}<br><b>{form.format(value) or times(value)}</b>", value, "", name))
    figure = bars_beside(bars, say(axis), one_colour=True)
    st.plotly_chart(figure, key=f"ch06-{key}", config=CONFIG)


def show_strips(key: str, rows: dict[str, list[Stretch]]) -> None:
    kinds = (say("course.ch06.reused"), say("course.ch06.computed"))
    st.plotly_chart(strips(rows, say("course.ch06.tokens"), kinds), key=f"ch06-{key}", config=CONFIG)


# -- many users ------------------------------------------------------------------------------------------


def users_panel() -> None:
    decoder = DECODER.get()
    show_part(NAME, "users")
    columns = st.columns(3)
    users = columns[0].slider(say("course.ch06.users"), 1, 1000, 100, key="ch06-users")
    shared = columns[1].slider(say("course.ch06.prefix"), 0, 4096, SHARED, 16, key="ch06-prefix")
    own = columns[2].slider(say("course.ch06.own"), 1, 1024, OWN, key="ch06-own")
    counted = count_users(users, shared, own, MACHINE.get().cost())
    prefix, rest = say("course.ch06.part.prefixes"), say("course.ch06.part.owns")
    rows = {
        say("course.ch06.without"): [
            Stretch(prefix, counted.plain_prefix, False),
            Stretch(rest, counted.own, False),
        ],
        say("course.ch06.with"): [
            Stretch(prefix, counted.cached_prefix, False),
            Stretch(prefix, counted.plain_prefix - counted.cached_prefix, True),
            Stretch(rest, counted.own, False),
        ],
    }
    show_strips("users-strips", rows)
    timed = many_users(DECODERS[decoder])
    asked = (users, shared, own) == (timed.users, timed.shared, timed.own)
    left, right = st.columns(2, vertical_alignment="center")
    with left:
        measured = timed.ratio if asked else None
        beside("users-bars", names_of(decoder), (counted.token_ratio, counted.time_ratio, measured))
    with right:
        show_part(
            NAME,
            "users_result",
            plain=f"{counted.plain:,}",
            cached=f"{counted.cached:,}",
            prefix_plain=f"{counted.plain_prefix:,}",
            prefix_cached=f"{counted.cached_prefix:,}",
            users=users,
            own=own,
            ratio=f"{counted.token_ratio:.2f}",
            rate=percent(counted.hit_rate),
        )
        numbers = {"users": timed.users, "shared": timed.shared, "own": timed.own}
        cpu = {"plain": seconds(timed.without_ms / 1000), "cached": seconds(timed.with_ms / 1000)}
        st.caption(say("course.ch06.users.measured", ratio=times(timed.ratio)[:-1], **numbers, **cpu))


# -- a long prefix ---------------------------------------------------------------------------------------


def long_panel() -> None:
    decoder = DECODER.get()
    show_part(NAME, "long")
    prefix = st.select_slider(say("course.ch06.prefix"), PREFIXES, 8192, key="ch06-long")
    cost, names = MACHINE.get().cost(), names_of(decoder)
    claim, modelled = ratios(PREFIXES, OWN, cost)
    [timed] = pairs(DECODERS[decoder], "long")
    [short] = pairs(DECODERS[decoder], "pair")
    points = {timed.hit_tokens: timed, short.hit_tokens: short}
    here = PREFIXES.index(prefix)
    left, right = st.columns(2)
    with left:
        known = points.get(prefix)
        beside("long-bars", names, (claim[here], modelled[here], known.ratio if known else None))
        _long_result(prefix, claim[here], modelled[here], cost, timed)
    with right:
        axes = (say("course.ch06.prefix"), say("course.ch06.faster"))
        values = {names.claim: claim, names.model: modelled}
        figure = long_curve(PREFIXES, values, list(points.items()), names.measured, axes)
        st.plotly_chart(figure, key="ch06-long-curve", config=CONFIG)


def _long_result(prefix: int, claim: float, model: float, cost: CostModel, timed: Point) -> None:
    above = first_above(10, OWN, cost)
    show_part(
        NAME,
        "long_result",
        prefix=f"{prefix:,}",
        own=OWN,
        claim=f"{claim:,.0f}",
        model=f"{model:,.1f}",
        ten=10,
        above="∞" if above is None else f"{above:,}",
        timed=f"{timed.hit_tokens:,}",
        measured=times(timed.ratio)[:-1],
    )


# -- under load ------------------------------------------------------------------------------------------


def load_panel() -> None:
    show_part(NAME, "load", requests=LOAD_REQUESTS)
    rate = st.select_slider(say("course.ch06.rate"), RATES, 20, key="ch06-load-rate")
    ran = load_at(rate)
    sides = (ran.without_cache, ran.with_cache)
    head = ["", say("course.ch06.without"), say("course.ch06.with")]
    p50, p95, per_s = ([getattr(side, name).value or 0.0 for side in sides] for name in _FIGURES)
    rows = [
        [say(f"course.ch06.load.{name}"), *map(seconds, pair)]
        for name, pair in (("ttft_p50", p50), ("ttft_p95", p95))
    ]
    rows.append([say("course.ch06.load.throughput"), *(f"{value:.1f}" for value in per_s)])
    show_table("ch06-load", head, rows)
    before, after = OWNER_MINUTES
    show_part(
        NAME,
        "load_result",
        rate=rate,
        less=percent(1 - p50[1] / p50[0]),
        times=f"{per_s[1] / per_s[0]:.2f}",
        before=before,
        after=after,
        owner_less=change(1 - after / before),
    )
    show_part(
        NAME,
        "load_basis",
        requests=LOAD_REQUESTS,
        output=LOAD_OUTPUT,
        shared=SHARED,
        own=OWN,
        prefill=FORMULAS["formula.prefill"],
        decode=FORMULAS["formula.decode"],
    )


def load_at(rate: int, shared: int = SHARED) -> Summary:
    """A hundred such prompts, so many of their tokens shared, on the machine chosen."""
    machine = MACHINE.get()
    cost, own = machine.cost(), SHARED + OWN - shared
    runs = _RUNS if machine.is_listed else _OWN_RUNS
    return runs.get((rate, shared, cost), lambda: under_load(rate, cost, shared, own))


# -- the bill --------------------------------------------------------------------------------------------


def bill_panel() -> None:
    show_part(NAME, "day", shared=SHARED, own=OWN)
    requests = st.select_slider(
        say("course.ch06.day"), DAYS, 100_000, format_func="{:,}".format, key="ch06-day"
    )
    now = MACHINE.get()
    prices = now.prices
    found = bill(requests, SHARED, OWN, now.cost(), prices)
    rows = {
        "provider": (found.provider_plain, found.provider_cached),
        "gpu": (found.gpu_plain, found.gpu_cached),
    }
    for column, (name, pair) in zip(st.columns(2), rows.items(), strict=True):
        with column:
            st.markdown(f"**{say(f'course.ch06.bill.{name}')}**")
            sides = (say("course.ch06.without"), say("course.ch06.with"))
            bars = [
                Bar(f"{side}<br><b>{money(value, prices.currency)}</b>", value, "", side)
                for side, value in zip(sides, pair, strict=True)
            ]
            figure = bars_beside(bars, prices.currency, one_colour=True)
            st.plotly_chart(figure, key=f"ch06-bill-{name}", config=CONFIG)
    shares = {name: change(1 - cached / plain if plain else 0.0) for name, (plain, cached) in rows.items()}
    rate = percent((requests - 1) * saving(SHARED, OWN, BLOCK_SIZE, now.cost()).token_share / requests)
    show_part(NAME, "bill_result", requests=f"{requests:,}", rate=rate, **shares)
    show_part(
        NAME,
        "bill_basis",
        tokens=FORMULAS["formula.money_tokens"],
        hours=FORMULAS["formula.money_hours"],
        new=f"{prices.per_million_tokens:g}",
        cached=f"{prices.per_million_cached:g}",
        hour=f"{prices.per_gpu_hour:g}",
    )
