"""Prompts that people typed, as quotations: what they typed is never read as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from ui.frame.session import plain
from ui.stage.own import OwnPrompts


def quote_prompts(prompt: OwnPrompts, numbers: Iterable[int]) -> None:
    """Some of the three prompts in one quotation, a line each, the question in bold."""
    lines = []
    for number in numbers:
        question = prompt.messages[number]
        gap = question[: len(question) - len(question.lstrip())]
        bold = f"**{_line(question.strip())}**" if question.strip() else ""
        lines.append(f"> {_line(prompt.system)}{gap}{bold}")
    st.markdown("  \n".join(lines))


def _line(text: str) -> str:
    return plain(" ".join(text.split("\n")))
