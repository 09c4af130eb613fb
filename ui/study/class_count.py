"""What the codes of a class say together: who answered what, before and after, and which belief fell.

Times are compared only among those who answered both; where nobody did, the one time there is stands alone.
A missing time is never counted as a wrong answer. A question left out on a sheet that was handed in is an
answer that is not right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ui.study.class_code import Code
from ui.study.ideas import LETTERS, NEW, SIX, TIMES, wrong_letters
from ui.study.six_questions import NOTHING

Counts = Mapping[str, int]
"""A number of people for each time that is counted."""


@dataclass(frozen=True, slots=True)
class Belief:
    """A wrong option, and how many chose it each time."""

    name: str
    letter: str
    held: Counts

    @property
    def drop(self) -> int:
        """How many fewer hold it after than before."""
        return self.held["before"] - self.held["after"]


@dataclass(frozen=True, slots=True)
class Row:
    """One of the six ideas, and how many had it right each time."""

    name: str
    right: Counts

    @property
    def gain(self) -> int:
        """How many more are right after than before; 0 where only one time is counted."""
        return self.right["after"] - self.right["before"] if len(self.right) == 2 else 0


@dataclass(frozen=True, slots=True)
class ClassCount:
    """``num``: sheets that are counted, ``num_aside``: those with one time only, beside others with both.

    ``fell`` is the belief that lost most people, ``still`` the one that most hold at the last time counted
    (another one than ``fell``). ``sure_wrong``: wrong answers to the six that somebody was sure of.
    ``new``: right answers to the two new situations; empty before the second time.
    """

    num: int
    num_aside: int
    times: tuple[str, ...]
    rows: tuple[Row, ...]
    fell: Belief | None
    still: Belief | None
    sure_wrong: Counts
    new: Mapping[str, int]


def count_class(codes: Sequence[Code]) -> ClassCount:
    """Everything the class card says."""
    times, counted = _who_counts(codes)
    rows = [Row(name, _each(counted, times, name, right)) for name, right in SIX.items()]
    rows.sort(key=lambda row: (-row.gain, -row.right[times[-1]]) if times else (0, 0))
    beliefs = [
        Belief(name, letter, _each(counted, times, name, letter))
        for name in SIX
        for letter in wrong_letters(name)
    ]
    fell = max(beliefs, key=lambda one: one.drop) if len(times) == 2 else None
    fell = fell if fell and fell.drop > 0 else None
    rest = [one for one in beliefs if times and one != fell and one.held[times[-1]] > 0]
    return ClassCount(
        num=len(counted),
        num_aside=len(codes) - len(counted),
        times=times,
        rows=tuple(rows),
        fell=fell,
        still=max(rest, key=lambda one: one.held[times[-1]], default=None),
        sure_wrong={time: sum(_num_sure_wrong(code, time) for code in counted) for time in times},
        new={name: _num(counted, "after", name, right) for name, right in NEW.items()}
        if "after" in times
        else {},
    )


def _who_counts(codes: Sequence[Code]) -> tuple[tuple[str, ...], list[Code]]:
    """The times that are counted, and the sheets that have them."""
    both = [code for code in codes if all(code.has(time) for time in TIMES)]
    if both:
        return tuple(TIMES), both
    alone = {time: [code for code in codes if code.has(time)] for time in TIMES}
    time = max(TIMES, key=lambda one: len(alone[one]))
    return ((time,), alone[time]) if alone[time] else ((), [])


def _each(codes: Sequence[Code], times: Sequence[str], name: str, letter: str) -> Counts:
    return {time: _num(codes, time, name, letter) for time in times}


def _num(codes: Sequence[Code], time: str, name: str, letter: str) -> int:
    """How many chose that option, sure or not."""
    place = TIMES[time].index(name)
    return sum(code.of(time)[place].lower() == letter for code in codes)


def _num_sure_wrong(code: Code, time: str) -> int:
    marks = zip(code.of(time), SIX.values(), strict=False)
    return sum(mark.isupper() and mark.lower() != right for mark, right in marks)


def table(codes: Sequence[Code]) -> Iterator[tuple[str, str, str, int, int, int]]:
    """Every option of every question: question, time, letter, people, how many of them sure, sheets with
    that time. The letter of those who left it out is a dot."""
    for time, names in TIMES.items():
        marks = [code.of(time) for code in codes if code.has(time)]
        for place, name in enumerate(names):
            given = [mark[place] for mark in marks]
            for letter in (*LETTERS, NOTHING):
                sure = given.count(letter.upper()) if letter != NOTHING else 0
                yield name, time, letter, given.count(letter) + sure, sure, len(marks)
