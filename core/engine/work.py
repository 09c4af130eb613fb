"""What the model has to work through: prompt tokens, answer tokens, and both again after a preemption.

Counted when the pass computes them, not when they are planned (vLLM's ``num_computed_tokens`` grows with the
plan). A token counts as prompt or answer once, however often it is computed; every further time it counts as
recomputed. So for each prompt reused + computed + reserved + waiting = asked, at every moment.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """What a pass over some tokens in a row comes to, and how far the request has ever come after it."""

    computed: int
    decoded: int
    recomputed: int
    reached: int


def share_of(start: int, end: int, reached: int, num_prompt: int) -> Share:
    """A pass computes tokens ``start`` to ``end`` of a request that had once come as far as ``reached``.

    >>> share_of(8, 13, reached=8, num_prompt=11)
    Share(computed=3, decoded=2, recomputed=0, reached=13)
    >>> share_of(4, 13, reached=12, num_prompt=11)
    Share(computed=0, decoded=1, recomputed=8, reached=13)
    """
    first = max(start, reached)
    num_new = max(end - first, 0)
    decoded = min(max(end - max(first, num_prompt), 0), num_new)
    return Share(num_new - decoded, decoded, end - start - num_new, max(reached, end))


def newly_reused(hit_tokens: int, reached: int, num_prompt: int) -> int:
    """Prompt tokens that an admission finds and that the request had neither found nor computed before: all
    hits at the first admission; after a preemption as a rule none."""
    return max(min(hit_tokens, num_prompt) - reached, 0)
