"""The seven named parts, one click each, before the first run: click a part, see it on the stage."""

from __future__ import annotations

import streamlit as st

from ui.frame.session import say

PARTS = ("request", "tag", "table", "pool", "btable", "ref", "queue")


def part_chooser() -> str | None:
    """A row of seven names; the chosen one is explained here and lit up on the stage."""
    titles = {part: say(f"part.{part}.title") for part in PARTS}
    chosen = st.pills(
        say("part.label"),
        PARTS,
        format_func=titles.__getitem__,
        key="widget_part",
    )
    if chosen is not None:
        st.caption(say(f"part.{chosen}.what"))
    return chosen
