"""How long and how much is kept: a time to live, three pots."""

from __future__ import annotations

import streamlit as st

from core.decision import free_gib
from core.tradeoffs.pots import ORDERS_A_DAY, POT_TOKENS, Kitchen, Rule, cook, order_book
from core.tradeoffs.tradeoffs import held_against_pauses, ttl_against_pauses
from ui.course.tradeoff_panels.sides import (
    COMPUTED,
    amounts,
    in_pieces,
    number,
    rates,
    share,
    two_sides,
)
from ui.frame.session import lang, say
from ui.machine.machine import MACHINE
from ui.words.i18n import run_on
from ui.words.numbers import digits, percent

TTLS = tuple(round(10 ** (k / 6), 3) for k in range(-6, 22))
POTS = (1, 2, 3, 4, 5, 6, 8)
RULES = ("owner", "lru")


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
    triple = (float(3 * pause),)
    all_then, once_then = COMPUTED.get(("triple", pause), lambda: held_against_pauses(triple, float(pause)))
    numbers = {
        "ttl": str(3 * pause),
        "gib": f"{all_then[0][1] * factor:.3g}",
        "once": f"{once_then[0][1] * factor:.3g}",
        "day": digits(all_then[0][1] * factor * 86400),
    }
    words = say("tradeoff.ttl.cost_words", n=people, model=MACHINE.get().model, **numbers)
    st.caption(run_on((words, _too_much(all_then[0][1] * factor)), lang()))


def _too_much(gib: float) -> str:
    """Whether that is more than the machine has beside the weights; nothing where it fits."""
    machine = MACHINE.get()
    free = max(free_gib(machine.cost()), 0.0) * machine.num_gpus
    if gib <= free:
        return ""
    return say("tradeoff.ttl.too_much", free=f"{free:.3g}", n=machine.num_gpus, gpu=machine.gpu)


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
