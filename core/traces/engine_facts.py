"""What a running engine says of itself: counters and announced blocks. No requests, nothing to replay."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineCounters:
    """A running engine's own counters, in tokens, since it started; null where it does not report one."""

    labels: str
    queries: int | None
    hits: int | None
    kv_usage: float | None

    @property
    def hit_rate(self) -> float | None:
        """Hits / queries; None where a counter is missing, nothing was asked or the two contradict."""
        if self.queries is None or self.hits is None or not 0 <= self.hits <= self.queries:
            return None
        return self.hits / self.queries if self.queries else None


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
