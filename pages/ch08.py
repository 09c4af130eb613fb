"""Chapter 8 · What it costs: ten situations, each with a knob, what it does to the cache, and a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pages.navigation import page
from ui.course.ch08_costs.charts import best_panel, cards_panel, hot_panel, overhead_panel, word_panel
from ui.course.ch08_costs.on_stage import decode_panel, owner_panel, pots_panel, ttl_panel, version_panel
from ui.course.chapter import begin_chapter, end_chapter, pick_one
from ui.course.lessons import show_part
from ui.frame.session import say

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


def render() -> None:
    """Only the chosen situation is computed and drawn."""
    begin_chapter(NAME, page)
    titles = {name: say(f"course.ch08.situation.{name}") for name in SITUATIONS}
    name = pick_one(say("course.ch08.situation"), titles, "ch08-situation")
    show_part(NAME, name)
    SITUATIONS[name]()
    end_chapter(NAME, page)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
