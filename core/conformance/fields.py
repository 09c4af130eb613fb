"""Reading one JSON object field by field; a wrong type is an error that names the place."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from core import fields
from core.errors import RecordingError, ScenarioError
from core.fields import is_whole
from core.scenario.token_streams import TokenStreams
from core.types import MAX_TOKEN_ID

# Fields that only explain something to the reader. They are never compared.
_EXPLANATIONS = frozenset({"note", "comment", "why", "rule", "explanation", "old_policy"})
_WRONG_ON_PURPOSE = ("buggy_", "naive_")  # what an engine with the fault would have shown

# No recorded pool comes near it; a typing error must not fill the memory.
MOST_BLOCKS = 10**7


class Place(fields.Place[RecordingError]):
    """Where in the recordings; told as compilers tell it."""

    __slots__ = ()
    raises = RecordingError
    prefix = "recording"

    def problem(self, code: str, problem: str, field: str = "") -> RecordingError:
        """What to raise when the input cannot be used here, or in this field of it."""
        where = f"{self}: {field}" if field else str(self)
        return self.error(f"{self.prefix}.{code}", f"{where}: {problem}", field=field, problem=problem)

    def wrong(self, field: str, expected: str, value: object) -> RecordingError:
        return self.problem("type", f"expected {expected}, got {show(value)}", field)

    def missing(self, field: str, expected: str) -> RecordingError:
        return self.problem("missing", f"missing; expected {expected}", field)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Fields(fields.Fields[RecordingError]):
    """An object of a recording or a case."""

    __slots__ = ()
    place: Place

    def unknown(self, known: Collection[str]) -> list[str]:
        """Names that are neither known nor mere explanation."""
        return [name for name in self.value if name not in known and not explains(name)]

    def error(self, name: str, code: str, problem: str) -> RecordingError:
        """The error for a field whose value makes no sense here; no name: for the object as a whole."""
        return self.place.problem(code, problem, self.name(name) if name else self.path)

    def verb(self, known: Collection[str]) -> str:
        """The operation this object asks for."""
        if (verb := self.text("op")) in known:
            return verb
        raise self.error("op", "op", f"unknown operation {verb!r}; known are {', '.join(known)}")

    def number(self, name: str, default: float) -> float:
        value = self.value.get(name, default)
        if isinstance(value, float) or is_whole(value):
            return float(value)
        raise self.wrong(name, "a number")

    def integers(self, name: str) -> tuple[int, ...]:
        value = self.value.get(name)
        if isinstance(value, list) and all(is_whole(item) and item >= 0 for item in value):
            return tuple(value)
        raise self.wrong(name, "a list of whole numbers, 0 or more")

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


def explains(name: str) -> bool:
    """Whether a field of this name only tells the reader something."""
    return name in _EXPLANATIONS or name.startswith(_WRONG_ON_PURPOSE)


def show(value: object, limit: int = 60) -> str:
    """A value for a message, as JSON writes it, cut when it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except TypeError:
        text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
