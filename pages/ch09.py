"""Chapter 9 · Two caches, one request: the prefix cache begins, the KV cache carries on; and the bill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pages.navigation import page
from ui.course.asked import Asked
from ui.course.bets import bet
from ui.course.ch09_two_caches.billed import asked
from ui.course.ch09_two_caches.drawn import one_panel, one_step, plane_panel, warm_panel
from ui.course.ch09_two_caches.tables import four_panel, sold_panel, surcharges
from ui.course.chapter import begin_chapter, end_chapter
from ui.course.folded import pick_folded
from ui.course.lessons import show_part
from ui.course.mine import my_prompt, my_tokens
from ui.course.own_rows import OwnRow, draw_own
from ui.course.page import reading
from ui.frame.session import lang, say

NAME = "ch09"
VIEWS: Mapping[str, Callable[[], None]] = MappingProxyType(
    {
        "one": one_panel,
        "plane": plane_panel,
        "warm": warm_panel,
        "four": four_panel,
        "sold": sold_panel,
    }
)


def render() -> None:
    """The path and its bet; of the folded views only a chosen one is computed and drawn."""
    begin_chapter(NAME, page, hook=False)
    mine = my_prompt(lang())
    words = my_tokens(lang(), mine)[1]
    text, picture = reading("one")
    with text:
        show_part(NAME, "hook")
        one_step(picture, len(words))

    def make(seed: int) -> Asked:
        return asked(mine, seed)

    text, picture = reading("sold")
    with text:
        show_part(NAME, "sold_path", **surcharges())
        with picture:
            draw_own([OwnRow(1, words, 0)], 0, answered=False)
        bet(NAME, make)
    titles = {name: say(f"course.ch09.view.{name}") for name in VIEWS}
    chosen = pick_folded(NAME, say("course.ch09.more"), say("course.ch09.view"), titles, "ch09-view")
    if chosen is not None:
        folded, name = chosen
        with folded:
            show_part(NAME, "one_more" if name == "one" else name)
            VIEWS[name]()
    end_chapter(NAME, page)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
