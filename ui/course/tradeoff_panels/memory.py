"""What memory is worth: a time to live, a cap, three pots, blocks that go back to decode."""

from __future__ import annotations

import streamlit as st

from core.errors import BrothError
from core.load.spec import MIXES, LoadSpec
from core.tradeoffs.pots import ORDERS_A_DAY, POT_TOKENS, Kitchen, Rule, cook, order_book
from core.tradeoffs.serving import House, Served, serve
from core.tradeoffs.tradeoffs import held_against_pauses, ttl_against_pauses
from ui.course.tradeoff_panels.sides import (
    COMPUTED,
    amounts,
    bars,
    in_pieces,
    number,
    rates,
    share,
    two_sides,
)
from ui.frame.session import say
from ui.machine.machine import MACHINE
from ui.words.numbers import percent, seconds

TTLS = tuple(round(10 ** (k / 6), 3) for k in range(-6, 22))
CAPS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
MOST_APART = 0.6
"""More than that kept apart leaves too little for a long request."""
LOADS = (1, 2, 4, 6, 8, 10, 12)
POTS = (1, 2, 3, 4, 5, 6, 8)
RULES = ("owner", "lru")
REQUESTS = 240


# -- time to live ------------------------------------------------------------------------------------------


def ttl_panel() -> None:
    """How long to keep what people come back to, and the memory it holds meanwhile."""
    left, right = st.columns(2)
    with left:
        pause = number("pause", 5, 600, 60, 5)
    with right:
        people = number("people", 10, 1000, 100, 10)
    ran, formula = COMPUTED.get(("ttl", pause), lambda: ttl_against_pauses(TTLS, float(pause)))
    every, once = COMPUTED.get(("held", pause), lambda: held_against_pauses(TTLS, float(pause)))
    factor = people * MACHINE.get().cost().block_bytes(16) / 2**30
    held = {
        say("tradeoff.ttl.held"): [(ttl, blocks * factor) for ttl, blocks in every],
        say("tradeoff.ttl.once"): [(ttl, blocks * factor) for ttl, blocks in once],
    }
    two_sides(
        "ttl",
        rates(
            {say("tradeoff.ttl.ran"): ran, say("tradeoff.ttl.formula"): formula},
            "traffic.axis.ttl",
            "tradeoff.of_possible",
            log_x=True,
        ),
        amounts(held, "traffic.axis.ttl", "tradeoff.gib_mean", log_x=True),
        ("counted", "gib"),
    )
    st.caption(say("tradeoff.ttl.words", pause=pause, triple=3 * pause))
    near = min(range(len(TTLS)), key=lambda place: abs(TTLS[place] - 3 * pause))
    numbers = {
        "ttl": f"{TTLS[near]:.0f}",
        "gib": f"{every[near][1] * factor:.3g}",
        "once": f"{once[near][1] * factor:.3g}",
        "day": f"{every[near][1] * factor * 86400:,.0f}",
    }
    st.caption(say("tradeoff.ttl.cost_words", n=people, model=MACHINE.get().model, **numbers))


# -- one load ----------------------------------------------------------------------------------------------


def _mix() -> str:
    words = {mix: say(f"monitor.mix.{mix}") for mix in MIXES}
    return st.selectbox(say("monitor.mix"), list(MIXES), format_func=words.__getitem__, key="tradeoff_mix")


Load = tuple[str, float, int, int | None, bool, int]
"""Kind of requests, rate, slots, cap, whether kept apart, seed."""


def _served(of_it: Load) -> Served | None:
    """None where this house leaves a request no room."""
    mix, rate, slots, cap, apart, seed = of_it
    spec = LoadSpec(
        seed=seed, mix=MIXES[mix], rate=rate, num_requests=REQUESTS, output_tokens=64, think_s=4.0
    )
    try:
        return serve(spec, House(slots, cap, apart), MACHINE.get().cost())
    except BrothError:
        return None


def _load_sliders() -> tuple[str, int, int]:
    """Kind of requests, slots, seed."""
    left, middle, right = st.columns(3)
    with left:
        mix = _mix()
    with middle:
        slots = number("pool", 600, 3000, 1000, 100)
    with right:
        seed = number("seed", 1, 20, 7)
    return mix, slots, seed


def cap_panel() -> None:
    """A cap on cached blocks, in one pool and with the blocks kept apart."""
    mix, slots, seed = _load_sliders()
    rate = number("rate", 1, 20, 10)
    caps = [round(one * slots) for one in CAPS]
    shares: dict[int | None, float] = dict(zip(caps, CAPS, strict=True))
    pool: list[Load] = [(mix, float(rate), slots, cap, False, seed) for cap in caps]
    apart: list[Load] = [
        (mix, float(rate), slots, cap, True, seed) for cap in caps if shares[cap] <= MOST_APART
    ]
    found = dict(zip([*pool, *apart], in_pieces([*pool, *apart], _served), strict=True))
    houses = {say("tradeoff.house.pool"): pool, say("tradeoff.house.apart"): apart}
    hits, runs = {}, {}
    for name, keys in houses.items():
        done = [(shares[key[3]], one) for key in keys if (one := found[key]) is not None]
        hits[name] = [(x, one.hit_rate) for x, one in done]
        runs[name] = [(x, one.mean_running) for x, one in done]
    if not hits[say("tradeoff.house.pool")]:
        st.caption(say("tradeoff.cap.none"))
        return
    two_sides(
        "cap",
        rates(hits, "tradeoff.cap_share", "traffic.rate", percent_x=True),
        amounts(runs, "tradeoff.cap_share", "tradeoff.running_at_once", percent_x=True),
        ("counted", "load"),
    )
    st.caption(say("tradeoff.cap.words"))
    _table([(shares[key[3]], key[4], one) for key, one in found.items()], "tradeoff.cap_share")


def _table(rows: list[tuple[float, bool, Served | None]], first: str) -> None:
    """The same runs in numbers."""
    block = MACHINE.get().cost().block_bytes(16) / 2**30
    heads = ("house", "hits", "idle", "unused", "running", "preempted", "ttft", "computed", "evicted")
    columns: dict[str, list[str]] = {say(first): [], **{say(f"tradeoff.head.{one}"): [] for one in heads}}
    for at, apart, one in rows:
        if one is None:
            continue
        cells = (
            f"{at:g}" if first == "tradeoff.rate" else say("unit.percent", n=f"{100 * at:.0f}"),
            say(f"tradeoff.house.{'apart' if apart else 'pool'}"),
            say("unit.percent", n=percent(one.hit_rate)),
            f"{one.idle_cached * block:.2f}",
            f"{one.unused * block:.2f}",
            f"{one.mean_running:.1f}",
            f"{one.num_preempted:,}",
            seconds(one.ttft_p95_s),
            f"{one.computed_tokens:,}",
            f"{one.num_evicted:,}",
        )
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
    with st.expander(say("tradeoff.numbers")):
        st.dataframe(columns, hide_index=True)


def decode_panel() -> None:
    """Idle blocks go back to whoever runs: who has the pool, over load, and what both sides make of it."""
    mix, slots, seed = _load_sliders()
    ample, half = 20 * slots, slots // 2
    keys: dict[str, list[Load]] = {
        "pool": [(mix, float(rate), slots, None, False, seed) for rate in LOADS],
        "apart": [(mix, float(rate), slots, half, True, seed) for rate in LOADS],
        "ample": [(mix, float(rate), ample, None, False, seed) for rate in LOADS],
    }
    every = [key for of_it in keys.values() for key in of_it]
    found = dict(zip(every, in_pieces(every, _served), strict=True))
    done = {
        name: [(float(key[1]), one) for key in of_it if (one := found[key]) is not None]
        for name, of_it in keys.items()
    }
    if not done["pool"]:
        st.caption(say("tradeoff.cap.none"))
        return
    rows = [one for _, one in done["pool"]]
    who = {
        say("tradeoff.who.in_use"): [one.in_use / slots for one in rows],
        say("tradeoff.who.idle"): [one.idle_cached / slots for one in rows],
        say("tradeoff.who.unused"): [one.unused / slots for one in rows],
    }
    shared_out = bars(who, [f"{rate:g}" for rate, _ in done["pool"]], "tradeoff.rate", "tradeoff.of_pool")
    st.plotly_chart(shared_out.update_layout(height=260), key="tradeoff_who")
    two_sides(
        "decode",
        amounts(
            {
                say(f"tradeoff.house.{name}"): [(rate, one.mean_running) for rate, one in done[name]]
                for name in ("pool", "apart")
            },
            "tradeoff.rate",
            "tradeoff.running_at_once",
        ),
        rates(
            {
                say(f"tradeoff.house.{name}"): [(rate, one.hit_rate) for rate, one in done[name]]
                for name in ("ample", "pool", "apart")
            },
            "tradeoff.rate",
            "traffic.rate",
        ),
        ("load", "counted"),
    )
    _decode_words(done, slots)
    apart = [(rate, True, one) for rate, one in done["apart"]]
    _table([*((rate, False, one) for rate, one in done["pool"]), *apart], "tradeoff.rate")


def _decode_words(done: dict[str, list[tuple[float, Served]]], slots: int) -> None:
    (low, calm), (high, busy) = done["pool"][0], done["pool"][-1]
    possible = done["ample"][-1][1].hit_rate if done["ample"] else busy.hit_rate
    numbers = {
        "low": f"{low:g}",
        "high": f"{high:g}",
        "used": percent(calm.in_use / slots, 0),
        "used_busy": percent(busy.in_use / slots, 0),
        "idle": percent(calm.idle_cached / slots, 0),
        "idle_busy": percent(busy.idle_cached / slots, 0),
        "hit": percent(busy.hit_rate),
        "possible": percent(possible),
        "running": f"{busy.mean_running:.1f}",
        "wait": seconds(busy.ttft_p95_s),
    }
    st.caption(say("tradeoff.decode.words", **numbers))
    if done["apart"]:
        beside = done["apart"][-1][1]
        walled = {
            "hit": percent(beside.hit_rate),
            "running": f"{beside.mean_running:.1f}",
            "wait": seconds(beside.ttft_p95_s),
        }
        st.caption(say("tradeoff.decode.apart_words", high=f"{high:g}", **walled))


# -- three pots --------------------------------------------------------------------------------------------


def pots_panel() -> None:
    """The owner's rule beside plain LRU with as many pots, and beside no rule at all."""
    first, second, third, fourth = st.columns(4)
    with first:
        recipes = number("recipes", 3, 30, 12)
    with second:
        once = share("once", 30, 90, 10)
    with third:
        sightings = number("sightings", 1, 4, 2)
    with fourth:
        days = number("days", 1, 10, 3)
    slots = (max(POTS) + 4) * POT_TOKENS // 16
    owner = {pots: Rule(pots, sightings, days, days) for pots in POTS}
    lru = {pots: Rule(pots) for pots in POTS}
    rules = [*owner.values(), *lru.values(), Rule()]
    keys = [(recipes, once, slots, rule) for rule in rules]
    kitchens = dict(zip(rules, in_pieces(keys, _kitchen), strict=True))
    names = {name: say(f"tradeoff.pots.{name}") for name in RULES}
    of_it = {names["owner"]: owner, names["lru"]: lru}
    hits, warm = {}, {}
    for name, some in of_it.items():
        hits[name] = [(float(pots), kitchens[rule].hit_rate) for pots, rule in some.items()]
        warm[name] = [(float(pots), kitchens[rule].mean_pots) for pots, rule in some.items()]
    free = kitchens[Rule()]
    whole = say("tradeoff.pots.whole")
    hits[whole] = [(float(pots), free.hit_rate) for pots in POTS]
    warm[whole] = [(float(pots), free.mean_pots) for pots in POTS]
    two_sides(
        "pots",
        rates(hits, "tradeoff.pots.most", "traffic.rate"),
        amounts(warm, "tradeoff.pots.most", "tradeoff.pots.warm"),
        ("counted", "pots"),
    )
    _pots_words(kitchens[owner[3]], kitchens[lru[3]], free, sightings, days)


def _kitchen(of_it: tuple[int, float, int, Rule]) -> Kitchen:
    recipes, once, slots, rule = of_it
    return cook(order_book(recipes, 1.2, once), rule, slots)


def _pots_words(owner: Kitchen, lru: Kitchen, free: Kitchen, sightings: int, days: int) -> None:
    gib = MACHINE.get().cost().block_bytes(POT_TOKENS) / 2**30
    numbers = {
        "hit": percent(owner.hit_rate),
        "lru": percent(lru.hit_rate),
        "all": percent(free.hit_rate),
        "warm": f"{owner.mean_pots * gib:.2f}",
        "warm_lru": f"{lru.mean_pots * gib:.2f}",
        "warm_all": f"{free.mean_pots * gib:.2f}",
        "cooked": f"{owner.cooked:,}",
        "cooked_lru": f"{lru.cooked:,}",
        "cooked_all": f"{free.cooked:,}",
        "poured": f"{owner.poured:,}",
        "poured_lru": f"{lru.poured:,}",
    }
    winner = "owner" if owner.hit_rate > lru.hit_rate else "lru"
    st.caption(say(f"tradeoff.pots.words.{winner}", sightings=sightings, days=days, **numbers))
    st.caption(say("tradeoff.pots.cost_words", model=MACHINE.get().model, **numbers))
    st.caption(say("tradeoff.pots.about", tokens=POT_TOKENS, orders=free.orders, a_day=ORDERS_A_DAY))
