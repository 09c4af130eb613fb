"""Reading JSON field by field: whatever is wrong becomes an error that names file, line and field.

Recordings, traces, scenarios and event logs are read with it. Each has a `Place` of its own that says which
error is raised, how the codes of wrong and missing fields begin, and the words where they are not the usual.
"""

from __future__ import annotations

import json
from typing import Any, Generic, Never, Self, TypeGuard, TypeVar

from core.errors import BrothError
from core.texts import escaped

SHOWN = 60
"""Characters of a wrong value that a message repeats."""

E = TypeVar("E", bound=BrothError)


class Place(Generic[E]):
    """Where in the input: a file, and a line of it (from 1; 0 for the file as a whole)."""

    __slots__ = ("file", "line")
    raises: type[E]
    prefix: str

    def __init__(self, file: str, line: int = 0) -> None:
        self.file = file
        self.line = line

    def error(self, code: str, message: str, **values: object) -> E:
        """What to raise here; file and line are among its values."""
        line = {"line": self.line} if self.line else {}
        return self.raises(code, message, file=self.file, **line, **values)

    def wrong(self, field: str, expected: str, value: object) -> E:
        """The error about a field whose value makes no sense."""
        found = self.shown(value)
        message = f"{self}: {field} is {found!r}; expected {expected}."
        return self.error(f"{self.prefix}.value", message, field=field, expected=expected, value=found)

    def missing(self, field: str, expected: str) -> E:
        """The error about a field that is not there."""
        message = f"{self}: the field {field} is missing; expected {expected}."
        return self.error(f"{self.prefix}.missing", message, field=field, expected=expected)

    def shown(self, value: object) -> str:
        """A value as a message repeats it."""
        return shown(value)

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}" if self.line else self.file


class Fields(Generic[E]):
    """A JSON object (or a table's row) and where it stands. `path` names it inside its record."""

    __slots__ = ("path", "place", "value")

    def __init__(self, value: object, place: Place[E], path: str = "") -> None:
        if not isinstance(value, dict):
            raise place.wrong(path or "the record", "an object", value)
        self.value: dict[str, Any] = value
        self.place = place
        self.path = path

    def __contains__(self, field: str) -> bool:
        return field in self.value

    def get(self, field: str) -> Any:
        """Whatever stands there; None if nothing does."""
        return self.value.get(field)

    def name(self, field: str) -> str:
        """The field's full name: messages[2].content."""
        return f"{self.path}.{field}" if self.path else field

    def wrong(self, field: str, expected: str, value: object = None) -> E:
        """The error about a field that is missing or holds something else: `value`, or what stands there."""
        if value is None and field not in self.value:
            return self.place.missing(self.name(field), expected)
        found = self.value.get(field) if value is None else value
        return self.place.wrong(self.name(field), expected, found)

    def text(self, field: str, default: str | None = None) -> str:
        """A text; without `default` it must be there."""
        value = self.value.get(field, default)
        if isinstance(value, str):
            return value
        raise self.wrong(field, "a text")

    def whole(self, field: str, default: int | None = None, *, least: int = 0, most: int = 2**63) -> int:
        """A whole number."""
        value = self.value.get(field, default)
        if is_whole(value) and least <= value <= most:
            return value
        raise self.wrong(field, f"a whole number from {least} to {most}")

    def flag(self, field: str, default: bool | None = None) -> bool:
        """True or false."""
        value = self.value.get(field, default)
        if isinstance(value, bool):
            return value
        raise self.wrong(field, "true or false")

    def items(self, field: str) -> list[Any]:
        """A list of whatever."""
        value = self.value.get(field)
        if isinstance(value, list):
            return value
        raise self.wrong(field, "a list")

    def objects(self, field: str) -> list[Self]:
        """A list of objects."""
        return [self.element(field, index, item) for index, item in enumerate(self.items(field))]

    def element(self, field: str, index: int, item: object) -> Self:
        """One element of a list of objects."""
        return type(self)(item, self.place, f"{self.name(field)}[{index}]")

    def object(self, field: str) -> Self:
        """An object."""
        if not isinstance(self.value.get(field), dict):
            raise self.wrong(field, "an object")
        return type(self)(self.value[field], self.place, self.name(field))


def is_whole(value: object) -> TypeGuard[int]:
    """A whole number; JSON's true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def shown(value: object) -> str:
    """A value as a message may repeat it: short, and never a failure of its own."""
    text = escaped(value if isinstance(value, str) else _in_short(value))
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _in_short(value: object) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)} fields"
    if isinstance(value, int) and abs(value) >= 10**SHOWN:
        return "a number of more than 60 digits"  # str() of a huge number is slow and may refuse
    return str(value)


class _ConstantError(ValueError):
    """NaN or Infinity, which are no JSON."""


def _refuse(constant: str) -> Never:
    raise _ConstantError(f"{constant} is not a JSON number")


DECODER = json.JSONDecoder(parse_constant=_refuse)


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is none; the message is the reason, and a `JSONDecodeError` knows the line as well.
    """
    try:
        return DECODER.decode(text)
    except (json.JSONDecodeError, _ConstantError):
        raise
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError:
        raise ValueError("a number is too long") from None
