"""Every request of a log under one heading: a cause that was found, nothing to repair, new, or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.traffic.analysis import Analysis, Ints
from core.traffic.diagnosis.findings import Finding
from core.traffic.diagnosis.stood_before import stood_before
from core.traffic.misses import Miss

Verdict = Literal["causes", "all_new", "nothing_left", "unknown"]
_NOTHING_LOST = ("all", "grown", "too_short")
_OF_SETTING = ("evicted", "expired", "refused")
_CHANCE = 0.1
"""Of what was not reused: so much stands elsewhere by chance."""
_MOST_OF_NEW, _LEAST_NEW = 0.05, 0.9


@dataclass(frozen=True, slots=True)
class Account:
    """Requests. ``of_causes``: one number per finding, each request under the first that has it. ``first``:
    nothing like them before. ``nothing_lost``: reused whatever they could, or only went on from there.
    ``new``: what they did not reuse stands in no earlier prompt. ``by_setting``: the room, or the time to
    live, was not enough, and more of it gains too little. ``unknown``: why they reused no more was not found.
    ``possible_rate``: the hit rate if every token that stands in an earlier prompt were reused; None where
    that cannot be told."""

    of_causes: tuple[int, ...]
    first: int
    nothing_lost: int
    new: int
    by_setting: int
    unknown: int
    possible_rate: float | None

    @property
    def num_requests(self) -> int:
        """All of them."""
        rest = self.first + self.nothing_lost + self.new + self.by_setting + self.unknown
        return sum(self.of_causes) + rest

    @property
    def verdict(self) -> Verdict:
        """In one word: something was found; hardly anything stands twice; what is left is new; or it was not
        found why some reused no more."""
        if self.of_causes:
            return "causes"
        num, rate = self.num_requests, self.possible_rate
        new = self.first + self.new
        if num > 1 and rate is not None and rate < _MOST_OF_NEW and new >= _LEAST_NEW * num:
            return "all_new"
        return "unknown" if self.unknown or rate is None else "nothing_left"


def account_of(analysis: Analysis, misses: Sequence[Miss], findings: Sequence[Finding]) -> Account:
    """Count them. O(tokens of different pieces + requests + those of the findings)."""
    stood = stood_before(analysis.requests, misses)
    of_causes = [0] * len(findings)
    owner: dict[int, int] = {}
    for number, finding in enumerate(findings):
        for request in finding.requests:
            owner.setdefault(request, number)
    counts = {"first": 0, "nothing_lost": 0, "new": 0, "by_setting": 0, "unknown": 0}
    for miss in misses:
        if miss.request in owner:
            of_causes[owner[miss.request]] += 1
        else:
            counts[_heading(analysis, miss, stood)] += 1
    return Account(tuple(of_causes), **counts, possible_rate=_possible(analysis, findings, stood))


def _heading(analysis: Analysis, miss: Miss, stood: Ints | None) -> str:
    if miss.reason in _NOTHING_LOST:
        return "nothing_lost"
    if miss.reason in _OF_SETTING:
        return "by_setting"
    if stood is None:
        return "first" if miss.reason == "first" else "unknown"
    rest = int(analysis.lengths[miss.request]) - miss.hit_tokens
    elsewhere = int(stood[miss.request]) - max(miss.common, miss.hit_tokens)
    if elsewhere >= max(analysis.settings.block_size, _CHANCE * rest):
        return "unknown"
    return "first" if miss.reason == "first" else "new"


def _possible(analysis: Analysis, findings: Sequence[Finding], stood: Ints | None) -> float | None:
    """In full blocks, as a cache keeps them; never less than what a repair reached."""
    if stood is None:
        return None
    size, lengths = analysis.settings.block_size, analysis.lengths
    most = np.minimum(stood // size, (lengths - 1) // size) * size
    total = int(np.maximum(most, analysis.hits).sum()) / max(int(lengths.sum()), 1)
    rates = [offer.rate_after for one in findings for offer in one.offers]
    return max([total, analysis.hit_rate or 0.0, *rates])
