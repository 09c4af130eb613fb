"""One provider's rules for its prompt cache, with the day on which they were read.

Prices and minimums are assumptions: they move, and no log states them. What they make of a log is modelled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

FIVE_MINUTES, ONE_HOUR = 300, 3600


@dataclass(frozen=True, slots=True)
class Rules:
    """`read`, `write_5m`, `write_1h`: prices relative to a plain prompt token of `per_million` `currency`.

    `write_1h` is None where only one time to live is sold, and writes cost 1.0 where storing is free.

    `minimum`: tokens below which nothing is stored; `step`: what was read is rounded down to it (1: not at
    all). `ttl_s`: how long an unused prefix stays where the log does not tell; None: the provider does not
    say. `usual_s`: unused for so long a prefix may be gone, and for so long it usually is; None where the
    provider states no such span. `automatic`: everything is stored unasked, so that a log without counts of
    writes still says what was stored.
    """

    id: str
    read_on: str
    per_million: float
    read: float
    write_5m: float
    write_1h: float | None
    minimum: int = 0
    ttl_s: float | None = FIVE_MINUTES
    currency: str = "$"
    step: int = 1
    automatic: bool = False
    usual_s: tuple[float, float] | None = None

    def to_json(self) -> dict[str, Any]:
        """As the report carries them."""
        return asdict(self)


RulesOf = Callable[[str | None, int], Rules]
"""The rules for a model (None where the log names none) and a prompt of so many tokens."""


def each_by(rules: Rules | RulesOf) -> RulesOf:
    """One set of rules for all, or every model's own."""
    return (lambda _model, _tokens: rules) if isinstance(rules, Rules) else rules


ANTHROPIC = Rules("anthropic", "2026-10-13", 3.0, 0.1, 1.25, 2.0, 1024)
"""The usual rules where nobody passes others: writes for five minutes and for one hour."""
OPENAI = Rules(
    "openai",
    "2026-10-13",
    2.0,
    0.1,
    1.0,
    None,
    1024,
    ONE_HOUR,
    step=128,
    automatic=True,
    usual_s=(FIVE_MINUTES, 2 * FIVE_MINUTES),
)
"""Idle prefixes stay 5 to 10 minutes, at most an hour: only a longer pause is sure to end them."""
