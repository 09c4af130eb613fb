"""Chapter 8 · What it costs: how much room is enough, who goes when it is not, each beside a picture of its
own; folded, ten situations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.scenario.tokenizer import TeachingTokenizer
from pages.navigation import page
from ui.course.asked import Asked
from ui.course.bets import bet
from ui.course.ch08_costs.charts import best_panel, cards_panel, hot_panel, overhead_panel, word_panel
from ui.course.ch08_costs.on_stage import decode_panel, owner_panel, pots_panel, ttl_panel, version_panel
from ui.course.ch08_costs.path import asked, room_step, who_step
from ui.course.ch08_costs.rival import BLOCK, rival
from ui.course.chapter import begin_chapter, end_chapter
from ui.course.folded import pick_folded
from ui.course.lessons import show_part
from ui.course.mine import my_prompt, my_tokens
from ui.course.own_rows import OwnRow, draw_own, put_of
from ui.course.page import reading
from ui.frame.session import lang, say

NAME = "ch08"
SITUATIONS: Mapping[str, Callable[[], None]] = MappingProxyType(
    {
        "pots": pots_panel,
        "hot": hot_panel,
        "ttl": ttl_panel,
        "owner": owner_panel,
        "word": word_panel,
        "version": version_panel,
        "decode": decode_panel,
        "overhead": overhead_panel,
        "cards": cards_panel,
        "best": best_panel,
    }
)
OURS = ("pots", "hot", "ttl", "owner", "best")
"""Situations with a rule that vLLM has not (docs/fidelity.md)."""


def render() -> None:
    """The path and its bet; of the folded situations only a chosen one is computed and drawn."""
    begin_chapter(NAME, page, hook=False)
    text, picture = reading("room")
    with text:
        show_part(NAME, "hook")
        room_step(picture)
    text, picture = reading("who")
    with text:
        who_step(picture)
    text, picture = reading("bet")
    with text:
        _bet(picture)
    _more()
    end_chapter(NAME, page)


def _bet(picture: DeltaGenerator) -> None:
    """Beside it the prompt that comes again, under one name before and after."""
    show_part(NAME, "bet", block=BLOCK)
    words = my_tokens(lang(), my_prompt(lang()))[0]
    ids = TeachingTokenizer().encode("".join(words))

    def make(seed: int) -> Asked:
        return asked(ids, seed)

    seed, _, answered = put_of(NAME, make)
    with picture:
        st.markdown(f"**{say('course.ch08.again')}**")
        draw_own([OwnRow(2, words, rival(ids, seed).hit)], BLOCK, answered)
    bet(NAME, make)


def _more() -> None:
    titles = {name: say(f"course.ch08.situation.{name}") for name in SITUATIONS}
    name = pick_folded(NAME, say("course.ch08.more"), say("course.ch08.situation"), titles, "ch08-situation")
    if name is not None:
        folded, chosen = name
        with folded:
            show_part(NAME, chosen)
            if chosen in OURS:
                st.caption(say(f"course.ch08.ours.{chosen}"))
            SITUATIONS[chosen]()


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
