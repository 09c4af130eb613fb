"""What one replayed scenario brought to light: how many operations ran and where the outcomes differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.conformance.fields import Fields, Place, explains, show


@dataclass(frozen=True)
class Missing:
    """Stands where a value should be; unlike None or a text it cannot be mistaken for a recorded one."""

    words: str

    def __repr__(self) -> str:
        return f"({self.words})"


ABSENT = Missing("absent")
UNKNOWN = Missing("unknown field")


@dataclass(frozen=True)
class Mismatch:
    """One field whose recorded value is not the engine's."""

    file: str
    line: int
    scenario: str
    operation: str
    field: str
    expected: object
    got: object

    def __str__(self) -> str:
        values = f"expected {show(self.expected, 120)} got {show(self.got, 120)}"
        return f"{self.file}:{self.line} {self.scenario} {self.operation} {self.field}: {values}"


@dataclass
class Findings:
    """Collects the mismatches of one scenario."""

    place: Place
    scenario: str
    num_operations: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)

    def differ(self, operation: str, name: str, expected: object, got: object) -> None:
        """Note one difference."""
        place = self.place
        self.mismatches.append(
            Mismatch(place.file, place.line, self.scenario, operation, name, expected, got)
        )

    def unknown_fields(self, operation: str, fields: Fields, known: Collection[str]) -> None:
        """Note every field nobody would have looked at: silence about it would look like agreement."""
        for name in fields.unknown(known):
            self.differ(operation, name, fields.value[name], UNKNOWN)

    def compare(
        self,
        operation: str,
        expected: Mapping[str, Any],
        got: Mapping[str, Any],
        known: Collection[str],
        ignored: Collection[str] = (),
        empty_if_absent: Collection[str] = (),
    ) -> None:
        """Compare two outcomes both ways: a field only one side has differs too.

        `known` are all fields the format defines. Those in `empty_if_absent` are written only when they hold
        something, so an absent one equals an empty list.
        """
        for name in dict.fromkeys([*expected, *got]):
            if explains(name) or name in ignored:
                continue
            if name not in known:
                self.differ(operation, name, expected.get(name), UNKNOWN)
                continue
            default: object = [] if name in empty_if_absent else ABSENT
            theirs, ours = expected.get(name, default), got.get(name, default)
            if ours != theirs:
                self.differ(operation, name, theirs, ours)
