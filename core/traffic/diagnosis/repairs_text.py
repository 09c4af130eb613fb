"""Repairs of a text that changes early: it moves, goes, or says less."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from core.traces.model import Segment, TraceRequest
from core.traces.pieces import paths_of
from core.traffic.diagnosis.folding import folded, one_white_space
from core.traffic.diagnosis.rewriting import (
    Change,
    Segments,
    Writer,
    target_of,
    without_empty_messages,
)
from core.traffic.diagnosis.skeletons import Skeleton, Span

Spans = Callable[[str], list[Span] | None]


@dataclass(frozen=True, slots=True)
class Spot:
    """One place in the record, and how the texts that stand there look."""

    path: str
    role: str
    skeleton: Skeleton

    def number_in(self, request: TraceRequest) -> int | None:
        """The piece of a prompt that stands at this place and looks like that."""
        paths = paths_of(request.segments)
        for number, (part, path) in enumerate(zip(request.segments, paths, strict=True)):
            if path == self.path and part.role == self.role and part.text is not None:
                return number if self.skeleton.spans(part.text) else None
        return None

    def whole(self, text: str) -> list[Span] | None:
        """The spans to take out: whole lines or sentences where they are short."""
        return self.skeleton.sentences(text)


def moved(spot: Spot, spans: Spans, *, inside: bool = False, in_front: bool = False) -> Change:
    """The changing spans stand behind what is shared: at the end of their own text (``inside``), or at the
    end, or the beginning, of the last message of a user or a tool. No word is lost."""

    def change(writer: Writer, request: TraceRequest) -> Segments:
        at = spot.number_in(request)
        if at is None:
            return request.segments
        part = request.segments[at]
        text = part.text or ""
        found = [span for span in spans(text) or () if text[span[0] : span[1]].strip()]
        taken = "\n".join(text[start:stop].strip() for start, stop in found)
        if not taken:
            return request.segments
        rest = _without(text, found)
        target = at if inside else target_of(request.segments)
        parts: list[Segment | None] = list(request.segments)
        if target is None or target <= at:
            parts[at] = writer.piece(part.role, _behind(rest, taken))
            return tuple(one for one in parts if one is not None)
        parts[at] = writer.piece(part.role, rest) if rest.strip() else None
        last = request.segments[target]
        both = (taken, last.text or "") if in_front else (last.text or "", taken)
        parts[target] = writer.piece(last.role, _behind(*both))
        return without_empty_messages(parts)

    return change


def dropped(spot: Spot, spans: Spans) -> Change:
    """The changing spans are left out."""

    def change(writer: Writer, request: TraceRequest) -> Segments:
        at = spot.number_in(request)
        if at is None:
            return request.segments
        text = request.segments[at].text or ""
        rest = _without(text, spans(text) or [])
        parts: list[Segment | None] = list(request.segments)
        parts[at] = writer.piece(request.segments[at].role, rest) if rest.strip() else None
        return without_empty_messages(parts)

    return change


def rewritten(spot: Spot, how: Callable[[str], str]) -> Change:
    """The changing spans, whole words of them, say something else (a date without its time)."""

    def change(writer: Writer, request: TraceRequest) -> Segments:
        at = spot.number_in(request)
        if at is None:
            return request.segments
        text = request.segments[at].text or ""
        kept, place = [], 0
        for start, stop in spot.skeleton.words(text) or []:
            kept += [text[place:start], how(text[start:stop])]
            place = stop
        return _with(writer, request, at, "".join([*kept, text[place:]]))

    return change


def one_form(paths: Collection[str]) -> Change:
    """One kind of white space and of line ends at these places."""

    def change(writer: Writer, request: TraceRequest) -> Segments:
        parts = list(request.segments)
        for number, path in enumerate(paths_of(request.segments)):
            part = parts[number]
            if path in paths and part.role != "marker" and part.text is not None:
                new = one_white_space(part.text)
                parts[number] = part if new == part.text else writer.piece(part.role, new)
        same = all(new is old for new, old in zip(parts, request.segments, strict=True))
        return request.segments if same else tuple(parts)

    return change


def one_wording(paths: Collection[str]) -> Change:
    """Lines that differ in white space and capitals only are written as they were at first."""
    first: dict[str, str] = {}

    def change(writer: Writer, request: TraceRequest) -> Segments:
        parts = list(request.segments)
        for number, path in enumerate(paths_of(request.segments)):
            part = parts[number]
            if path in paths and part.role != "marker" and part.text is not None:
                lines = part.text.splitlines(keepends=True)
                new = "".join(
                    first.setdefault(folded(line), line) if line.strip() else line for line in lines
                )
                parts[number] = part if new == part.text else writer.piece(part.role, new)
        same = all(new is old for new, old in zip(parts, request.segments, strict=True))
        return request.segments if same else tuple(parts)

    return change


def _with(writer: Writer, request: TraceRequest, at: int, text: str) -> Segments:
    part = request.segments[at]
    if text == part.text or not text:
        return request.segments
    return (*request.segments[:at], writer.piece(part.role, text), *request.segments[at + 1 :])


def _behind(text: str, taken: str) -> str:
    """The text, what was taken elsewhere on lines of its own behind it."""
    ending = text[len(text.rstrip()) :]
    return f"{text.rstrip()}\n{taken}{ending}" if text.strip() else taken


def _without(text: str, spans: list[Span]) -> str:
    """The text without these spans and the white space that they leave double."""
    kept, place = [], 0
    for start, stop in spans:
        kept.append(text[place:start])
        before = text[:start]
        if not before.strip() or before[-1:].isspace():
            stop += len(text[stop:]) - len(text[stop:].lstrip())
        place = stop
    return "".join([*kept, text[place:]])
