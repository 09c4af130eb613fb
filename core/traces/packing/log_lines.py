"""Lines of a server's log, bare or each in a container runtime's JSON; lines that were cut are joined.

Source rules: Docker's json-file driver writes `{"log": "line\\n", "stream": …, "time": …}` and cuts at 16
KiB, so that only the last piece ends with `\\n`; the runtimes of Kubernetes write `time stdout P piece` and,
for the last piece, `time stdout F piece`. Shippers put either into a field of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.errors import TraceError
from core.traces.packing.inner import Path, plain_line, time_beside
from core.traces.packing.inner_paths import SHIPPED
from core.traces.packing.parts import PIECE
from core.traces.packing.scanner import Valued
from core.traces.packing.text import LONGEST_LINE
from core.traces.problems import Place
from core.traces.rows import Row

_MOST_PATHS = 4
_DEEPEST = 3


def line_paths(values: Iterable[object]) -> list[Path]:
    """The fields of log shippers that hold texts of more than one word, the nearest first."""
    found: dict[Path, None] = {}
    queue: list[tuple[object, Path]] = [(value, ()) for value in values]
    for value, path in queue:
        if len(found) >= _MOST_PATHS or not isinstance(value, dict):
            continue
        for name in (name for name in value if name in SHIPPED):
            if isinstance(value[name], str) and " " in value[name].strip():
                found[*path, name] = None
            elif len(path) + 1 < _DEEPEST:
                queue.append((value[name], (*path, name)))
    return list(found)


def log_lines(values: Iterable[Valued | TraceError], path: Path) -> Iterator[Row | TraceError]:
    """Every line at the path, with the time that stands beside it in front; no text there, no line."""
    pieces = _Pieces()
    for value in values:
        if isinstance(value, TraceError):
            yield value
            continue
        place, (text, time) = value[0], _text_at(value[1], path)
        if text is not None:
            found = plain_line(text, time)
            is_part = found.is_part
            if is_part is None:
                is_part = len(found.text) >= PIECE and not found.text.endswith("\n")
            before = f"{found.time} " if isinstance(found.time, str) else ""
            yield from pieces.rows(place, found.text, before, is_part)
    yield from pieces.rest()


def bare_lines(values: Iterable[tuple[Place, str | TraceError]]) -> Iterator[Row | TraceError]:
    """Every line of a text; only Kubernetes' runtimes say that theirs are pieces."""
    pieces = _Pieces()
    for place, line in values:
        if isinstance(line, TraceError):
            yield line
        elif " std" in line[:48]:
            found = plain_line(line, None)
            before = f"{found.time} " if found.time else ""
            yield from pieces.rows(place, found.text, before, found.is_part is True)
        else:
            yield Row({"line": line}, place)
    yield from pieces.rest()


class _Pieces:
    """What was cut, until its last piece comes."""

    def __init__(self) -> None:
        self._open: tuple[Place, str, str] | None = None

    def rows(self, place: Place, text: str, before: str, is_part: bool) -> Iterator[Row]:
        if self._open is not None:
            place, before, text = self._open[0], self._open[1], self._open[2] + text
        self._open = (place, before, text)
        if not is_part or len(text) > LONGEST_LINE:
            yield from self.rest()

    def rest(self) -> Iterator[Row]:
        """All that is there, line by line."""
        if self._open is not None:
            place, before, text = self._open
            self._open = None
            for line in text.splitlines():
                yield Row({"line": before + line}, place)


def _text_at(value: object, path: Path) -> tuple[str | None, object]:
    """The text at the path, and the time that stands nearest beside it."""
    time: object = None
    for name in path:
        if not isinstance(value, dict):
            return None, None
        time = time_beside(value, time)
        value = value.get(str(name))
    return (value, time) if isinstance(value, str) else (None, None)
