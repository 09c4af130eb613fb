"""A log's first records as a tree: every field with its path, what it holds, and how many records have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.fields import shown
from core.traces.field_map import entered
from core.traces.rows import Row

Kind = Literal["object", "list", "text", "number", "flag", "null"]
DEEPEST = 8
MOST_LEAVES = 400
"""A record with more fields is shown up to here; a map may still name the others."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One field. `path` is what a `FieldMap` takes; `depth` from 0; `sample` is short; `is_json`: a text that
    holds JSON and is entered; `present_in`: the share of the head's records in which it holds something."""

    path: str
    depth: int
    kind: Kind
    sample: str
    present_in: float
    is_json: bool = False


def tree_of(rows: Sequence[Row]) -> list[Leaf]:
    """The fields of these records, each under its object, in the order in which they first appear. Of a list
    only the first element is entered: the others look alike."""
    first: dict[str, tuple[int, Any]] = {}
    count: dict[str, int] = {}
    order: dict[str, None] = {}
    for row in rows:
        before = ""
        for path, depth, value in _walk(row.value, "", 0):
            if path not in first and len(first) >= MOST_LEAVES:
                continue
            if path not in first or first[path][1] is None:
                first[path] = (depth, value)
            count[path] = count.get(path, 0) + (value is not None)
            order = order if path in order else _inserted(order, path, before)
            before = path
    return [_leaf(path, *first[path], count[path] / len(rows)) for path in order]


def _inserted(order: dict[str, None], path: str, before: str) -> dict[str, None]:
    """The same order with a new path behind the one that it follows in its record."""
    if not before or next(reversed(order)) == before:
        order[path] = None
        return order
    names = [*order]
    names.insert(names.index(before) + 1, path)
    return dict.fromkeys(names)


def _leaf(path: str, depth: int, value: Any, share: float) -> Leaf:
    inner = entered(value)
    kind = _kind(inner)
    return Leaf(path, depth, kind, shown(value), share, isinstance(value, str) and inner is not value)


def _kind(value: object) -> Kind:
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list):
        return "list"
    if isinstance(value, bool):
        return "flag"
    if value is None:
        return "null"
    return "text" if isinstance(value, str) else "number"


def _walk(value: object, path: str, depth: int) -> Iterator[tuple[str, int, Any]]:
    value = entered(value)
    if depth >= DEEPEST:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            here = f"{path}.{name}" if path else str(name)
            if name:
                yield here, depth, inner
                yield from _walk(inner, here, depth + 1)
    elif isinstance(value, list) and value and isinstance(value[0], dict | list):
        here = f"{path}[0]"
        yield here, depth, value[0]
        yield from _walk(value[0], here, depth + 1)
