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
_FOLDED = '[data-testid="stLayoutWrapper"]:has(>[class*="st-key-traffic-panel-"])'
_OTHER = '.stApp [data-testid="stLayoutWrapper"]:has(>.st-key-traffic-panel-other)'
"""Stands open while a file is refused: why is said beside the uploader."""
_STYLE = f"""<style>
{_FOLDED}{{display:none}}
.st-key-traffic-head h2{{font-size:1.5rem;padding:0 0 .75rem}}
.st-key-traffic_panel button::after{{content:"▾" / "";margin-inline-start:.4rem;font-size:1.2em}}
.st-key-traffic_panel button[aria-checked="true"]::after{{content:"▴" / ""}}
.st-key-traffic-loud .stAlertContainer{{padding:.3rem .75rem}}
{_OTHER}:has(.stFileUploader [role="alert"]){{display:flex}}
@media (max-width:699px){{
:is(.st-key-traffic-row,.st-key-traffic-views,.st-key-traffic-finding) button{{min-height:2.75rem}}}}
</style>"""


def open_panel() -> str | None:
    """Which one a person has opened, or was asked to look at."""
    found: str | None = st.session_state.get(_KEY)
    return found


def turn_to(name: str | None) -> None:
    """Open this one (None: none), where the row is not drawn yet."""
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
        st.html(_STYLE)
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
    """Rules that count for more than the one that folds all of them."""
    one = '.stApp [data-testid="stLayoutWrapper"]:has(>.st-key-traffic-panel-{})'
    rules = ",".join(one.format(name) for name in sorted(names))
    return f"<style>{rules or '#none'}{{display:flex}}</style>"
