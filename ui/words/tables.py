"""A table of words and numbers as plain HTML; where it is too wide it scrolls by itself."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st


def show_table(name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Draw it. Cells are Markdown; what people typed must be escaped before."""
    with st.container(key=f"table-{name}"):  # ui/frame/shell.py lets containers of this name scroll
        st.markdown(markdown_table(head, rows))


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column stands at the left, the others at the right; a dollar is no formula."""
    lines = ["| " + " | ".join(head) + " |", "|:--|" + "--:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(cell.replace("$", "\\$") for cell in row) + " |" for row in rows]
    return "\n".join(lines)
