"""Chapter 12, numbers of the theme on practice."""

from __future__ import annotations

from typing import Any

from ui.interview.runs import COST, admitted, hits, percent

WRITE, WRITE_LONG, READ = 1.25, 2.0, 0.1
"""A provider's multiples of the input price: a short-lived write, a long-lived one, a read."""


def change() -> dict[str, Any]:
    """One token of a prompt is another one; ``place`` counts from 1, as everywhere in the course. It is the
    last of its block, where a rule that counts from 0 would give a block too many."""
    total, place = 113, 48
    before = list(range(total))
    after = [*before[: place - 1], 77_777, *before[place:]]
    hit = hits([before, after])[1]
    return {"total": total, "place": place, "hit": hit, "lost": total - hit, "size": 16}


def thinking() -> dict[str, Any]:
    """The next turn, with the thoughts in the history and without."""
    prompt, thought, answer, question = 48, 40, 16, 8
    said = list(range(900_000, 900_000 + thought + answer))
    asked = list(range(5_000, 5_000 + question))
    kept = [*range(prompt), *said, *asked]
    stripped = [*range(prompt), *said[thought:], *asked]
    both = [hits([range(prompt), turn], answers=[thought + answer])[1] for turn in (kept, stripped)]
    return {
        "prompt": prompt,
        "thought": thought,
        "answer": answer,
        "kept": both[0],
        "stripped": both[1],
        "all": len(kept),
        "less": len(stripped),
        "new_kept": len(kept) - both[0],
        "new_stripped": len(stripped) - both[1],
    }


def routed(waiting: int, tokens: int, cached: int) -> int:
    """Work in front of the answer on one replica: what waits there, and what of this prompt is new to it."""
    return waiting + tokens - cached


def route() -> dict[str, Any]:
    """Round robin, and a choice between two replicas."""
    prefix, replicas, tokens = 1_000, 4, 2_400
    return {
        "prefix": f"{prefix:,}",
        "replicas": replicas,
        "cold": f"{prefix * replicas:,}",
        "tokens": f"{tokens:,}",
        "warm_wait": "6,000",
        "warm_cached": "2,000",
        "warm": f"{routed(6_000, tokens, 2_000):,}",
        "idle_wait": 500,
        "idle": f"{routed(500, tokens, 0):,}",
    }


def uses_to_win(write: float, read: float = READ) -> int:
    """The first number of uses at which one write and the reads after it cost less than no cache."""
    uses = 1
    while write + (uses - 1) * read >= uses:
        uses += 1
    return uses


def price() -> dict[str, Any]:
    """When a write comes back."""
    short, long = uses_to_win(WRITE), uses_to_win(WRITE_LONG)
    cost = WRITE + (short - 1) * READ
    return {
        "write": WRITE,
        "read": READ,
        "uses": short,
        "cost": f"{cost:g}",
        "saved": f"{100 * (short - cost) / short:g}",
        "write_long": f"{WRITE_LONG:g}",
        "uses_long": long,
        "cost_long": f"{WRITE_LONG + (long - 1) * READ:g}",
    }


def speed() -> dict[str, Any]:
    """Counted and modelled gain of one hit."""
    hit, total = admitted("L640")[1]
    compared = COST.compare(total, hit)
    return {
        "total": total,
        "computed": total - hit,
        "claim": f"{compared.linear_ratio:g}",
        "ratio": f"{compared.ratio:.1f}",
        "ten": f"{COST.compare(10 * total, 10 * hit).ratio:.1f}",
        "hundred": f"{COST.compare(100 * total, 100 * hit).ratio:.1f}",
        "model": COST.model.name,
        "gpu": COST.gpu.name,
    }


def metric() -> dict[str, Any]:
    """Four hit rates of three requests."""
    rows = admitted("P1")
    return {
        "tokens": percent(sum(hit for hit, _ in rows), sum(total for _, total in rows)),
        "requests": percent(sum(hit > 0 for hit, _ in rows), len(rows)),
        "mean": percent(sum(hit / total for hit, total in rows), len(rows)),
        "later": percent(sum(hit for hit, _ in rows[1:]), sum(total for _, total in rows[1:])),
    }


def decode_same() -> dict[str, Any]:
    """A hit or not, the context of a decode step is as long."""
    return {"tokens": "4,096", "decode": f"{1e3 * COST.decode_s([4_096]):.1f}"}
