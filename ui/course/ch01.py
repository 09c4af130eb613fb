"""What chapter 1 counts: work done again on the visitor's own prompt, and what is kept of a token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ui.course.asked import PERCENT, Asked, Words
from ui.course.mine import tokens_of
from ui.course.token_rows import Fate
from ui.stage.own import OwnPrompts

MOST_TIMES = 4
"""How often a question comes at most on the day that is bet on."""


def repeated_tokens(prefix_tokens: int, num_requests: int) -> int:
    """Prompt tokens computed for one prefix when nobody keeps it."""
    return prefix_tokens * num_requests


def kv_bytes_per_token(layers: int, kv_heads: int, head_dim: int, bytes_each: int) -> int:
    """Keys *and* values of one token in all layers."""
    return 2 * layers * kv_heads * head_dim * bytes_each


def fates_without_cache(prompts: Sequence[Sequence[str]]) -> list[list[Fate]]:
    """For each token of prompts that come one after another: is it new work, or was it computed before, with
    the very same text in front of it? O(tokens²) of the longest prompt."""
    seen: set[tuple[str, ...]] = set()
    found: list[list[Fate]] = []
    for words in prompts:
        ends = [tuple(words[: place + 1]) for place in range(len(words))]
        found.append(["again" if end in seen else "new" for end in ends])
        seen.update(ends)
    return found


def day_of(seed: int) -> tuple[int, int, int]:
    """How often each of the three questions comes on the day that is bet on; at least four requests."""
    dice = np.random.default_rng(seed)
    times = dice.integers(1, MOST_TIMES + 1, 3).tolist()
    return times[0], times[1], times[2] + (sum(times) == 3)


def bet_on_repeats(prompt: OwnPrompts, seed: int) -> Asked:
    """How many percent of a day's prompt tokens are computed again when nobody keeps anything."""
    times = day_of(seed)
    prompts = tokens_of(prompt)
    day = [words for words, often in zip(prompts, times, strict=True) for _ in range(often)]
    fates = [fate for row in fates_without_cache(day) for fate in row]
    total, again = len(fates), fates.count("again")
    truth = round(100 * again / total)
    counts = {"again": again, "total": total, "new": total - again, "n": sum(times)}

    def told(answer: float) -> Words:
        off = answer - truth
        return (
            f"course.ch01.bet.{'right' if abs(off) <= PERCENT[0] else 'low' if off < 0 else 'high'}",
            counts,
        )

    return Asked(
        ask="course.ch01.bet.ask",
        args=dict(zip("abc", times, strict=True)) | {f"t{n}": len(words) for n, words in enumerate(prompts)},
        high=100,
        unit="course.bet.unit.percent",
        truth=truth,
        tolerance=PERCENT,
        told=told,
    )
