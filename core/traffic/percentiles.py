"""Percentiles of what single requests have: a sum says nothing about the slowest tenth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SHARES = (10, 50, 90)


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Each is a value that a request has (nearest rank): a tenth of the requests have at most ``p10``."""

    p10: float
    p50: float
    p90: float


def percentiles(values: NDArray[np.int64] | NDArray[np.float64]) -> Percentiles:
    """Of at least one value."""
    return Percentiles(*(float(one) for one in np.percentile(values, SHARES, method="inverted_cdf")))
