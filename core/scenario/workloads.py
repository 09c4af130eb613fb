"""Made-up conversations as requests: for benchmarks and tests where no recorded trace is at hand.

A conversation begins with the system prompt that all share, and every turn sends all of it again with
something new behind it. With the default settings prompts are about as long, and share about as much, as in
published traces of a chat service (12,000 tokens on average, 37 % of them sent before). Who popular prefixes,
templates, documents and arrival times are about finds them in ``core.load``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp
from typing import cast

import numpy as np

from core.errors import ConfigError
from core.fields import is_whole
from core.types import MAX_TOKEN_ID, Request

Tokens = np.ndarray[tuple[int], np.dtype[np.uint32]]


@dataclass(frozen=True, slots=True)
class Conversations:
    """All that the requests depend on. Lengths in tokens.

    A new part's length is lognormal: half of them are longer than ``median_new_tokens``, and ``spread`` is
    the standard deviation of its logarithm. ``continued`` is the share of requests that go on with one of the
    ``num_open`` youngest conversations; the others begin a new one.

    Raises:
        ConfigError: a value outside its range.
    """

    seed: int
    num_requests: int = 1000
    system_tokens: int = 500
    median_new_tokens: int = 3900
    spread: float = 1.15
    answer_tokens: int = 350
    continued: float = 0.37
    num_open: int = 60

    def __post_init__(self) -> None:
        for name, least in (
            ("seed", 0),
            ("num_requests", 0),
            ("system_tokens", 0),
            ("median_new_tokens", 1),
            ("answer_tokens", 0),
            ("num_open", 1),
        ):
            value = getattr(self, name)
            if not is_whole(value) or value < least:
                raise _bad(name, value, f"a whole number of at least {least}")
        for name, most in (("spread", 3.0), ("continued", 1.0)):
            if not 0 <= getattr(self, name) <= most:
                raise _bad(name, getattr(self, name), f"a number from 0 to {most}")


def _bad(name: str, value: object, expected: str) -> ConfigError:
    message = f"Conversations: {name} is {value!r}; expected {expected}. Change it and try again."
    return ConfigError("workload.field", message, field=name, value=str(value), expected=expected)


def conversation_requests(spec: Conversations) -> Iterator[Request]:
    """The requests, in order; the same spec gives the same ones. Without outputs: the next turn's prompt
    holds the answer anyway."""
    random = np.random.default_rng(spec.seed)
    texts = _Texts()
    system = texts.new(spec.system_tokens)
    conversations: list[Tokens] = []
    for number in range(spec.num_requests):
        going_on = bool(conversations) and random.random() < spec.continued
        if going_on:
            before = conversations.pop(int(random.integers(len(conversations))))
            before = np.concatenate([before, texts.new(spec.answer_tokens)])
        else:
            before = system
        length = max(1, round(spec.median_new_tokens * exp(spec.spread * random.standard_normal())))
        prompt = np.concatenate([before, texts.new(length)])
        conversations.append(prompt)
        del conversations[: -spec.num_open]
        yield Request(f"R{number}", cast("Sequence[int]", prompt))


class _Texts:
    """Tokens that nobody has seen yet."""

    def __init__(self) -> None:
        self._next = 0

    def new(self, length: int) -> Tokens:
        first = self._next
        self._next += length
        return (np.arange(first, self._next, dtype=np.int64) % (MAX_TOKEN_ID + 1)).astype(np.uint32)
