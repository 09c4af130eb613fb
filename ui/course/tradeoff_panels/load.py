"""One load, one pool: a cap on cached blocks, and blocks that go back to whoever runs."""

from __future__ import annotations

import streamlit as st

from core.errors import BrothError
from core.load.spec import MIXES, LoadSpec
from core.tradeoffs.serving import House, Served, serve
from ui.course.tradeoff_panels.sides import amounts, bars, in_pieces, number, rates, two_sides
from ui.frame.session import say
from ui.machine.machine import MACHINE
from ui.words.numbers import percent, seconds

CAPS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
NAMED = 4
"""Of the caps, the one that is told in words."""
MOST_APART = 0.6
"""More than that kept apart leaves too little for a long request."""
LOADS = (1, 2, 4, 8, 12)
REQUESTS = 200


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
    hits, waits = {}, {}
    for name, keys in houses.items():
        done = [(shares[key[3]], one) for key in keys if (one := found[key]) is not None]
        hits[name] = [(x, one.hit_rate) for x, one in done]
        waits[name] = [(x, one.ttft_p95_s) for x, one in done]
    if not hits[say("tradeoff.house.pool")]:
        st.caption(say("tradeoff.cap.none"))
        return
    two_sides(
        "cap",
        rates(hits, "tradeoff.cap_share", "traffic.rate", percent_x=True),
        amounts(waits, "tradeoff.cap_share", "tradeoff.wait_p95", percent_x=True),
        ("counted", "load"),
    )
    st.caption(say("tradeoff.cap.words"))
    _cap_words(found[pool[-1]], found[pool[NAMED]], found[apart[NAMED]])
    _table([(shares[key[3]], key[4], one) for key, one in found.items()], "tradeoff.cap_share")


def _cap_words(free: Served | None, capped: Served | None, apart: Served | None) -> None:
    """What the memory that a cap leaves lets run."""
    if free is None or capped is None or apart is None:
        return
    gib = MACHINE.get().cost().block_bytes(16) / 2**30
    numbers = {
        "cap": f"{100 * CAPS[NAMED]:.0f}",
        "gib": f"{capped.unused * gib:.2f}",
        "all": f"{free.unused * gib:.2f}",
    }
    for name, one in (("free", free), ("capped", capped), ("apart", apart)):
        numbers[name] = f"{one.most_running}"
        numbers[f"{name}_out"] = f"{one.num_preempted}"
        numbers[f"{name}_wait"] = seconds(one.ttft_p95_s)
    st.caption(say("tradeoff.cap.lets_run", **numbers))


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
                for name in ("pool", "apart", "ample")
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
