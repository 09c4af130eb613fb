"""Causes that no prompt can change: too little room, too short a time, too large blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.replay.prefix_tree import Progress, part_of
from core.traffic.analysis import Analysis
from core.traffic.diagnosis.candidates import Repair
from core.traffic.diagnosis.causes import Cause
from core.traffic.diagnosis.findings import Finding, Offer
from core.traffic.diagnosis.trials import outcome_of, run
from core.traffic.misses import Miss
from core.traffic.settings import Settings

_LEAST_OF_BLOCKS = 0.01
"""Smaller blocks always gain a little: that is no cause."""


def of_settings(
    analysis: Analysis, misses: Sequence[Miss], progress: Progress | None = None
) -> tuple[Finding, ...]:
    """Those whose change gains."""
    found = []
    causes: tuple[Cause, ...] = ("evicted", "expired", "too_short")
    for number, cause in enumerate(causes):
        of_it = [miss for miss in misses if _is(miss, cause)]
        if cause == "too_short":
            of_it = _beginnings(analysis, misses)
        change = _change(analysis, cause)
        if of_it and change is not None:
            one = _finding(analysis, cause, of_it, change, part_of(progress, number, len(causes)))
            found += [] if one is None else [one]
    return tuple(sorted(found, key=lambda one: one.best.computed_after))


def _is(miss: Miss, cause: Cause) -> bool:
    return miss.reason == cause


def _beginnings(analysis: Analysis, misses: Sequence[Miss]) -> list[Miss]:
    """Those that share a beginning which fills smaller blocks, and none of these."""
    size = max(analysis.settings.block_size // 4, 1)
    return [
        miss
        for miss in misses
        if miss.reason == "too_short"
        or (miss.reason == "differs" and miss.block == 0 and miss.common >= size)
    ]


def _change(analysis: Analysis, cause: Cause) -> tuple[Repair, Settings, int | None] | None:
    now = analysis.settings
    if cause == "evicted":
        return "more_slots", replace(now, num_slots=None), None
    if cause == "expired":
        return "longer_ttl", replace(now, ttl_s=None), None
    if now.block_size == 1 or any(request.block_ids is not None for request in analysis.requests):
        return None
    size = max(now.block_size // 4, 1)
    slots = None if now.num_slots is None else now.num_slots * (now.block_size // size)
    return "smaller_blocks", replace(now, block_size=size, num_slots=slots), size


def _finding(
    analysis: Analysis,
    cause: Cause,
    misses: Sequence[Miss],
    change: tuple[Repair, Settings, int | None],
    progress: Progress | None,
) -> Finding | None:
    repair, settings, value = change
    before, after = outcome_of(analysis), run(analysis.requests, settings, progress)
    if not after.gains_on(before, _LEAST_OF_BLOCKS if cause == "too_short" else None):
        return None
    gains = after.of_each - before.of_each
    if cause == "too_short" and 2 * sum(int(gains[miss.request]) for miss in misses) < gains.sum():
        return None  # the gain is another's: what all prompts share ends a little later
    example = max(misses, key=lambda miss: (miss.lost, -miss.request)).request
    offer = Offer(repair, after.rate, after.computed, 0, value)
    of_it = frozenset(miss.request for miss in misses)
    told = (cause, "", None, None, len(misses), example, before.rate, before.computed, (offer,))
    return Finding(*told, requests=of_it)
