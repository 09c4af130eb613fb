"""What a sheet says in words: the finding, four numbers, what they are about and what they rest on. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from core.decision import WARM_SHARE
from ui.decision.asked import Asked
from ui.words.numbers import money, never_full


@dataclass(frozen=True, slots=True)
class Number:
    """One of the four: what it is, in a few words, and its basis (counted, modelled, yours)."""

    value: str
    words: str
    basis: str


def verdict(asked: Asked) -> str:
    """The finding for the chosen service level, or why there is none yet."""
    spec, say = asked.sheet.spec, asked.say
    if not spec.sizes:
        return say("verdict.no_room", model=asked.machine.model, gpu=asked.machine.gpu)
    gib, found = asked.found
    bare = asked.fewest(None)
    if not (found.settled and bare.settled):
        return say("verdict.open", level=asked.level)
    most = asked.most_cards
    if found.gpus is None or gib is None:
        if all(cell.too_small for cell in asked.sheet.cells if cell.gib is not None):
            return say("verdict.too_small", gib=f"{spec.sizes[-1]:g}")
        if bare.gpus is None:
            return say("verdict.none", level=asked.level, most=most)
        return say("verdict.only_without", level=asked.level, n=asked.cards(bare.gpus), most=most)
    told = {"level": asked.level, "n": asked.cards(found.gpus), "gib": f"{gib:g}", "most": most}
    if bare.gpus is None:
        return say("verdict.only_with", **told)
    told["m"] = asked.cards(bare.gpus)
    if bare.gpus == found.gpus:
        return say("verdict.same", **told)
    return say("verdict.fewer" if found.gpus < bare.gpus else "verdict.more", **told)


def progress(asked: Asked) -> str:
    """How far the computing is; nothing once it is done."""
    if asked.done:
        return ""
    return asked.say("progress", done=asked.sheet.num_done, all=asked.sheet.num_runs)


def about(asked: Asked) -> str:
    """The load, the machine and the seeds, in one line."""
    machine = asked.machine
    gpu = machine.gpu if machine.num_gpus == 1 else f"{machine.num_gpus} × {machine.gpu}"
    return asked.say(
        "about",
        mix=" · ".join([mix_words(asked), *_policies(asked)]),
        rate=rate_words(asked),
        model=machine.model,
        gpu=gpu,
        seeds=len(asked.sheet.spec.seeds),
    )


def mix_words(asked: Asked) -> str:
    """The kind of requests, as the monitor calls it."""
    return asked.say_of("monitor", f"mix.{asked.load.mix}")


def rate_words(asked: Asked) -> str:
    """How many requests come to all GPUs together."""
    spec = asked.sheet.spec
    if spec.load.clients is None:
        return asked.say("rate.words", rate=f"{spec.rate:g}")
    return asked.say("clients.words", n=spec.load.clients)


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
    """Hit rate, p95, share over the level, a month: of the size that the sheet is about."""
    if asked.size is None:
        return []
    return [_hit(asked), _wait(asked), _over(asked), _month(asked)]


def _hit(asked: Asked) -> Number:
    point, knee, size = asked.point, asked.sheet.knee, f"{asked.size:g}"
    value = asked.share(point.hit_rate if point is not None else None)
    curve = asked.cards(asked.sheet.spec.curve_gpus)
    if knee is None:
        return Number(value, asked.say("number.hit", gib=size, n=curve), "counted")
    words = asked.say("number.hit.of", gib=size, n=curve, possible=asked.percent(knee.possible))
    return Number(value, words, "counted")


def _wait(asked: Asked) -> Number:
    band = asked.cell.ttft_p95 if asked.cell is not None else None
    words = asked.say("number.p95", gib=f"{asked.size:g}", n=asked.cards(asked.gpus))
    return Number(asked.with_unit(band), words, "modelled")


def _over(asked: Asked) -> Number:
    band = asked.cell.over(asked.choice.level_s) if asked.cell is not None else None
    return Number(asked.share(band), asked.say("number.over", level=asked.level), "modelled")


def _month(asked: Asked) -> Number:
    fewest, prices = asked.fewest(asked.size), asked.machine.prices
    if fewest.gpus is None:
        key = "number.month.none" if fewest.settled else "number.month.open"
        return Number("–", asked.say(key, gib=f"{asked.size:g}"), "yours")
    price = money(prices.per_gpu_hour, prices.currency)
    words = asked.say("number.month", n=asked.cards(fewest.gpus), price=price)
    return Number(f"{prices.currency}{asked.money(fewest.gpus):,.0f}", words, "yours")


# -- what the figures show, for who does not see them ---------------------------------------------------


def hit_words(asked: Asked) -> str:
    """The first curve in a sentence."""
    known = [one for one in asked.sheet.points if one.gib is not None and one.hit_rate is not None]
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
    known = [one for one in asked.sheet.points if one.gib is not None and one.ttft_p95 is not None]
    if not known:
        return asked.say("curve.none")
    return asked.say(
        "curve.wait",
        low=asked.with_unit(known[0].ttft_p95),
        high=asked.with_unit(known[-1].ttft_p95),
        first=f"{known[0].gib:g}",
        last=f"{known[-1].gib:g}",
        level=asked.level,
    )


def knee_words(asked: Asked) -> str:
    """Where 90 % of the possible gain is reached, or that no size reaches it."""
    knee = asked.sheet.knee
    if knee is None:
        return ""
    if knee.gib is None:
        return asked.say("knee.none", share=asked.percent(knee.best_share, 0))
    return asked.say("knee.words", gib=f"{knee.gib:g}")


# -- what stands behind it ----------------------------------------------------------------------------------


def behind(asked: Asked) -> list[str]:
    """What each number rests on, what the bands are, how the load is split, what the cache costs."""
    spec = asked.sheet.spec
    lines = [
        asked.say("behind.basis"),
        asked.say(
            "behind.bands",
            seeds=len(spec.seeds),
            n=f"{spec.num_requests:,}",
            warm=f"{spec.num_warm:,}",
        ),
        asked.say("behind.split", n=asked.cards(spec.curve_gpus)),
        asked.join(asked.say("behind.cost"), _crowded(asked)),
    ]
    if warming := asked.sheet.still_warming:
        sizes = asked.listed(f"{gib:g}" for gib in warming)
        lines.append(asked.say("behind.warming", sizes=sizes, warm=never_full(WARM_SHARE, 0)))
    return lines


def _crowded(asked: Asked) -> str:
    """Which sizes are too small for the longest request, in blocks."""
    small = [point for point in asked.sheet.points if point.too_small is not None and point.gib is not None]
    if not small:
        return ""
    sizes = asked.listed(f"{point.gib:g}" for point in small)
    return asked.say("behind.too_small", sizes=sizes, needed=max(point.too_small or 0 for point in small))
