"""Chapter 4's picture: blocks from top to bottom, each with its tags of now and before, in a chain."""

from __future__ import annotations

from collections.abc import Sequence

from ui.course.ch04 import BlockPair
from ui.course.pictures import SIZE, SMALL, WIDTH
from ui.frame.session import say
from ui.svg.marks import Pen, fit
from ui.words.visible import visible_text

MOST = 8
ROW, TOP = 52, 30
_TAGS = 226  # where the column of tags begins


def shown_rows(rows: Sequence[BlockPair]) -> tuple[int, Sequence[BlockPair]]:
    """At most so many blocks, with the first changed one among them; and how many stand before."""
    changed = next((row.index for row in rows if row.verdict not in ("hit", "last")), 0)
    first = max(min(changed - 3, len(rows) - MOST), 0)
    return first, rows[first : first + MOST]


def draw_chain(pen: Pen, rows: Sequence[BlockPair], *, asked: bool = True) -> float:
    """Draw them; returns the height. ``asked``: the prompt has come again, so each block has its verdict;
    before that it only has its tag."""
    before, shown = shown_rows(rows)
    pen.text(4, 18, say("course.ch04.head.second"), size=SMALL, colour="muted")
    pen.text(_TAGS, 18, say(f"course.ch04.head.{'tags' if asked else 'tag'}"), size=SMALL, colour="muted")
    y: float = TOP
    if before:
        pen.text(4, y + 14, say("course.ch04.before", n=before), size=SMALL, colour="muted")
        y += 24
    for place, row in enumerate(shown):
        _block(pen, row, y, asked)
        if place + 1 < len(shown) and shown[place + 1].second_tag:
            pen.parts.append(_link(y + ROW - 12, pen.colour["line"]))
        y += ROW
    if behind := len(rows) - before - len(shown):
        pen.text(
            4,
            y + 14,
            say(f"course.ch04.behind{'' if asked else '.more'}", n=behind),
            size=SMALL,
            colour="muted",
        )
        y += 24
    return y + 4


def _link(y: float, colour: str) -> str:
    """From a tag down to the next one."""
    x = _TAGS + 34
    path = f"M{x} {y}V{y + 9}M{x - 4} {y + 5}L{x} {y + 10}L{x + 4} {y + 5}"
    return f'<path d="{path}" stroke="{colour}" stroke-width="2" fill="none"/>'


def _block(pen: Pen, row: BlockPair, y: float, asked: bool) -> None:
    hit, tail = row.verdict == "hit", row.verdict == "tail"
    edge = ("hit_edge" if hit else "miss_edge") if asked else "line"
    pen.rect((2, y, _TAGS - 16, ROW - 12), "bg", edge, width=2, dash="6 4" if tail else "")
    if asked:
        pen.rect((2, y, 7, ROW - 12), "hit" if hit else "url(#stripes)", radius=3)
    words = visible_text("".join(row.second))
    same = row.first == row.second
    pen.text(16, y + 26, fit(words, _TAGS - 40, SIZE), size=SIZE, bold=not same)
    if tail:
        pen.text(_TAGS, y + 26, say("course.ch04.verdict.tail"), size=SMALL, colour="muted")
        return
    if not asked:
        pen.rect((_TAGS, y + 3, 66, ROW - 18), "bg", "line", width=2)
        pen.text(_TAGS + 33, y + 26, str(row.second_tag), size=SIZE, mono=True, anchor="middle")
        return
    _tags(pen, row, y)


def _tags(pen: Pen, row: BlockPair, y: float) -> None:
    """One tag if it stayed, else the old one struck out and the new one."""
    hit, box = row.first_tag == row.second_tag, (_TAGS, y + 3, 66, ROW - 18)
    if hit:
        pen.rect(box, "cached", "hit_edge", width=2)
        pen.text(_TAGS + 33, y + 26, str(row.second_tag), size=SIZE, mono=True, anchor="middle")
    else:
        pen.rect(box, "miss_soft", "miss_edge", width=2)
        pen.text(_TAGS + 33, y + 26, str(row.second_tag), size=SIZE, mono=True, bold=True, anchor="middle")
        pen.text(_TAGS + 74, y + 26, row.first_tag or "", size=SMALL, mono=True, colour="muted", struck=True)
    glyph = "check" if row.verdict == "hit" else "plus"
    pen.glyph(glyph, WIDTH - 22, y + 12, 16, "hit_edge" if row.verdict == "hit" else "miss_edge")
