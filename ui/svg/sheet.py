"""A frame for paper: the pool and the free queue alone, in letters large enough for half a page's width.

Paper is written on and copied in grey: all grounds are white, states differ by border, pattern and glyph.
"""

from __future__ import annotations

from core.timeline.frame import Frame
from ui.svg.marks import Pen
from ui.svg.scene import BLANK, STATES, Picture, draw_slot
from ui.words.i18n import Lang

COLUMNS, SLOT_W, SLOT_H, GAP = 5, 96, 88, 6
CARD_W, CARD_H = 45, 34
WIDTH = COLUMNS * (SLOT_W + GAP) + GAP
_WHITE = ("bg", "hit", "miss", "others", "cached")
_INK = ("hit_label", "hit_edge", "miss_label", "others_label", "cached_label")
_GREY = ("miss_edge", "others_edge")


def render_sheet(frame: Frame, *, block_size: int, lang: Lang, rid: str, blanks: bool = True) -> str:
    """Pool and queue of one frame as SVG text, as request ``rid`` sees them.

    ``blanks`` leaves tags, ref counts and the queue's order open.
    """
    pen = Pen("light")
    ink, grey = pen.colour["ink"], pen.colour["line"]
    for names, colour in ((_WHITE, "#FFFFFF"), (_INK, ink), (_GREY, grey)):
        pen.colour = {**pen.colour, **dict.fromkeys(names, colour)}
    picture = Picture(frame, {"op": "", "rid": rid}, {}, block_size, lang, blanks, pen)
    pen.text(GAP, 16, picture.say("zone.C"), bold=True)
    bottom = _pool(picture, 24)
    pen.text(GAP, bottom + 16, picture.say("zone.F"), bold=True)
    pen.text(
        WIDTH - GAP,
        bottom + 16,
        picture.say("queue.head") + " ◂ ▸ " + picture.say("queue.tail"),
        anchor="end",
    )
    bottom = _queue(picture, bottom + 24)
    return pen.document(WIDTH, int(bottom), picture.say("zone.C"))


def _pool(picture: Picture, top: float) -> float:
    rows = 0
    for place, name in enumerate(picture.frame["slots"]):
        left = GAP + place % COLUMNS * (SLOT_W + GAP)
        draw_slot(picture, name, (left, top + place // COLUMNS * (SLOT_H + GAP), SLOT_W, SLOT_H))
        rows = place // COLUMNS + 1
    return top + rows * (SLOT_H + GAP)


def _queue(picture: Picture, top: float) -> float:
    """The cards in one row; more than fit stand in further rows."""
    per_row = (WIDTH - GAP) // (CARD_W + GAP)
    queue = picture.frame["queue"]
    for place, block_id in enumerate(queue):
        slot = picture.frame["slots"][str(block_id)]
        state = "cached" if slot["hash"] else "dirty" if slot["fill"] else "empty"
        state = "empty" if picture.blanks else state  # the border alone would give the answer away
        fill, edge, line, dash, _, ink = STATES[state]
        left, upper = GAP + place % per_row * (CARD_W + GAP), top + place // per_row * (CARD_H + GAP)
        picture.pen.rect((left, upper, CARD_W, CARD_H), fill, edge, width=line, dash=dash)
        label = BLANK if picture.blanks else f"#{block_id}"
        picture.pen.text(left + CARD_W / 2, upper + 22, label, bold=True, colour=ink, anchor="middle")
    return top + -(-max(len(queue), 1) // per_row) * (CARD_H + GAP)
