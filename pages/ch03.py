"""Chapter 3 · Prefix caching: the shared prefix, the private suffix, blocks and block tables."""

from __future__ import annotations

import streamlit as st

from pages.navigation import page
from ui.course.bets import bet
from ui.course.ch03 import SHOWN_SIZES, bet_on_hits, fates_of
from ui.course.chapter import begin_chapter, chapter_stage, end_chapter
from ui.course.lessons import show_part
from ui.course.mine import my_hits, my_prompt, my_run, my_stage_link, my_tokens
from ui.course.page import more, reading
from ui.course.token_rows import TokenRow, draw_rows
from ui.frame.session import lang, say
from ui.stage.show_me import first_step, op_is

NAME = "ch03"


def render() -> None:
    """What whole blocks leave of the shared beginning, how a table points to them, and a bet on it."""
    begin_chapter(NAME, page, hook=False)
    text, picture = reading()
    with text:
        show_part(NAME, "hook")
        show_part(NAME, "cut")
        show_part(NAME, "rule")
        show_part(NAME, "table")
        show_part(NAME, "paged")
        with more(say("course.ch03.page_cache")):
            show_part(NAME, "page_cache")
        spoken, prompt = lang(), my_prompt(lang())
        bet(NAME, lambda seed: bet_on_hits(spoken, prompt, seed))
    with picture:
        size = _cut()
    show_part(NAME, "stage", size=size)
    _, _, shown = my_run(block_size=size)
    step = first_step(shown, op_is("touch", "R1"), op_is("miss", "R1"), op_is("arrive", "R1"))
    chapter_stage(NAME, shown, step, key=f"stage-{size}", btable=True)
    my_stage_link(say("course.show_me"), step, block_size=size)
    end_chapter(NAME, page)


def _cut() -> int:
    """The prompts in blocks of a size that the visitor chooses; the stage below takes it too."""
    size: int = st.select_slider(say("knob.block_size"), SHOWN_SIZES, 8, key="ch03-size")
    prompts = my_tokens(lang())
    hits = my_hits(lang(), block_size=size)
    draw_rows(
        [
            TokenRow(
                say("course.rows.hit_name", n=number, tokens=len(words), hit=hit),
                words,
                fates_of(words, hit),
                size,
            )
            for number, (words, hit) in enumerate(zip(prompts, hits, strict=True))
        ]
    )
    return size


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
