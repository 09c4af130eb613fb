"""The same slots, divided: each tenant gets a part of its own, and shares with nobody else.

Exact: each tenant's requests are replayed alone, in a cache of its own slots, at the log's own times. A
pool for all lends idle slots to whoever needs them and stores a common system prompt once; quotas protect
the small from the large.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.replay.prefix_tree import Progress, build_tree, part_of
from core.traffic.analysis import Analysis, replayed
from core.traffic.settings import Settings

Shares = Literal["equal", "tokens"]
MOST_TENANTS = 200


@dataclass(frozen=True, slots=True)
class Quota:
    """One tenant. ``num_slots``: its own, None with room for everything; hits with them and in the pool for
    all; ``num_refused``: requests larger than its own slots (they count as not reused)."""

    name: str
    num_requests: int
    num_tokens: int
    num_slots: int | None
    hit_tokens: int
    shared_hit_tokens: int
    num_refused: int

    @property
    def rate(self) -> float:
        """Hit rate with the quota."""
        return self.hit_tokens / max(self.num_tokens, 1)

    @property
    def shared_rate(self) -> float:
        """Hit rate in the pool for all."""
        return self.shared_hit_tokens / max(self.num_tokens, 1)

    @property
    def gain(self) -> int:
        """Tokens reused more (or less) than in the pool for all."""
        return self.hit_tokens - self.shared_hit_tokens


@dataclass(frozen=True, slots=True)
class Quotas:
    """All tenants, most tokens first, and both rates of the whole log (refused requests as not reused)."""

    shares: Shares
    tenants: tuple[Quota, ...]

    @property
    def rate(self) -> float:
        """With quotas."""
        return sum(one.hit_tokens for one in self.tenants) / self._num_tokens

    @property
    def shared_rate(self) -> float:
        """In the pool for all."""
        return sum(one.shared_hit_tokens for one in self.tenants) / self._num_tokens

    @property
    def _num_tokens(self) -> int:
        return max(sum(one.num_tokens for one in self.tenants), 1)


def quotas(analysis: Analysis, shares: Shares = "equal", progress: Progress | None = None) -> Quotas | None:
    """Divide the slots among the tenants, equally or by their prompt tokens; None where there is one
    tenant, or more than ``MOST_TENANTS``."""
    members: dict[str, list[int]] = {}
    for place, request in enumerate(analysis.requests):
        members.setdefault(request.tenant or "", []).append(place)
    if not 2 <= len(members) <= MOST_TENANTS:
        return None
    tokens = {name: int(analysis.lengths[places].sum()) for name, places in members.items()}
    names = sorted(members, key=lambda name: (-tokens[name], name))
    slots = divided(
        analysis.settings.num_slots, [tokens[name] if shares == "tokens" else 1 for name in names]
    )
    found = []
    for done, (name, own) in enumerate(zip(names, slots, strict=True)):
        now = part_of(progress, done, len(names))
        found.append(_alone(analysis, name, members[name], own, now))
    return Quotas(shares, tuple(found))


def divided(num_slots: int | None, weights: list[int]) -> Iterator[int | None]:
    """Whole slots in proportion to the weights, all of them given out (largest remainders first)."""
    if num_slots is None:
        yield from [None] * len(weights)
        return
    total = max(sum(weights), 1)
    parts = [num_slots * weight // total for weight in weights]
    remainders = sorted(range(len(weights)), key=lambda at: (-(num_slots * weights[at] % total), at))
    for at in remainders[: num_slots - sum(parts)]:
        parts[at] += 1
    yield from parts


def _alone(
    analysis: Analysis, name: str, places: list[int], slots: int | None, progress: Progress | None
) -> Quota:
    """One tenant's requests in a cache of their own; without a single slot nothing of them is served."""
    requests = [analysis.requests[place] for place in places]
    settings = analysis.settings
    lengths, shared = analysis.lengths[places], analysis.hits[places]
    tree = build_tree(requests, settings.block_size, progress=part_of(progress, 0, 2))
    hits, refused = 0, len(places)
    if slots != 0:
        own = Settings(settings.block_size, slots, settings.ttl_s)
        result = replayed(requests, tree, own, part_of(progress, 1, 2))
        hits, refused = int(result.hit_tokens.sum()), result.num_refused
    return Quota(name, len(places), int(np.sum(lengths)), slots, hits, int(np.sum(shared)), refused)
