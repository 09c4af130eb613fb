"""Where we are in the input, so that every complaint can name file, line and field."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.errors import RecordingError


@dataclass(frozen=True)
class Place:
    """A file, a line in it (counted from 1) and the field inside that line."""

    file: str
    line: int = 0
    field: str = ""

    def inside(self, name: str | int) -> Place:
        """The place of a member: a name in an object, a number in a list."""
        if isinstance(name, int):
            return replace(self, field=f"{self.field}[{name}]")
        return replace(self, field=f"{self.field}.{name}" if self.field else name)

    def error(self, code: str, problem: str) -> RecordingError:
        """What to raise when the input cannot be used here."""
        values = {"file": self.file, "line": self.line, "field": self.field, "problem": problem}
        return RecordingError(f"recording.{code}", f"{self}: {problem}", **values)

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}" + (f": {self.field}" if self.field else "")
