"""Open a result that was exported here before: it is looked at, and shown where it belongs."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from core.backends.experiments.checked import MAX_BYTES, read_report
from core.errors import BrothError
from ui.frame.kept import Kept
from ui.frame.session import lang, plain, say
from ui.prefill.experiments import examples
from ui.prefill.state import open_report
from ui.server.framed import uploads_refused
from ui.words.i18n import error_text

_KEY = "prefill_open"
_REFUSED: Kept[tuple[str, BrothError] | None] = Kept("prefill_refused", lambda: None)
"""The last file that could not be opened, and why."""


def opening(sections: Collection[str], section_key: str) -> None:
    """The place for a file. What is opened turns the page to its section (kept under ``section_key``)."""
    with st.popover(say("prefill.open")):
        st.caption(say("prefill.open.what"))
        if uploads_refused():
            st.warning(say("prefill.open.framed"))
            return
        st.file_uploader(
            say("prefill.open"),
            type="json",
            max_upload_size=max(1, MAX_BYTES // 10**6),
            key=_KEY,
            label_visibility="collapsed",
            on_change=_take,
            args=(tuple(sections), section_key),
        )


def refused() -> None:
    """Which file could not be opened, and why; told until another one is tried."""
    found = _REFUSED.get()
    if found is not None:
        name, error = found
        st.error(say("prefill.open.refused", file=plain(name), why=plain(error_text(error, lang()))))


def _take(sections: tuple[str, ...], section_key: str) -> None:
    found = st.session_state.get(_KEY)
    _REFUSED.set(None)
    if found is None:
        return
    try:
        report = read_report(found.getvalue(), examples())
    except BrothError as error:
        _REFUSED.set((found.name, error))
        return
    open_report(report)
    section = "breaks" if report.experiment == "astray" else report.experiment
    if section in sections:
        st.session_state[section_key] = section
