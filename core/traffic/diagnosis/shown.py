"""What a repair does to one request, as lines to paste; and one text of several beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from core.traces.model import Segment, TraceRequest
from core.traces.pieces import paths_of
from core.traffic.diagnosis.skeletons import Span

_WIDEST, _MOST_LINES = 160, 24
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Aligned:
    """One request's text at a place: what it has in common with the others, what changes, what follows."""

    request: int
    before: str
    span: str
    behind: str


@dataclass(frozen=True, slots=True)
class Change:
    """Lines that go, lines that come, and both as a unified diff with their place."""

    before: str
    after: str
    diff: str


def change_in(old: TraceRequest, new: TraceRequest) -> Change:
    """What a repair does to one prompt. Long lines are cut around what differs."""
    left, right = _middle(old.segments, new.segments), _middle(new.segments, old.segments)
    paths = paths_of(old.segments)[left[0] : left[1]]
    mine, theirs = _lines(old.segments[slice(*left)]), _lines(new.segments[slice(*right)])
    removed: list[str] = []
    added: list[str] = []
    diff: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if tag == "equal":
            kept = mine[a:b]
            diff += [f"  {_cut(line)}" for line in (kept if len(kept) <= 2 else [kept[0], _CUT, kept[-1]])]
            continue
        pairs = _cut_pairs(mine[a:b], theirs[c:d])
        removed += pairs[0]
        added += pairs[1]
        diff += [f"- {line}" for line in pairs[0]] + [f"+ {line}" for line in pairs[1]]
    named = next((path for path in paths if path), "")
    head = [f"@@ {named} · {old.request_id} @@"]
    return Change(*("\n".join(lines[:_MOST_LINES]) for lines in (removed, added, [*head, *diff])))


def _middle(mine: Sequence[Segment], other: Sequence[Segment]) -> Span:
    """The pieces that are not in both at the beginning or the end."""
    least = min(len(mine), len(other))
    head = next((n for n in range(least) if mine[n] is not other[n]), least)
    rest = least - head
    tail = next((n for n in range(rest) if mine[-1 - n] is not other[-1 - n]), rest)
    return head, len(mine) - tail


def _lines(parts: Sequence[Segment]) -> list[str]:
    return [line for part in parts if part.role != "marker" for line in (part.text or "").splitlines()]


def _cut_pairs(mine: list[str], theirs: list[str]) -> tuple[list[str], list[str]]:
    """Lines that stand for each other are cut around the same place."""
    if len(mine) != len(theirs):
        return [_cut(line) for line in mine], [_cut(line) for line in theirs]
    both = [_cut_around(left, right) for left, right in zip(mine, theirs, strict=True)]
    return [left for left, _ in both], [right for _, right in both]


def _cut(line: str) -> str:
    return line if len(line) <= _WIDEST else line[: _WIDEST // 2] + _CUT + line[-_WIDEST // 3 :]


def _cut_around(left: str, right: str) -> tuple[str, str]:
    least = min(len(left), len(right))
    head = next((n for n in range(least) if left[n] != right[n]), least)
    start = max(head - _WIDEST // 3, 0) if max(len(left), len(right)) > _WIDEST else 0
    lines = []
    for line in (left, right):
        piece = line[start:]
        piece = piece if len(piece) <= _WIDEST else piece[:_WIDEST] + _CUT
        lines.append(_CUT + piece if start else piece)
    return lines[0], lines[1]
