"""Every request of a log under one heading: a cause that was found, nothing to repair, or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.traffic.diagnosis.findings import Finding
from core.traffic.misses import Miss

_NOTHING_LOST = ("all", "grown", "too_short")


@dataclass(frozen=True, slots=True)
class Account:
    """Requests. ``of_causes``: one number per finding, each request under the first that has it. ``first``:
    nothing like them before. ``nothing_lost``: reused whatever they could, or only went on from there.
    ``unknown``: why they reused no more was not found."""

    of_causes: tuple[int, ...]
    first: int
    nothing_lost: int
    unknown: int

    @property
    def num_requests(self) -> int:
        """All of them."""
        return sum(self.of_causes) + self.first + self.nothing_lost + self.unknown


def account_of(misses: Sequence[Miss], findings: Sequence[Finding]) -> Account:
    """Count them. O(requests + those of the findings)."""
    of_causes = [0] * len(findings)
    owner: dict[int, int] = {}
    for number, finding in enumerate(findings):
        for request in finding.requests:
            owner.setdefault(request, number)
    first = nothing_lost = unknown = 0
    for miss in misses:
        if miss.request in owner:
            of_causes[owner[miss.request]] += 1
        elif miss.reason in _NOTHING_LOST:
            nothing_lost += 1
        elif miss.reason == "first":
            first += 1
        else:
            unknown += 1
    return Account(tuple(of_causes), first, nothing_lost, unknown)
