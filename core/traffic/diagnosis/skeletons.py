"""What several texts have in common, in order: fixed chunks, and between them the spans that change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

_ATOM = re.compile(r"\w+|\s+|[^\w\s]")
_SHORTEST = 12
"""Characters of a chunk that is no chance."""
_MOST_ATOMS = 1200
_PIECE = re.compile(r"[^\n.!?。！？]*[\n.!?。！？]|[^\n.!?。！？]+")
"""Sentences: where there are too many words to compare."""
_GAP = "\0gap\0"
_WORD = r"[^\s\"'<>(){}\[\]|=，。、（）「」]"
_WORD_BEFORE = re.compile(rf"{_WORD}*$")
_WORD_BEHIND = re.compile(rf"{_WORD}*(?<![.,;:!?])|")
_BREAK = re.compile(r"\n|(?<=[.!?])\s|(?<=[。！？])")
"""Behind a line or a sentence."""
_STARTS_ANEW, _ENDS = re.compile(r"\s|$"), re.compile(r"^$|\s$|[。！？]$")
_LONGEST_WORD, _LONGEST_UNIT = 48, 64
Span = tuple[int, int]
"""Of characters: the first, and the one behind the last."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """``chunks``: fixed texts; between each two stands a span that changes. The first and the last may be
    empty: then the text begins, or ends, with such a span."""

    chunks: tuple[str, ...]

    @property
    def num_fixed(self) -> int:
        """Characters that stay."""
        return sum(map(len, self.chunks))

    def with_text(self, text: str) -> Skeleton:
        """What is left of it where this text counts too."""
        flat: list[str] = []
        for number, chunk in enumerate(self.chunks):
            flat += ([_GAP] if number else []) + _ATOM.findall(chunk)
        return Skeleton(_common(flat, _ATOM.findall(text)))

    def spans(self, text: str) -> list[Span] | None:
        """The changing spans of a text that has this skeleton; None for any other."""
        first, last = self.chunks[0], self.chunks[-1]
        if len(self.chunks) == 1:
            return [] if text == first else None
        if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
            return None
        start, stop = len(first), len(text) - len(last)
        found = []
        for chunk in self.chunks[1:-1]:
            place = text.find(chunk, start, stop)
            if place < 0:
                return None
            found.append((start, place))
            start = place + len(chunk)
        return [*found, (start, stop)]

    def words(self, text: str) -> list[Span] | None:
        """The spans widened to whole words."""
        return self._widened(text, _around(self, False))

    def sentences(self, text: str) -> list[Span] | None:
        """The spans widened to their lines or sentences, where the rest of those is short."""
        return self._widened(text, _around(self, True))

    def _widened(self, text: str, around: Sequence[Span]) -> list[Span] | None:
        """An empty span stays empty; one that ends a word, a line, a sentence by itself goes no further."""
        spans = self.spans(text)
        if spans is None:
            return None
        wide: list[Span] = []
        for (start, stop), (before, behind) in zip(spans, around, strict=True):
            inside = text[start:stop]
            one = (
                start - (0 if _STARTS_ANEW.match(inside) else before),
                stop + (0 if _ENDS.search(inside) else behind),
            )
            if wide and one[0] <= wide[-1][1]:
                one = (wide.pop()[0], one[1])
            wide.append(one)
        return wide

    def around(self, whole: bool) -> list[Span]:
        """Fixed characters before and behind each span that belong to its word, or (``whole``) to its line or
        sentence."""
        found = []
        for left, right in zip(self.chunks, self.chunks[1:], strict=False):
            before, behind = _length(_WORD_BEFORE, left), _length(_WORD_BEHIND, right)
            found.append((before if before <= _LONGEST_WORD else 0, behind if behind <= _LONGEST_WORD else 0))
        for first, last in self._units() if whole else ():
            before, behind = _behind_break(self.chunks[first]), _upto_break(self.chunks[last])
            inner = self.chunks[first + 1 : last]
            if before + behind + sum(map(len, inner)) > _LONGEST_UNIT:
                continue
            for number in range(first, last):
                start = before if number == first else 0
                found[number] = (start, behind if number == last - 1 else len(self.chunks[number + 1]))
        return found

    def _units(self) -> Iterator[Span]:
        """Of each line or sentence with spans: the chunk in front of the first, the one behind the last."""
        first = 0
        for number in range(1, len(self.chunks)):
            if number == len(self.chunks) - 1 or _BREAK.search(self.chunks[number]):
                yield first, number
                first = number


@lru_cache(maxsize=256)
def _around(skeleton: Skeleton, whole: bool) -> list[Span]:
    """Once for all texts of a skeleton."""
    return skeleton.around(whole)


def skeleton_of(text: str) -> Skeleton:
    """A text alone: nothing of it changes."""
    return Skeleton((text,))


def _length(form: re.Pattern[str], text: str) -> int:
    found = form.search(text)
    return len(found[0]) if found else 0


def _behind_break(text: str) -> int:
    """Characters behind the last break."""
    start = 0
    for found in _BREAK.finditer(text):
        start = found.end()
    return len(text) - start


def _upto_break(text: str) -> int:
    """Characters up to the first break; white space that makes it stays out."""
    found = _BREAK.search(text)
    return len(text) if found is None else found.start() if found[0].isspace() else found.end()


def _common(one: list[str], other: list[str]) -> tuple[str, ...]:
    """The chunks that both have in order."""
    least = min(len(one), len(other))
    head = next((at for at in range(least) if one[at] != other[at]), least)
    rest = least - head
    tail = next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)
    middle_one, middle_other = one[head : len(one) - tail], other[head : len(other) - tail]
    if not middle_one and not middle_other:
        return ("".join(one),)
    if max(len(middle_one), len(middle_other)) > _MOST_ATOMS:
        middle_one, middle_other = (_PIECE.findall("".join(parts)) for parts in (middle_one, middle_other))
    middle: list[str] = []
    if max(len(middle_one), len(middle_other)) <= _MOST_ATOMS:
        blocks = SequenceMatcher(None, middle_one, middle_other, autojunk=False).get_matching_blocks()
        middle = ["".join(middle_one[a : a + size]) for a, _, size in blocks]
    end = one[len(one) - tail :] if tail else []
    return _chunks("".join(one[:head]), middle, "".join(end))


def _chunks(first: str, middle: Sequence[str], last: str) -> tuple[str, ...]:
    """Without those that are too short to mean anything. Gaps inside head and tail stay gaps."""
    head, tail = first.split(_GAP), last.split(_GAP)
    inner = [chunk for chunk in (*head[1:], *middle, *tail[:-1]) if len(chunk.strip()) >= _SHORTEST]
    end = tail[-1] if len(tail[-1].strip()) >= _SHORTEST or not tail[-1].strip() else ""
    return (head[0], *inner, end)
