"""A run as a short film: one SVG file that plays wherever pictures are shown, without a script.

Each picture is the still of its step (``ui.export.pictures``). What several pictures have in common stands
once in the file and says during which pictures it is seen. Without motion (paper, viewers that do
not animate, people who asked for less of it) the file is its last picture.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ui.export.pictures import frames, stops, title_at, told_at
from ui.stage.payload import Payload
from ui.svg.marks import Pen
from ui.svg.scene import HEIGHT, WIDTH, Picture, draw_frame
from ui.words.i18n import Lang, t
from ui.words.palette import Theme

MAX_PICTURES = 400
"""Pictures in one film: more than a quarter of an hour at two seconds each is no film for slides."""

HOLD_S = 2.0
"""How much longer than the others the last picture stays."""

_STILL = (
    "@media (prefers-reduced-motion:reduce)"
    "{g{visibility:visible!important}g[visibility]{visibility:hidden!important}}"
)
"""The elements themselves say what the last picture shows of them."""

Span = tuple[int, int]
"""From one picture until before another, by number."""


@dataclass(frozen=True, slots=True)
class Film:
    """``svg``: the file. ``spans``: for each of its groups of marks (class ``f0``, ``f1``, …) when it is
    seen; what stands in no group always is. ``steps``: the run's step of each picture. ``pace_s``: seconds
    each."""

    svg: str
    spans: tuple[tuple[Span, ...], ...]
    steps: tuple[int, ...]
    pace_s: float

    @property
    def seconds(self) -> float:
        """How long it plays until it begins again."""
        return len(self.steps) * self.pace_s + HOLD_S


def film_steps(log: Payload, level: str, first: int, last: int) -> list[int]:
    """The steps of a film: both ends, and between them where the stage stops at a step size."""
    return sorted({first, last, *(step for step in stops(log, level) if first < step < last)})


def film(
    log: Payload,
    steps: Sequence[int],
    lang: Lang,
    theme: Theme = "light",
    *,
    level: str = "beat",
    pace_s: float = 2.0,
    loop: bool = True,
) -> Film:
    """The film of ``steps`` (ascending, at most ``MAX_PICTURES`` of them are taken). Same input, same bytes.

    O(pictures x marks in a picture x log marks in the film).
    """
    taken = tuple(steps[:MAX_PICTURES])
    reel = _Reel()
    for parts in _pictures(log, taken, lang, theme, level):
        reel.add(parts)
    pen = Pen(theme)
    spans = reel.write(pen, pace_s)
    pen.parts.append(_clock(len(taken) * pace_s, loop))
    label = t("film.label", lang, title=log["meta"]["title"], first=taken[0], last=taken[-1])
    return Film(pen.document(WIDTH, HEIGHT, label, _STILL), spans, taken, pace_s)


def _pictures(
    log: Payload, steps: Iterable[int], lang: Lang, theme: Theme, level: str
) -> Iterator[list[str]]:
    """The marks of one picture after the other, from the ground up."""
    wanted = set(steps)
    for step, frame in frames(log):
        if step in wanted:
            pen = Pen(theme)
            told, size = told_at(log, step, level), log["meta"]["block_size"]
            draw_frame(Picture(frame, told, log["pieces"], size, lang, False, pen), title_at(log, step))
            yield pen.parts


@dataclass(slots=True)
class _Mark:
    """An element of the drawing: how high it lies, and in which pictures."""

    text: str
    height: float
    seen: list[int] = field(default_factory=list)

    def spans(self) -> tuple[Span, ...]:
        """When it is seen, neighbours put together."""
        runs = groupby(enumerate(self.seen), lambda pair: pair[1] - pair[0])
        together = [[number for _, number in run] for _, run in runs]
        return tuple((run[0], run[-1] + 1) for run in together)


class _Reel:
    """The marks of all pictures, equal ones once, in one order that is right for each picture."""

    def __init__(self) -> None:
        self._marks: list[_Mark] = []  # from the ground up
        self._known: dict[str, list[_Mark]] = {}
        self._num_pictures = 0

    def add(self, parts: Sequence[str]) -> None:
        """One more picture: a mark that lies where the order allows is shared, any other is a new one."""
        below = float("-inf")
        for text in parts:
            mark = next((one for one in self._known.get(text, ()) if one.height > below), None)
            mark = mark or self._insert(text, below)
            mark.seen.append(self._num_pictures)
            below = mark.height
        self._num_pictures += 1

    def _insert(self, text: str, below: float) -> _Mark:
        """A new mark right above a height."""
        place = bisect_right(self._marks, below, key=lambda mark: mark.height)
        under = self._marks[place - 1].height if place else 0.0
        over = self._marks[place].height if place < len(self._marks) else under + 2.0
        mark = _Mark(text, (under + over) / 2)
        if not under < mark.height < over:  # no number is left between the two
            for number, one in enumerate(self._marks):
                one.height = float(number)
            mark.height = place - 0.5
        self._marks.insert(place, mark)
        self._known.setdefault(text, []).append(mark)
        return mark

    def write(self, pen: Pen, pace_s: float) -> tuple[tuple[Span, ...], ...]:
        """All marks, neighbours that are seen together in one group; the groups' spans by number."""
        always = ((0, self._num_pictures),)
        numbers: dict[tuple[Span, ...], int] = {}
        for spans, marks in groupby(self._marks, _Mark.spans):
            inside = "".join(mark.text for mark in marks)
            if spans == always:
                pen.parts.append(inside)
                continue
            number = numbers.setdefault(spans, len(numbers))
            turns = _turns(spans, self._num_pictures, pace_s)
            hidden = "" if spans[-1][1] == self._num_pictures else ' visibility="hidden"'
            pen.parts.append(f'<g class="f{number}"{hidden}>{turns}{inside}</g>')
        return tuple(numbers)


def _turns(spans: Sequence[Span], num_pictures: int, pace_s: float) -> str:
    """When a group differs from what the last picture shows of it, told from the beginning of a turn.

    A browser that knows when the next change is due sleeps until then; style sheets' key frames keep it busy.
    """
    state = "visible"
    if spans[-1][1] == num_pictures:  # seen at the end: say where it is not
        ends = [0, *(place for span in spans for place in span)]
        state, spans = (
            "hidden",
            [span for span in zip(ends[::2], ends[1::2], strict=False) if span[0] < span[1]],
        )
    return "".join(
        f'<set attributeName="visibility" to="{state}" begin="turn.begin+{start * pace_s:g}s" '
        f'dur="{(end - start) * pace_s:g}s"/>'
        for start, end in spans
    )


def _clock(seconds: float, loop: bool) -> str:
    """What all groups go by: a turn of the film, then the rest on its last picture, then another turn."""
    again = ";rest.end" if loop else ""
    turn = f'<set id="turn" attributeName="visibility" to="visible" begin="0s{again}" dur="{seconds:g}s"/>'
    rest = f'<set id="rest" attributeName="visibility" to="visible" begin="turn.end" dur="{HOLD_S:g}s"/>'
    return f"<g>{turn}{rest}</g>"
