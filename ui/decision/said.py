"""What a sheet says in words: the finding, four numbers, what they are about and what they rest on. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.decision import FLAT, WARM_SHARE, Cell
from ui.decision.asked import Asked
from ui.decision.setup import times_the_load
from ui.words.numbers import digits, money, never_full


@dataclass(frozen=True, slots=True)
class Number:
    """One of the four: what it is, in a few words, and its basis (counted, modelled, yours). ``open``: seeds
    are still to come."""

    value: str
    words: str
    basis: str
    open: bool = False


def verdict(asked: Asked) -> str:
    """The finding for the chosen service level, or why there is none yet."""
    spec, say = asked.sheet.spec, asked.say
    if not spec.sizes:
        return say("verdict.no_room", model=asked.machine.model, gpu=asked.machine.gpu)
    found, bare = asked.found, asked.fewest(None)
    if not asked.decided:
        return say("verdict.open", level=asked.level)
    most = asked.most_cards
    if found.gpus is None or found.gib is None:
        if all(cell.too_small for cell in asked.sheet.cells if cell.gib is not None):
            return say("verdict.too_small", gib=f"{spec.sizes[-1]:g}")
        if bare.gpus is None:
            return say("verdict.none", level=asked.level, most=most)
        return say("verdict.only_without", level=asked.level, n=asked.cards(bare.gpus), most=most)
    told = {"level": asked.level, "n": asked.cards(found.gpus), "gib": f"{found.gib:g}", "most": most}
    if bare.gpus is None:
        return say("verdict.only_with", **told)
    told["m"] = asked.cards(bare.gpus)
    if bare.gpus == found.gpus:
        return say("verdict.same", **told)
    return say("verdict.fewer" if found.gpus < bare.gpus else "verdict.more", **told)


def progress(asked: Asked) -> str:
    """How far the computing is, what of it stands, how long it may take; nothing once it is done."""
    if asked.done:
        return ""
    told = asked.say("progress", done=asked.sheet.num_done, all=asked.sheet.num_runs)
    stands = asked.say("progress.rest" if asked.decided else "progress.open")
    return asked.join(told, time_left(asked), stands)


def time_left(asked: Asked) -> str:
    """In words that are no more exact than the pace."""
    left = asked.left_s
    if left is None:
        return ""
    if left < 55:
        return asked.say("left.s", n=10 * max(math.ceil(left / 10), 1))
    return asked.say("left.min", n=math.ceil(left / 60 - 0.2))


def about(asked: Asked) -> str:
    """The load and the machine, in one line."""
    machine = asked.machine
    gpu = machine.gpu if machine.num_gpus == 1 else f"{machine.num_gpus} × {machine.gpu}"
    return asked.say(
        "about",
        mix=" · ".join([mix_words(asked), *_policies(asked)]),
        rate=rate_words(asked),
        model=machine.model,
        gpu=gpu,
    )


def mix_words(asked: Asked) -> str:
    """The kind of requests, as the monitor calls it."""
    return asked.say_of("monitor", f"mix.{asked.load.mix}")


def rate_words(asked: Asked) -> str:
    """How many requests come to all GPUs together, and what that is to the load that the monitor runs."""
    spec = asked.sheet.spec
    times = times_the_load(asked.load, asked.choice)
    name = {1.0: "same", 2.0: "twice"}.get(times, "times")
    told = asked.say(f"load.{name}", n=digits(times))
    if spec.load.clients is None:
        return asked.say("rate.words", rate=f"{spec.rate:g}", times=told)
    return asked.say("clients.words", n=spec.load.clients, times=told)


def _policies(asked: Asked) -> list[str]:
    """What of the monitor's policies is not as usual; it holds for every size."""
    load = asked.load
    set_to = (("cache_cap", load.cache_cap), ("ttl", load.ttl_s), ("admit_after", load.admit_after))
    return [
        asked.say_of("monitor", f"flag.{name}", value=value)
        for name, value in set_to
        if value is not None and (name, value) != ("admit_after", 1)
    ]


def numbers(asked: Asked) -> list[Number]:
    """Hit rate, p95, share over the level, a month: all of one size on one number of GPUs. Before the finding
    stands nobody knows of which."""
    if asked.size is None:
        return []
    if not asked.decided:
        names = (("hit", "counted"), ("p95", "modelled"), ("over", "modelled"), ("month", "yours"))
        return [
            Number("…", asked.say(f"number.{name}.open", level=asked.level), basis, True)
            for name, basis in names
        ]
    cell = asked.cell
    assert cell is not None, "the sheet has every cell of its spec"
    run, is_open = len(cell.outcomes), not cell.settled
    place = asked.say("cell.place", n=asked.cards(asked.gpus), size=asked.gib(asked.size))
    if is_open:
        place = asked.say("number.so_far", place=place, seeds=asked.seeds_words(run))
    hit = asked.sheet.point(asked.gpus, asked.size).hit_rate
    possible = "" if asked.knee is None else asked.percent(asked.knee.possible)
    hit_words = asked.say("number.hit.of" if possible else "number.hit", place=place, possible=possible)
    over = asked.say("number.over", level=asked.level, place=place)
    return [
        Number(asked.share(hit), hit_words, "counted", is_open),
        Number(asked.span(cell.ttft_p95), asked.say("number.p95", place=place), "modelled", is_open),
        Number(asked.share(cell.over(asked.choice.level_s)), over, "modelled", is_open),
        _month(asked, cell),
    ]


def _month(asked: Asked, cell: Cell) -> Number:
    """What these GPUs cost, whether they hold the level, and what it takes without a cache."""
    if not cell.settled:
        return Number("…", asked.say("number.month.open"), "yours", True)
    prices, bare = asked.machine.prices, asked.fewest(None).gpus
    price = money(prices.per_gpu_hour, prices.currency)
    words = asked.say("number.month", n=asked.cards(asked.gpus), price=price)
    if cell.too_small is not None or cell.holds(asked.choice.level_s)[0] < cell.num_seeds:
        words = asked.say("number.month.fails", month=words, level=asked.level)
    elif bare is not None and bare != asked.gpus:
        words = asked.say("number.month.bare", month=words, bare=_a_month(asked, bare))
    return Number(_a_month(asked, asked.gpus), words, "yours")


def _a_month(asked: Asked, gpus: int) -> str:
    return f"{asked.machine.prices.currency}{asked.money(gpus):,.0f}"


# -- what the figures show, for who does not see them ---------------------------------------------------


def hit_words(asked: Asked) -> str:
    """The first curve in a sentence."""
    known = [one for one in asked.points if one.gib is not None and one.hit_rate is not None]
    if not known:
        return asked.say("curve.none")
    text = asked.say(
        "curve.hit",
        low=asked.share(known[0].hit_rate),
        high=asked.share(known[-1].hit_rate),
        first=f"{known[0].gib:g}",
        last=f"{known[-1].gib:g}",
    )
    return asked.join(text, knee_words(asked))


def wait_words(asked: Asked) -> str:
    """The second one."""
    known = [one for one in asked.points if one.gib is not None and one.ttft_p95 is not None]
    if not known:
        return asked.say("curve.none")
    return asked.say(
        "curve.wait",
        low=asked.span(known[0].ttft_p95),
        high=asked.span(known[-1].ttft_p95),
        first=f"{known[0].gib:g}",
        last=f"{known[-1].gib:g}",
        level=asked.level,
    )


def knee_words(asked: Asked) -> str:
    """Where 90 % of the possible gain is reached, that no size reaches it, or that little is to gain."""
    knee = asked.knee
    if knee is None:
        return ""
    if knee.flat:
        return asked.say("knee.flat", points=round(100 * FLAT))
    if knee.gib is None:
        return asked.say("knee.none", share=asked.percent(knee.best_share, 0))
    return asked.say("knee.words", gib=f"{knee.gib:g}")


# -- what stands behind it ----------------------------------------------------------------------------------


def behind(asked: Asked) -> list[str]:
    """What each number rests on, what the bands are, how the load is split, what the cache costs."""
    spec, load = asked.sheet.spec, asked.sheet.spec.load
    lines = [
        asked.say("behind.basis"),
        asked.say(
            "behind.load",
            prefix=f"{load.prefix_tokens:,}",
            output=f"{load.output_tokens:,}",
            block=spec.config.block_size,
            seeds=asked.listed(map(str, spec.seeds)),
        ),
        asked.say(
            "behind.bands",
            seeds=len(spec.seeds),
            n=f"{spec.num_requests:,}",
            warm=f"{spec.num_warm:,}",
        ),
        asked.say("behind.split"),
        asked.join(asked.say("behind.cost"), _crowded(asked)),
        asked.join(knee_words(asked), _stopped(asked)),
    ]
    if warming := asked.sheet.still_warming(asked.gpus):
        sizes = asked.listed(f"{gib:g}" for gib in warming)
        lines.append(asked.say("behind.warming", sizes=sizes, warm=never_full(WARM_SHARE, 0)))
    return [line for line in lines if line]


def _stopped(asked: Asked) -> str:
    """What "at least" means, where it stands."""
    if not any(point.stopped for point in asked.points):
        return ""
    return asked.say("behind.stopped", s=f"{asked.sheet.spec.ceiling_s:g}")


def _crowded(asked: Asked) -> str:
    """Which sizes are too small for the longest request, in blocks."""
    small = [point for point in asked.points if point.too_small is not None and point.gib is not None]
    if not small:
        return ""
    sizes = asked.listed(f"{point.gib:g}" for point in small)
    return asked.say("behind.too_small", sizes=sizes, needed=max(point.too_small or 0 for point in small))
