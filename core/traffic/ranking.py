"""Causes over a whole log, each with the change that helps and the hit rate after it, by running it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.replay.prefix_tree import Progress, build_tree, part_of
from core.scenario.tokenizer import Tokenizer
from core.traces.model import TraceRequest
from core.traffic.analysis import Analysis, replayed
from core.traffic.causes import CAUSES, Cause, Found, find_causes
from core.traffic.misses import Miss, find_misses
from core.traffic.repairs import Repairs
from core.traffic.settings import Settings


@dataclass(frozen=True, slots=True)
class Ranked:
    """One cause. ``lost``: tokens computed again because of it. ``rate_after`` and ``computed_after``: of the
    whole log after the change alone; ``value``: what the change sets (a block size), if anything.
    ``example``: the request that lost most by it."""

    cause: Cause
    num_requests: int
    lost: int
    example: int
    rate_before: float
    rate_after: float | None
    computed_before: int
    computed_after: int | None
    value: int | None = None

    @property
    def gain(self) -> int:
        """Prompt tokens that need not be computed any more."""
        return 0 if self.computed_after is None else self.computed_before - self.computed_after


def misses_of(analysis: Analysis, progress: Progress | None = None) -> list[Miss]:
    """Why each request of the log reused no more."""
    return find_misses(
        analysis.requests,
        analysis.tree,
        analysis.hits.tolist(),
        admitted=analysis.result.admitted.tolist(),
        ttl_s=analysis.settings.ttl_s,
        progress=progress,
    )


def rank_causes(
    analysis: Analysis,
    misses: Sequence[Miss],
    tokenizer: Tokenizer,
    progress: Progress | None = None,
) -> tuple[Ranked, ...]:
    """All causes found, those whose change helps most first."""
    size = analysis.settings.block_size
    found = find_causes(analysis.requests, misses, size, tokenizer, part_of(progress, 0, 2))
    present = [cause for cause in CAUSES if any(one.cause == cause for one in found)]
    later = part_of(progress, 1, 2)
    repairs = Repairs(analysis.requests, tokenizer)
    ranked = []
    for done, cause in enumerate(present):
        ranked.append(_ranked(analysis, cause, found, repairs, part_of(later, done, len(present))))
    return tuple(sorted(ranked, key=lambda one: (-one.gain, -one.lost)))


def _ranked(
    analysis: Analysis, cause: Cause, found: Sequence[Found], repairs: Repairs, progress: Progress | None
) -> Ranked:
    of_it = [one for one in found if one.cause == cause]
    settings, value = _settings_after(analysis, cause)
    requests: tuple[TraceRequest, ...] = analysis.requests
    if repairs.can(cause):
        requests = repairs.without(cause, found, part_of(progress, 0, 2))
    hits, tokens, rate = _run(requests, settings, part_of(progress, 1, 2))
    total, before = int(analysis.lengths.sum()), int(analysis.hits.sum())
    return Ranked(
        cause,
        len(of_it),
        sum(one.lost for one in of_it),
        max(of_it, key=lambda one: (one.lost, -one.request)).request,
        analysis.hit_rate or 0.0,
        rate or 0.0,
        total - before,
        tokens - hits,
        value,
    )


def _settings_after(analysis: Analysis, cause: Cause) -> tuple[Settings, int | None]:
    now = analysis.settings
    if cause == "evicted":
        return replace(now, num_slots=None), None
    if cause == "expired":
        return replace(now, ttl_s=None), None
    if cause == "too_short":
        size = max(now.block_size // 4, 1)
        slots = None if now.num_slots is None else now.num_slots * (now.block_size // size)
        return replace(now, block_size=size, num_slots=slots), size
    return now, None


def _run(
    requests: tuple[TraceRequest, ...], settings: Settings, progress: Progress | None
) -> tuple[int, int, float | None]:
    """(hit tokens, prompt tokens, hit rate of what was admitted) of the whole log."""
    tree = build_tree(requests, settings.block_size, progress=part_of(progress, 0, 2))
    result = replayed(requests, tree, settings, part_of(progress, 1, 2))
    return int(result.hit_tokens.sum()), int(result.num_tokens.sum()), result.hit_rate
