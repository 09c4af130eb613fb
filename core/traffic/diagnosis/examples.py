"""Some requests of a finding beside each other: what is shared, what changes, what is equal and lost."""

from __future__ import annotations

from collections.abc import Sequence

from core.scenario.tokenizer import Tokenizer
from core.traces.model import TraceRequest
from core.traces.pieces import paths_of
from core.traffic.diagnosis.candidates import kind_in
from core.traffic.diagnosis.findings import Bar
from core.traffic.diagnosis.groups import Group
from core.traffic.diagnosis.kinds import Kind
from core.traffic.diagnosis.shown import Aligned
from core.traffic.diagnosis.skeletons import Span, skeleton_of

MOST_ALIGNED = 4
_SHOWN = 48
"""Characters in front of and behind a changing span; longer ones lose their middle."""
_MIDDLE = 120


def kind_of_group(group: Group) -> Kind | None:
    """What changes, where it is a span of text."""
    if group.cause == "white_space":
        return "white_space"
    if group.cause == "letter_case":
        return "letter_case"
    return None if group.spot is None else kind_in(group.spot, group.texts)


def characters_of(requests: Sequence[TraceRequest], group: Group) -> Span | None:
    """Where the first changing span stands in the first request that has it; None for whole pieces."""
    if group.cause not in ("changing_text", "white_space", "letter_case", "edited_turn"):
        return None
    pair = group.pairs[0]
    found = _span(requests, group, pair.request, pair.other)
    return None if found is None or found[1] is None else found[1]


def aligned(requests: Sequence[TraceRequest], group: Group) -> tuple[Aligned, ...]:
    """The earliest, and some later ones; different texts first."""
    pair = group.pairs[0]
    numbers = [pair.other, *(one.request for one in group.pairs)]
    if len(numbers) > MOST_ALIGNED:
        numbers = [*numbers[: MOST_ALIGNED - 1], numbers[-1]]
    found = []
    for number in dict.fromkeys(numbers):
        other = pair.request if number == pair.other else pair.other
        one = _span(requests, group, number, other)
        if one is not None:
            against = _text_at(requests[other], group) or ""
            found.append(_cut(number, one[0], one[1] or _differs(one[0], against)))
    return tuple(found)


def bar_of(requests: Sequence[TraceRequest], group: Group, tokenizer: Tokenizer) -> Bar | None:
    """The example's piece in tokens; None where no text stands there. What a token of the border belongs to
    is decided by where it begins, so the parts may be off by one each."""
    pair = group.pairs[0]
    found = _span(requests, group, pair.request, pair.other)
    if found is None:
        return None
    text, span = found
    start, stop = span or _differs(text, _text_at(requests[pair.other], group) or "")
    parts = (text[:start], text[start:stop], text[stop:])
    return Bar(*(len(tokenizer.encode(part)) for part in parts))


def _differs(mine: str, other: str) -> Span:
    """What lies between the common beginning and the common end."""
    least = min(len(mine), len(other))
    start = next((at for at in range(least) if mine[at] != other[at]), least)
    rest = least - start
    end = next((at for at in range(rest) if mine[-1 - at] != other[-1 - at]), rest)
    return start, len(mine) - end


def _span(
    requests: Sequence[TraceRequest], group: Group, number: int, other: int
) -> tuple[str, Span | None] | None:
    """The text at the group's place and the span in it that changes; None if nothing stands there."""
    mine, theirs = _text_at(requests[number], group), _text_at(requests[other], group)
    if mine is None:
        return None
    if group.spot is not None:
        spans = group.spot.skeleton.words(mine)
    else:
        skeleton = skeleton_of(theirs or "").with_text(mine)
        exact = group.cause in ("white_space", "letter_case")
        spans = skeleton.spans(mine) if exact else skeleton.words(mine)
    return mine, spans[0] if spans else None


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


def _cut(number: int, text: str, span: Span) -> Aligned:
    start, stop = span
    before, middle, behind = text[:start], text[start:stop], text[stop:]
    if len(before) > _SHOWN:
        before = "…" + before[-_SHOWN:]
    if len(middle) > _MIDDLE:
        middle = middle[: _MIDDLE // 2] + "…" + middle[-_MIDDLE // 2 :]
    return Aligned(number, before, middle, behind[:_SHOWN] + ("…" if len(behind) > _SHOWN else ""))
