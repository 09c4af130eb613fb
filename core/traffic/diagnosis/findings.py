"""What is found: a cause at a place, and the repairs that gain."""

from __future__ import annotations

from dataclasses import dataclass

from core.traffic.diagnosis.candidates import Repair
from core.traffic.diagnosis.causes import Cause
from core.traffic.diagnosis.kinds import Kind
from core.traffic.diagnosis.shown import Aligned, Change
from core.traffic.diagnosis.skeletons import Span

LEAST_GAIN = 0.0025
"""Of the hit rate: less is not worth a sentence."""


@dataclass(frozen=True, slots=True)
class Also:
    """A second repair of the same offer, for a cause that only shows once the first is repaired."""

    cause: Cause
    path: str
    repair: Repair
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """One piece of the example's prompt in tokens: equal to the other prompt's, changing, and equal again but
    lost."""

    equal: int
    changes: int
    lost: int

    @property
    def num_tokens(self) -> int:
        """Of the whole piece."""
        return self.equal + self.changes + self.lost


@dataclass(frozen=True, slots=True)
class Offer:
    """One repair that gains. ``rate_after`` and ``computed_after`` (tokens): of the whole log with it alone;
    ``num_changed``: requests whose prompt it changes; ``value``: what it sets (a block size), if anything;
    ``change``: what it does to the example; ``also``: what is repaired with it."""

    repair: Repair
    rate_after: float
    computed_after: int
    num_changed: int
    value: int | None = None
    change: Change | None = None
    also: Also | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause at one place, and what repairs it, fewest tokens left to compute first. ``characters``: where
    the example's changing text stands in its piece; ``aligned``: some requests beside each other; ``bar``:
    the example's piece; ``requests``: those that miss because of it, as far as they were looked at."""

    cause: Cause
    path: str
    kind: Kind | None
    characters: Span | None
    num_requests: int
    example: int
    rate_before: float
    computed_before: int
    offers: tuple[Offer, ...]
    aligned: tuple[Aligned, ...] = ()
    bar: Bar | None = None
    requests: frozenset[int] = frozenset()

    @property
    def best(self) -> Offer:
        """The repair with the fewest tokens left."""
        return self.offers[0]

    @property
    def gain(self) -> int:
        """Prompt tokens that need not be computed any more."""
        return self.computed_before - self.best.computed_after
