"""Chapter 7's picture: prompts as strips of reused and computed tokens, a verdict on each kind of part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.scenario.use_cases import Outcome, kind_of
from ui.course.ch07_uses.counts import Verdict, drawn
from ui.course.pictures import SIZE, SMALL, WIDTH, width_of
from ui.frame.session import say
from ui.svg.marks import Pen
from ui.words.numbers import never_full

MOST = 6
LEFT, STRIP, ROW = 104, 26, 36
PARTS, BARS = 44, 124


def draw_strips(
    pen: Pen,
    found: Sequence[Outcome],
    names: Mapping[str, str],
    what: str,
    *,
    told: bool = True,
    turns: bool = False,
) -> float:
    """The first prompts and the last, from left to right; returns the height. ``what``: what they are;
    ``told``: what is reused of them shows; ``turns``: they count from 1, as a conversation's turns do."""
    places = drawn(len(found), MOST)
    words = say("course.ch07.drawn.all", n=len(found), what=what)
    if len(places) < len(found):
        words = say("course.ch07.drawn.some", n=len(places) - 1, total=len(found), what=what)
    pen.text(0, 16, words, size=SMALL, colour="muted")
    longest = max(one.total for one in found)
    for row, place in enumerate(places):
        y, one = 30 + ROW * row, found[place]
        share = say("course.ch06.percent", change=never_full(one.hit / one.total, 0))
        pen.text(0, y + 18, f"{place + 1}" if turns else f"R{place}", size=SIZE, bold=True)
        pen.text(LEFT - 10, y + 18, f"✓ {share}" if told else "?", size=SMALL, anchor="end")
        _strip(pen, one, names, y, (WIDTH - LEFT) / longest, told)
    return 30 + ROW * len(places)


def _strip(pen: Pen, one: Outcome, names: Mapping[str, str], y: float, scale: float, told: bool) -> None:
    x = float(LEFT)
    looks = (("hit", "hit_edge", "hit_label"), ("url(#stripes)", "miss_edge", "ink"))
    blank = ("bg", "line", "ink")
    for part, reused, computed in one.split():
        words = f"{names[kind_of(part)]} {part[len(kind_of(part)) :]}".rstrip()
        pieces = zip((reused, computed), looks, strict=True) if told else [(reused + computed, blank)]
        for tokens, (fill, edge, colour) in pieces:
            width = tokens * scale
            if width < 0.5:
                continue
            pen.rect((x, y, max(width - 1, 0.6), STRIP), fill, edge, width=1, radius=2)
            room = width_of(words, SMALL)
            if room + 10 < width:
                if colour == "ink":
                    pen.rect((x + width / 2 - room / 2 - 4, y + 4, room + 8, STRIP - 8), "bg", radius=4)
                pen.text(x + width / 2, y + 18, words, size=SMALL, colour=colour, anchor="middle")
            x += width


def draw_verdicts(pen: Pen, top: float, verdicts: Sequence[Verdict], names: Mapping[str, str]) -> float:
    """One line for each kind of part: the share of its tokens that was reused, and whether to keep it."""
    pen.text(0, top + 24, say("course.ch07.parts"), size=SMALL, colour="muted")
    for row, one in enumerate(verdicts):
        y = top + 36 + ROW * row
        pen.text(0, y + 17, names[one.kind], size=SIZE)
        pen.rect((BARS, y + 3, 90, 16), "none", "line", dash="4 4", radius=3)
        if one.share:
            pen.rect((BARS, y + 3, 90 * one.share, 16), "hit", "hit_edge", radius=3)
        share = say("course.ch06.percent", change=never_full(one.share))
        pen.text(BARS + 98, y + 17, share, size=SMALL)
        verdict = say(f"course.ch07.verdict.{one.word}")
        pen.text(WIDTH, y + 17, verdict, size=SIZE, bold=True, anchor="end")
    return top + PARTS + ROW * len(verdicts)
