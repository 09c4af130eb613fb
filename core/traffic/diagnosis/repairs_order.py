"""Repairs of an order: tools, the keys of JSON, documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from core.traces.model import Segment, TraceRequest
from core.traces.pieces import paths_of
from core.traffic.diagnosis.causes import as_json, tool_name
from core.traffic.diagnosis.folding import paragraphs
from core.traffic.diagnosis.rewriting import Change, Segments, Writer

_STYLES: tuple[dict[str, Any], ...] = tuple(
    {"ensure_ascii": ascii_only, **style}
    for ascii_only in (False, True)
    for style in ({}, {"separators": (",", ":")}, {"indent": 2}, {"indent": 4}, {"indent": 1})
)
_MOST_TOOLS = 256
_DEEPEST = 20
_Keys = tuple[str, ...]
Rank = Callable[[str], tuple[int, str]]


def sorted_tools(writer: Writer, request: TraceRequest) -> Segments:
    """Tools stand in the order of their texts."""
    return _with_tools(request, sorted((p for p in request.segments if p.role == "tools"), key=_text))


def one_key_order(writer: Writer, request: TraceRequest) -> Segments:
    """Tools and texts that are JSON are written with sorted keys."""
    return tuple(_with_keys(writer, part, _sorted) for part in request.segments)


def sorted_tools_and_keys(writer: Writer, request: TraceRequest) -> Segments:
    """The same, and tools in the order of their texts."""
    parts = one_key_order(writer, request)
    return _with_tools_in(parts, sorted((p for p in parts if p.role == "tools"), key=_text))


def all_tools(requests: Sequence[TraceRequest]) -> Change:
    """Every request has all the tools that it and others like it have, in one order."""
    known: dict[str, Segment] = {}
    group: dict[str, str] = {}
    for request in requests:
        names = [_named(part, known) for part in request.segments if part.role == "tools"]
        for name in names[1:]:
            group[_root(group, name)] = _root(group, names[0])
    unions: dict[str, list[Segment]] = {}
    for name, part in known.items():
        unions.setdefault(_root(group, name), []).append(part)

    def change(_writer: Writer, request: TraceRequest) -> Segments:
        mine = [part for part in request.segments if part.role == "tools"]
        if not mine:
            return request.segments
        union = unions.get(_root(group, _text(mine[0]).strip()), mine)
        names = {tool_name(_text(part)) for part in union}
        too_many = len(union) > min(_MOST_TOOLS, 8 * len(mine))
        return request.segments if too_many or len(names) < len(union) else _with_tools(request, union)

    return change


def _named(part: Segment, known: dict[str, Segment]) -> str:
    name = _text(part).strip()
    known.setdefault(name, part)
    return name


def _root(group: dict[str, str], name: str) -> str:
    while group.get(name, name) != name:
        group[name] = group.get(group[name], group[name])
        name = group[name]
    return name


def _with_tools(request: TraceRequest, tools: Iterable[Segment]) -> Segments:
    return _with_tools_in(request.segments, list(tools), request.segments)


def _with_tools_in(
    parts: Sequence[Segment], tools: Sequence[Segment], before: Segments | None = None
) -> Segments:
    """These tools where the first tool stood, and no others."""
    places = [number for number, part in enumerate(parts) if part.role == "tools"]
    if not places:
        return tuple(parts) if before is None else before
    rest = [part for part in parts[places[0] :] if part.role != "tools"]
    return (*parts[: places[0]], *tools, *rest)


# -- JSON ------------------------------------------------------------------------------------------------


def stable_keys_first(path: str, texts: Sequence[str]) -> Change:
    """In a JSON text at this place the keys whose values stay stand first, inside each other too. ``texts``:
    some that stand there."""
    values: dict[_Keys, set[str]] = {}
    for text in texts:
        _collect(as_json(text), (), values)

    def ordered(value: object, keys: _Keys = ()) -> object:
        if not isinstance(value, dict) or len(keys) > _DEEPEST:
            return value
        order = sorted(value, key=lambda key: len(values.get((*keys, key), ())))
        return {key: ordered(value[key], (*keys, key)) for key in order}

    def change(writer: Writer, request: TraceRequest) -> Segments:
        parts = list(request.segments)
        for number, at in enumerate(paths_of(request.segments)):
            if at == path and parts[number].role != "marker":
                parts[number] = _with_keys(writer, parts[number], ordered)
        return tuple(parts)

    return change


def _collect(value: object, keys: _Keys, values: dict[_Keys, set[str]]) -> None:
    """Which different values stand under each key, and under the keys inside it."""
    if isinstance(value, dict) and len(keys) <= _DEEPEST:
        for key, one in value.items():
            values.setdefault((*keys, key), set()).add(json.dumps(one, sort_keys=True))
            _collect(one, (*keys, key), values)


def _with_keys(writer: Writer, part: Segment, ordered: Callable[[object], object]) -> Segment:
    text = part.text or ""
    value = as_json(text) if part.role != "marker" else None
    if value is None:
        return part
    body = text.strip()
    style = next((one for one in _STYLES if json.dumps(value, **one) == body), _STYLES[0])
    start = text.index(body)
    written = json.dumps(ordered(value), **style)
    return writer.piece(part.role, text[:start] + written + text[start + len(body) :])


def _sorted(value: object) -> object:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


# -- documents -------------------------------------------------------------------------------------------


def sorted_documents(requests: Sequence[TraceRequest], roles: Collection[str]) -> Change:
    """Paragraphs and pieces that occur in several prompts stand in one order, the most frequent first."""
    counts: Counter[str] = Counter()
    for request in requests:
        for part in request.segments:
            if part.role in roles and part.text is not None:
                counts.update({part.text, *paragraphs(part.text)})

    def rank(text: str) -> tuple[int, str]:
        return -counts[text], text

    def change(writer: Writer, request: TraceRequest) -> Segments:
        inner = [
            _sorted_inside(writer, part, counts, rank) if part.role in roles else part
            for part in request.segments
        ]
        return _sorted_runs(inner, roles, counts, rank)

    return change


def _sorted_inside(writer: Writer, part: Segment, counts: Counter[str], rank: Rank) -> Segment:
    parts = _text(part).split("\n\n")
    places = [place for place, text in enumerate(parts) if counts[text] > 1]
    for place, text in zip(places, sorted((parts[p] for p in places), key=rank), strict=True):
        parts[place] = text
    return writer.piece(part.role, "\n\n".join(parts)) if len(places) > 1 else part


def _sorted_runs(parts: list[Segment], roles: Collection[str], counts: Counter[str], rank: Rank) -> Segments:
    """Pieces of one message that occur in several prompts, in the fixed order."""
    start = 0
    while start < len(parts):
        stop = start
        while stop < len(parts) and parts[stop].role in roles and counts[_text(parts[stop])] > 1:
            stop += 1
        if stop - start > 1:
            parts[start:stop] = sorted(parts[start:stop], key=lambda part: rank(_text(part)))
        start = max(stop, start + 1)
    return tuple(parts)


def _text(part: Segment) -> str:
    return part.text or ""
