"""Meter: writes down what happens on one server, request by request and bin by bin."""

from __future__ import annotations

import numpy as np

from core.cost import StepWork, TimeModel
from core.engine.events import EvictionCause, RequestAdmitted
from core.load.bins import Bins
from core.load.prompts import Arrival
from core.load.records import Records, Side
from core.load.server import Server
from core.timeline.snapshot import LEVELS, take_levels

CAUSES: tuple[EvictionCause, ...] = ("reused", "cap", "ttl", "forced")


def bins_for(width_s: float, most: int) -> Bins:
    """Bins with the columns that two meters fill, ``cached.…`` and ``plain.…``."""
    per_side = ("computed", "generated", "busy_s", "preempted")
    sums = [f"{side}.{name}" for side in ("cached", "plain") for name in per_side]
    sums += ["queries", "hits", *(f"evicted.{cause}" for cause in CAUSES)]
    return Bins(
        width_s,
        most,
        sums,
        [*LEVELS, *(f"{side}.{name}" for side in ("cached", "plain") for name in ("queue", "inside"))],
    )


class Meter:
    """The listener of one server. Evictions and occupancy are told for the one with the cache only.

    Admissions and evictions count where their step begins, tokens and time where it ends. Levels (occupancy,
    queue) are those after the first step that ends at or after the end of a bin; while nobody is there, those
    that the last step has left.
    """

    def __init__(self, name: str, records: Records, side: Side, bins: Bins, time_model: TimeModel) -> None:
        self._name = name
        self._records = records
        self._side = side
        self._bins = bins
        self._time_model = time_model
        self._has_cache = name == "cached"
        self._evicted: dict[EvictionCause, int] = dict.fromkeys(CAUSES, 0)
        self._pushing: dict[int, int] = {}  # request -> its row for the bin that ends at ...
        self._pushing_until_s = 0.0
        self._num_levelled = 0  # bins whose levels are written
        self._generation = 0
        self._empty: Server | None = None  # while nobody is there
        # Totals of the whole run.
        self.busy_s = 0.0
        self.queries = 0
        self.hits = 0
        self.saved_s = 0.0
        self.computed = 0
        self.num_generated = 0  # answer tokens
        self.num_finished = 0
        self.num_admissions = 0

    def submitted(self, arrival: Arrival, turn: int) -> None:
        """A request reaches the engine."""
        if self._empty is not None:  # the engine is still as the last step has left it
            self.rested(arrival.at_s)
            self._empty = None
        self._records.arrived(self._side, arrival)
        self._side.turn[arrival.number] = turn

    def admitted(self, number: int, at_s: float, event: RequestAdmitted) -> None:
        """The scheduler lets a request in."""
        self.num_admissions += 1
        if event.resumed:
            self._bins.add(f"{self._name}.preempted", at_s)
            return
        if np.isnan(self._side.first_s[number]):  # sent again later on, it has its first token already
            self._side.admitted_s[number] = at_s
            self._side.hit[number] = event.hit_tokens
        if event.counted:
            self.queries += event.num_tokens
            self.hits += event.hit_tokens
            self.saved_s += self._time_model.saved_s(event.num_tokens, event.hit_tokens)
            self._bins.add("queries", at_s, event.num_tokens)
            self._bins.add("hits", at_s, event.hit_tokens)
            if self._has_cache:
                self._records.admissions.add(at_s, number, event.num_tokens, event.hit_tokens)

    def answered(self, number: int, at_s: float) -> None:
        """A request has its first token (told once, even if it is sent again)."""
        self._side.first_s[number] = at_s

    def finished(self, number: int, at_s: float) -> None:
        """A request has its last token."""
        self.num_finished += 1
        self._side.finished_s[number] = at_s

    def stepped(self, start_s: float, end_s: float, work: StepWork, server: Server) -> None:
        """A step is over."""
        self.busy_s += end_s - start_s
        self.computed += work.num_tokens
        self._bins.add(f"{self._name}.busy_s", end_s, end_s - start_s)
        self._bins.add(f"{self._name}.computed", end_s, work.num_tokens)
        self._bins.add(f"{self._name}.generated", end_s, server.num_generated - self.num_generated)
        self.num_generated = server.num_generated
        if self._has_cache:
            self.count_evictions(start_s, server)
            self._count_pushed(start_s, server)
        self._level(end_s, server, server.num_waiting, server.num_inside)
        self._empty = None if server.num_inside else server

    def rested(self, until_s: float) -> None:
        """Time has passed; if nobody is there, the server has stayed as it was."""
        if self._empty is not None:
            self._level(until_s, self._empty, 0, 0)

    def closed(self, num_bins: int) -> None:
        """All is done, in the middle of the last of so many bins."""
        self.rested(num_bins * self._bins.width_s)

    def count_evictions(self, at_s: float, server: Server) -> None:
        """Count what was evicted since the last time as evicted at this moment."""
        now = server.engine.view.num_evicted
        for cause in CAUSES:
            if now[cause] != self._evicted[cause]:
                self._bins.add(f"evicted.{cause}", at_s, now[cause] - self._evicted[cause])
                self._evicted[cause] = now[cause]

    def _count_pushed(self, at_s: float, server: Server) -> None:
        """Who pushed out how many in the step that began at this moment."""
        if not server.pushed:
            return
        until_s = (self._bins.index(at_s) + 1) * self._bins.width_s
        if until_s != self._pushing_until_s:
            self._pushing, self._pushing_until_s = {}, until_s
        for number, blocks in server.pushed.items():
            self._side.evicted[number] += blocks
            if number in self._pushing:
                self._records.pushed.raise_by(self._pushing[number], "blocks", blocks)
            else:
                self._pushing[number] = self._records.pushed.add(at_s, number, blocks)

    def forget_evictions(self) -> None:
        """A fresh engine counts from zero."""
        self._evicted = dict.fromkeys(CAUSES, 0)

    def _level(self, at_s: float, server: Server, num_waiting: int, num_inside: int) -> None:
        """Write the levels of all bins that are over by now."""
        bins = self._bins
        bins.index(at_s)
        while self._generation < bins.generation:
            self._generation += 1
            self._num_levelled //= 2
        num_over = int(at_s / bins.width_s)
        if num_over <= self._num_levelled:
            return
        over = slice(self._num_levelled, num_over)
        bins.levels[f"{self._name}.queue"][over] = num_waiting
        bins.levels[f"{self._name}.inside"][over] = num_inside
        if self._has_cache:
            levels, usable = take_levels(server.engine), server.engine.config.num_usable
            for name in LEVELS:  # as shares: a new block size changes the number of blocks
                bins.levels[name][over] = getattr(levels, name) / usable
        self._num_levelled = num_over
