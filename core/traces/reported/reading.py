"""One row's usage: its shape by its field names, its counts, and both readings where the row does not tell.

What a row proves by itself: more cached (and written) than its input means that the input excludes them; a
total of input + output, where the exporter's total can be trusted, means that it includes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.traces.reported.conventions import with_both
from core.traces.reported.shapes import LANGFUSE_ANTHROPIC, LANGFUSE_OPENAI, SHAPES, Shape
from core.traces.rows import Row
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
    shape = next((one for one in SHAPES if _has(row, one.prompt) and _fits(row, one)), None)
    return None if shape is None else usage_of(row, shape)


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
    shape = LANGFUSE_ANTHROPIC if _has(row, LANGFUSE_ANTHROPIC.cached) else LANGFUSE_OPENAI
    return usage_of(row, shape)


def usage_of(row: Row, shape: Shape) -> Usage:
    """The counts of a row under a known shape."""
    counts = _Counts(
        *(
            _first(row, names)
            for names in (shape.prompt, shape.cached, shape.written, shape.output, shape.total)
        )
    )
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
    found = _under(counts, shape.convention if shape.sure else proof or shape.convention, shape)
    found = replace(found, written_5m=short, written_1h=long, proof=proof, sure=shape.sure)
    if left_out:
        found = replace(found, absent="zero")
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


def _under(counts: _Counts, convention: Convention, shape: Shape) -> Usage:
    """Usage if the input is meant so. Without a count of writes, written tokens are part of the input."""
    given, cached, written = counts.given, counts.cached, counts.written
    prompt, rest = given, None
    if convention == "exclusive":
        rest = None if given is None else given + (written or 0)
        prompt = None if rest is None or cached is None else rest + cached
    return Usage(
        prompt,
        cached,
        written,
        counts.output,
        uncached=rest,
        shape=shape.name,
        convention=convention,
    )


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


def _fits(row: Row, shape: Shape) -> bool:
    return (not shape.needs or _has(row, shape.needs)) and (not shape.also or _has(row, shape.also))


def _has(row: Row, names: tuple[str, ...]) -> bool:
    return any(_holder(row, name) is not None for name in names)


def _first(row: Row, names: tuple[str, ...]) -> int | None:
    """The first of these counts that is there and not null; an object in its place is another shape's."""
    for name in names:
        found = _holder(row, name)
        if found is not None and not isinstance(found[0].get(found[1]), dict):
            count = found[0].whole_or_none(found[1])
            if count is not None:
                return count
    return None


def _holder(row: Row, name: str) -> tuple[Row, str] | None:
    """Where a dotted path ends: the object and its last field, present though perhaps null."""
    if name in row:
        return row, name
    outer, _, inner = name.partition(".")
    if not inner or not isinstance(row.get(outer), dict):
        return None
    return _holder(row.object(outer), inner)
