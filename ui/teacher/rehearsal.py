"""What the last rehearsal of this machine found: kept in a file that git ignores, told to the teacher."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from pathlib import Path

KEPT = Path(__file__).resolve().parents[2] / "test-results" / "rehearsal.json"
"""Where ``python3 run.py rehearse`` leaves its result."""

ENOUGH_S = 2.0
"""Seconds within which 19 of 20 answers must come."""

BUSY = 0.7
"""The share of its time that a server can work; with more, wishes that come together wait for each other."""


@dataclass(frozen=True, slots=True)
class PageRow:
    """One page. ``p95_s``: of its answers in the crowd, None if nobody came by. ``first_cpu_s`` and
    ``cpu_s``: CPU seconds of a first and of a later answer, one visitor alone; ``mib``: what a visitor who
    stays there adds to the server's memory. None where the system does not tell."""

    page: str
    p95_s: float | None
    first_cpu_s: float | None
    cpu_s: float | None
    mib: float | None


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a crowd of simulated visitors met; times in seconds, memory in MiB.

    ``day``: ISO date. ``cpu_s``: CPU seconds of the server for an answer, all that happens by itself
    included; ``mib``: memory for a visitor; ``free_mib``: memory that was free with the crowd there. These
    are None where the system does not tell.
    """

    day: str
    visitors: int
    minutes: float
    think_s: float
    num_answers: int
    p50_s: float
    p95_s: float
    cpu_s: float | None = None
    mib: float | None = None
    free_mib: float | None = None
    pages: tuple[PageRow, ...] = field(default=())

    @property
    def held(self) -> bool:
        """Whether this crowd was answered in time."""
        return self.p95_s <= ENOUGH_S

    def by_cpu(self) -> int | None:
        """Visitors whose wishes keep the server busy for ``BUSY`` of its time.

        A visitor wishes once in ``think_s`` and the answer's own time; all share one Python process, which
        does one CPU second a second at most.
        """
        return None if self.cpu_s is None else math.floor(BUSY * (self.think_s + self.cpu_s) / self.cpu_s)

    def by_memory(self) -> int | None:
        """Those who were there, and as many more as the free memory holds."""
        if self.mib is None or self.free_mib is None or self.mib <= 0:
            return None
        return self.visitors + math.floor(self.free_mib / self.mib)

    @property
    def carries(self) -> int:
        """How many visitors this machine carries: what was computed, unless the crowd showed otherwise."""
        computed = [one for one in (self.by_cpu(), self.by_memory()) if one is not None]
        if self.held:
            return max(self.visitors, min(computed, default=0))
        return min([self.visitors - 1, *computed])


def last(path: Path = KEPT) -> Rehearsal | None:
    """The kept rehearsal; None if there is none, or none that can be read (an older form, a damaged file)."""
    try:
        said = json.loads(path.read_text("utf-8"))
        rows = tuple(PageRow(**row) for row in said.pop("pages"))
        found = Rehearsal(**said, pages=rows)
        date.fromisoformat(found.day)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return found if _is_sound(found) else None


def _is_sound(found: Rehearsal) -> bool:
    numbers = [getattr(found, one.name) for one in fields(found) if one.name not in ("day", "pages")]
    known = [one for one in numbers if one is not None]
    return (
        all(type(one) in (int, float) and math.isfinite(one) and one >= 0 for one in known)
        and None not in (found.visitors, found.minutes, found.think_s, found.p50_s, found.p95_s)
        and type(found.visitors) is int
        and found.visitors > 0
        and found.cpu_s != 0
    )


def keep(found: Rehearsal, path: Path = KEPT) -> None:
    """Write it where ``last`` finds it, in place of the one before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(found), indent=1) + "\n", "utf-8")
