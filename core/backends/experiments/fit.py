"""Three terms behind the measured times: a fixed part, work per new token, and attention over the past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.backends.spec import DecoderSpec


@dataclass(frozen=True, slots=True)
class Fit:
    """t = fixed + linear FLOPs / rate + attention FLOPs / its rate. A rate is None where its term is 0."""

    fixed_ms: float
    linear_gflops_s: float | None
    attention_gflops_s: float | None
    worst_error: float

    def ms(self, spec: DecoderSpec, num_new: int, num_cached: int) -> float:
        """What the three terms say of one pass."""
        terms = (
            (self.linear_gflops_s, spec.linear_flops(num_new)),
            (self.attention_gflops_s, spec.attention_flops(num_new, num_cached)),
        )
        return self.fixed_ms + sum(flops / rate / 1e6 for rate, flops in terms if rate)

    def to_json(self) -> dict[str, float | None]:
        """For results that are kept."""
        return {name: getattr(self, name) for name in self.__slots__}


def fit_terms(spec: DecoderSpec, points: Sequence[tuple[int, int, float]]) -> Fit:
    """Fit (new tokens, cached tokens, milliseconds): least relative squares, no term below zero."""
    times = np.array([ms for _, _, ms in points])
    table = np.array(
        [[1.0, spec.linear_flops(new) / 1e6, spec.attention_flops(new, old) / 1e6] for new, old, _ in points]
    )
    best, error = np.zeros(3), np.inf
    for count in (1, 2, 3):
        for chosen in map(list, combinations(range(3), count)):
            found, *_ = np.linalg.lstsq(table[:, chosen] / times[:, None], np.ones(len(times)), rcond=None)
            terms = np.zeros(3)
            terms[chosen] = found
            squares = float((((table @ terms) / times - 1) ** 2).sum())
            if found.min() >= 0 and squares < error:
                best, error = terms, squares
    worst = float(np.abs((table @ best) / times - 1).max())
    rates = [1 / float(term) if term > 0 else None for term in best[1:]]
    return Fit(float(best[0]), rates[0], rates[1], worst)
