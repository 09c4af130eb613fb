"""Some requests of a finding beside each other: what is shared, what changes, what is equal and lost."""

from __future__ import annotations

from collections.abc import Sequence

from core.scenario.tokenizer import Tokenizer
from core.traces.model import TraceRequest
from core.traces.pieces import paths_of
from core.traffic.diagnosis.candidates import first_spans
from core.traffic.diagnosis.findings import Bar
from core.traffic.diagnosis.groups import Group
from core.traffic.diagnosis.kinds import Kind, kind_of, kinds_in
from core.traffic.diagnosis.shown import Aligned
from core.traffic.diagnosis.skeletons import Span, skeleton_of

MOST_ALIGNED = 4
_SHOWN = 48
"""Characters between changing spans; longer ones lose their middle."""
_MIDDLE, _MOST_SPANS = 120, 8


def kinds_of_group(group: Group) -> tuple[Kind | None, tuple[Kind, ...]]:
    """What changes first, where it is a span of text: what most of it is, and all that is in it."""
    if group.cause in ("white_space", "letter_case"):
        kind: Kind = "white_space" if group.cause == "white_space" else "letter_case"
        return kind, (kind,)
    if group.spot is None:
        return None, ()
    spans = first_spans(group.spot, group.texts)
    return kind_of(spans), kinds_in(spans)


def characters_of(requests: Sequence[TraceRequest], group: Group) -> Span | None:
    """Where the first changing span stands in the first request that has it; None for whole pieces."""
    if group.cause not in ("changing_text", "white_space", "letter_case", "edited_turn"):
        return None
    mine, theirs = _texts_of_example(requests, group)
    if mine is None or mine == theirs:
        return None
    return _spans_of(group, [mine, theirs])[0][0]


def aligned(requests: Sequence[TraceRequest], group: Group) -> tuple[Aligned, ...]:
    """The earliest, and some later ones; different texts first."""
    pair = group.pairs[0]
    numbers = [pair.other, *(one.request for one in group.pairs)]
    if len(numbers) > MOST_ALIGNED:
        numbers = [*numbers[: MOST_ALIGNED - 1], numbers[-1]]
    texts = {number: _text_at(requests[number], group) for number in dict.fromkeys(numbers)}
    shown = {number: text for number, text in texts.items() if text is not None}
    spans = _spans_of(group, list(shown.values()))
    return tuple(
        Aligned(number, _cut(_parts(text, some)))
        for (number, text), some in zip(shown.items(), spans, strict=True)
    )


def bar_of(requests: Sequence[TraceRequest], group: Group, tokenizer: Tokenizer) -> Bar | None:
    """The example's piece in tokens; None where no text stands there. What a token of the border belongs to
    is decided by where it begins, so the parts may be off by one each."""
    mine, theirs = _texts_of_example(requests, group)
    if mine is None:
        return None
    spans = _spans_of(group, [mine, theirs])[0]
    return Bar(tuple(len(tokenizer.encode(part)) for part in _parts(mine, spans)))


def _spans_of(group: Group, texts: Sequence[str]) -> list[list[Span]]:
    """What changes in each of these texts."""
    if group.spot is not None:
        found = [group.spot.skeleton.words(text) for text in texts]
        if all(found):
            return [spans or [] for spans in found]
    skeleton = skeleton_of(texts[0]) if texts else skeleton_of("")
    for text in texts[1:]:
        skeleton = skeleton.with_text(text)
    exact = group.cause in ("white_space", "letter_case")
    each = [skeleton.spans(text) if exact else skeleton.words(text) for text in texts]
    return [spans or [(len(text), len(text))] for spans, text in zip(each, texts, strict=True)]


def _parts(text: str, spans: Sequence[Span]) -> tuple[str, ...]:
    """Equal and changing in turn."""
    parts, place = [], 0
    for start, stop in spans:
        parts += [text[place:start], text[start:stop]]
        place = stop
    return (*parts, text[place:])


def _texts_of_example(requests: Sequence[TraceRequest], group: Group) -> tuple[str | None, str]:
    pair = group.pairs[0]
    mine, theirs = (_text_at(requests[number], group) for number in (pair.request, pair.other))
    return mine, theirs or ""


def _text_at(request: TraceRequest, group: Group) -> str | None:
    if group.spot is not None:
        number = group.spot.number_in(request)
        return None if number is None else request.segments[number].text
    paths = paths_of(request.segments)
    place = min(group.paths, key=_natural)
    for part, path in zip(request.segments, paths, strict=True):
        if path == place and part.role != "marker":
            return part.text
    return None


def _natural(path: str) -> tuple[int, str]:
    return len(path), path


def _cut(parts: Sequence[str]) -> tuple[str, ...]:
    """As much as a row has room for: of what is equal the ends, of what changes the first few."""
    many = len(parts) > 2 * _MOST_SPANS + 1
    found = []
    for number, part in enumerate(parts[: 2 * _MOST_SPANS + 1]):
        most = _MIDDLE if number % 2 else _SHOWN
        last = number == min(len(parts) - 1, 2 * _MOST_SPANS)
        if last and (many or len(part) > most):
            part = part[:most] + "…"
        elif number == 0 and len(part) > most:
            part = "…" + part[-most:]
        elif len(part) > most:
            part = part[: most // 2] + "…" + part[-most // 2 :]
        found.append(part)
    return tuple(found)
