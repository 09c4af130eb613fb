"""Which runs a sheet has, and in which order they help most: what decides comes first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.decision.spec import UNLIMITED, SheetSpec
from core.decision.work import Outcome, Work

Found = Mapping[Work, Outcome]


def plan(spec: SheetSpec) -> tuple[Work, ...]:
    """All runs, seed by seed. Empty: no size has room."""
    if not spec.sizes:
        return ()
    rows = (*spec.sizes, None, UNLIMITED)
    return tuple(Work(gpus, gib, seed) for seed in spec.seeds for gpus in spec.gpus for gib in rows)


def next_work(spec: SheetSpec, found: Found, level_s: float, shown: int) -> Work | None:
    """The run to do next; None: all are done. First what decides how many GPUs hold the level, then the
    curves on ``shown`` GPUs, seed by seed, then the rest of the grid."""
    return next((work for work in _by_use(spec, found, level_s, shown) if work not in found), None)


def _by_use(spec: SheetSpec, found: Found, level_s: float, shown: int) -> Iterator[Work]:
    every = plan(spec)
    if every:
        yield from _deciding(spec, found, level_s, spec.sizes)
        yield from _deciding(spec, found, level_s, (None,))
    yield from (work for work in every if work.gpus == shown)
    yield from (work for work in every if work.gib != UNLIMITED)
    yield from every


def _deciding(
    spec: SheetSpec, found: Found, level_s: float, rows: tuple[float | None, ...]
) -> Iterator[Work]:
    """Cell by cell, from the cheapest on, up to the first that holds. One seed that fails settles a cell."""
    for gpus in spec.gpus:
        for gib in rows:
            for seed in spec.seeds:
                work = Work(gpus, gib, seed)
                yield work
                if work in found and not found[work].holds(level_s):
                    break
            else:
                return
