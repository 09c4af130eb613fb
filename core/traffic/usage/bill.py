"""What a log's prompts cost by a provider's rules, and what they would have cost otherwise.

The first row uses the reported counts alone; the others change turns one by one, because each turn of a
session leaves its whole prefix behind, whatever it read. All money is modelled: prices are the rules', not
the log's.

* other_ttl: everything written for the other time. Turns that lost a prefix to the time would have read it
  if their pause is within the other one; turns whose pause is beyond it would have lost what they read, but
  for what other resets of the session show to stay (a shared system prompt, say).
* tools_kept: turns that lost their prefix to changed tools would have read it.
* no_cache: every token at the plain price.
* engine: the same prompts through this project's engine with room for everything, at these prices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.traffic.usage.rules import FIVE_MINUTES, ONE_HOUR, Rules
from core.traffic.usage.turns import Session, Turn

RowId = Literal["as_it_was", "other_ttl", "tools_kept", "no_cache", "engine"]


@dataclass(frozen=True, slots=True)
class BillRow:
    """Prompt tokens by what they cost. `ttl_s`: the time to live that `other_ttl` supposes."""

    id: RowId
    read: int = 0
    written_5m: int = 0
    written_1h: int = 0
    new: int = 0
    ttl_s: float | None = None

    @property
    def total(self) -> int:
        """All prompt tokens."""
        return self.read + self.written_5m + self.written_1h + self.new

    @property
    def rate(self) -> float | None:
        """Read / all prompt tokens."""
        return self.read / self.total if self.total else None

    def cost(self, rules: Rules) -> float:
        """In the rules' currency."""
        weighed = self.read * rules.read + self.new
        weighed += self.written_5m * rules.write_5m + self.written_1h * long_price(rules)
        return weighed * rules.per_million / 1e6


def bill(found: Sequence[Session], rules: Rules) -> list[BillRow]:
    """The rows that say something about this log."""
    turns = [turn for session in found for turn in session.turns]
    rows = [_sum("as_it_was", turns)]
    ttl = None if rules.write_1h is None else other_ttl_of(turns)
    if ttl is not None:
        changed = [turn for session in found for turn in under_ttl(session.turns, ttl)]
        rows.append(replace(_sum("other_ttl", changed), ttl_s=ttl))
    if any(_only(turn, "tools") for turn in turns):
        rows.append(
            _sum("tools_kept", [reading_all(turn) if _only(turn, "tools") else turn for turn in turns])
        )
    total = sum(turn.total for turn in turns)
    if any(turn.read or turn.written for turn in turns):
        rows.append(BillRow("no_cache", new=total))
    return rows


def extra_cost(turn: Turn, rules: Rules) -> float:
    """What a reset cost: its tokens at the price of this turn's writes instead of that of reading."""
    if turn.reset is None:
        return 0.0
    short, long = written(turn)
    price = 1.0
    if short + long:
        price = (short * rules.write_5m + long * long_price(rules)) / (short + long)
    return turn.reset.extra_tokens * (price - rules.read) * rules.per_million / 1e6


def long_price(rules: Rules) -> float:
    """Of a write for an hour; where that is not sold, of any write."""
    return rules.write_5m if rules.write_1h is None else rules.write_1h


def written(turn: Turn) -> tuple[int, int]:
    """Writes for five minutes and for an hour; a write whose life is not said is one for five minutes."""
    long = min(turn.written_1h or 0, turn.written)
    return turn.written - long, long


def other_ttl_of(turns: Iterable[Turn]) -> float | None:
    """The time to live that most written tokens did not have; None where the log does not tell them apart."""
    known = [turn for turn in turns if turn.written_5m is not None or turn.written_1h is not None]
    long, short = sum(turn.written_1h or 0 for turn in known), sum(turn.written_5m or 0 for turn in known)
    if not long and not short:
        return None
    return FIVE_MINUTES if long > short else ONE_HOUR


def under_ttl(turns: Sequence[Turn], ttl_s: float) -> list[Turn]:
    """The turns had all writes been for `ttl_s` seconds."""
    left = [turn.read for turn in turns if turn.reset is not None and turn.reset.cause == "ttl"]
    stays = min(left, default=0)
    return [_with_life(_under(turn, ttl_s, stays), ttl_s) for turn in turns]


def _under(turn: Turn, ttl_s: float, stays: int) -> Turn:
    if turn.pause_s is None:
        return turn
    if turn.pause_s <= ttl_s:
        return reading_all(turn) if _only(turn, "ttl") else turn
    return reading(turn, min(stays, turn.read))


def _only(turn: Turn, cause: str) -> bool:
    """Whether this is the one cause of the turn's reset."""
    return turn.reset is not None and turn.reset.cause == cause and not turn.reset.values["also"]


def reading_all(turn: Turn) -> Turn:
    """The turn had it read what should have been readable."""
    return turn if turn.expected is None else reading(turn, turn.expected)


def reading(turn: Turn, read: int) -> Turn:
    """The turn with another number of tokens read: the difference was, or need not be, written."""
    read = min(read, turn.total)
    uncached = turn.total - read
    kept_new = min(turn.new, uncached) if turn.written else uncached
    total = uncached - kept_new
    long = round(total * (turn.written_1h or 0) / turn.written) if turn.written else 0
    return replace(
        turn, read=read, written=total, new=kept_new, written_1h=long, written_5m=total - long, reset=None
    )


def _with_life(turn: Turn, ttl_s: float) -> Turn:
    long = turn.written if ttl_s == ONE_HOUR else 0
    return replace(turn, written_1h=long, written_5m=turn.written - long)


def _sum(row: RowId, turns: Iterable[Turn]) -> BillRow:
    read = short = long = new = 0
    for turn in turns:
        five, hour = written(turn)
        read, short, long, new = read + turn.read, short + five, long + hour, new + turn.new
    return BillRow(row, read, short, long, new)
