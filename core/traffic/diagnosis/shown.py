"""What a repair does to one request, as lines to paste; and one text of several beside each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from core.traces.model import Segment, TraceRequest
from core.traffic.diagnosis.skeletons import Span

_WIDEST, _MOST_LINES, _KEPT, _MOST_WORDS = 160, 24, 32, 4000
_WORDS = re.compile(r"\w+|\W")
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Aligned:
    """One request's text at a place: what it has in common with the others and what changes in turn, both
    ends of it in common. Long parts lose their middle."""

    request: int
    parts: tuple[str, ...]

    @property
    def span(self) -> str:
        """What changes first."""
        return self.parts[1]


@dataclass(frozen=True, slots=True)
class Change:
    """Lines that go, lines that come, and both as a unified diff with their place."""

    before: str
    after: str
    diff: str


def change_in(old: TraceRequest, new: TraceRequest, path: str) -> Change:
    """What a repair does to one prompt at ``path``. Long lines lose what is equal in their middle."""
    left, right = _middle(old.segments, new.segments), _middle(new.segments, old.segments)
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
    head = [f"@@ {path} · {old.request_id} @@"]
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
    """Two lines; of what is equal in both only its ends, where they are long."""
    if max(len(left), len(right)) <= _WIDEST:
        return left, right
    one, two = _WORDS.findall(left), _WORDS.findall(right)
    if max(len(one), len(two)) > _MOST_WORDS:
        return _cut(left), _cut(right)
    lines = ["", ""]
    codes = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    for number, (tag, a, b, c, d) in enumerate(codes):
        texts = "".join(one[a:b]), "".join(two[c:d])
        if tag == "equal" and len(texts[0]) > 2 * _KEPT:
            before = texts[0][:_KEPT] if number else ""
            behind = texts[0][-_KEPT:] if number < len(codes) - 1 else ""
            texts = (f"{before}{_CUT}{behind}",) * 2
        lines = [
            line + (text if len(text) <= 4 * _WIDEST else _cut(text))
            for line, text in zip(lines, texts, strict=True)
        ]
    return lines[0], lines[1]
