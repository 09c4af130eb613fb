"""A chapter's picture: drawn by Python as SVG and shown as an image, so that nothing in it can be markup.

Drawings are 420 units wide: beside the text they are larger than that, on a phone hardly smaller, and never
higher than what a small screen has left (ui/frame/shell.py). An image cannot use the fonts of its page, so
letters come from the installed font whose Latin is nearest to Streamlit's.
"""

from __future__ import annotations

import streamlit as st

from ui.svg.marks import FONT, Pen
from ui.words.palette import Theme

WIDTH = 420
SIZE, SMALL = 15, 13
"""Of letters."""

_FONT = f"'Source Sans 3','Source Sans Pro','Noto Sans CJK SC','Source Han Sans SC',{FONT}"
"""The Latin letters of all four are Source Sans, which is what the page is set in."""


def new_pen() -> Pen:
    """A pen in the colours that the visitor sees."""
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    return Pen(theme)


def show_picture(pen: Pen, height: float, words: str) -> None:
    """Draw it. ``words``: what it shows, for who does not see it."""
    drawn = pen.document(WIDTH, round(height), words).replace(FONT, _FONT, 1)
    st.image(drawn, width="stretch", alt=words)


def width_of(words: str, size: float) -> float:
    """About how wide a text is drawn: wide characters are squares, others two thirds of one."""
    return sum(size if ord(char) > 0x2E7F else 0.67 * size for char in words)


def label(pen: Pen, box: tuple[float, float, float, float], words: str, colour: str, pad: str = "") -> bool:
    """A text in the middle of a box, if there is room for it; ``pad``: the ground behind it on a pattern."""
    x, y, w, h = box
    room = width_of(words, SIZE)
    if not words or room + (18 if pad else 8) > w:
        return False
    if pad:
        pen.rect((x + w / 2 - room / 2 - 5, y + h / 2 - 12, room + 10, 24), pad, radius=5)
    pen.text(x + w / 2, y + h / 2 + 5, words, size=SIZE, colour=colour, bold=True, anchor="middle")
    return True
