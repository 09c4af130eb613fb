"""A visitor's own logs: what was read, how, and what was computed from it. Lives in the session alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

import streamlit as st

from core.prefix_tree import Progress
from core.traces.detect import detect
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traces.read import read_trace
from core.traces.sources import TraceFile
from core.traffic.analysis import Analysis, analyse
from core.traffic.misses import Miss
from core.traffic.ranking import Ranked, misses_of, rank_causes
from core.traffic.settings import Settings

T = TypeVar("T")
Key = tuple[object, ...]
_KEPT = 4
MANY = 20_000
"""Requests from which on causes are ranked only when asked for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a log is to be read: None means that it is found out."""

    format_name: str | None = None
    template: str = "plain"
    skip_broken: bool = False
    block_size: int | None = None
    convention: str | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """One log that was read, with the options it was read with (the tokenizer is among them)."""

    key: Key
    trace: Trace
    options: ReadOptions
    detected: str | None


@dataclass
class TrafficState:
    """Of one visitor. ``computed``: the last few results by what they were made from."""

    source: str = "sample"
    sample: str = "mixed"
    pasted: str = ""
    wanted: Wanted = field(default_factory=Wanted)
    log: Log | None = None
    other: Log | None = None
    other_source: str = "same"
    block_size: int | None = None
    num_slots: int | None = None
    ttl_s: float | None = None
    other_settings: Settings | None = None
    view: str = "overview"
    picked: int | None = None
    looks: int = 0
    computed: dict[Key, object] = field(default_factory=dict)

    def settings_for(self, log: Log) -> Settings:
        """The settings chosen; the block size is the log's own until another is chosen."""
        return Settings(self.block_size or log.trace.block_size or 16, self.num_slots, self.ttl_s)


def state() -> TrafficState:
    """This visitor's."""
    if "traffic" not in st.session_state:
        st.session_state["traffic"] = TrafficState()
    return cast(TrafficState, st.session_state["traffic"])


def forget() -> None:
    """Drop everything that was loaded and computed."""
    st.session_state["traffic"] = TrafficState()


def read_log(key: Key, files: Sequence[TraceFile], wanted: Wanted, progress: Progress | None = None) -> Log:
    """Read files as one log.

    Raises:
        TraceError: it cannot be read; whatever was loaded before stays.
    """
    options = ReadOptions(
        skip_broken=wanted.skip_broken,
        block_size=wanted.block_size,
        convention=wanted.convention,  # type: ignore[arg-type]
        template=wanted.template,
    )
    detected = detect(files[0]).format.name if wanted.format_name is None else None
    trace = read_trace(list(files), format_name=wanted.format_name, options=options, progress=progress)
    return Log(key, trace, options, detected)


def remember(key: Key, make: Callable[[], T]) -> T:
    """The result under this key; it is made if it is not among the last few of its kind."""
    known = state().computed
    if key not in known:
        known[key] = make()
        of_kind = [one for one in known if one[0] == key[0]]
        for old in of_kind[:-_KEPT]:
            del known[old]
    return cast(T, known[key])


def analysis_of(log: Log, settings: Settings, progress: Progress | None = None) -> Analysis:
    """The log under these settings."""
    return remember(("analysis", log.key, settings), lambda: analyse(log.trace, settings, progress))


def misses_in(log: Log, analysis: Analysis, progress: Progress | None = None) -> list[Miss]:
    """Why each request missed."""
    return remember(("misses", log.key, analysis.settings), lambda: misses_of(analysis, progress))


def causes_in(log: Log, analysis: Analysis, progress: Progress | None = None) -> tuple[Ranked, ...]:
    """Causes, ranked."""
    misses = misses_in(log, analysis)
    return remember(
        ("causes", log.key, analysis.settings),
        lambda: rank_causes(analysis, misses, log.options.tokenizer, progress),
    )
