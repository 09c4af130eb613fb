"""What the values of one field look like, whatever its name: messages, a long text, token ids, a moment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from types import MappingProxyType
from typing import Any

from core.errors import TraceError
from core.traces.field_map import entered
from core.traces.problems import Place
from core.traces.reported.reading import read_usage
from core.traces.rows import Row
from core.traces.timestamps import time_or_none
from core.traces.usage import Usage
from core.types import MAX_TOKEN_ID

ENOUGH = 0.9
"""Of the records that must look alike before a field counts as of a kind."""
LONG_TEXT = 32
"""Characters from which on a text with blanks may be a prompt."""
_ASKED = ("user", "human", "tool", "function", "system", "developer", "ipython")
_ANSWERED = ("assistant", "model", "ai", "gpt", "bot")
_CONTENTS = ("content", "parts", "tool_calls", "function_call", "toolUse")
_LANGCHAIN = MappingProxyType(
    {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}
)
_SAID = ("content", "tool_calls", "tool_call_id", "function_call", "name")
_MARKERS = re.compile(r"<\|(?:im_start|start_header_id|user|begin_of_text)\|>|\[INST\]|<start_of_turn>")
_EPOCHS = ((1e9, 4e9), (1e12, 4e12), (1e15, 4e15), (1e18, 4e18))
_DATE = re.compile(r"\s*(\d{4}[-/]\d\d?[-/]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4}|[A-Z][a-z]{2}, \d\d? )")


def share(values: Sequence[Any], holds: Any) -> bool:
    """Whether nearly all of the values that are there are so."""
    there = [value for value in values if value is not None]
    return bool(there) and sum(map(bool, map(holds, there))) >= ENOUGH * len(there)


def plain_messages(value: object) -> Any:
    """Messages without what some exporters put around each of them; anything else as it is.

    Phoenix: `{"message": {…}}`. LangChain and LangSmith: a list in a list, and `{"id": […, "HumanMessage"],
    "kwargs": {"content": …}}` or `{"type": "human", "data": {…}}`.
    """
    value = entered(value)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        return value
    found = [_plain_message(item) for item in value]
    return found if any(new is not old for new, old in zip(found, value, strict=True)) else value


def _plain_message(item: dict[str, Any]) -> dict[str, Any]:
    if "role" in item:
        return item
    if isinstance(item.get("message"), dict):
        return item["message"] if len(item) == 1 else item
    for inner in (item.get("kwargs"), item.get("data"), item):
        if isinstance(inner, dict) and "content" in inner:
            names = item.get("id")
            kind = names[-1] if isinstance(names, list) and names else inner.get("type", item.get("type"))
            role = _LANGCHAIN.get(str(kind).removesuffix("Chunk").removesuffix("Message").lower())
            if role is not None:
                return {"role": role, **{name: inner[name] for name in inner if name in _SAID}}
    return item


def is_messages(value: object) -> bool:
    """A list of messages, of any provider: each with a role and something said."""
    value = plain_messages(value)
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, dict)
            and isinstance(item.get("role"), str)
            and any(name in item for name in _CONTENTS)
            for item in value
        )
    )


def asks(value: object) -> bool:
    """Whether the messages end with what is to be answered; otherwise they are an answer, or a record."""
    messages = plain_messages(value)
    return bool(messages) and str(messages[-1].get("role")).lower() in _ASKED


def only_answers(value: object) -> bool:
    """Messages without a question."""
    return all(str(message.get("role")).lower() in _ANSWERED for message in plain_messages(value))


def is_long_text(values: Sequence[Any]) -> bool:
    """Running text, mostly; a field of JSON is none."""
    texts = [value for value in values if isinstance(value, str) and entered(value) is value]
    if len(texts) < ENOUGH * sum(value is not None for value in values) or not texts:
        return False
    if any(text.lstrip()[:1] in ("{", "[", "#") for text in texts):
        return False  # printed values and metrics are not said by anybody
    return median(map(len, texts)) >= LONG_TEXT and share(texts, lambda text: " " in text.strip())


def is_framed(value: object) -> bool:
    """A text in which a chat template has put its markers: a whole prompt."""
    return isinstance(value, str) and _MARKERS.search(value) is not None


def is_ids(value: object) -> bool:
    """A list of whole numbers that may be token ids."""
    value = entered(value)
    return (
        isinstance(value, list)
        and len(value) >= 4
        and all(type(item) is int and 0 <= item <= MAX_TOKEN_ID for item in value)
    )


def moments(values: Sequence[Any]) -> list[float] | None:
    """The values as seconds; None if one of those that are there is no time."""
    found = []
    for value in values:
        try:
            seconds = time_or_none(Row({"time": value}, Place("")), "time")
        except TraceError:
            return None
        if seconds is not None:
            found.append(seconds)
    return found or None


def looks_like_a_moment(value: object) -> bool:
    """A date, or a number that counts seconds (or parts of them) since 1970 and is of our days."""
    if isinstance(value, str):
        return _DATE.match(value) is not None
    if type(value) not in (int, float):
        return False
    return any(least <= float(value) < most for least, most in _EPOCHS)  # type: ignore[arg-type]


def usage_of(value: object) -> Usage | None:
    """Usage, where an object is one."""
    value = entered(value)
    if not isinstance(value, dict):
        return None
    try:
        usage = read_usage(Row(value, Place("")))
    except TraceError:
        return None
    return usage if usage is not None and usage.prompt_tokens is not None else None
