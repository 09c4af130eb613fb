"""Samples of metrics become readings per engine: which scrape, which engine, which counter.

A scrape has no mark of its own. A new one begins where a series comes again, behind `# EOF`, with a new
file, or with a line that is a date. Samples with a time of their own belong to the scrape of that time,
wherever they stand, as in a dump or an answer of Prometheus' API.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from core.errors import TraceError
from core.traces.engine_facts import EngineCounters, Meters, Moment, OrderOf, Reading
from core.traces.meters.exposition import Labels, Sample
from core.traces.meters.families import FAMILIES, By, Family, Known, Meaning, Roles, Way
from core.traces.problems import Place
from core.traces.rows import LARGEST

MOST_SERIES = 10_000
SPLITS = frozenset(
    {"cache_source", "is_streaming", "le", "mode", "pid", "priority", "quantile", "source", "finished_reason"}
)
"""Labels that cut one engine's count into parts: they are added up."""
_EARLY = re.compile(r"(?<![a-z])(?:before|start|begin|first|pre|t0)(?![a-z])", re.I)
_LATE = re.compile(r"(?<![a-z])(?:after|end|finish|last|final|post|t1)(?![a-z])", re.I)

Series = dict[tuple[str, str, Labels], dict[int, float]]
Values = dict[int, dict[str, float]]
"""Per moment and field of a reading."""


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
        if sample.at_s is not None:
            if sample.at_s not in self._by_time:
                self._by_time[sample.at_s] = self._new(place, sample.at_s)
            return self._by_time[sample.at_s]
        series = (metric, sample.labels)
        if self._current is None or series in self._seen:
            self._current = self._new(place, self._stamp)
            self._seen, self._stamp = set(), None
        self._seen.add(series)
        return self._current

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
        engines = [
            engine
            for family in FAMILIES.values()
            for engine in self._engines(family, {old: new for new, old in enumerate(places)})
        ]
        moments = tuple(self._moments[place] for place in places)
        return Meters("scrapes", moments, tuple(engines), order)

    def _engines(self, family: Family, place: Mapping[int, int]) -> Iterable[EngineCounters]:
        series = {
            key: {place[moment]: value for moment, value in values.items()}
            for key, values in self._series.items()
            if key[0] == family.name
        }
        taken = _taken(family, series)
        _gauges(family, series, taken)
        began = {key: values for key, values in self._began.items() if key[0] == family.name}
        for engine, (number, values) in sorted(taken.items()):
            births = _births(engine, family.ways[number], began, place)
            readings = tuple(
                Reading(moment, **values[moment], began_s=births.get(moment)) for moment in sorted(values)
            )
            shown = ", ".join(f'{name}="{value}"' for name, value in engine)
            window = family.window if any(reading.said is not None for reading in readings) else None
            counts, role = family.counts_of(number), family.role
            yield EngineCounters(family.name, shown, readings, counts, role, window)


Taken = dict[Labels, tuple[int, Values]]
"""Per engine: in which way it counts, and what."""


def _taken(family: Family, series: Series) -> Taken:
    """Each engine once, in the best way in which it counts hits: two ways would count it twice."""
    taken: Taken = {}
    for number, way in enumerate(family.ways):
        for engine, values in _added(way, series).items():
            alike = [one for one in taken if _compatible(one, engine)]
            if any(_is_counted(taken[one][1]) for one in alike):
                continue
            if alike and not _is_counted(values):
                continue
            for one in alike:
                del taken[one]
            taken[engine] = (number, values)
    return taken


def _compatible(one: Labels, other: Labels) -> bool:
    """Whether two sets of labels can be the same engine: where both have a label, it is the same."""
    mine = dict(one)
    return all(mine.get(label, value) == value for label, value in other)


def _gauges(family: Family, series: Series, taken: Taken) -> None:
    """A rate that the engine worked out, and how full it is: to the engine whose labels fit."""
    for (_, name, labels), found in series.items():
        if name not in (family.gauge, family.usage):
            continue
        role = "said" if name == family.gauge else "usage"
        engine = next((one for one in taken if _compatible(one, labels)), None)
        if engine is None:
            engine = tuple((label, value) for label, value in labels if label not in SPLITS)
            taken[engine] = (0, {})
        for moment, value in found.items():
            fields = taken[engine][1].setdefault(moment, {})
            if 0 <= value <= 1:  # -1 stands for: off
                fields[role] = value


def _too_many(place: Place, metric: str) -> TraceError:
    return place.wrong(metric, f"at most {MOST_SERIES} series", "more")


def _ordered(moments: list[Moment]) -> tuple[OrderOf, list[int]]:
    """By time where all have one; else by what the files' names say; else as they stand."""
    places = list(range(len(moments)))
    if all(moment.at_s is not None for moment in moments):
        return "time", sorted(places, key=lambda place: moments[place].at_s or 0.0)
    ranks = [_rank(moment.file) for moment in moments]
    if {0, 2} <= set(ranks):
        found = sorted(places, key=ranks.__getitem__)
        if found != places:
            return "name", found
    return "file", places


def _rank(file: str) -> int:
    early, late = _EARLY.search(file), _LATE.search(file)
    return 1 if bool(early) == bool(late) else 0 if early else 2


def _engine_labels(way: Way, series: Series) -> frozenset[str]:
    """The labels that name an engine: those that every metric of this way has."""
    by_name: dict[str, set[str]] = defaultdict(set)
    for _, name, labels in series:
        if name in way:
            by_name[name] |= {label for label, _ in labels}
    common = set.intersection(*by_name.values()) if by_name else set()
    return frozenset(common - SPLITS)


def _added(way: Way, series: Series) -> dict[Labels, Values]:
    """What each engine counted in this way, moment by moment."""
    names = _engine_labels(way, series)
    found: dict[Labels, Values] = defaultdict(dict)
    for (_, name, labels), values in series.items():
        if name not in way:
            continue
        engine = tuple((label, value) for label, value in labels if label in names)
        for role in _roles(way[name], dict(labels)):
            for moment, value in values.items():
                fields = found[engine].setdefault(moment, {})
                fields[role] = fields.get(role, 0.0) + value
    in_parts = any(isinstance(meaning, By) for meaning in way.values())
    for moments in found.values():
        _zeros_before_the_first_hit(moments)
        for fields in moments.values():
            if in_parts and "external_hits" in fields:
                fields.setdefault("hits", 0.0)  # parts of one metric: that one is not born yet
            if "hits" in fields or "external_hits" in fields:
                fields.pop("any_hits", None)
    return dict(found)


def _roles(meaning: Meaning, labels: Mapping[str, str]) -> Roles:
    if isinstance(meaning, By):
        return meaning.roles.get(labels.get(meaning.label, ""), meaning.other)
    return meaning


def _is_counted(values: Values) -> bool:
    return any(
        "queries" in fields and ("hits" in fields or "any_hits" in fields) for fields in values.values()
    )


def _zeros_before_the_first_hit(values: Values) -> None:
    """A counter is born with its first count: before a later one it stood at 0, and was not unknown."""
    for role in ("hits", "any_hits", "external_hits"):
        having = [moment for moment, fields in values.items() if role in fields]
        for moment, fields in values.items():
            if having and moment < min(having) and "queries" in fields:
                fields.setdefault(role, 0.0)


def _births(engine: Labels, way: Way, began: Series, place: Mapping[int, int]) -> dict[int, float]:
    """When the engine's counters were at 0: the earliest of its `_created` samples."""
    found: dict[int, float] = {}
    for (_, name, labels), values in began.items():
        if name in way and _compatible(engine, labels):
            for moment, value in values.items():
                found[place[moment]] = min(value, found.get(place[moment], value))
    return found
