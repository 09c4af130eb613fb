"""A visitor's own logs: what was read, how, and what was computed from it. Lives in the session alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar, cast

from core.errors import TraceError
from core.replay.prefix_tree import Progress
from core.traces.door.read import read_trace
from core.traces.field_map import FieldMap, parse_map
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traffic.analysis import Analysis, misses_of
from core.traffic.misses import Miss
from core.traffic.settings import Settings
from ui.frame.kept import Kept
from ui.frame.shared import Shared
from ui.traffic.setup import TRAFFIC, Side, Wanted
from ui.traffic.tokenizers import AUTO, resolved, tokenizer_for

T = TypeVar("T")
Key = tuple[object, ...]
_KEPT = 4
_TOLD_APART = ("format_name", "tokenizer", "field_map")
MANY = 20_000
"""Requests from which on causes are ranked only when asked for."""


@dataclass(frozen=True, slots=True)
class Log:
    """One log that was read, with the options it was read with (the tokenizer is among them)."""

    key: Key
    trace: Trace
    options: ReadOptions
    detected: str | None


@dataclass
class TrafficState:
    """Of one visitor; the settings are ``chosen()``. ``computed``: the last few results by
    what they were made from. ``stopped``: work that was stopped and is not begun again by itself.
    ``draft``: which field of which files is what, as far as it is chosen; ``heard``: the number of the last
    choice in the tree that is in it; ``wrong_map``: what is wrong with the one that was typed last;
    ``asked``: of which files and reading a person was asked;
    ``left_out``: uploads of several that a person does without, by their id."""

    pasted: str = ""
    log: Log | None = None
    other: Log | None = None
    picked: int | None = None
    looks: int = 0
    draft: tuple[Key, FieldMap] | None = None
    heard: int = 0
    wrong_map: TraceError | None = None
    asked: Key | None = None
    left_out: frozenset[str] = frozenset()
    computed: dict[Key, object] = field(default_factory=dict)
    stopped: set[Key] = field(default_factory=set)


_STATE = Kept("traffic", TrafficState)
_OF_SAMPLES = Shared(48)


state = _STATE.get
"""This visitor's."""


def forget() -> None:
    """Drop everything that was loaded and computed; the settings stay."""
    _STATE.set(TrafficState())


chosen = TRAFFIC.get
"""Every setting of the page."""


def choose(**values: Any) -> None:
    """Change some of them."""
    TRAFFIC.set(replace(chosen(), **values))


def settings_of(side: Side, log: Log) -> Settings:
    """What a side of the page asks for; the block size is the log's own until another is chosen."""
    return Settings(side.block_size or log.trace.block_size or 16, side.num_slots, side.ttl_s)


def read_log(key: Key, files: Sequence[TraceFile], wanted: Wanted, progress: Progress | None = None) -> Log:
    """Read files as one log; a sample that was read before is not read again.

    Raises:
        BrothError: it cannot be read, or the tokenizer is not here; whatever was loaded before stays.
    """
    if key[0] == "sample":
        return _OF_SAMPLES.get(("log", key), lambda: _read(key, files, wanted, progress))
    return _read(key, files, wanted, progress)


def _read(key: Key, files: Sequence[TraceFile], wanted: Wanted, progress: Progress | None) -> Log:
    if key[0] == "sample" and wanted.tokenizer == AUTO:  # made of the lessons' words, with published numbers
        wanted = replace(wanted, tokenizer="teaching")
    options = options_of(wanted)
    trace = read_trace(list(files), format_name=wanted.format_name, options=options, progress=progress)
    chosen_by_hand = wanted.format_name is not None or wanted.field_map is not None
    return Log(key, trace, options, None if chosen_by_hand else trace.format)


def options_of(wanted: Wanted) -> ReadOptions:
    """What the page asks of the readers.

    Raises:
        BrothError: a value that makes no sense, or the tokenizer is not here.
    """
    said = {one.name: getattr(wanted, one.name) for one in fields(wanted) if one.name not in _TOLD_APART}
    return ReadOptions(
        **said,
        tokenizer=tokenizer_for(wanted.tokenizer),
        tokenizer_name=resolved(wanted.tokenizer),
        field_map=None if wanted.field_map is None else parse_map(wanted.field_map),
    )


def remember(key: Key, make: Callable[[], T]) -> T:
    """The result under this key; it is made if it is not among the last few of its kind. ``key``: the kind,
    the key of the log, the settings. Results of the app's own samples are everybody's."""
    known = state().computed
    if key not in known:
        known[key] = _OF_SAMPLES.get(key, make) if _is_of_sample(key) else make()
        of_kind = [one for one in known if one[0] == key[0]]
        for old in of_kind[:-_KEPT]:
            del known[old]
    return cast(T, known[key])


def _is_of_sample(key: Key) -> bool:
    return isinstance(key[1], tuple) and key[1][0] == "sample"


def analysis_key(log: Log, settings: Settings) -> Key:
    """Under which the log under these settings is remembered."""
    return ("analysis", log.key, settings)


def misses_in(log: Log, analysis: Analysis, progress: Progress | None = None) -> list[Miss]:
    """Why each request missed."""
    return remember(("misses", log.key, analysis.settings), lambda: misses_of(analysis, progress))
