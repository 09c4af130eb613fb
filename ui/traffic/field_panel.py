"""Which field of a log is what: proposed, shown as a tree, chosen by a person, kept in the link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.components.v2 import component

from core.errors import BrothError, TraceError
from core.traces.door.formats import FORMATS
from core.traces.field_map import ROLES, FieldMap, Role, parse_map
from core.traces.packing.sources import TraceFile
from ui.frame.session import plain, say, show_error
from ui.frame.static_files import ROOT
from ui.traffic.field_rows import (
    Head,
    absent_paths,
    fields_words,
    head_of_log,
    shell_text,
    tree_rows,
    with_picks,
)
from ui.traffic.panels import Panels, open_panel, turn_to
from ui.traffic.state import Key, Log, choose, chosen, remember, state

_PANEL, _TREE, _TEXT = "fields", "traffic_tree", "traffic_map"
UNKNOWN = ("trace.unknown_format", "trace.unknown_fields")
_OF_LINES = tuple(entry.name for entry in FORMATS if entry.packing == "lines")
_mount = component("broth_fields", js=(ROOT / "assets" / "page" / "fields.js").read_text("utf-8"))


def head_for(files: Sequence[TraceFile], name: Key) -> Head | None:
    """The first records of these files; None where they have no fields. Looked at once."""
    return remember(("fields", name), lambda: head_of_log(files[0]))


def field_panel(
    panels: Panels, files: Sequence[TraceFile], name: Key, log: Log | None, failed: BrothError | None
) -> None:
    """Below what went wrong. ``name``: of the files; ``failed``: why they were not read.

    It opens by itself where a person is needed: the format is not known, or their own map does not fit.
    """
    head = head_for(files, name)
    if head is None or (log is not None and log.trace.format in _OF_LINES):
        return
    asked = failed is not None and (failed.code in UNKNOWN or chosen().wanted.field_map is not None)
    if asked and state().asked != (name, chosen().wanted):
        state().asked = (name, chosen().wanted)
        turn_to(_PANEL)
    with panels.add(_PANEL, say("traffic.fields")):
        if open_panel() == _PANEL:
            _open(head, files, name)


def fields_line(log: Log) -> str:
    """Which fields a log of no known format was read by; empty where its format says it."""
    used = log.options.field_map or log.trace.field_map
    if used is None:
        return ""
    return say("traffic.fields.read", fields=plain(fields_words(used, _role_words())))


def _open(head: Head, files: Sequence[TraceFile], name: Key) -> None:
    draft = _draft(head, name)
    st.caption(say("traffic.fields.help", n=head.num_rows))
    words = _role_words()
    _mount(
        key=_TREE,
        data={
            "of": _files_word(name),
            "heard": state().heard,
            "rows": tree_rows(head, draft),
            "roles": [[role, words[role]] for role in ROLES],
            "columns": [say(f"traffic.fields.{one}") for one in ("name", "sample", "share", "role")],
            "title": say("traffic.fields"),
            "what": say("traffic.fields.role"),
            "none": say("traffic.fields.none"),
            "fits": say("traffic.fields.fits", role="{role}"),
            "proposed": say("traffic.fields.proposed"),
            "percent": say("unit.percent", n="{n}"),
        },
        on_pick_change=lambda: _picked(head, name),
    )
    if absent := absent_paths(head, draft):
        st.warning(say("traffic.fields.absent", paths=plain(", ".join(absent)), n=head.num_rows))
    _buttons(head, name, draft)
    _as_text(files, name, draft)


def _buttons(head: Head, name: Key, draft: FieldMap) -> None:
    now = chosen().wanted.field_map
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("traffic.fields.apply"),
            type="primary",
            key="traffic_apply_fields",
            on_click=_read_so,
            args=(head, name),
            disabled=not draft.says_what_is_asked or str(draft) == now,
        )
        if now is not None:
            st.button(say("traffic.fields.back"), key="traffic_drop_fields", on_click=_apply, args=(None,))
        if not draft.says_what_is_asked:
            st.caption(say("traffic.fields.missing"))


def _as_text(files: Sequence[TraceFile], name: Key, draft: FieldMap) -> None:
    """The map as a text that can be changed, and the command that reads the log so in the shell."""
    # Under a key of its own after each choice: with what a person does next the browser may still send the
    # text from before this one, which would be heard as if it had been typed, and take the choice back.
    key, text = f"{_TEXT}_{state().heard}", str(draft)
    st.session_state[key] = text
    st.text_input(say("traffic.fields.text"), key=key, on_change=_typed, args=(key, text, name))
    wrong = state().wrong_map
    if wrong is not None:
        show_error(wrong)
    if draft.says_what_is_asked:
        names = [] if name[0] == "paste" else [file.name for file in files]
        st.code(shell_text(names, draft), language=None, wrap_lines=True)


# -- what a person does -----------------------------------------------------------------------------------


def _draft(head: Head, name: Key) -> FieldMap:
    """What is chosen so far: what a person said, what the link says, or the proposals."""
    now = state()
    if now.draft is None or now.draft[0] != name:
        text = chosen().wanted.field_map
        now.draft = (name, head.proposal.field_map if text is None else parse_map(text))
    return now.draft[1]


def _picked(head: Head, name: Key) -> None:
    told = getattr(st.session_state.get(_TREE), "pick", None)
    if not isinstance(told, dict) or told.get("of") != _files_word(name):
        return
    now = state()
    draft, heard = with_picks(head, _draft(head, name), told.get("picks"), now.heard)
    if heard > now.heard:
        now.draft, now.heard, now.wrong_map = (name, draft), heard, None


def _files_word(name: Key) -> str:
    """By which the tree knows whether it still shows the same files."""
    return str(hash(name))


def _typed(key: str, shown: str, name: Key) -> None:
    if st.session_state[key] == shown:
        return
    state().wrong_map = None
    try:
        state().draft = (name, parse_map(st.session_state[key]))
    except TraceError as error:
        state().wrong_map = error


def _read_so(head: Head, name: Key) -> None:
    """By what is chosen now: a click may come together with a choice, or before the page shows it."""
    _picked(head, name)
    draft = _draft(head, name)
    if draft.says_what_is_asked:
        _apply(str(draft))


def _apply(text: str | None) -> None:
    """The log is read anew at once, by these fields or by its format."""
    choose(wanted=replace(chosen().wanted, field_map=text, format_name=None))
    turn_to(None)  # opens again by itself if the log cannot be read so
    state().asked = None
    if text is None:
        state().draft = None


def _role_words() -> dict[Role, str]:
    return {role: say(f"traffic.role.{role}") for role in ROLES}
