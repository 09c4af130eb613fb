"""Stand-ins for a clock and for work that takes time."""

from __future__ import annotations

from core.backends.base import PrefillResult


def took(wall_s: float, cpu_s: float | None = None) -> PrefillResult:
    """A computation that took so long."""
    return PrefillResult(None, 1, 1.0, wall_s, cpu_s)
