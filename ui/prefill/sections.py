"""Which section of the page is shown: a row of groups, and a row of the group's sections."""

from __future__ import annotations

import streamlit as st

from ui.frame.session import say, say_each, stands_on_one
from ui.prefill.state import state

GROUPS = {
    "clock": ("pair", "sweep", "users", "long", "decode", "saving", "hardware"),
    "why": ("prefix", "breaks", "documents"),
    "engines": ("engines",),
    "chat": ("chat",),
}
"""Sections by what they are about, in the order in which a newcomer reads them."""

SECTIONS = tuple(name for names in GROUPS.values() for name in names)
SECTION, _GROUP = "prefill_section", "prefill_group"


def group_of(section: str) -> str:
    """The group that a section belongs to."""
    return next(group for group, names in GROUPS.items() if section in names)


def choose_section(first: str | None) -> str:
    """The one that stands open; ``first``: the one that the link names."""
    now = state()
    if st.session_state.get(SECTION) not in SECTIONS:
        st.session_state[SECTION] = first or now.section
    if first not in (None, now.section) and st.session_state[SECTION] == now.section:
        st.session_state[SECTION] = first  # the address was changed in the middle of a visit
    now.section = st.session_state[SECTION]
    with st.container(key="prefill-sections", gap="xsmall"):
        _rows(group_of(now.section))
    return now.section


def _rows(group: str) -> None:
    st.session_state[_GROUP] = group
    titles = {name: say_each(f"prefill.group.{name}") for name in GROUPS}
    st.segmented_control(
        say("prefill.title"),
        list(GROUPS),
        format_func=titles.__getitem__,
        label_visibility="collapsed",
        required=True,
        key=_GROUP,
        on_change=_to_group,
    )
    words = {name: say_each(f"prefill.{name}.title") for name in GROUPS[group]}
    if len(words) > 1:
        st.session_state[SECTION] = st.session_state[SECTION]  # each group's row is a widget of its own
        st.pills(
            say(f"prefill.group.{group}"),
            GROUPS[group],
            format_func=words.__getitem__,
            label_visibility="collapsed",
            required=True,
            key=SECTION,
        )


def _to_group() -> None:
    """A group opens on its first section."""
    if stands_on_one(_GROUP, GROUPS):
        st.session_state[SECTION] = GROUPS[st.session_state[_GROUP]][0]
