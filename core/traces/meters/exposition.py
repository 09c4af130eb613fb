"""One line of a metrics page: Prometheus' text format, and OpenMetrics, which adds little.

Source rule (both specifications): `name{label="value",…} value [time] [# exemplar]`; a label's value
escapes `\\`, `"` and line ends; Prometheus writes times in whole milliseconds, OpenMetrics in seconds, with
decimals or without, and ends with `# EOF`. Other comments start with `#`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from core.traces.engine_facts import Labels
from core.traces.rows import LARGEST_TIME

_NAME = re.compile(r"[A-Za-z_:][\w:.]*", re.ASCII)
_REST = re.compile(
    r'\s*(?:\{((?:[^"{}]|"(?:[^"\\]|\\.)*")*)\})?\s*(?<=[\s}])(\S+)(?:[ \t]+(-?[0-9][0-9.eE+-]*))?\s*(?:#.*)?'
)
_LABEL = re.compile(r'\s*([A-Za-z_][\w.]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.ASCII)
_MILLISECONDS = 1e11
"""Larger times can only be milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One number. NaN is kept: it is for the reader to say what that means."""

    labels: Labels
    value: float
    at_s: float | None


def name_of(line: str) -> str:
    """The metric's name at the beginning of a line, "" if there is none."""
    found = _NAME.match(line)
    return found[0] if found else ""


def sample_of(line: str, name: str) -> Sample | None:
    """What stands behind the name; None if the line is broken."""
    found = _REST.fullmatch(line, len(name))
    if found is None:
        return None
    labels = labels_of(found[1] or "")
    value, at = _number(found[2]), None if found[3] is None else _number(found[3])
    if labels is None or value is None or (found[3] is not None and at is None):
        return None
    return Sample(labels, value, None if at is None else seconds(at))


def seconds(at: float) -> float | None:
    """A time in the unit that its size shows."""
    if not abs(at) <= LARGEST_TIME:
        return None
    return at / 1000 if abs(at) >= _MILLISECONDS else at


def labels_of(text: str) -> Labels | None:
    """Labels between the braces, sorted."""
    found, place = [], 0
    while text[place:].strip(" ,\t"):
        one = _LABEL.match(text, place)
        if one is None:
            return None
        found.append((one[1], one[2]))
        place = one.end()
    return tuple(sorted(found))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if "_" not in text and not math.isinf(number) else None
