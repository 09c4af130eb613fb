"""Lines that a container's runtime cut in parts, put together again.

The runtimes of Kubernetes mark a part with `P` and the last one with `F` (Fluent Bit keeps the mark as
`logtag`); Docker cuts at 16 KiB and ends the last part only with a line end, its fluentd driver says
`partial_message`. Such parts belong together whatever they look like, also where the first one already holds
whole objects. Where nobody marks anything, an object that does not end opens a record and the next text goes
on with it unless it begins one itself. Parts of standard output and of standard error are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.traces.packing.inner import (
    Line,
    Path,
    objects_in,
    opens_without_end,
    plain_line,
    time_beside,
)

PIECE = 8000
"""A shorter text was not cut by a container's runtime (they cut at 16 KiB, some loggers at 8)."""
_MARKS = ('"logtag"', "partial_message")


@dataclass(frozen=True, slots=True)
class Part:
    """A text at the end of a path. `goes_on`: its runtime marks it as a part with more to come; `of_docker`:
    it comes from Docker, where only a line end says that it is whole; `stream`: what it is a part of; `time`:
    when it was written; `rest`: the path behind it."""

    text: str
    goes_on: bool
    of_docker: bool
    stream: str
    time: object
    rest: Path

    @property
    def seems_cut(self) -> bool:
        """Whether an object opens in it that may end in the next one. O(text)."""
        unended = self.of_docker and not self.text.endswith("\n")
        return (unended or len(self.text) >= PIECE) and opens_without_end(self.text)


def may_be_marked(value: object) -> bool:
    """A cheap look at whether a runtime marks this as a part."""
    if isinstance(value, str):
        return " P " in value[:80] or any(mark in value for mark in _MARKS)
    return isinstance(value, dict)


def part_of(value: object, path: Path) -> Part | None:
    """The text at the end of the path, as it stands; None if something else ends there."""
    holder: dict[str, Any] = {}
    time: object = None
    for _ in range(2 * len(path) + 2):
        if isinstance(value, str):
            line = plain_line(value, time)
            inner = next(iter(objects_in(line.text)), None) if path else None
            if inner is None:
                return _part(line, holder, path)
            value = inner[0]
        elif path and isinstance(value, dict) and path[0] in value:
            time = time_beside(value, time)
            holder, value, path = value, value[str(path[0])], path[1:]
        else:
            return None
    return None


def _part(line: Line, holder: dict[str, Any], rest: Path) -> Part:
    stream = line.stream or str(holder.get("partial_id") or holder.get("stream") or "")
    goes_on = line.is_part is True or holder.get("logtag") == "P"
    if str(holder.get("partial_message")).lower() == "true":
        goes_on = str(holder.get("partial_last")).lower() != "true"
    return Part(line.text, goes_on, "stream" in holder and "log" in holder, stream, line.time, rest)
