"""Where the axes of a sheet's curves begin and end, and what stands beside them. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

NEAR = 0.075
"""Of an axis' length: what two numbers below it must lie apart."""


def share_range(low: float, high: float) -> tuple[float, float]:
    """Whole tens of percent around a curve, at least two of them: a line need not begin at 0, a bar must."""
    first = max(math.floor(low * 10 - 0.2) / 10, 0.0)
    last = min(math.ceil(high * 10 + 0.2) / 10, 1.0)
    return (first, last) if last - first > 0.15 else (max(last - 0.2, 0.0), max(last, 0.2))


def share_ticks(low: float, high: float) -> list[float]:
    """Every ten percent, or every twenty where there are many; always the highest one."""
    count = round((high - low) * 10)
    step = 2 if count > 6 else 1
    return [round(high - place / 10, 2) for place in range(0, count + 1, step)][::-1]


def log_range(values: Sequence[float]) -> tuple[float, float]:
    """From the 1, 2 or 5 below all values to the one above them."""
    return _steps_down(min(values)), _steps_up(max(values))


def log_ticks(low: float, high: float) -> list[float]:
    """The 1, 2 and 5 of every power of ten between two of them; only the 1 where that would be many."""
    ticks = [low]
    while ticks[-1] < high * 0.999:
        ticks.append(_steps_up(ticks[-1] * 1.01))
    tens = [tick for tick in ticks if _leading(tick) == 1]
    return tens if len(ticks) > 9 and len(tens) > 1 else ticks


def size_ticks(sizes: Sequence[float]) -> list[float]:
    """Sizes with room for their numbers on a logarithmic axis, the largest one always among them."""
    low, high = math.log(sizes[0]), math.log(sizes[-1])
    width = (high - low) or 1.0
    kept = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if (math.log(kept[-1]) - math.log(size)) / width >= NEAR:
            kept.append(size)
    return kept[::-1]


def _steps_up(value: float) -> float:
    ten = 10.0 ** math.floor(math.log10(value))
    return next(step for step in (ten, 2 * ten, 5 * ten, 10 * ten) if step >= value * 0.999)


def _steps_down(value: float) -> float:
    ten = 10.0 ** math.floor(math.log10(value))
    return next(step for step in (5 * ten, 2 * ten, ten) if step <= value * 1.001)


def _leading(value: float) -> int:
    return round(value / 10.0 ** math.floor(math.log10(value * 1.001)))
