"""Counts as spreadsheets and gateways of all countries write them: 1,536 and 1.536 and 1 536 and 1'536.

Three digits behind a mark are a group of thousands, because tokens are whole: 1.536 is no count otherwise.
Only 1.000 may also be a 1 with three decimals. A column is written in one way, so one value decides for all
of it: groups that are not all zeros, or a whole number without a mark (950), say thousands; 1000.0 and 0.000
say decimals. Where a column has neither, the other columns of the log decide, and where they do not, nobody
can know: that is an error, never a guess. 1.54E+03 has lost digits and is no count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKS = ".,'’ \u00a0\u202f\u2009"
_PLAIN = re.compile(r"-?\d{1,20}", re.ASCII)
_GROUPS = re.compile(
    rf"(?P<whole>-?\d{{1,3}}([{_MARKS}])\d{{3}}(?:\2\d{{3}}){{0,5}})(?:(?!\2)[.,]0*)?", re.ASCII
)
_DECIMALS = re.compile(r"-?\d{1,20}[.,]0*", re.ASCII)
_POWER = re.compile(r"(-?\d)(?:[.,](\d{1,15}))?[eE]\+?(\d{1,2})", re.ASCII)


class WrittenOtherwiseError(Exception):
    """A column holds decimals, after some of its values were read as thousands."""


@dataclass(slots=True)
class _Column:
    """What was seen in a column: whole numbers without a mark, the first value whose mark is surely one of
    thousands, the first with decimals, and the first that may be either, with its place."""

    plain: bool = False
    marked: str = ""
    decimals: str = ""
    doubtful: str = ""
    file: str = ""
    line: int = 0


class Numbers:
    """How one log writes its numbers, column by column. One for each reading.

    `decimals`: columns of which an earlier reading has found out that a mark stands before decimals.
    """

    __slots__ = ("_columns", "decimals")

    def __init__(self, decimals: frozenset[str] = frozenset()) -> None:
        self.decimals = decimals
        self._columns: dict[str, _Column] = {}

    def whole(self, text: str, field: str, file: str, line: int) -> int | None:
        """The count that a text of this column spells; None if it spells none."""
        text = text.strip()
        column = self._columns.get(field)
        if column is None:
            column = self._columns[field] = _Column()
        if _PLAIN.fullmatch(text):
            column.plain = True
            return int(text)
        groups = _GROUPS.fullmatch(text)
        if groups is None or field in self.decimals or text.lstrip("-").startswith("0"):  # 0.000, no group
            if _DECIMALS.fullmatch(text):
                column.decimals = column.decimals or text
            return whole_of(text, as_decimals=True)
        mark, first = groups[2], text.lstrip("-").split(groups[2])[1]
        if mark not in ".," or groups["whole"].count(mark) > 1 or int(first) or groups["whole"] != text:
            column.marked = column.marked or text
        elif not column.doubtful:
            column.doubtful, column.file, column.line = text, file, line
        return whole_of(text)

    @property
    def with_thousands(self) -> dict[str, str]:
        """The columns in which a mark stands between thousands, each with an example."""
        found = {name: column.doubtful or column.marked for name, column in self._columns.items()}
        return {name: text for name, text in found.items() if text and name not in self.decimals}

    def open_column(self) -> tuple[str, _Column] | None:
        """A column of which nothing tells what its marks mean.

        Raises:
            WrittenOtherwiseError: a column must be read anew, with decimals.
        """
        proven = any(
            one.marked or (one.doubtful and one.plain and not one.decimals) for one in self._columns.values()
        )
        for name, column in self._columns.items():
            if column.doubtful and name not in self.decimals:
                told = column.marked or column.plain
                if column.decimals and not told:
                    raise WrittenOtherwiseError
                if column.decimals or not (told or proven):
                    return name, column
        return None

    @property
    def found_decimals(self) -> frozenset[str]:
        """The columns that hold decimals and nothing that says thousands."""
        found = {
            name for name, one in self._columns.items() if one.decimals and not (one.plain or one.marked)
        }
        return self.decimals | found


def whole_of(text: str, as_decimals: bool = False) -> int | None:
    """The count that a text spells by itself; None if it spells none."""
    text = text.strip()
    if _PLAIN.fullmatch(text):
        return int(text)
    groups = None if as_decimals else _GROUPS.fullmatch(text)
    if groups is not None:
        return int(re.sub(f"[{_MARKS}]", "", groups["whole"]))
    if _DECIMALS.fullmatch(text):
        return int(re.split("[.,]", text)[0])
    power = _POWER.fullmatch(text)
    if power is not None and len(power[2] or "") >= int(power[3]):
        digits, rest = (power[2] or "")[: int(power[3])], (power[2] or "")[int(power[3]) :]
        return int(power[1] + digits) if not rest.strip("0") else None
    return None
