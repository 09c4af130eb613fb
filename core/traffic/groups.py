"""Who gains, and when: hit rates per tenant, model, tag, template, session and hour, and a verdict for
each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.traces.model import TraceRequest
from core.traffic.analysis import Analysis
from core.traffic.hours import hour_name, hour_of_day
from core.traffic.percentiles import Percentiles, percentiles
from core.traffic.providers import Rule

Key = Literal["tenant", "model", "tag", "template", "session", "hour", "hour_of_day"]
KEYS: tuple[Key, ...] = get_args(Key)
HOURS: tuple[Key, ...] = ("hour", "hour_of_day")
MOST, MOST_HOURS = 50, 24 * 14
Verdict = Literal["worth", "room", "longer", "short", "little", "never"]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Group:
    """One source. ``possible_tokens``: hits with room for everything and no time to live. ``first``: its
    first request. ``paid``, ``paid_roomy``, ``paid_possible``: what it costs under the rule, in tokens at
    the usual price: as it is, with room for everything, and without a time to live too. ``num_below``:
    requests shorter than the rule's minimum. ``rates``, ``lengths``: over its requests, one value each."""

    name: str
    num_requests: int
    num_tokens: int
    hit_tokens: int
    possible_tokens: int
    first: int
    paid: float
    paid_roomy: float
    paid_possible: float
    num_below: int
    rates: Percentiles
    lengths: Percentiles

    @property
    def rate(self) -> float:
        """Hit tokens / prompt tokens."""
        return self.hit_tokens / max(self.num_tokens, 1)

    @property
    def possible_rate(self) -> float:
        """The same with room for everything and no time to live."""
        return self.possible_tokens / max(self.num_tokens, 1)

    def verdict(self) -> Verdict:
        """Whether caching this source is worth it under the rule.

        never   nothing of it ever comes again
        worth   cheaper with the cache than without
        room    it would be, if less had to make room
        longer  it would be, if it were kept longer
        short   no request of it is long enough to be stored
        little  what comes again does not pay for the storing
        """
        if self.possible_tokens == 0:
            return "never"
        if self.num_below == self.num_requests:
            return "short"
        if self.paid < self.num_tokens:
            return "worth"
        if self.paid_roomy < self.num_tokens:
            return "room"
        return "longer" if self.paid_possible < self.num_tokens else "little"


def keys_of(analysis: Analysis) -> tuple[Key, ...]:
    """By what the log can be told apart: fields with at least two values."""
    found = []
    for key in KEYS:
        names = values_of(analysis.requests, analysis.start_s, key)
        first = next(names, "")
        if any(name != first for name in names):
            found.append(key)
    return tuple(found)


def groups(
    analysis: Analysis, key: Key, rule: Rule | None = None, most: int | None = None
) -> tuple[Group, ...]:
    """The sources with most tokens, largest first; requests without the field stand under an empty name.
    Hours stand in their own order."""
    members: dict[str, list[int]] = {}
    for place, name in enumerate(values_of(analysis.requests, analysis.start_s, key)):
        members.setdefault(name, []).append(place)
    sizes = {name: int(analysis.lengths[places].sum()) for name, places in members.items()}
    limit = most or (MOST_HOURS if key in HOURS else MOST)
    names = sorted(members, key=lambda name: (-sizes[name], name))[:limit]
    found = [_group(analysis, name, np.array(members[name], np.int64), rule or Rule()) for name in names]
    if key in HOURS:
        found.sort(key=lambda one: (key == "hour" and one.first, one.name))
    return tuple(found)


def whole(analysis: Analysis, rule: Rule | None = None) -> Group:
    """The log as one source."""
    return _group(analysis, analysis.name, np.arange(len(analysis.requests), dtype=np.int64), rule or Rule())


def _group(analysis: Analysis, name: str, places: Ints, rule: Rule) -> Group:
    lengths, hits, possible = analysis.lengths[places], analysis.hits[places], analysis.possible[places]
    paid, roomy, best = (
        float(rule.paid(lengths, one).sum()) for one in (hits, analysis.roomy[places], possible)
    )
    return Group(
        name,
        len(places),
        int(lengths.sum()),
        int(hits.sum()),
        int(possible.sum()),
        int(places[0]),
        paid,
        roomy,
        best,
        int(rule.below(lengths).sum()),
        percentiles(hits / np.maximum(lengths, 1)),
        percentiles(lengths),
    )


def values_of(requests: Sequence[TraceRequest], start_s: float | None, key: Key) -> Iterator[str]:
    """What the field says, request by request; empty where it says nothing."""
    for request in requests:
        if key == "hour":
            yield hour_name(start_s, request.arrival_s)
        elif key == "hour_of_day":
            yield hour_of_day(start_s, request.arrival_s)
        else:
            yield getattr(request, key) or ""
