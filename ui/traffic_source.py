"""Where the log comes from and how it is read: widgets, progress, and what was read."""

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import Any

import streamlit as st

from core.errors import BrothError
from core.prefix_tree import Progress
from core.traces.formats import NAMES
from core.traces.model import Trace
from core.traces.sources import TraceFile
from core.traces.templates import TEMPLATES
from core.traffic.samples import KINDS, sample_log
from ui.numbers import digits
from ui.session import plain, say, show_error
from ui.traffic_state import Key, Log, forget, read_log, state

FOLDER_NAME = "BROTH_LOGS"
"""The environment variable with which whoever starts the server offers a folder of logs."""
UPLOAD_MB = 200
REDRAW_S = 0.25
_AUTO = "auto"


def source_panel() -> Log | None:
    """Choose a log; returns what was read, or what was there before if that failed."""
    now = state()
    options = ["sample", "upload", "paste", *(["folder"] if _folder() else [])]
    chosen = _choice("source", "segmented_control", options, now.source, "traffic.source.")
    if chosen in options:
        now.source = chosen
    files, key = _SOURCES[now.source]()
    _reading_options()
    if files:
        _read(files, (*key, now.wanted))
    return now.log


def _read(files: list[TraceFile], key: Key) -> None:
    """Read anew where something changed; a failure is told and nothing is lost."""
    now = state()
    if now.log is not None and now.log.key == key:
        return
    place = st.empty()
    try:
        log = read_log(key, files, now.wanted, progress_in(place, "traffic.reading"))
    except BrothError as error:
        show_error(error)
        if "line" in error.values and not now.wanted.skip_broken:
            st.caption(say("traffic.skip_hint", option=say("traffic.skip")))
        if now.log is not None:
            st.caption(say("traffic.kept", name=plain(now.log.trace.name)))
        return
    finally:
        place.empty()
    now.log, now.picked, now.block_size, now.num_slots, now.ttl_s = log, None, None, None, None
    for widget in ("traffic_block", "traffic_slots", "traffic_ttl", "traffic_block_b", "traffic_slots_b"):
        st.session_state.pop(widget, None)
    now.computed.clear()


def progress_in(place: Any, key: str) -> Progress:
    """A bar that moves at every percent, and a button that stops the work (any other widget does too).

    Streamlit stops a script only where it draws something, so the bar is drawn anew a few times a second.
    """
    shown, drawn_at = -1, 0.0
    bar: Any = None

    def tell(done: int, total: int | None) -> None:
        nonlocal shown, drawn_at, bar
        percent = min(100 * done // total, 100) if total else 0
        if bar is None:
            number = st.session_state["traffic_bars"] = st.session_state.get("traffic_bars", 0) + 1
            with place.container(horizontal=True, vertical_alignment="center"):
                bar = st.empty()
                st.button(
                    say("traffic.cancel"), key=f"traffic_cancel_{number}", on_click=_cancel, args=(key,)
                )
        if percent != shown or monotonic() - drawn_at > REDRAW_S:
            shown, drawn_at = percent, monotonic()
            bar.progress(percent, say(key, percent=percent))

    return tell


def _cancel(key: str) -> None:
    """What takes so long is not begun again: back to the sample, or to the first view."""
    if key == "traffic.reading":
        st.session_state["traffic_source"] = state().source = "sample"
    else:
        st.session_state["traffic_view"] = state().view = "overview"


# -- one function per source -------------------------------------------------------------------------------


def _sample() -> tuple[list[TraceFile], Key]:
    now = state()
    kind, download = st.columns([3, 1], vertical_alignment="bottom")
    with kind:
        now.sample = _choice("sample", "selectbox", list(KINDS), now.sample, "traffic.sample.") or now.sample
    text = sample_log(now.sample)
    with download:
        st.download_button(say("traffic.sample.save"), text, f"{now.sample}.jsonl", width="stretch")
    return [TraceFile(f"{now.sample}.jsonl", text)], ("sample", now.sample)


def _upload() -> tuple[list[TraceFile], Key]:
    found = st.file_uploader(
        say("traffic.upload"), accept_multiple_files=True, max_upload_size=UPLOAD_MB, key="traffic_upload"
    )
    if not found:
        st.caption(say("traffic.published"))
        log = state().log
        if log is not None and log.key[0] == "upload":
            st.caption(say("traffic.still", name=plain(log.trace.name)))
            st.button(say("traffic.forget"), on_click=forget)
        return [], ()
    files = [TraceFile(one.name, one) for one in found]
    return files, ("upload", *(one.file_id for one in found))


def _paste() -> tuple[list[TraceFile], Key]:
    now = state()
    st.session_state.setdefault("traffic_paste", now.pasted)
    text = st.text_area(say("traffic.paste"), key="traffic_paste", height=160, placeholder=_EXAMPLE)
    now.pasted = text
    if not text.strip():
        st.caption(say("traffic.paste.empty"))
        return [], ()
    digest = blake2b(text.encode("utf-8", "surrogatepass")).hexdigest()
    return [TraceFile(say("traffic.pasted"), text)], ("paste", digest)


def _from_folder() -> tuple[list[TraceFile], Key]:
    """Only names that stand in the folder are offered: nobody types a path."""
    folder = _folder()
    names = sorted(path.name for path in folder.iterdir() if path.is_file()) if folder else []
    if not folder or not names:
        return [], ()
    name = st.selectbox(say("traffic.folder"), names, key="traffic_folder")
    return ([TraceFile(name, folder / name)], ("folder", name)) if name in names else ([], ())


def _folder() -> Path | None:
    named = os.environ.get(FOLDER_NAME)
    return Path(named) if named and Path(named).is_dir() else None


_SOURCES = {"sample": _sample, "upload": _upload, "paste": _paste, "folder": _from_folder}
_EXAMPLE = '{"messages": [{"role": "user", "content": "…"}]}'


# -- how it is read ------------------------------------------------------------------------------------------


def _reading_options() -> None:
    now = state()
    wanted = now.wanted
    with st.expander(say("traffic.options")):
        left, middle, right = st.columns(3)
        with left:
            value = _choice(
                "format", "selectbox", [_AUTO, *NAMES], wanted.format_name or _AUTO, "trace.format."
            )
            wanted = replace(wanted, format_name=None if value == _AUTO else value)
        with middle:
            value = _choice("template", "selectbox", list(TEMPLATES), wanted.template, "traffic.template.")
            wanted = replace(wanted, template=value or "plain")
            size = st.number_input(
                say("traffic.log_block"),
                1,
                2**20,
                None,
                key="traffic_log_block",
                placeholder=say("traffic.auto"),
            )
            wanted = replace(wanted, block_size=size)
        with right:
            value = _choice(
                "convention",
                "selectbox",
                [_AUTO, "ceil", "floor"],
                wanted.convention or _AUTO,
                "traffic.tail.",
            )
            wanted = replace(wanted, convention=None if value == _AUTO else value)
            skip = st.checkbox(say("traffic.skip"), wanted.skip_broken, key="traffic_skip")
            wanted = replace(wanted, skip_broken=skip)
        st.caption(say("traffic.options.help"))
    now.wanted = wanted


def _choice(name: str, kind: str, options: list[str], value: str, prefix: str) -> str | None:
    """A widget whose options are words of the tables; it stands where the state has put it."""
    key = f"traffic_{name}"
    st.session_state.setdefault(key, value)
    if st.session_state[key] not in options:
        st.session_state[key] = value
    words = {one: say("traffic.auto" if one == _AUTO else f"{prefix}{one}") for one in options}
    make = getattr(st, kind)
    found: str | None = make(
        say(f"traffic.{name}.label"),
        options,
        format_func=words.__getitem__,
        key=key,
    )
    return found


# -- what was read -----------------------------------------------------------------------------------------


def log_summary(log: Log) -> None:
    """One line of what was read, its notes, and which lines were left out."""
    trace = log.trace
    tokens = sum(request.num_tokens for request in trace.requests)
    words = [
        say("traffic.read", name=plain(trace.name), n=len(trace.requests), tokens=digits(tokens)),
        say(
            "traffic.read.format" if log.detected is None else "traffic.read.detected", format=_format(trace)
        ),
    ]
    if trace.tokenizer is not None:
        names = {"tokenizer": say(f"traffic.tokenizer.{trace.tokenizer}"), "template": trace.template}
        words.append(say("traffic.read.tokens", **names))
    elif trace.block_size is not None:
        words.append(say("traffic.read.blocks", size=trace.block_size))
    st.markdown(" · ".join(words))
    notes = [say(f"trace.note.{note.code}", **{"count": note.count, **note.values}) for note in trace.notes]
    if trace.num_skipped:
        notes.append(say("trace.skipped", count=trace.num_skipped))
    if notes or trace.skipped:
        with st.expander(say("traffic.notes", n=len(notes))):
            lines = [f"- {plain(note)}" for note in notes]
            lines += [f"- {plain(f'{one.file}, {one.line}: {one.reason}')}" for one in trace.skipped]
            st.markdown("\n".join(lines))


def _format(trace: Trace) -> str:
    return say(f"trace.format.{trace.format}")
