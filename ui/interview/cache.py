"""Chapter 12, numbers of the themes on the cache: what hits, and what happens in the pool."""

from __future__ import annotations

from typing import Any

from core.engine.engine import Engine
from core.engine.stats import Statistics
from core.scenario.scenario import run
from core.types import EngineConfig, Request
from ui.course.ch02 import computed_tokens
from ui.course.ch05 import held_peak, situation
from ui.interview.runs import COST, admitted, hits, percent, second
from ui.stage.setup import Setup, load_setup

# -- what hits -------------------------------------------------------------------------------------------


def time_in_front() -> dict[str, Any]:
    """The time of day before the prompt, and behind it."""
    early, late = second("P3"), second("P3b")
    return {"total": early["total"], "early": early["hit"], "late": late["hit"]}


def chain() -> dict[str, Any]:
    """Seven tags in a row, six match."""
    return {**second("P9d"), "size": load_setup(Setup("P9d"), "en").config.block_size}


def exact() -> dict[str, Any]:
    """The same prompt twice."""
    longer = second("P6b")
    large = {n: hits([range(n)] * 2)[1] for n in (32, 33)}
    return {
        **second("P6"),
        "share": percent(*admitted("P6")[1]),
        "hit_longer": longer["hit"],
        "longer": longer["total"],
        "hit_32": large[32],
        "hit_33": large[33],
    }


def verify() -> dict[str, Any]:
    """Two blocks whose tokens have the same sum: to a weak hash they are one."""
    prompts = [[1, 2, 3, 4, 5], [4, 3, 2, 1, 5]]
    kinds: dict[str, dict[str, Any]] = {
        "weak": {"hash_name": "weak"},
        "checked": {"hash_name": "weak", "verify_tokens": True},
        "strong": {},
    }
    return {name: hits(prompts, block_size=4, **settings)[1] for name, settings in kinds.items()}


def tenants() -> dict[str, Any]:
    """Same prompt, other salt; and what a stopwatch sees."""
    of_a, other, same, of_b = admitted("P11")
    long = COST.compare(2_000, 1_984)
    return {
        "other": other[0],
        "same": same[0],
        "total": of_a[1],
        "again": of_b[0],
        "cold_ms": f"{1e3 * long.full_s:.0f}",
        "warm_ms": f"{1e3 * long.hit_s:.0f}",
        "tokens": "2,000",
    }


def block_size() -> dict[str, Any]:
    """One pair of prompts, four block sizes."""
    found = {f"hit_{size}": admitted("P7", block_size=size)[1][0] for size in (2, 4, 8, 16)}
    return {**found, "shared": 10}


def one_block() -> dict[str, Any]:
    """A prompt as long as a block, sent again and again."""
    size, times = 16, 5
    return {"size": size, "times": times, "hit": sum(hits([range(size)] * times, block_size=size))}


def own_tail() -> dict[str, Any]:
    """A request reuses the beginning of a prompt and pushes its end out of a pool of six blocks."""
    first = list(range(17))
    newcomer = [*first[:8], *range(500, 514)]
    before = hits([first, first], block_size=4, num_blocks=7)
    after = hits([first, newcomer, first], block_size=4, num_blocks=7)
    assert after[1] > 0, "the newcomer reuses the beginning"
    return {"total": len(first), "before": before[1], "after": after[2]}


def radix() -> dict[str, Any]:
    """Page size 1 is a tree that compares token by token; in both, the last token is computed."""
    same = [range(12)] * 2
    return {
        "total": 12,
        "by_token": hits(same, block_size=1)[1],
        "by_block": hits(same, block_size=4)[1],
        "size": 4,
    }


# -- the pool --------------------------------------------------------------------------------------------


def evict() -> dict[str, Any]:
    """A pool of four: the old prompt fills it, then a newcomer of one block, or of two, or of three."""
    old = list(range(13))
    left = [
        hits([old, [500 + i for i in range(length)], old], block_size=4, num_blocks=5)[2]
        for length in (4, 8, 12)
    ]
    return {"total": len(old), "one": left[0], "two": left[1], "three": left[2]}


def ref() -> dict[str, Any]:
    """Ten requests, one system prompt."""
    held = held_peak(run(load_setup(Setup("T10"), "en")))
    return {"users": len(admitted("T10")), "held": held.shared, "unshared": held.unshared}


def finished() -> dict[str, Any]:
    """The first request is gone when the second one comes."""
    return second("P1")


def generated() -> dict[str, Any]:
    """What the next turn reuses of an answer."""
    prompt, answer, size = 100, 50, 16
    talk = [*range(prompt), *range(900_000, 900_000 + answer), *range(1_000, 1_020)]
    hit = hits([range(prompt), talk], answers=[answer])[1]
    known = computed_tokens(prompt, answer, True)
    return {"prompt": prompt, "answer": answer, "known": known, "size": size, "hit": hit}


def parallel() -> dict[str, Any]:
    """Four equal prompts in one step."""
    engine = Engine(EngineConfig(block_size=4))
    for number in range(4):
        engine.submit(Request(f"R{number}", tuple(range(13))))
    parts = [count for _, count in engine.step().scheduled]
    return {"total": 13, "parts": " + ".join(map(str, parts)), "sum": sum(parts), "alone": 4 * 13}


def preempt() -> dict[str, Any]:
    """Hits on one's own remains, apart and counted in."""
    log = run(situation("preempt", "en"))
    statistics = Statistics()
    for event in log.events:
        statistics.add(event)
    asked, found = statistics.lifetime
    asked_again, found_again = statistics.preempted
    return {
        "again": found_again,
        "own": found,
        "rate": percent(found, asked),
        "wrong": percent(found + found_again, asked + asked_again),
    }


def cliff() -> dict[str, Any]:
    """Four recipes in turn, one slot more or less."""
    few, enough = (admitted("P9", num_slots=slots) for slots in (4, 5))
    return {
        "few": percent(sum(hit > 0 for hit, _ in few), len(few)),
        "enough": percent(sum(hit > 0 for hit, _ in enough), len(enough)),
        "few_slots": 4,
        "enough_slots": 5,
    }
