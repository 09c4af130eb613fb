"""Lines of `name=value` pairs (logfmt), as many services of Go and Heroku write them."""

from __future__ import annotations

import re
from collections.abc import Generator

from core.errors import TraceError
from core.traces.packing.decode import parse_json
from core.traces.packing.scanner import Say
from core.traces.packing.sources import Meter, TraceFile
from core.traces.packing.text import first_lines, lines
from core.traces.rows import Row

_PAIR = re.compile(r'([A-Za-z_@][\w.@/-]{0,80})=("(?:[^"\\]|\\.)*"|[^\s"]*)(?=\s|$)')
_FEWEST = 3
_LOOKED_AT = 20


def logfmt_rows(file: TraceFile, meter: Meter | None, say: Say) -> Generator[Row | TraceError, None, None]:
    """One record a line; lines of another kind are counted.

    Raises:
        TraceError: the file cannot be read on.
    """
    for place, line in lines(file, meter):
        if isinstance(line, TraceError):
            yield line
        elif (found := _pairs(line)) is not None:
            yield Row(found, place)
        elif line.strip():
            say("other_rows", 1)


def is_logfmt(file: TraceFile) -> bool:
    """Whether most of the first lines are pairs and little else."""
    first = [line for _, line in first_lines(file, _LOOKED_AT) if isinstance(line, str)]
    return bool(first) and 2 * sum(_pairs(line) is not None for line in first) > len(first)


def _pairs(line: str) -> dict[str, object] | None:
    matches = [*_PAIR.finditer(line)]
    if len(matches) < _FEWEST or 2 * sum(len(match[0]) + 1 for match in matches) < len(line):
        return None
    return {match[1]: _value(match[2]) for match in matches if match[2] != ""}


def _value(text: str) -> object:
    """A quoted value without its quotes; JSON in it is entered like any other text."""
    if text.startswith('"'):
        try:
            return parse_json(text)
        except ValueError:
            return text[1:-1]
    return text
