"""A bet on a run: how many of its prompt tokens will not have to be computed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

MAX_TOKENS = 999_999

_LINK = re.compile(r"(\d{1,6})(t?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Bet:
    """``n`` prompt tokens; or ``n`` per cent of them, as links from before say it."""

    n: int
    unit: Literal["tokens", "percent"] = "tokens"

    def to_link(self) -> str:
        """``16t`` are tokens, ``40`` is per cent."""
        return f"{self.n}t" if self.unit == "tokens" else str(self.n)

    @property
    def percent(self) -> int | None:
        """What it says of any run; tokens are those of one run alone."""
        return self.n if self.unit == "percent" else None

    def percent_of(self, total: int) -> float:
        """The bet as a share of so many tokens."""
        return 100 * self.n / max(total, 1) if self.unit == "tokens" else self.n


def bet_from_link(text: str | None) -> Bet | None:
    """What a link says, or None."""
    found = _LINK.fullmatch(text or "")
    if found is None:
        return None
    if found[2]:
        return Bet(int(found[1]))
    return Bet(int(found[1]), "percent") if int(found[1]) <= 100 else None


def read_bet(told: Any) -> Bet | None:
    """What the stage told; it comes from a browser."""
    n = told.get("tokens") if isinstance(told, dict) else None
    if isinstance(n, bool) or not isinstance(n, int | float) or not 0 <= n <= MAX_TOKENS or n != int(n):
        return None
    return Bet(int(n))
