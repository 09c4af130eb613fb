"""A table of words and numbers in Markdown; where it is too wide it scrolls by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

_ESCAPED_OR_CODE = r"\\.|(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
_LONE = re.compile(_ESCAPED_OR_CODE + r"|[|$]", re.DOTALL)
_FORMULA = re.compile(_ESCAPED_OR_CODE + r"|\$", re.DOTALL)
_BAR_IN_CODE = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"\s*[\r\n\u2028\u2029]+\s*")
_SIDES = {"l": ":--", "r": "--:"}


def show_table(name: str, head: Sequence[str], rows: Sequence[Sequence[str]], sides: str = "") -> None:
    """Draw it; see ``markdown_table``."""
    with st.container(key=f"table-{name}"):  # ui/frame/shell.py lets containers of this name scroll
        st.markdown(markdown_table(head, rows, sides))


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], sides: str = "") -> str:
    """Cells are Markdown, also what ``plain`` or ``seen`` made of a typed text; what would end a cell, a row
    or begin a formula is escaped here and nowhere else. ``sides``: ``l`` or ``r`` for each column; without
    it the first stands at the left, the others at the right."""
    sides = sides or "l" + "r" * (len(head) - 1)
    lines = [_line(head), "|" + "|".join(_SIDES[side] for side in sides) + "|", *map(_line, rows)]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(in_cell, cells)) + " |"


def in_cell(markdown: str) -> str:
    """The same Markdown where a bar, a dollar or a new line would mean something else. Escaping twice is
    escaping once: what was escaped before stays as it is."""
    return _LONE.sub(_escaped, _BREAK.sub(" ", markdown))


def no_formula(markdown: str) -> str:
    """The same Markdown, its dollars money and no formulas."""
    return _FORMULA.sub(_escaped, markdown)


def _escaped(found: re.Match[str]) -> str:
    if found["code"]:  # there a backslash is a backslash, but for the one that keeps a bar within its cell
        return _BAR_IN_CODE.sub(r"\\|", found[0]) if found.re is _LONE else found[0]
    return "\\" + found[0] if found[0] in "|$" else found[0]
