"""A prompt's segments, and beside them where each stands in its record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.traces.model import Segment


class Pieces(tuple[Segment, ...]):
    """Segments with their places (``messages[0].content[1].text``, ``tools[2]``, ``prompt``; a marker: its
    message), one each. Equal lists of places are one object.

    What is put together anew from segments is a plain tuple: its places are not known.
    """

    paths: tuple[str, ...]

    def __new__(cls, segments: Iterable[Segment], paths: tuple[str, ...]) -> Pieces:
        """As many places as segments."""
        made = super().__new__(cls, segments)
        made.paths = paths
        return made


def paths_of(segments: tuple[Segment, ...]) -> tuple[str, ...]:
    """Where each segment stands; roles where that is not known."""
    if isinstance(segments, Pieces):
        return segments.paths
    return tuple(part.role for part in segments)


def message_of(paths: Sequence[str]) -> str:
    """Where the message stands whose parts stand there: up to the first list's element; tools stand alone.

    >>> message_of(["messages[2].content[0].text", "messages[2].content[1].text"])
    'messages[2]'
    """
    first = paths[0] if paths else ""
    end = first.find("]")
    return first[: end + 1] if end >= 0 and not first.startswith("tools") else first
