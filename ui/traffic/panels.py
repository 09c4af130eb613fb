"""The row of small controls above a log, and what each of them opens.

What is folded is drawn all the same and only not shown: a widget that is not drawn forgets what stands in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.frame.session import say

_KEY = "traffic_panel"
_FOLDED = '[data-testid="stLayoutWrapper"]:has(>[class*="st-key-traffic-panel-"])'
_STYLE = f"""<style>
{_FOLDED}{{display:none}}
.st-key-traffic-head h2{{font-size:1.5rem;padding:0 0 .75rem}}
.st-key-traffic_panel button::after{{content:"▾" / "";margin-inline-start:.4rem;font-size:1.2em}}
.st-key-traffic_panel button[aria-checked="true"]::after{{content:"▴" / ""}}
.st-key-traffic-loud .stAlertContainer{{padding:.3rem .75rem}}
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
    ``standing``: panels that are open by themselves and need no control."""

    row: DeltaGenerator
    titles: dict[str, str] = field(default_factory=dict)
    standing: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        st.html(_STYLE)

    def add(self, name: str, title: str) -> DeltaGenerator:
        """A panel below what is drawn already; its control stands in the row."""
        self.titles[name] = title
        return st.container(key=f"traffic-panel-{name}")

    def draw(self) -> None:
        """The controls, once every panel is there."""
        offered = [name for name in self.titles if name not in self.standing]
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
