"""What a stream of requests looks like: rate, mix of scenarios, lengths, bursts; a seed fixes the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Literal

from core.errors import ConfigError

Kind = Literal["chat", "template", "template_early", "rag", "system", "free"]
KINDS: tuple[Kind, ...] = ("chat", "template", "template_early", "rag", "system", "free")

MIXES: Mapping[str, Mapping[Kind, float]] = MappingProxyType(
    {
        "chat": {"chat": 1.0},
        "templates": {"template": 0.8, "template_early": 0.2},
        "rag": {"rag": 1.0},
        "system": {"system": 1.0},
        "free": {"free": 1.0},
        "mixed": {
            "chat": 0.4,
            "template": 0.2,
            "template_early": 0.05,
            "rag": 0.2,
            "system": 0.1,
            "free": 0.05,
        },
    }
)
"""chat: several turns, each sends all before it again. template: one of some instructions, then a field of
its own; template_early: the field stands near the beginning. rag: some documents, then a question. system:
one system prompt for everybody, then a question. free: a question alone."""

TICKS_PER_S = 1000
"""The engine's logical clock follows modelled time: a time to live of 1000 ticks is one modelled second."""

MOST_REQUESTS = 200_000


@dataclass(frozen=True, slots=True)
class Burst:
    """Rush hour: from ``start_s`` on, for ``seconds``, requests arrive ``factor`` times as often."""

    start_s: float
    seconds: float
    factor: float

    def __post_init__(self) -> None:
        for name in ("start_s", "seconds", "factor"):
            _check_number(f"burst.{name}", getattr(self, name), 0, math.inf, least_fits=name == "start_s")


@dataclass(frozen=True, slots=True)
class LoadSpec:
    """All settings of a stream. Rates per second; lengths are means in tokens; popularity is Zipf's law with
    exponent ``zipf`` over ``num_prefixes`` prompts, templates or documents of each kind.

    ``max_tokens`` bounds prompt and output together: what is longer is cut, a chat that would grow longer
    ends.

    Raises:
        ConfigError: a value outside its range, a mix without weight.
    """

    seed: int = 0
    mix: Mapping[Kind, float] = field(default_factory=lambda: MIXES["mixed"])
    rate: float = 4.0
    num_requests: int = 20_000
    num_prefixes: int = 20
    zipf: float = 1.0
    prefix_tokens: int = 512
    own_tokens: int = 96
    output_tokens: int = 32
    turns: float = 4.0
    think_s: float = 20.0
    documents: int = 3
    document_tokens: int = 256
    max_tokens: int = 8192
    bursts: tuple[Burst, ...] = ()

    def __post_init__(self) -> None:
        for item in fields(self):
            if item.name in _RANGES:
                low, high = _RANGES[item.name]
                whole = item.type == "int"
                _check_number(f"load.{item.name}", getattr(self, item.name), low, high, whole=whole)
        for kind, weight in self.mix.items():
            if kind not in KINDS:
                raise _bad("load.mix", kind, "one of " + ", ".join(KINDS))
            _check_number("load.mix", weight, 0, math.inf)
        if not sum(self.mix.values()) > 0:
            raise _bad("load.mix", dict(self.mix), "at least one scenario with a weight above 0")
        longest = 4 * (self.own_tokens + self.output_tokens)  # each new text takes ids of its own
        popular = (
            2 * self.num_prefixes * (2 * self.prefix_tokens + self.document_tokens) + 2 * self.prefix_tokens
        )
        if self.num_requests * longest + popular >= 2**31:
            raise _bad("load.num_requests", self.num_requests, "fewer requests, or shorter ones: ids run out")

    @property
    def longest_common(self) -> int:
        """Tokens of the longest common part that a request of this mix may begin with, and an own part."""
        common = {
            "chat": self.prefix_tokens,
            "template": self.prefix_tokens,
            "template_early": self.prefix_tokens,
            "system": self.prefix_tokens,
            "rag": min(self.documents, self.num_prefixes) * self.document_tokens + self.prefix_tokens // 8,
            "free": 0,
        }
        longest = max(common[kind] for kind, weight in self.mix.items() if weight > 0)
        return longest * 5 // 4 + self.own_tokens + self.output_tokens

    def fitted_to(self, pool_tokens: int, share: float = 0.25) -> LoadSpec:
        """The same stream with all lengths shrunk, so that a request's common part and an own part take
        at most ``share`` of a small pool. Unchanged if they do already."""
        factor = share * pool_tokens / self.longest_common
        if factor >= 1:
            return self
        names = ("prefix_tokens", "own_tokens", "output_tokens", "document_tokens")
        shrunk = {name: max(int(getattr(self, name) * factor), 1) for name in names}
        return replace(self, **shrunk)  # type: ignore[arg-type]


_RANGES: dict[str, tuple[float, float]] = {
    "seed": (0, 2**63 - 1),
    "rate": (1e-3, 1e4),
    "num_requests": (1, MOST_REQUESTS),
    "num_prefixes": (1, 10_000),
    "zipf": (0, 5),
    "prefix_tokens": (1, 100_000),
    "own_tokens": (1, 100_000),
    "output_tokens": (1, 10_000),
    "turns": (1, 100),
    "think_s": (0, 86_400),
    "documents": (1, 50),
    "document_tokens": (1, 100_000),
    "max_tokens": (2, 1_000_000),
}


def _check_number(
    name: str, value: object, low: float, high: float, *, whole: bool = False, least_fits: bool = True
) -> None:
    right = isinstance(value, int) if whole else isinstance(value, (int, float))
    if not right or isinstance(value, bool) or not math.isfinite(value):  # type: ignore[arg-type]
        raise _bad(name, value, "a whole number" if whole else "a finite number")
    if not low <= value <= high or (value == low and not least_fits):  # type: ignore[operator]
        raise _bad(name, value, f"a number from {low:g} to {high:g}" if least_fits else f"more than {low:g}")


def _bad(name: str, value: object, expected: str) -> ConfigError:
    message = f"{name} is {value!r}; expected {expected}. Change it and try again."
    return ConfigError(name, message, field=name, value=str(value), expected=expected)
