"""A report that comes from outside, from a file or a link: nothing of it is believed before it is looked at.

What a report of an experiment looks like is learned from reports of that experiment that came with the lab:
which fields there are, of which kind, which may be empty. So a new field needs no second description here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.backends.experiments.report import Json, Report
from core.errors import BackendError

MAX_BYTES = 1_000_000
_MOST_TEXT, _MOST_ITEMS, _MOST_NUMBER = 20_000, 2_000, 1e15
_NUM_ROWS = {"pair": 1, "long": 1, "users": 2, "documents": 2}
"""Experiments whose table has exactly so many rows; others have at least one."""
_NAMES = ("side", "story_id", "reason")
"""Texts that name one of a few things: only those that our own reports name."""
_SHARES = ("hit_rate", "fraction", "saved")
_SIGNED = ("saved", "kl")
_POSITIVE = (
    "runs",
    "rounds",
    "block_size",
    "users",
    "ratio",
    "measured",
    "linear",
    "flops",
    "total",
    "num",
    "requests",
    "num_parameters",
    "wall_ms",
)
_NEW = ("faults", "full_gflops_s", "hit_gflops_s", "total_wall_ms", "runs", "warm_ups", "one")
_NEW_IN_SUMMARY = {"flops", "ratio_low", "ratio_high"}
"""What reports of schema 1 may lack."""
_ONE_WAY = ("prefix", "engines")
"""Whose rows are of several kinds, or packed: no example tells what is right in them."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def read_report(raw: bytes, examples: Iterable[Json]) -> Report:
    """A report from a file that was exported here, alone or as the only one of a list.

    Raises:
        BackendError: too large, no JSON (with the line), no report, or a field (named) that is none.
    """
    if len(raw) > MAX_BYTES:
        raise BackendError(
            "backend.report_size",
            f"The file has {len(raw)} bytes; a report has at most {MAX_BYTES}. Choose one exported here.",
            size=len(raw),
            most=MAX_BYTES,
        )
    try:
        data = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_number)
    except json.JSONDecodeError as problem:
        raise _no_json(problem.lineno, problem.colno) from problem
    except (UnicodeDecodeError, RecursionError, ValueError) as problem:
        raise _no_json(1, 1) from problem
    return checked(data[0] if isinstance(data, list) and len(data) == 1 else data, examples)


def _no_number(name: str) -> float:
    raise ValueError(name)


def _no_json(line: int, column: int) -> BackendError:
    return BackendError(
        "backend.report_json",
        f"This file is no JSON: line {line}, character {column}. Export the result again.",
        line=line,
        column=column,
    )


def checked(data: Any, examples: Iterable[Json]) -> Report:
    """The report, once every field is of the kind that the examples have there. What they do not have is
    left out. ``examples``: as ``Report.to_json`` makes them, of any experiments.

    Raises:
        BackendError: no report, another schema, an unknown experiment, or a field that is missing or wrong.
    """
    report = Report.from_json(data)  # brings older schemas up to date
    if not can_come_back(report.experiment):
        raise BackendError(
            "backend.report_kind", f"Results of {report.experiment} are saved here and not opened again."
        )
    known = [one for one in examples if one["experiment"] == report.experiment]
    if not known:
        raise _wrong("experiment", report.experiment)
    raw = {**report.to_json(), "equality": _as_table(data.get("equality"))}
    old = data["schema"] == 1
    shape = _learned(known, _NEW if old else ())
    if old:
        shape.fields["summary"].always -= _NEW_IN_SUMMARY
    found = _looked_at(raw, shape, "", "")
    _top(found)
    found["schema"], found["versions"] = raw["schema"], _versions(raw["versions"])
    return Report.from_json(found)


def can_come_back(experiment: str) -> bool:
    """Whether its results are opened from files and travel in links."""
    return experiment not in _ONE_WAY


def _as_table(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _top(found: Json) -> None:
    if not _DATE.fullmatch(found["date"]):
        raise _wrong("date", found["date"])
    rows = found["rows"]
    wanted = _NUM_ROWS.get(found["experiment"], len(rows))
    if not rows or len(rows) != wanted:
        raise _wrong("rows", len(rows))


def _versions(value: Any) -> dict[str, str]:
    good = isinstance(value, Mapping) and len(value) <= 20
    if not good or any(not isinstance(one, str) or len(one) > 200 for pair in value.items() for one in pair):
        raise _wrong("versions", value)
    return dict(value)


# -- shapes, learned -------------------------------------------------------------------------------------


@dataclass
class _Shape:
    """What was seen at one place of the examples."""

    kinds: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    fields: dict[str, _Shape] = field(default_factory=dict)
    always: set[str] = field(default_factory=set)
    items: _Shape | None = None


def _learned(values: Sequence[Any], may_lack: Sequence[str] = ()) -> _Shape:
    shape = _Shape({_kind(value) for value in values})
    shape.texts = {value for value in values if isinstance(value, str)}
    tables = [value for value in values if isinstance(value, Mapping)]
    for name in {name for table in tables for name in table}:
        shape.fields[name] = _learned([table[name] for table in tables if name in table], may_lack)
    shape.always = set.intersection(*map(set, tables)) - set(may_lack) if tables else set()
    items = [item for value in values if isinstance(value, (list, tuple)) for item in value]
    shape.items = _learned(items, may_lack) if items else None
    return shape


def _kind(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "bool"
    for kind, types in (
        ("whole", int),
        ("number", float),
        ("text", str),
        ("table", Mapping),
        ("list", (list, tuple)),
    ):
        if isinstance(value, types):
            return kind
    return "?"


# -- one value against its shape -------------------------------------------------------------------------


def _looked_at(value: Any, shape: _Shape, where: str, name: str) -> Any:
    kind = _kind(value)
    if kind == "whole" and "number" in shape.kinds:
        kind = "number"  # 3 is a time as good as 3.0, and 0.5 is no count
    if kind == "none" and ("none" in shape.kinds or name.startswith("cpu_") or name == "threads"):
        return None
    if kind not in shape.kinds:
        raise _wrong(where, value)
    if kind in ("whole", "number"):
        _number(value, where, name)
    elif kind == "text" and name == "reason" and not value:
        return value
    elif kind == "text" and (len(value) > _MOST_TEXT or (name in _NAMES and value not in shape.texts)):
        raise _wrong(where, value)
    elif kind == "list":
        return _items(value, shape, where, name)
    elif kind == "table":
        return _fields(value, shape, where)
    return value


def _items(value: Sequence[Any], shape: _Shape, where: str, name: str) -> list[Any]:
    if len(value) > _MOST_ITEMS or (value and shape.items is None) or (shape.items and not value):
        raise _wrong(where, value)
    return [
        _looked_at(item, shape.items or _Shape(), f"{where}[{at}]", name) for at, item in enumerate(value)
    ]


def _fields(value: Mapping[str, Any], shape: _Shape, where: str) -> Json:
    before = f"{where}." if where else ""
    for name in sorted(shape.always - set(value)):
        raise BackendError(
            "backend.report_missing",
            f"The report lacks the field {before}{name}. Export the result again.",
            where=before + name,
        )
    found = {
        name: _looked_at(value[name], one, before + name, name)
        for name, one in shape.fields.items()
        if name in value and before + name != "versions"
    }
    _between(found, before)
    return found


def _number(value: float, where: str, name: str) -> None:
    base = name.removesuffix("_low").removesuffix("_high")
    good = abs(value) <= _MOST_NUMBER and math.isfinite(value)
    good = good and (value >= 0 or base in _SIGNED)
    good = good and (value > 0 or base not in _POSITIVE)
    if not good or (value > 1 and base in _SHARES):
        raise _wrong(where, value)


def _between(found: Json, before: str) -> None:
    """A number with a smallest and a largest lies between them; none of the three is known alone."""
    for name, value in found.items():
        stem, unit = (name[:-3], "_ms") if name.endswith("_ms") else (name, "")
        low, high = found.get(f"{stem}_low{unit}", value), found.get(f"{stem}_high{unit}", value)
        if _kind(value) in ("whole", "number", "none"):
            good = (low is None) == (high is None) == (value is None)
            if not good or (value is not None and not low <= value <= high):
                raise _wrong(before + name, value)


def _wrong(where: str, value: Any) -> BackendError:
    shown = str(value)
    shown = shown if len(shown) <= 40 else shown[:39] + "…"
    return BackendError(
        "backend.report_value",
        f"{where} cannot be {shown} in a report. Export the result again.",
        where=where,
        value=shown,
    )
