"""Counts of one stretch of time and the three rates in them: local, external, any cache."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from core.traces.engine_facts import Reading

Why = Literal["no_hits", "nothing_asked", "contradictory"]
FIELDS = ("queries", "hits", "external_queries", "external_hits", "any_hits")


@dataclass(frozen=True, slots=True)
class Tally:
    """Differences of counters, in tokens unless the engine says otherwise; None: it does not count that."""

    queries: float | None = None
    hits: float | None = None
    external_queries: float | None = None
    external_hits: float | None = None
    any_hits: float | None = None

    @classmethod
    def between(cls, before: Reading | None, after: Reading) -> Tally:
        """What was counted from one reading to the next; `before` None: from 0."""
        found = {}
        for name in FIELDS:
            end = getattr(after, name)
            begin = 0.0 if before is None else getattr(before, name)
            found[name] = None if end is None or begin is None else end - begin
        return cls(**found)

    @classmethod
    def of(cls, parts: Iterable[Tally]) -> Tally:
        """All of them together. What one of them does not know, the sum does not know."""
        several = list(parts)
        found: dict[str, float | None] = {}
        for name in FIELDS:
            known = [value for part in several if (value := getattr(part, name)) is not None]
            found[name] = sum(known) if known and len(known) == len(several) else None
        return cls(**found)

    @property
    def all_hits(self) -> float | None:
        """Hits of every cache; None where only the own ones are counted."""
        if self.any_hits is not None and self.hits is None:
            return self.any_hits
        return None if self.hits is None or self.external_hits is None else self.hits + self.external_hits

    @property
    def why(self) -> Why | None:
        """Why there is no rate; None where there is one."""
        hits = self.hits if self.hits is not None else self.any_hits
        if self.queries is None or hits is None:
            return "no_hits"
        if not 0 <= hits <= self.queries:
            return "contradictory"
        return None if self.queries else "nothing_asked"

    @property
    def local_rate(self) -> float | None:
        """Tokens from the engine's own cache, of all that were asked for."""
        return _rate(self.hits, self.queries)

    @property
    def any_rate(self) -> float | None:
        """Tokens from any cache, of all that were asked for."""
        return _rate(self.all_hits, self.queries)

    @property
    def external_rate(self) -> float | None:
        """Tokens from the store outside, of those that it was asked for: what the own cache did not have."""
        return _rate(self.external_hits, self.external_queries)


def _rate(hits: float | None, asked: float | None) -> float | None:
    if hits is None or not asked or not 0 <= hits <= asked:
        return None
    return hits / asked
