"""One row's usage: its shape by its field names, its counts, and both readings where the row does not tell.

What a row proves by itself: more cached (and written) than its input means that the input excludes them; a
total of input + output, where the exporter's total can be trusted, means that it includes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core.traces.reported.conventions import with_both
from core.traces.reported.shapes import LANGFUSE_ANTHROPIC, LANGFUSE_OPENAI, SHAPES, Shape
from core.traces.rows import LARGEST, Row
from core.traces.usage import Convention, Usage


def read_usage(row: Row | None) -> Usage | None:
    """Usage in whichever shape its field names show; None where there is none.

    Raises:
        TraceError: a count that is not a whole number from 0 up.
    """
    if row is None or not row.value:
        return None
    if "prompt_cache_hit_tokens" in row or "prompt_cache_miss_tokens" in row:
        return _deepseek(row)
    found = _known(_names(row.value))
    return None if found is None else _usage(row, *found)


def langfuse_usage(row: Row | None) -> Usage | None:
    """Langfuse's `usageDetails`, whose keys are those of the integration that wrote them.

    Its own total is often the sum of all keys, whether or not the input includes the cached ones, so that a
    sum proves nothing. Undecided rows under OpenAI's key names are usually inclusive, under Anthropic's
    exclusive.
    """
    if row is None or not row.value:
        return None
    if "input" not in row:
        return read_usage(row)
    names = _names(row.value)
    shape = LANGFUSE_ANTHROPIC if _places(_tree(names), LANGFUSE_ANTHROPIC.cached) else LANGFUSE_OPENAI
    return _usage(row, shape, _counts_in(names, shape))


def _usage(row: Row, shape: Shape, places: Counted) -> Usage:
    """The counts of a row of a known shape, that stand in these places."""
    counts = _Counts(*(_first(row, one) for one in places))
    left_out = counts.cached is None and shape.absent == "zero" and counts.given is not None
    if left_out:
        counts = replace(counts, cached=0)
    inside = shape.total_tells and counts.written_inside
    if inside:
        counts = replace(counts, given=(counts.given or 0) - (counts.written or 0))
    short, long = _written_by_life(row)
    if counts.written is None and (short is not None or long is not None):
        counts = replace(counts, written=(short or 0) + (long or 0))
    proof: Convention | None = "exclusive" if inside else _proof(counts, shape)
    convention = shape.convention if shape.sure else proof or shape.convention
    prompt, rest = _prompt(counts, convention)
    found = Usage(
        prompt,
        counts.cached,
        counts.written,
        counts.output,
        short,
        long,
        absent="zero" if left_out else "unknown",
        uncached=rest,
        shape=shape.name,
        convention=convention,
        sure=shape.sure,
        proof=proof,
        adds_up=counts.given is not None and counts.total == counts.given + (counts.output or 0),
    )
    return with_both(found) if not shape.sure and proof is None else found


@dataclass(frozen=True, slots=True)
class _Counts:
    """A row's counts as they stand there."""

    given: int | None
    cached: int | None
    written: int | None
    output: int | None
    total: int | None

    @property
    def apart(self) -> int:
        """What the two conventions disagree about."""
        return (self.cached or 0) + (self.written or 0)

    @property
    def written_inside(self) -> bool:
        """A total that leaves the written tokens out, though not the read ones: the input holds them."""
        if self.given is None or not self.cached or not self.written:
            return False
        return self.written <= self.given and self.total == self.given + self.cached + (self.output or 0)


def _proof(counts: _Counts, shape: Shape) -> Convention | None:
    """What this row's numbers prove."""
    if counts.given is None or not counts.apart:
        return None
    if counts.apart > counts.given:
        return "exclusive"
    told = shape.total_tells and counts.total == counts.given + (counts.output or 0)
    return "inclusive" if told else None


def _prompt(counts: _Counts, convention: Convention) -> tuple[int | None, int | None]:
    """All prompt tokens if the input is meant so, and those surely not read.

    Without a count of writes, written tokens are part of the input.
    """
    if convention == "inclusive":
        return counts.given, None
    rest = None if counts.given is None else counts.given + (counts.written or 0)
    return None if rest is None or counts.cached is None else rest + counts.cached, rest


def _written_by_life(row: Row) -> tuple[int | None, int | None]:
    """Writes for five minutes and for one hour (Anthropic's `cache_creation`, Converse's `cacheDetails`)."""
    parts = row.get("cache_creation")
    if isinstance(parts, dict):
        one = row.object("cache_creation")
        return one.whole_or_none("ephemeral_5m_input_tokens"), one.whole_or_none("ephemeral_1h_input_tokens")
    parts = row.get("cacheDetails")
    if not isinstance(parts, list):
        return None, None
    sums = {"5m": 0, "1h": 0}
    for number, part in enumerate(parts):
        if isinstance(part, dict) and part.get("ttl") in sums:
            one = Row(part, row.place, f"{row.name('cacheDetails')}[{number}]")
            sums[str(part["ttl"])] += one.whole_or_none("inputTokens") or 0
    return sums["5m"], sums["1h"]


def _deepseek(row: Row) -> Usage:
    """Hits and misses; the prompt is their sum."""
    hit, miss = row.whole_or_none("prompt_cache_hit_tokens"), row.whole_or_none("prompt_cache_miss_tokens")
    total = row.whole_or_none("prompt_tokens")
    if total is None and hit is not None and miss is not None:
        total = hit + miss
    return Usage(total, hit, None, row.whole_or_none("completion_tokens"), shape="deepseek")


# -- fields by path ------------------------------------------------------------------------------------
# Rows of one exporter have the same field names: where each count stands is looked up once for these.

Names = tuple[Any, ...]
"""Field names of an object, and (name, its names) for those below which an object stands."""
Place = tuple[str, ...]
"""The fields that lead to a count, from the row on."""
Counted = tuple[tuple[Place, ...], ...]
"""For each count, in the order of `_Counts`, where it may stand."""
DEEPEST = 5
"""Levels of objects in which exporters put their counts."""


def _names(value: Mapping[str, Any], deep: int = DEEPEST) -> Names:
    objects = [name for name, one in value.items() if type(one) is dict] if deep else []
    return tuple(value), tuple((name, _names(value[name], deep - 1)) for name in objects)


def _tree(names: Names) -> dict[str, Any]:
    """The names as objects again; None where a value stands."""
    return dict.fromkeys(names[0]) | {name: _tree(below) for name, below in names[1]}


@lru_cache(maxsize=256)
def _known(names: Names) -> tuple[Shape, Counted] | None:
    """The shape that these field names show."""
    tree = _tree(names)
    for shape in SHAPES:
        asked = (shape.prompt, *(one for one in (shape.needs, shape.also) if one))
        if all(_places(tree, one) for one in asked):
            return shape, _counts_in(names, shape)
    return None


@lru_cache(maxsize=256)
def _counts_in(names: Names, shape: Shape) -> Counted:
    """Where the counts stand; an object in the place of one is another shape's."""
    tree = _tree(names)
    counts = (shape.prompt, shape.cached, shape.written, shape.output, shape.total)
    return tuple(
        tuple(place for place, is_object in _places(tree, paths) if not is_object) for paths in counts
    )


def _places(tree: Mapping[str, Any], paths: Sequence[str]) -> list[tuple[Place, bool]]:
    """Those of the dotted paths that are there, and whether an object stands in each."""
    return [found for path in paths if (found := _place(tree, path)) is not None]


def _place(tree: Mapping[str, Any], path: str) -> tuple[Place, bool] | None:
    """A name may have dots itself: the longest that is there counts."""
    if path in tree:
        return (path,), tree[path] is not None
    outer, _, inner = path.partition(".")
    if not inner or tree.get(outer) is None:
        return None
    found = _place(tree[outer], inner)
    return None if found is None else ((outer, *found[0]), found[1])


def _first(row: Row, places: Sequence[Place]) -> int | None:
    """The first count that is not null."""
    for place in places:
        value: Any = row.value
        for name in place:
            value = value[name]
        if type(value) is int and 0 <= value <= LARGEST:
            return value
        if value is not None:
            holder = row
            for name in place[:-1]:
                holder = holder.object(name)
            count = holder.whole_or_none(place[-1])
            if count is not None:
                return count
    return None
