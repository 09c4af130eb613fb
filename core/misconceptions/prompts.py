"""Beliefs about one prompt and the next: what counts as equal, what a change costs, what is always left."""

from __future__ import annotations

from core.misconceptions.story import Belief, Knob, Shown, computed, reused, story
from core.scenario.scenario import Scenario

BLOCK = 16

# -- a clock in the prompt --------------------------------------------------------------------------------

PLACES = ("front", "middle", "end")
CLOCK_TOKENS, QUESTION_TOKENS = 8, 9
SYSTEM_TOKENS, HISTORY_TOKENS = 64, 32


def _clock_run(place: str) -> Scenario:
    clock, question = f"[0:{CLOCK_TOKENS}]", f"[0:{QUESTION_TOKENS}]"
    told = []
    for k in (1, 2):
        parts = [f"system[0:{SYSTEM_TOKENS}]", f"history[0:{HISTORY_TOKENS}]"]
        parts.insert(PLACES.index(place), f"clock{k}{clock}")
        told.append(" ".join([*parts, f"question{k}{question}"]))
    return story("clock", BLOCK, 20, told)


def clock(place: str) -> Shown:
    """Believed: the clock costs its own tokens. True: all that stands behind it is computed again."""
    runs = {each: _clock_run(each) for each in PLACES}
    total = SYSTEM_TOKENS + HISTORY_TOKENS + CLOCK_TOKENS + QUESTION_TOKENS
    return Shown(
        CLOCK_TOKENS + QUESTION_TOKENS,
        computed(runs[place]),
        "computed",
        tuple((each, computed(run)) for each, run in runs.items()),
        here=place,
        numbers={
            "clock": CLOCK_TOKENS,
            "system": SYSTEM_TOKENS,
            "history": HISTORY_TOKENS,
            "question": QUESTION_TOKENS,
            "size": BLOCK,
            "total": total,
            "computed": computed(runs[place]),
        },
        scenario=runs[place],
    )


# -- the same prompt again ----------------------------------------------------------------------------------

LENGTHS = tuple(range(30, 37))


def _same_twice(length: int) -> Scenario:
    return story("full", BLOCK, 8, [f"prompt[0:{length}]"] * 2)


def full(length: int) -> Shown:
    """Believed: the same prompt hits whole. True: whole blocks, and never the last token."""
    hit = reused(_same_twice(length))
    return Shown(
        length,
        hit,
        "reused",
        tuple((each, reused(_same_twice(each))) for each in LENGTHS),
        here=length,
        across="length",
        numbers={
            "size": BLOCK,
            "length": length,
            "hit": hit,
            "computed": length - hit,
            "percent": f"{100 * hit / length:.1f}",
        },
        scenario=_same_twice(length),
    )


# -- nothing hits -------------------------------------------------------------------------------------------

SIZES = (8, 16, 32, 64, 128, 256)
SHARED, PRIVATE = 200, 200


def _two_users(size: int) -> Scenario:
    own = f"system[0:{SHARED}] question{{}}[0:{PRIVATE}]"
    slots = 3 * -(-(SHARED + PRIVATE) // size) + 2
    return story("zero", size, slots, [own.format(1), own.format(2), own.format(2)])


def zero(size: int) -> Shown:
    """Believed: a cache that works reuses the 200 shared tokens. True: only whole blocks of them; the third
    request, the second one again, shows that the cache works all the same."""
    run = _two_users(size)
    return Shown(
        SHARED,
        reused(run),
        "reused",
        tuple((each, reused(_two_users(each))) for each in SIZES),
        here=size,
        across="size",
        numbers={"shared": SHARED, "size": size, "hit": reused(run), "again": reused(run, "R2")},
    )


# -- the same text elsewhere --------------------------------------------------------------------------------


def _documents(order: str) -> Scenario:
    first, second = "menu[0:32] prices[0:32]", "prices[0:32] menu[0:32]"
    second = first if order == "same" else second
    return story(
        "anywhere",
        BLOCK,
        20,
        [f"system[0:16] {first} question1[0:9]", f"system[0:16] {second} question2[0:9]"],
    )


def anywhere(order: str) -> Shown:
    """Believed: the same documents are reused, wherever they stand. True: up to the first other block."""
    run = _documents(order)
    return Shown(
        reused(_documents("same")),
        reused(run),
        "reused",
        tuple((each, reused(_documents(each))) for each in ("same", "swapped")),
        here=order,
        numbers={"hit": reused(run), "documents": 64, "system": 16, "size": BLOCK},
        scenario=run,
    )


# -- one word changed ---------------------------------------------------------------------------------------

TEXT = 101


def _changed(place: int) -> Scenario:
    """``place`` counts tokens from 1, as everywhere on the screen."""
    before = f"text[0:{place - 1}] " if place > 1 else ""
    behind = f" text[{place}:{TEXT}]" if place < TEXT else ""
    return story("all", BLOCK, 20, [f"{before}word{k}[0:1]{behind}" for k in (1, 2)])


def all_lost(place: int) -> Shown:
    """Believed: one changed word and all is lost. True: what stands in whole blocks before it still hits."""
    hit = reused(_changed(place))
    return Shown(
        0,
        hit,
        "reused",
        tuple((each, reused(_changed(each))) for each in range(1, TEXT + 1, 20)),
        here=place,
        across="place",
        numbers={"place": place, "hit": hit, "total": TEXT, "size": BLOCK},
        scenario=_changed(place),
    )


CLOCK = Belief("clock", (Knob("place", PLACES, "front"),), clock)
FULL = Belief("full", (Knob("length", LENGTHS, 32),), full)
ZERO = Belief("zero", (Knob("size", SIZES, 256),), zero)
ANYWHERE = Belief("anywhere", (Knob("order", ("same", "swapped"), "swapped"),), anywhere)
ALL = Belief("all", (Knob("place", tuple(range(1, TEXT + 1)), 41),), all_lost)
