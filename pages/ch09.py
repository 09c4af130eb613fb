"""Chapter 9 · Two caches, one request: the prompt cache begins, the KV cache carries on, and the bill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pages.navigation import page
from ui.course.ch09_two_caches.drawn import one_panel, plane_panel, warm_panel
from ui.course.ch09_two_caches.tables import four_panel, sold_panel
from ui.course.chapter import begin_chapter, end_chapter, pick_one
from ui.course.lessons import show_part
from ui.frame.session import say

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
    """Only the chosen view is computed and drawn."""
    begin_chapter(NAME, page)
    titles = {name: say(f"course.ch09.view.{name}") for name in VIEWS}
    name = pick_one(say("course.ch09.view"), titles, "ch09-view")
    show_part(NAME, name)
    VIEWS[name]()
    end_chapter(NAME, page)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
