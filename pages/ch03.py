"""Chapter 3 · Prefix caching: the shared prefix, the private suffix, blocks and block tables."""

from __future__ import annotations

import streamlit as st

from core.engine.hash_chain import split
from pages.navigation import page
from ui.course.ch04 import tag_hit
from ui.course.chapter import begin_chapter, chapter_stage, course_run, end_chapter, stage_link
from ui.course.lessons import show_part
from ui.frame.session import say
from ui.stage.show_me import find_step, op_is

NAME = "ch03"


def render() -> None:
    """Where the shared part ends, what whole blocks leave of it, and how a table points to them."""
    begin_chapter(NAME, page)
    _cut()
    show_part(NAME, "table")
    _, _, shown = course_run("three")
    step = find_step(shown, op_is("touch", "R1"))
    chapter_stage(NAME, shown, step)
    show_part(NAME, "page_cache")
    stage_link(say("course.show_me"), "three", step)
    end_chapter(NAME, page)


def reusable_tokens(shared: int, total: int, block_size: int) -> int:
    """Tokens of a prompt that hit after another with the same first ``shared`` ones: the engine's answer."""
    return tag_hit([*range(shared), *range(total, 2 * total)], range(total), block_size)


def _cut() -> None:
    show_part(NAME, "cut")
    columns = st.columns(3, vertical_alignment="bottom")
    shared = columns[0].slider(say("course.ch03.shared"), 0, 64, 26)
    private = columns[1].slider(say("course.ch03.private"), 1, 32, 10)
    size = columns[2].select_slider(say("knob.block_size"), (1, 2, 4, 8, 16), 8)
    total = shared + private
    reused = reusable_tokens(shared, total, size)
    blocks = split(range(total), size)
    marks = [
        f":blue-background[{len(block)} ✓]" if block[-1] < reused else f":orange-background[{len(block)} +]"
        for block in blocks
    ]
    st.markdown(" ".join(marks))
    show_part(
        NAME,
        "cut_result",
        total=total,
        num_blocks=len(blocks),
        reused=reused,
        computed=total - reused,
        lost=shared - reused,
    )


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
