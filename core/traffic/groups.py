"""Who gains: hit rates per session, tenant, tag, template or model, and a verdict for each source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.traces.model import TraceRequest
from core.traffic.analysis import Analysis
from core.traffic.providers import ANTHROPIC_PRICES, WritePrices

Key = Literal["tenant", "template", "tag", "model", "session"]
KEYS: tuple[Key, ...] = ("tenant", "template", "tag", "model", "session")
Verdict = Literal["worth", "room", "little", "never"]


@dataclass(frozen=True, slots=True)
class Group:
    """One source. ``possible_tokens``: hits with room for everything. ``first``: its first request."""

    name: str
    num_requests: int
    num_tokens: int
    hit_tokens: int
    possible_tokens: int
    first: int

    @property
    def rate(self) -> float:
        """Hit tokens / prompt tokens."""
        return self.hit_tokens / max(self.num_tokens, 1)

    @property
    def possible_rate(self) -> float:
        """The same with room for everything."""
        return self.possible_tokens / max(self.num_tokens, 1)

    def verdict(self, prices: WritePrices = ANTHROPIC_PRICES) -> Verdict:
        """Whether caching this source is worth it where storing costs extra.

        never   nothing of it ever comes again
        worth   cheaper with the cache than without
        room    it would be, if less were forgotten
        little  what comes again does not pay for the storing
        """
        if self.possible_tokens == 0:
            return "never"
        if prices.share_paid(self.rate) < 1:
            return "worth"
        return "room" if prices.share_paid(self.possible_rate) < 1 else "little"


def keys_of(analysis: Analysis) -> tuple[Key, ...]:
    """By what the log can be told apart: fields with at least two values."""
    return tuple(key for key in KEYS if len({_value(r, key) for r in analysis.requests}) > 1)


def groups(analysis: Analysis, key: Key, most: int = 50) -> tuple[Group, ...]:
    """The sources with most tokens, largest first; requests without the field stand under an empty name."""
    rows: dict[str, list[int]] = {}
    columns = zip(analysis.lengths.tolist(), analysis.hits.tolist(), analysis.possible.tolist(), strict=True)
    for place, (request, (length, hit, possible)) in enumerate(zip(analysis.requests, columns, strict=True)):
        row = rows.setdefault(_value(request, key), [0, 0, 0, 0, place])
        for at, value in enumerate((1, length, hit, possible)):
            row[at] += value
    found = [Group(name, *numbers) for name, numbers in rows.items()]
    return tuple(sorted(found, key=lambda group: (-group.num_tokens, group.name))[:most])


def whole(analysis: Analysis) -> Group:
    """The log as one source."""
    return Group(
        analysis.name,
        len(analysis.requests),
        int(analysis.lengths.sum()),
        int(analysis.hits.sum()),
        int(analysis.possible.sum()),
        0,
    )


def _value(request: TraceRequest, key: Key) -> str:
    return getattr(request, key) or ""
