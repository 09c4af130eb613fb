"""When a request came, where a format's own names for it are not in the record.

A wide list of names decides first; where none of them is there, the only field that looks like a moment is
it. Names that tell when something ended come last. What was taken, and what else it could have been, is
noted; a log without any time keeps the file's order, and that is noted too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import TraceError
from core.texts import escaped
from core.traces.building.build import Builder
from core.traces.field_map import FieldMap, row_at
from core.traces.mapping.shapes import looks_like_a_moment
from core.traces.names import TIMES, is_late, parts_of_a_second, plain_name
from core.traces.rows import Row
from core.traces.timestamps import time_or_none

_RANKS = {name: rank for rank, name in enumerate(TIMES)}
_SMALL = 1e11
"""From here on a number counts since 1970 in a unit that its size tells."""
_MOST_TOLD = 4


def time_of(builder: Builder, row: Row, fields: FieldMap) -> float | None:
    """The request's time in seconds: by the map's names in the record, by others there, then inside it.

    Raises:
        TraceError: something else stands under the map's name.
    """
    if row.place.dates is not None and row.place.dates.ignored:
        there = next((path for path in fields.time if _holds(row, path)), None)
        return None if there is None else _at(row, there)  # what is passed over counts
    inner = [path for path in fields.time if "." in path]
    for path in fields.time:
        if "." not in path and (found := _at(row, path)) is not None:
            return found
    for name in _others(builder, row, fields) if builder.wants_times and builder.field_map is None else ():
        try:
            found = _at(row, name)
        except TraceError:
            continue  # its name only seemed to say so
        if found is not None:
            return found
    return next((found for path in inner if (found := _at(row, path)) is not None), None)


def _at(row: Row, path: str) -> float | None:
    found = row_at(row, path)
    if found is None or found[0].get(found[1]) == "":
        return None
    seconds = time_or_none(*found)
    if seconds is None or abs(seconds) >= _SMALL:
        return seconds
    value = found[0].get(found[1])
    is_counted = type(value) in (int, float) and abs(value) < _SMALL
    return seconds / parts_of_a_second(path) if is_counted else seconds


def _holds(row: Row, path: str) -> bool:
    found = row_at(row, path)
    return found is not None and found[0].get(found[1]) != ""


def _others(builder: Builder, row: Row, fields: FieldMap) -> tuple[str, ...]:
    """Names of this record that may be its time, likely ones first; one answer for all records of a kind."""
    key = tuple(row.value)
    found = builder.times.get(key)
    if found is None:
        found = candidates(row.value)
        if found and any(_is_there(row.value, path) for path in fields.time if "." in path):
            found = tuple(name for name in found if not is_late(name))
        if len(builder.times) < _MOST_KINDS:
            builder.times[key] = found
        if found:
            _tell(builder, found)
    return found


_MOST_KINDS = 256


def _is_there(data: Mapping[str, Any], path: str) -> bool:
    return path.partition(".")[0] in data


def candidates(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields of a record that may be its time: by name, else the only one that looks like a moment."""
    there = [name for name, value in data.items() if isinstance(value, str | int | float) and value != ""]
    named = [name for name in there if plain_name(name) in _RANKS]
    if named:
        return tuple(sorted(named, key=lambda name: (is_late(name), _RANKS[plain_name(name)])))
    seen = [name for name in there if looks_like_a_moment(data[name])]
    begin = [name for name in seen if not is_late(name)] or seen
    return tuple(begin) if len(begin) == 1 else ()


def _tell(builder: Builder, found: Sequence[str]) -> None:
    if len(found) > 1 and not builder.told_times:
        builder.told_times = True
        others = ", ".join(escaped(name) for name in found[1 : 1 + _MOST_TOLD])
        builder.note("time_taken", taken=escaped(found[0]), others=others)
