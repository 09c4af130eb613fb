"""The row of small controls above a log, and what each of them opens.

What is folded is drawn all the same and only not shown: a widget that is not drawn forgets what stands in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.frame.session import say

ORDER = ("other", "options", "told", "fields", "notes", "held")
"""From top to bottom; ``told`` is no panel: what went wrong, between the log and its fields."""
_KEY = "traffic_panel"


def open_panel() -> str | None:
    """Which one a person has opened, or was asked to look at."""
    found: str | None = st.session_state.get(_KEY)
    return found


def turn_to(name: str | None) -> None:
    """Open this one (None: none), where the row is not drawn yet. What stands already is not set again: that
    would overrule a click made while the page is drawn."""
    if open_panel() != name:
        st.session_state[_KEY] = name


@dataclass
class Panels:
    """Of one run. ``row``: where the controls go; ``titles``: panel -> the words of its control;
    ``standing``: panels that are open by themselves and need no control.

    Every place is there from the start: one that came later would move the others, and a browser shows both,
    the new one and the one that was there, until the run is over.
    """

    row: DeltaGenerator
    titles: dict[str, str] = field(default_factory=dict)
    standing: set[str] = field(default_factory=set)
    places: dict[str, DeltaGenerator] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ORDER:
            key = None if name == "told" else f"traffic-panel-{name}"
            self.places[name] = st.container(key=key)

    @property
    def told(self) -> DeltaGenerator:
        """Where errors stand, with what one click can do about them."""
        return self.places["told"]

    def add(self, name: str, title: str) -> DeltaGenerator:
        """A panel with something in it; its control stands in the row."""
        self.titles[name] = title
        return self.places[name]

    def draw(self) -> None:
        """The controls, once every panel is there."""
        offered = [name for name in ORDER if name in self.titles and name not in self.standing]
        if open_panel() not in offered:
            turn_to(None)
        with self.row:
            chosen = st.pills(
                say("traffic.panels"),
                offered,
                format_func=self.titles.__getitem__,
                key=_KEY,
                label_visibility="collapsed",
                wrap=True,
            )
        st.html(_shown(self.standing | ({chosen} if chosen else set())))


def _shown(names: set[str]) -> str:
    """Rules that count for more than the one that folds all of them, which stands in the head of the page
    (ui/frame/shell.py): one that is still loading would show every panel."""
    one = '.stApp [data-testid="stLayoutWrapper"]:has(>.st-key-traffic-panel-{})'
    rules = ",".join(one.format(name) for name in sorted(names))
    return f"<style>{rules or '#none'}{{display:flex}}</style>"
