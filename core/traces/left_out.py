"""What a reading left out: broken lines, records delivered twice, fields that nobody reads.

Lists are bounded, counts are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_SHOWN = 20
"""Entries of a list that are kept; all are counted."""


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """One broken line that was left out, and why: `code` and `values` are those of its error, from which a
    screen makes a sentence in its language; `reason` is the English one."""

    file: str
    line: int
    reason: str
    code: str = ""
    values: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RepeatedRow:
    """A record that was delivered before: same id, same content. The first delivery counts."""

    request_id: str
    file: str
    line: int
    first_file: str
    first_line: int


@dataclass(frozen=True, slots=True)
class UnreadField:
    """A field of request bodies that is not read, with its share of the bytes of all records (`estimated`:
    weighed on a part of them).

    `maybe_prompt`: it could belong to what the model sees, in which case every hit rate here is wrong. Fields
    of which that is not so are one entry, `path` "parameters", whose `fields` name them.
    """

    path: str
    share: float
    num_records: int
    estimated: bool = False
    maybe_prompt: bool = True
    fields: tuple[str, ...] = ()
