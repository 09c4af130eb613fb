"""Reading one JSON object field by field; a wrong type is an error that names the place."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, TypeGuard

from core.conformance.place import Place
from core.errors import RecordingError, ScenarioError
from core.scenario.token_streams import TokenStreams
from core.types import MAX_TOKEN_ID

# Fields that only explain something to the reader. They are never compared.
_EXPLANATIONS = frozenset({"note", "comment", "why", "rule", "explanation", "old_policy"})
_WRONG_ON_PURPOSE = ("buggy_", "naive_")  # what an engine with the fault would have shown

# No recorded pool comes near it; a typing error must not fill the memory.
MOST_BLOCKS = 10**7


class Fields:
    """A JSON object together with its place in the input."""

    def __init__(self, value: object, place: Place) -> None:
        if not isinstance(value, dict):
            raise place.error("object", f"expected an object, got {show(value)}")
        self.value: dict[str, Any] = value
        self.place = place

    def __contains__(self, name: str) -> bool:
        return name in self.value

    def unknown(self, known: Collection[str]) -> list[str]:
        """Names that are neither known nor mere explanation."""
        return [name for name in self.value if name not in known and not explains(name)]

    def error(self, name: str, code: str, problem: str) -> RecordingError:
        """The error for a field whose value makes no sense here."""
        return self.place.inside(name).error(code, problem)

    def wrong(self, name: str, expected: str) -> RecordingError:
        """The error for a field that is missing or of another type."""
        if name not in self.value:
            return self.error(name, "missing", f"missing; expected {expected}")
        return self.error(name, "type", f"expected {expected}, got {show(self.value[name])}")

    def verb(self, known: Collection[str]) -> str:
        """The operation this object asks for."""
        if (verb := self.text("op")) in known:
            return verb
        raise self.error("op", "op", f"unknown operation {verb!r}; known are {', '.join(known)}")

    def text(self, name: str, default: str | None = None) -> str:
        value = self.value.get(name, default)
        if isinstance(value, str):
            return value
        raise self.wrong(name, "a text")

    def integer(self, name: str, default: int | None = None, least: int = 0, most: int = 2**63) -> int:
        value = self.value.get(name, default)
        if is_integer(value) and least <= value <= most:
            return int(value)
        raise self.wrong(name, f"a whole number from {least} to {most}")

    def number(self, name: str, default: float) -> float:
        value = self.value.get(name, default)
        if isinstance(value, float) or is_integer(value):
            return float(value)
        raise self.wrong(name, "a number")

    def flag(self, name: str, default: bool) -> bool:
        value = self.value.get(name, default)
        if isinstance(value, bool):
            return value
        raise self.wrong(name, "true or false")

    def integers(self, name: str) -> tuple[int, ...]:
        value = self.value.get(name)
        if isinstance(value, list) and all(is_integer(item) and item >= 0 for item in value):
            return tuple(value)
        raise self.wrong(name, "a list of whole numbers, 0 or more")

    def token(self, name: str) -> int:
        value = self.value.get(name)
        if is_integer(value) and 0 <= value <= MAX_TOKEN_ID:
            return int(value)
        raise self.wrong(name, f"a token id up to {MAX_TOKEN_ID}")

    def tokens(self, name: str) -> tuple[int, ...]:
        tokens = self.integers(name)
        if all(token <= MAX_TOKEN_ID for token in tokens):
            return tokens
        raise self.wrong(name, f"token ids up to {MAX_TOKEN_ID}")

    def token_text(self, name: str, streams: TokenStreams) -> tuple[int, ...]:
        """Tokens in the notation of hand-written cases, or a plain list."""
        if isinstance(self.value.get(name), list):
            return self.tokens(name)
        try:
            return streams.parse(self.text(name))
        except ScenarioError as error:
            raise self.error(name, "tokens", error.message) from error

    def texts(self, name: str, default: Sequence[str]) -> Sequence[str]:
        value = self.value.get(name, default)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
        raise self.wrong(name, "a list of texts")

    def items(self, name: str) -> list[Any]:
        value = self.value.get(name)
        if isinstance(value, list):
            return value
        raise self.wrong(name, "a list")

    def object(self, name: str) -> Fields:
        if name not in self.value:
            raise self.wrong(name, "an object")
        return Fields(self.value[name], self.place.inside(name))

    def objects(self, name: str) -> list[Fields]:
        place = self.place.inside(name)
        return [Fields(item, place.inside(i)) for i, item in enumerate(self.items(name))]


def explains(name: str) -> bool:
    """Whether a field of this name only tells the reader something."""
    return name in _EXPLANATIONS or name.startswith(_WRONG_ON_PURPOSE)


def is_integer(value: object) -> TypeGuard[int]:
    """A whole number; JSON's true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def show(value: object, limit: int = 60) -> str:
    """A value for a message, as JSON writes it, cut when it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except TypeError:
        text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
