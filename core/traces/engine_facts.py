"""What a running engine says of itself: counters and announced blocks. No requests, nothing to replay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Labels = tuple[tuple[str, str], ...]
"""Sorted by name: their order in a log says nothing."""
Counts = Literal["tokens", "blocks", "requests"]
Role = Literal["engine", "frontend", "store"]
Window = Literal["since_start", "last_requests", "last_batch", "since_last_log"]
OrderOf = Literal["time", "name", "file"]


@dataclass(frozen=True, slots=True)
class Moment:
    """When an engine was asked (a scrape) or spoke by itself (a line); in seconds, if the log has times."""

    file: str
    line: int
    at_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What one engine's counters stood at; None: it did not say. Counters only grow until a restart.

    `hits` are those of the engine's own cache, `external_hits` those of a store outside it, asked for what
    the own one did not have (`external_queries`). `any_hits`: all hits, where they are not told apart.
    `said`: a rate that the engine worked out itself, over its own window. `began_s`: when all stood at 0.
    """

    moment: int
    queries: float | None = None
    hits: float | None = None
    external_queries: float | None = None
    external_hits: float | None = None
    any_hits: float | None = None
    said: float | None = None
    said_external: float | None = None
    usage: float | None = None
    began_s: float | None = None

    @property
    def counted(self) -> bool:
        """Whether hits can be set against what was asked."""
        return self.queries is not None and (self.hits is not None or self.any_hits is not None)


@dataclass(frozen=True, slots=True)
class EngineCounters:
    """One engine (or one store beside it) and what it said of itself, reading by reading.

    `from_zero`: the first reading counts from 0, because the log itself was added up. `window`: of `said`.
    """

    family: str
    labels: Labels
    readings: tuple[Reading, ...]
    counts: Counts = "tokens"
    role: Role = "engine"
    window: Window | None = None
    from_zero: bool = False

    @property
    def name(self) -> str:
        """Its labels as text."""
        return ", ".join(f"{label}={value}" for label, value in self.labels)

    @property
    def hit_rate(self) -> float | None:
        """Hits / queries of the last reading; None where one is missing, 0 queries, or a contradiction."""
        last = self.readings[-1]
        if not last.queries or last.hits is None or not 0 <= last.hits <= last.queries:
            return None
        return last.hits / last.queries


@dataclass(frozen=True, slots=True)
class Meters:
    """All that engines said of themselves in one log. `order`: what the moments were ordered by."""

    source: Literal["scrapes", "lines"]
    moments: tuple[Moment, ...]
    engines: tuple[EngineCounters, ...]
    order: OrderOf = "file"


@dataclass(frozen=True, slots=True)
class EventTotals:
    """What a recording of KV events tells: blocks that came and went. It holds no request and no hit."""

    num_batches: int = 0
    num_stored: int = 0
    num_removed: int = 0
    num_cleared: int = 0
    num_hashes: int = 0
    num_live: int = 0
    peak_live: int = 0
    num_unknown_removed: int = 0
    block_sizes: tuple[int, ...] = ()
