"""Series of metrics become readings per engine: which labels name an engine, which counts belong together.

An engine is what has the same labels in every metric of one way to count; labels that only some of them
have (a source, a mode, a rank) cut its count into parts, which are added up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from core.traces.engine_facts import EngineCounters, Labels, Reading
from core.traces.meters.families import By, Family, Meaning, Roles, Way

SPLITS = frozenset(
    {"cache_source", "is_streaming", "le", "mode", "pid", "priority", "quantile", "source", "finished_reason"}
)
"""Labels that cut one engine's count into parts: they are added up."""

Series = dict[tuple[str, str, Labels], dict[int, float]]
Values = dict[int, dict[str, float]]
"""Per moment and field of a reading."""


def engines_of(
    family: Family, every: Series, began: Series, place: Mapping[int, int]
) -> Iterable[EngineCounters]:
    """The engines of one family; `place`: where a moment stands once they are in order."""
    series = {
        key: {place[moment]: value for moment, value in values.items()}
        for key, values in every.items()
        if key[0] == family.name
    }
    taken = _taken(family, series)
    _gauges(family, series, taken)
    births_of = {key: values for key, values in began.items() if key[0] == family.name}
    for engine, (number, values) in sorted(taken.items()):
        births = _births(engine, family.ways[number], births_of, place)
        readings = tuple(
            Reading(moment, **values[moment], began_s=births.get(moment)) for moment in sorted(values)
        )
        window = family.window if any(reading.said is not None for reading in readings) else None
        counts, role = family.counts_of(number), family.role
        yield EngineCounters(family.name, engine, readings, counts, role, window)


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
        first = min((moment for moment, fields in values.items() if role in fields), default=-1)
        for moment, fields in values.items():
            if moment < first and "queries" in fields:
                fields.setdefault(role, 0.0)


def _births(engine: Labels, way: Way, began: Series, place: Mapping[int, int]) -> dict[int, float]:
    """When the engine's counters were at 0: the earliest of its `_created` samples."""
    found: dict[int, float] = {}
    for (_, name, labels), values in began.items():
        if name in way and _compatible(engine, labels):
            for moment, value in values.items():
                found[place[moment]] = min(value, found.get(place[moment], value))
    return found
