"""What a run has written down up to now, copied: files are made of it while the run goes on."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.load import Arrival, LoadRun, Samples
from core.load.bins import Bins
from core.load.records import Records, Side
from core.types import EngineConfig

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAIN, OTHER = "cached", "plain"


@dataclass(frozen=True)
class Snapshot:
    """``contents``: what the requests are made of, by number, once; ``samples`` are all curves.
    ``num_bins``: complete bins. ``config`` and ``hit_rate``: of the run as it stands, after so many changes
    of settings."""

    records: Records
    bins: Bins
    samples: Samples
    num_bins: int
    config: EngineConfig
    hit_rate: float | None
    num_changes: int
    contents: Iterator[Arrival]

    @property
    def edges(self) -> Floats:
        """0 and the ends of all complete bins, modelled seconds."""
        return self.bins.edges(self.num_bins)

    def side(self, name: str) -> Side:
        """One of the two servers."""
        return self.records.cached if name == MAIN else self.records.plain

    def numbers(self) -> Ints:
        """Requests that have come to the server with the cache, in that order."""
        return np.asarray(self.records.cached.order(), np.int64)


def snapshot(run: LoadRun) -> Snapshot:
    """Copy what is needed: 2 MB at most. Whoever lets the run go on meanwhile must be kept out."""
    return Snapshot(
        copy.deepcopy(run.records),
        copy.deepcopy(run.bins),
        run.samples(),
        run.num_bins,
        run.config,
        run.summary().hit_rate.value,
        len(run.knobs),
        islice(run.contents(), run.records.reach),
    )
