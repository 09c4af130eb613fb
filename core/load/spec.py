"""What a stream of requests looks like: rate, mix of scenarios, lengths, bursts; a seed fixes the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Literal

from core.errors import ConfigError

Kind = Literal["chat", "template", "template_early", "rag", "system", "free", "agent"]
KINDS: tuple[Kind, ...] = ("chat", "template", "template_early", "rag", "system", "free", "agent")

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
        "agents": {"agent": 1.0},
    }
)
"""chat: several turns, each sends all before it again. template: one of some instructions, then a field of
its own; template_early: the field stands near the beginning. rag: some documents, then a question. system:
one system prompt for everybody, then a question. free: a question alone. agent: a task of many short calls,
each sends all before it again and what a tool has answered; in between the tool works, now and then a person
is asked."""

TICKS_PER_S = 1000
"""The engine's logical clock follows modelled time: a time to live of 1000 ticks is one modelled second."""

MOST_REQUESTS = 200_000


@dataclass(frozen=True, slots=True)
class Burst:
    """Rush hour: from ``start_s`` on, for ``seconds``, requests arrive ``factor`` times as often; clients who
    wait for their answer pause ``factor`` times as short."""

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

    ``clients``: None, and requests arrive as a Poisson stream at ``rate``, whether or not earlier ones have
    been answered. A number, and so many clients each send a request, wait for its whole answer, think for
    ``think_s`` (exponential with that mean, seconds; 0: not at all) and send the next; ``rate`` then means
    nothing. In an open stream ``think_s`` is the pause between two turns of a chat.

    An agent's task has ``calls`` calls on average; between two of them the tool works: log-normal with median
    ``tool_s``, or, with probability ``ask_share``, a person thinks. ``tool_tokens``: what a tool answers. The
    defaults are those of recorded coding sessions (docs/metrics.md). In an open stream such a pause counts
    from the call's own arrival, so under load a call may come before the last one was answered.

    ``max_tokens`` bounds prompt and output together: what is longer is cut, a chat or task that would grow
    longer ends.

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
    clients: int | None = None
    calls: float = 18.0
    tool_s: float = 6.0
    ask_share: float = 0.1
    tool_tokens: int = 256
    bursts: tuple[Burst, ...] = ()

    def __post_init__(self) -> None:
        for item in fields(self):
            if item.name in _RANGES and getattr(self, item.name) is not None:
                low, high = _RANGES[item.name]
                whole = str(item.type).startswith("int")
                _check_number(f"load.{item.name}", getattr(self, item.name), low, high, whole=whole)
        for kind, weight in self.mix.items():
            if kind not in KINDS:
                raise _bad("load.mix", kind, "one of " + ", ".join(KINDS))
            _check_number("load.mix", weight, 0, math.inf)
        if not sum(self.mix.values()) > 0:
            raise _bad("load.mix", dict(self.mix), "at least one scenario with a weight above 0")
        popular = 2 * self.num_prefixes * (2 * self.prefix_tokens + self.document_tokens)
        popular += (2 * self.num_prefixes + 2) * self.prefix_tokens  # agents, and one system prompt
        if self.num_requests * self.longest_new + popular >= 2**31:
            raise _bad("load.num_requests", self.num_requests, "fewer requests, or shorter ones: ids run out")

    @property
    def num_clients(self) -> int:
        """Clients who send anything at all; 0 in an open stream."""
        return min(self.clients or 0, self.num_requests)

    @property
    def longest_new(self) -> int:
        """The most tokens of one request that nobody has sent before: a text of its own and the answer."""
        return 4 * self._mean_new

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
            "agent": self.prefix_tokens,
        }
        longest = max(common[kind] for kind, weight in self.mix.items() if weight > 0)
        return longest * 5 // 4 + self._mean_new

    @property
    def _mean_new(self) -> int:
        """Mean tokens of a request's own text and its answer; of an agent's the longer of its two kinds."""
        own = self.own_tokens
        if self.mix.get("agent", 0) > 0:
            own = max(own, self.tool_tokens)
        return own + self.output_tokens

    def fitted_to(self, pool_tokens: int, share: float = 0.25) -> LoadSpec:
        """The same stream with all lengths shrunk, so that a request's common part and an own part take
        at most ``share`` of a small pool. Unchanged if they do already."""
        factor = share * pool_tokens / self.longest_common
        if factor >= 1:
            return self
        names = ("prefix_tokens", "own_tokens", "output_tokens", "document_tokens", "tool_tokens")
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
    "clients": (1, 10_000),
    "calls": (1, 1000),
    "tool_s": (0, 86_400),
    "ask_share": (0, 1),
    "tool_tokens": (1, 100_000),
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
