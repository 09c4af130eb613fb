"""Samples of metrics become readings per engine: which scrape, which engine, which counter.

A scrape has no mark of its own. A new one begins where a series comes again, behind `# EOF`, with a new
file, or with a line that is a date. Samples with a time of their own belong to the scrape of that time,
wherever they stand, as in a dump or an answer of Prometheus' API.
"""

from __future__ import annotations

import math
import re

from core.errors import TraceError
from core.traces.engine_facts import Labels, Meters, Moment, OrderOf
from core.traces.meters.engines import Series, engines_of
from core.traces.meters.exposition import Sample
from core.traces.meters.families import FAMILIES
from core.traces.meters.metric_names import Known
from core.traces.problems import Place
from core.traces.rows import LARGEST

MOST_SERIES = 10_000
_DIGITS = re.compile(r"\d{1,18}", re.ASCII)
_EARLY = re.compile(r"(?<![a-z])(?:before|start|begin|first|pre|t0)(?![a-z])", re.I)
_LATE = re.compile(r"(?<![a-z])(?:after|end|finish|last|final|post|t1)(?![a-z])", re.I)


class Gather:
    """The samples of one log."""

    def __init__(self) -> None:
        self._series: Series = {}
        self._older: Series = {}
        self._began: Series = {}
        self._moments: list[Moment] = []
        self._by_time: dict[float, int] = {}
        self._current: int | None = None
        self._seen: set[tuple[str, Labels]] = set()
        self._file: tuple[str, int] = ("", 0)
        self._stamp: float | None = None

    def end_scrape(self, at_s: float | None = None) -> None:
        """What follows is another scrape, made at this time if one is known."""
        self._current = None
        self._stamp = at_s

    def sample(self, place: Place, metric: str, known: Known, sample: Sample) -> None:
        """One number of a metric that is read.

        Raises:
            TraceError: a counter below 0 or no number, or far too many series.
        """
        if place.file != self._file[0] or place.line < self._file[1]:
            self.end_scrape()
        self._file = (place.file, place.line)
        if not known.gauge and not 0 <= sample.value <= LARGEST:
            raise place.wrong(metric, "a number from 0 up", sample.value)
        moment = self._moment(place, metric, sample)
        store = self._began if known.created else self._older if known.older else self._series
        key = (known.family, known.name, sample.labels)
        if key not in store and len(store) >= MOST_SERIES:
            raise _too_many(place, metric)
        if not math.isnan(sample.value):
            store.setdefault(key, {})[moment] = sample.value

    def _moment(self, place: Place, metric: str, sample: Sample) -> int:
        series, at_s = (metric, sample.labels), sample.at_s
        again = self._current is None or series in self._seen
        if at_s is None:
            if again:
                self._begin(self._new(place, self._stamp))
                self._stamp = None
        elif at_s not in self._by_time:
            if again or self._moments[self._current or 0].at_s is not None:
                self._begin(self._new(place, at_s))
            self._date(at_s)
        elif self._current != self._by_time[at_s]:
            self._begin(self._by_time[at_s])
        self._seen.add(series)
        assert self._current is not None
        return self._current

    def _begin(self, moment: int) -> None:
        self._current, self._seen = moment, set()

    def _date(self, at_s: float) -> None:
        """The current scrape has this time: some exporters write times behind counters only."""
        assert self._current is not None
        moment = self._moments[self._current]
        self._moments[self._current] = Moment(moment.file, moment.line, at_s)
        self._by_time[at_s] = self._current

    def _new(self, place: Place, at_s: float | None) -> int:
        self._moments.append(Moment(place.file, place.line, at_s))
        return len(self._moments) - 1

    # -- the end --------------------------------------------------------------------------------------

    def finish(self) -> Meters:
        """Readings per engine, in the order of the moments."""
        order, places = _ordered(self._moments)
        for key, values in self._older.items():
            newer = self._series.setdefault(key, {})
            self._series[key] = values | newer
        place = {old: new for new, old in enumerate(places)}
        engines = [
            engine
            for family in FAMILIES.values()
            for engine in engines_of(family, self._series, self._began, place)
        ]
        moments = tuple(self._moments[place] for place in places)
        return Meters("scrapes", moments, tuple(engines), order)


def _too_many(place: Place, metric: str) -> TraceError:
    return place.wrong(metric, f"at most {MOST_SERIES} series", "more")


def _ordered(moments: list[Moment]) -> tuple[OrderOf, list[int]]:
    """By time where all have one; else by what the files' names say; else as they stand."""
    places = list(range(len(moments)))
    if all(moment.at_s is not None for moment in moments):
        return "time", sorted(places, key=lambda place: moments[place].at_s or 0.0)
    keys = _name_keys([moment.file for moment in moments])
    found = sorted(places, key=keys.__getitem__)
    return ("file" if found == places else "name"), found


def _name_keys(files: list[str]) -> list[tuple[int, ...]]:
    """What to order by: words for early and late, or the numbers of names that differ in them alone."""
    ranks = [_rank(file) for file in files]
    if {0, 2} <= set(ranks):
        return [(rank,) for rank in ranks]
    if len({_DIGITS.sub("", file) for file in files}) == 1:
        return [tuple(map(int, _DIGITS.findall(file))) for file in files]
    return [()] * len(files)


def _rank(file: str) -> int:
    early, late = _EARLY.search(file), _LATE.search(file)
    return 1 if bool(early) == bool(late) else 0 if early else 2
