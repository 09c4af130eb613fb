"""What is found: a cause at a place, and the repairs that gain."""

from __future__ import annotations

from dataclasses import dataclass

from core.traffic.diagnosis.candidates import LOSING, Repair
from core.traffic.diagnosis.causes import Cause
from core.traffic.diagnosis.kinds import Kind
from core.traffic.diagnosis.shown import Aligned, Change
from core.traffic.diagnosis.skeletons import Span

LEAST_GAIN = 0.0025
"""Of the hit rate: less is not worth a sentence."""
_NEARLY_ALL, _LEAST_OF_MISSES = 0.99, 0.25
CLOSE = 0.05
"""Of the hit rate: who loses no more by it keeps the meaning rather."""


def least_gain(rate: float, missed: float) -> float:
    """What a repair has to add to this hit rate to be worth a sentence. Where nearly all is reused, the same
    cause makes a smaller part of the log: then a part of what is missed in full blocks."""
    return LEAST_GAIN if rate < _NEARLY_ALL else min(LEAST_GAIN, _LEAST_OF_MISSES * missed)


@dataclass(frozen=True, slots=True)
class Also:
    """A second repair of the same offer, for a cause that only shows once the first is repaired."""

    cause: Cause
    path: str
    repair: Repair
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """One piece of the example's prompt in tokens, part by part: equal to the other prompt's, changing, equal
    again but lost, changing again, …"""

    parts: tuple[int, ...]

    @property
    def num_tokens(self) -> int:
        """Of the whole piece."""
        return sum(self.parts)

    @property
    def equal(self) -> int:
        """In front of all that changes."""
        return self.parts[0]

    @property
    def changes(self) -> int:
        """What changes first."""
        return self.parts[1]

    @property
    def lost(self) -> int:
        """Equal again behind it."""
        return sum(self.parts[2::2])

    @property
    def changes_later(self) -> tuple[int, ...]:
        """What changes behind that."""
        return self.parts[3::2]


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

    @property
    def keeps_meaning(self) -> bool:
        """Whether nothing that the prompt says is lost."""
        return self.repair not in LOSING and (self.also is None or self.also.repair not in LOSING)


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause at one place, and what repairs it, fewest tokens left to compute first. ``characters``: where
    the example's changing text stands in its piece, ``kinds``: what is in it; ``aligned``: some requests
    beside each other; ``bar``: the example's piece; ``requests``: those that miss because of it, as far as
    they were looked at."""

    cause: Cause
    path: str
    kind: Kind | None
    characters: Span | None
    num_requests: int
    example: int
    rate_before: float
    computed_before: int
    offers: tuple[Offer, ...]
    kinds: tuple[Kind, ...] = ()
    aligned: tuple[Aligned, ...] = ()
    bar: Bar | None = None
    requests: frozenset[int] = frozenset()

    @property
    def best(self) -> Offer:
        """The repair with the fewest tokens left."""
        return self.offers[0]

    @property
    def advised(self) -> int:
        """The number of the offer to begin with: the best one that keeps the meaning, where it is close."""
        keeping = (number for number, offer in enumerate(self.offers) if offer.keeps_meaning)
        number = next(keeping, 0)
        return number if self.best.rate_after - self.offers[number].rate_after <= CLOSE else 0

    @property
    def gain(self) -> int:
        """Prompt tokens that need not be computed any more."""
        return self.computed_before - self.best.computed_after
