"""The least memory that is enough: slots for nine tenths of what room for everything would give."""

from __future__ import annotations

from dataclasses import dataclass

from core.replay.runs import replay_runs
from core.traffic.analysis import Analysis

SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Enough:
    """``slots`` reach ``share`` of the rate ``of`` with room for everything (at the time to live that is
    set). ``rate``: what the exact replay gives there, also where the curve itself is not exact."""

    share: float
    slots: int
    rate: float
    of: float


def enough_for(analysis: Analysis, share: float = SHARE) -> Enough | None:
    """None where nothing comes again. The curve points to the place; where copies make it inexact, the exact
    replay corrects it upward, a hundredth at a time."""
    curve = analysis.curve
    of = int(analysis.roomy.sum()) / max(curve.num_tokens, 1)
    slots = curve.enough_for(share * min(of, float(curve.rates[-1]))) if of else None
    while slots is not None:
        rate = replay_runs(analysis.tree, slots, ttl=curve.ttl).hit_rate or 0.0
        if rate >= share * of - 1e-12 or slots > curve.last:
            return Enough(share, slots, rate, of)
        slots += max(slots // 100, 1)
    return None
