"""Every setting of *Your traffic*, for the link; the log itself never is in it. Frozen, pure, light."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from core.errors import TraceError
from core.traces.field_map import parse_map
from ui.frame.link import LinkPart, choices, whole
from ui.traffic.judge import Judge, judge_in, judge_text

SAMPLES = ("mixed", "chat", "agent", "rag", "templates", "conversations", "sessions")
SOURCES = ("sample", "upload", "paste", "folder")
VIEWS = ("overview", "misses", "sources", "sweeps", "compare", "usage")
UNITS = ("blocks", "tokens", "gib")
TEMPLATES = ("plain", "chatml", "llama3")
TOKENIZERS = ("auto", "teaching", "qwen", "small", "own")
USAGE_READINGS = ("usual", "other")
SAME, UPLOAD = "same", "upload"
OTHERS = (SAME, *SAMPLES, UPLOAD)
LARGEST_BLOCK, MOST_SLOTS, MOST_SECONDS = 4096, 10**9, 1e8
LARGEST_LOG_BLOCK = 2**20


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a log is to be read: None means that it is found out. `core.traces.options` says what each means;
    `field_map` is the text of one."""

    format_name: str | None = None
    template: str = "plain"
    skip_broken: bool = False
    block_size: int | None = None
    convention: str | None = None
    tokenizer: str = "auto"
    deltas: bool | None = None
    split_by_model: bool = True
    ignore_times: bool = False
    usage_reading: str = "usual"
    field_map: str | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """Under which cache: None is the log's own block size, room for everything, no time to live."""

    block_size: int | None = None
    num_slots: int | None = None
    ttl_s: float | None = None


@dataclass(frozen=True, slots=True)
class TrafficSetup:
    """The page as it stands; ``b`` is the other side of the comparison, None until somebody looks at it."""

    source: str = "sample"
    sample: str = "mixed"
    wanted: Wanted = field(default_factory=Wanted)
    a: Side = field(default_factory=Side)
    b: Side | None = None
    other_source: str = SAME
    view: str = "overview"
    unit: str = "blocks"
    judge: Judge = field(default_factory=Judge)


# -- links --------------------------------------------------------------------------------------------

_CHOICES = {  # field -> name in a link, what it may be
    "source": ("ys", SOURCES),
    "sample": ("yk", SAMPLES),
    "view": ("yv", VIEWS),
    "unit": ("yu", UNITS),
    "other_source": ("yo", OTHERS),
}
_READ = {
    "template": ("ym", TEMPLATES),
    "tokenizer": ("yt", TOKENIZERS),
    "convention": ("yc", ("ceil", "floor")),
    "usage_reading": ("usage_reading", USAGE_READINGS),
}
_SWITCHES: Mapping[str, tuple[str, Mapping[str, bool]]] = {  # field -> name in a link, its values there
    "skip_broken": ("yq", {"1": True}),
    "deltas": ("yd", {"1": True, "0": False}),
    "split_by_model": ("yx", {"0": False}),
    "ignore_times": ("yi", {"1": True}),
}
_FORMAT, _LOG_BLOCK, _MAP, _A, _B, _JUDGE = "yf", "yz", "fields", "ya", "yb", "yj"
_FORMAT_NAME = re.compile(r"[a-z_]{1,30}", re.ASCII)

WORDS: Mapping[str, str] = {
    "ys": "traffic.source.label",
    "yk": "traffic.sample.label",
    "yv": "traffic.view",
    "yu": "traffic.unit",
    "yo": "traffic.compare.with",
    "ym": "traffic.template.label",
    "yt": "traffic.tokenizer.label",
    "yc": "traffic.convention.label",
    _FORMAT: "traffic.format.label",
    _LOG_BLOCK: "traffic.log_block",
    _MAP: "traffic.fields",
    "usage_reading": "traffic.usage_reading.label",
    "yq": "traffic.skip",
    "yd": "traffic.deltas.label",
    "yx": "traffic.split",
    "yi": "traffic.ignore_times",
    _A: "traffic.slots",
    _B: "traffic.view.compare",
    _JUDGE: "traffic.rule",
}
"""What a person knows each parameter as: keys of the tables."""


def to_query(setup: TrafficSetup) -> dict[str, str]:
    """What differs from the default, as query parameters."""
    plain, wanted = TrafficSetup(), setup.wanted
    found = {
        short: str(getattr(setup, name))
        for name, (short, _) in _CHOICES.items()
        if getattr(setup, name) != getattr(plain, name)
    }
    found |= {
        short: str(getattr(wanted, name))
        for name, (short, _) in _READ.items()
        if getattr(wanted, name) != getattr(plain.wanted, name)
    }
    if wanted.format_name is not None:
        found[_FORMAT] = wanted.format_name
    if wanted.block_size is not None:
        found[_LOG_BLOCK] = str(wanted.block_size)
    if wanted.field_map is not None:
        found[_MAP] = wanted.field_map
    for name, (short, values) in _SWITCHES.items():
        found.update((short, text) for text, value in values.items() if getattr(wanted, name) is value)
    if setup.a != Side():
        found[_A] = _side_text(setup.a)
    if setup.b is not None:
        found[_B] = _side_text(setup.b)
    if setup.judge != Judge():
        found[_JUDGE] = judge_text(setup.judge)
    return found


def from_query(query: Mapping[str, str]) -> tuple[TrafficSetup, list[str]]:
    """Back, and the names of parameters that could not be used."""
    lost: list[str] = []
    wanted = Wanted(**choices(query, _READ, lost))
    if _FORMAT in query:
        if _FORMAT_NAME.fullmatch(query[_FORMAT]):
            wanted = replace(wanted, format_name=query[_FORMAT])
        else:
            lost.append(_FORMAT)
    if _LOG_BLOCK in query:
        size = whole(query[_LOG_BLOCK], 1, LARGEST_LOG_BLOCK)
        wanted = replace(wanted, block_size=size)
        lost += [_LOG_BLOCK] * (size is None)
    switched: dict[str, Any] = _switches(query, lost)
    wanted = replace(wanted, **switched)
    if _MAP in query:
        text = _map_text(query[_MAP])
        wanted = replace(wanted, field_map=text)
        lost += [_MAP] * (text is None)
    setup = TrafficSetup(wanted=wanted, **choices(query, _CHOICES, lost))
    for name, short in (("a", _A), ("b", _B)):
        if short in query:
            side = _side(query[short])
            if side is None:
                lost.append(short)
            else:
                setup = replace(setup, a=side) if name == "a" else replace(setup, b=side)
    if _JUDGE in query:
        judge = judge_in(query[_JUDGE])
        setup = replace(setup, judge=judge or Judge())
        lost += [_JUDGE] * (judge is None)
    return setup, lost


def _switches(query: Mapping[str, str], lost: list[str]) -> dict[str, bool]:
    """Fields that are yes or no, by what stands in the link for each; ``lost`` grows."""
    there = {name: (short, values) for name, (short, values) in _SWITCHES.items() if short in query}
    lost += [short for short, values in there.values() if query[short] not in values]
    return {name: values[query[short]] for name, (short, values) in there.items() if query[short] in values}


def _map_text(text: str) -> str | None:
    """As a field map writes itself; None if it is none."""
    try:
        return str(parse_map(text)) or None
    except TraceError:
        return None


def _side_text(side: Side) -> str:
    """ "16~5000~" is blocks of 16, 5,000 slots, no time to live."""
    values = (getattr(side, one.name) for one in fields(side))
    return "~".join("" if value is None else f"{value:.12g}" for value in values)


def _side(text: str) -> Side | None:
    parts = text[:60].split("~")
    if len(parts) != 3:
        return None
    read = Side(whole(parts[0], 1, LARGEST_BLOCK), whole(parts[1], 1, MOST_SLOTS), _seconds(parts[2]))
    unread = (part for part, one in zip(parts, fields(Side), strict=True) if getattr(read, one.name) is None)
    return None if any(unread) else read


def _seconds(text: str) -> float | None:
    if not re.fullmatch(r"\d{1,9}(\.\d{1,12})?(e-\d{1,2})?", text, re.ASCII):
        return None
    value = float(text)
    return value if value <= MOST_SECONDS else None


TRAFFIC = LinkPart("traffic_setup", TrafficSetup, WORDS, from_query, to_query, only_on="traffic")
