"""Where the log comes from: a sample, an upload, a pasted text, the server's folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from core.errors import BrothError
from core.texts import showable, text_bytes
from core.traces.packing.sources import TraceFile, files_within
from core.traces.timestamps import A_TIME
from core.traffic.samples import SAMPLES, sample_log
from ui.frame.session import lang_mode, plain, say, show_error, tell
from ui.server.framed import uploads_refused
from ui.server.sessions import minutes_kept
from ui.server.uploads import at_once_mb
from ui.traffic.field_panel import UNKNOWN, field_panel, head_for
from ui.traffic.panels import Panels, turn_to
from ui.traffic.reading import pick, reading_options
from ui.traffic.setup import TRAFFIC, Side, Wanted
from ui.traffic.state import Key, Log, choose, chosen, forget, read_log, state
from ui.traffic.work import may_begin, progress_in

FOLDER_NAME = "BROTH_LOGS"
"""The environment variable with which whoever starts the server offers a folder of logs."""
UPLOAD_MB = 200
_SETTINGS = ("traffic_block", "traffic_slots", "traffic_ttl")
_EXAMPLE = '{"messages": [{"role": "user", "content": "…"}]}'


def source_panel(panels: Panels) -> Log | None:
    """Choose a log; returns what was read, or what was there before if that failed. The chooser is folded
    once what it offers is read."""
    options = ["sample", "upload", "paste", *(["folder"] if _folder() else [])]
    usual = chosen().source if chosen().source in options else "sample"
    with panels.row:
        found = pick(
            "source", "segmented_control", options, usual, "traffic.source.", label_visibility="collapsed"
        )
    if _turn_to(source=found if found in options else usual):
        turn_to("other")
    with panels.add("other", say("traffic.other")):
        files, key = _SOURCES[chosen().source]()
        if chosen().source != "sample":
            st.caption(privacy())
    reading_options(panels)
    if files:
        with panels.told:
            failed = _read(files, key, chosen().wanted)
        log = state().log
        if chosen().source != "sample":  # of those we know the fields
            is_read = log is not None and log.key[:-1] == key
            field_panel(panels, files, key, log if is_read else None, failed)
    if _nothing_read(key):
        panels.standing.add("other")
    return state().log


def privacy() -> str:
    """What becomes of a log."""
    return tell(say("traffic.privacy", minutes=minutes_kept()), say("traffic.link.kept"))


def _nothing_read(name: Key) -> bool:
    """Whether what is shown does not come from what the chooser offers."""
    log = state().log
    return log is None or (log.key[:-1] != name if name else log.key[0] != chosen().source)


def _turn_to(**where: str) -> bool:
    """Whether it is another source: which field is what is kept for the next log of the same source alone."""
    is_other = any(getattr(chosen(), name) != value for name, value in where.items())
    if is_other:
        choose(**where, wanted=replace(chosen().wanted, field_map=None))
    return is_other


def _read(files: list[TraceFile], name: Key, wanted: Wanted) -> BrothError | None:
    """Read anew where something changed; a failure is told and nothing is lost."""
    now, key = state(), (*name, wanted)
    if (now.log is not None and now.log.key == key) or not may_begin(key):
        return None
    place = st.empty()
    try:
        log = read_log(key, files, wanted, progress_in(place, "traffic.reading", key))
    except BrothError as error:
        _tell(error, wanted, name, can_be_mapped=head_for(files, name) is not None)
        return error
    finally:
        place.empty()
    if now.log is not None and now.log.key[:-1] != name:  # the first one keeps what a link has set
        turn_to(None)  # its finding comes first
        choose(a=Side(), b=None)
        for widget in (*_SETTINGS, *(f"{one}_b" for one in _SETTINGS)):
            st.session_state.pop(widget, None)
    now.log, now.picked = log, None
    now.computed.clear()
    now.stopped.clear()
    return None


def _tell(error: BrothError, wanted: Wanted, name: Key, can_be_mapped: bool) -> None:
    """What is wrong, what one click can do about it, and what is still shown."""
    if error.code in UNKNOWN and can_be_mapped:
        st.warning(say("traffic.fields.unknown", name=plain(str(error.values["file"]))))
    else:
        show_error(error)
    with st.container(horizontal=True):
        for word, change in _ways_on(error, wanted).items():
            st.button(say(word), key=f"traffic_on_{next(iter(change))}", on_click=_go_on, args=(change,))
        _without(str(error.values.get("file", "")), name)
    _still_shown()


def _still_shown() -> None:
    """Whose numbers stand below, where it is not what was asked for."""
    log = state().log
    if log is None:
        return
    if log.key[0] == "sample":
        st.caption(say("traffic.kept.sample", name=say(f"traffic.sample.{log.key[1]}")))
    else:
        st.caption(say("traffic.kept", name=plain(log.trace.name)))


def _without(file: str, name: Key) -> None:
    """Where one of several uploads cannot be read: the others without it."""
    uploads: Sequence[Any] = st.session_state.get("traffic_upload") or ()
    found = [one for one in uploads if one.name == file and one.file_id in name]
    if name[0] == "upload" and len(name) > 2 and found:
        st.button(
            say("traffic.without", name=plain(file)),
            key="traffic_without",
            on_click=_leave_out,
            args=(frozenset(one.file_id for one in found),),
        )


def _leave_out(ids: frozenset[str]) -> None:
    """None: all are read again."""
    state().left_out = state().left_out | ids if ids else ids


def _ways_on(error: BrothError, wanted: Wanted) -> dict[str, dict[str, bool]]:
    """What a click can change in the reading so that it gets past this: the word for it, the change."""
    ways: dict[str, dict[str, bool]] = {}
    if "line" in error.values and not wanted.skip_broken:
        ways["traffic.skip_now"] = {"skip_broken": True}
    if str(error.values.get("expected", "")).startswith(A_TIME) and not wanted.ignore_times:
        ways["traffic.ignore_times"] = {"ignore_times": True}
    return ways


def _go_on(change: dict[str, Any]) -> None:
    choose(wanted=replace(chosen().wanted, **change))


# -- one function per source -------------------------------------------------------------------------------


def _sample() -> tuple[list[TraceFile], Key]:
    kind, download = st.columns([3, 1], vertical_alignment="bottom")
    with kind:
        name = pick("sample", "selectbox", SAMPLES, chosen().sample, "traffic.sample.") or chosen().sample
    _turn_to(sample=name)
    text = sample_log(name)
    with download:
        st.download_button(say("traffic.sample.save"), lambda: text, f"{name}.jsonl", width="stretch")
    return [TraceFile(f"{name}.jsonl", text)], ("sample", name)


def _upload() -> tuple[list[TraceFile], Key]:
    if uploads_refused():
        _no_upload()
    found = st.file_uploader(
        say("traffic.upload"), accept_multiple_files=True, max_upload_size=UPLOAD_MB, key="traffic_upload"
    )
    if not found:
        st.caption(tell(say("traffic.published"), say("traffic.upload.limit", mb=at_once_mb())))
        log = state().log
        if log is not None and log.key[0] == "upload":
            st.caption(say("traffic.still", name=plain(log.trace.name)))
            st.button(say("traffic.forget"), on_click=forget)
        elif log is None:
            st.info(say("traffic.again"))
        else:
            _still_shown()
        return [], ()
    read = [one for one in found if one.file_id not in state().left_out] or found
    if left := [plain(one.name) for one in found if one not in read]:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(say("traffic.without.told", files=left), width="content")
            st.button(say("traffic.without.again"), on_click=_leave_out, args=(frozenset(),))
    return [TraceFile(one.name, one) for one in read], ("upload", *(one.file_id for one in read))


def _no_upload() -> None:
    """Before anybody tries: it would end in 403, and pasting or a page of its own would not."""
    st.warning(say("traffic.upload.framed"))
    with st.container(horizontal=True):
        st.button(say("traffic.upload.paste"), type="primary", on_click=_to_paste)
        address = own_address(st.context.url, {**TRAFFIC.write(chosen()), "lang": lang_mode()})
        st.link_button(say("traffic.upload.alone"), address)


def _to_paste() -> None:
    st.session_state["traffic_source"] = "paste"
    choose(source="paste")


def own_address(url: str | None, query: Mapping[str, str]) -> str:
    """This page as it stands, for a tab of its own. It opens as a whole page even where the frame asked for
    an embedded one."""
    return urlunsplit((*urlsplit(url or "")[:3], urlencode(query), ""))


def _paste() -> tuple[list[TraceFile], Key]:
    now = state()
    st.session_state.setdefault("traffic_paste", now.pasted)
    text = st.text_area(say("traffic.paste"), key="traffic_paste", height=160, placeholder=_EXAMPLE)
    now.pasted = text
    if not text.strip():
        st.caption(say("traffic.paste.empty"))
        _still_shown()
        return [], ()
    digest = blake2b(text_bytes(text)).hexdigest()
    return [TraceFile(say("traffic.pasted"), text)], ("paste", digest)


def _from_folder() -> tuple[list[TraceFile], Key]:
    """Only names that stand in the folder are offered: nobody types a path."""
    folder = _folder()
    files = files_within(folder) if folder else {}
    if not files:
        return [], ()
    name = st.selectbox(say("traffic.folder"), list(files), format_func=showable, key="traffic_folder")
    return ([TraceFile(showable(name), files[name])], ("folder", name)) if name in files else ([], ())


def _folder() -> Path | None:
    named = os.environ.get(FOLDER_NAME)
    return Path(named) if named and Path(named).is_dir() else None


_SOURCES = {"sample": _sample, "upload": _upload, "paste": _paste, "folder": _from_folder}
