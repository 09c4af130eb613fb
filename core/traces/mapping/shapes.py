"""What the values of one field look like, whatever its name: messages, a long text, token ids, a moment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
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
_MARKERS = re.compile(r"<\|(?:im_start|start_header_id|user|begin_of_text)\|>|\[INST\]|<start_of_turn>")
_EPOCHS = ((1e9, 4e9), (1e12, 4e12), (1e15, 4e15), (1e18, 4e18))
_DATE = re.compile(r"\s*(\d{4}[-/]\d\d?[-/]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4}|[A-Z][a-z]{2}, \d\d? )")


def share(values: Sequence[Any], holds: Any) -> bool:
    """Whether nearly all of the values that are there are so."""
    there = [value for value in values if value is not None]
    return bool(there) and sum(map(bool, map(holds, there))) >= ENOUGH * len(there)


def is_messages(value: object) -> bool:
    """A list of messages, of any provider: each with a role and something said."""
    value = entered(value)
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
    messages = entered(value)
    return bool(messages) and str(messages[-1].get("role")).lower() in _ASKED


def only_answers(value: object) -> bool:
    """Messages without a question."""
    return all(str(message.get("role")).lower() in _ANSWERED for message in entered(value))


def is_long_text(values: Sequence[Any]) -> bool:
    """Running text, mostly; a field of JSON is none."""
    texts = [value for value in values if isinstance(value, str) and entered(value) is value]
    if len(texts) < ENOUGH * sum(value is not None for value in values) or not texts:
        return False
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
