"""Which bin of a paused load somebody has clicked, and what is known of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.load import Hindsight

LISTS = ("evictors", "misses", "slowest")
_FIRST = {"hit": "misses", "ttft": "slowest", "rate": "slowest", "queue": "slowest"}
"""By strip: the list that leads. Else it is the evictors."""


@dataclass
class Asked:
    """A bin that was clicked, by the end and width it had, and the strip it was clicked in."""

    end_s: float
    width_s: float
    strip: str
    told: Hindsight | None = field(default=None, compare=False)
    """Reasons, once they are known."""

    @property
    def order(self) -> tuple[str, ...]:
        """The lists, the one that the strip is about first."""
        first = _FIRST.get(self.strip, LISTS[0])
        return (first, *(name for name in LISTS if name != first))
