"""What a log's prompts cost by a provider's rules, and what they would have cost otherwise.

The first row uses the reported counts alone; the others change turns one by one, because each turn of a
session leaves its whole prefix behind, whatever it read. All money is modelled: prices are the rules', not
the log's.

* other_ttl: everything written for the other time (lives.py), between two ends where the log leaves it open.
* tools_kept: turns that lost their prefix to changed tools would have read it.
* no_cache: every token at the plain price.
* engine: the same prompts through this project's engine with room for everything, at these prices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from core.traffic.usage.lives import supposed
from core.traffic.usage.rules import FIVE_MINUTES, ONE_HOUR, Rules, RulesOf, each_by
from core.traffic.usage.turns import Session, Turn

RowId = Literal["as_it_was", "other_ttl", "tools_kept", "no_cache", "engine"]


@dataclass(frozen=True, slots=True)
class Paid:
    """Money for what was read, for what was written, and for the rest."""

    read: float = 0.0
    written: float = 0.0
    new: float = 0.0

    @property
    def total(self) -> float:
        """All of it."""
        return self.read + self.written + self.new


@dataclass(frozen=True, slots=True)
class BillRow:
    """Prompt tokens by what they cost, each turn by its own rules.

    `ttl_s`: the time to live that `other_ttl` supposes. `cost_bounds` and `rate_bounds`: from least to most,
    where the log leaves it open; `unsure`: of how many turns, by what is missing.
    """

    id: RowId
    read: int = 0
    written_5m: int = 0
    written_1h: int = 0
    new: int = 0
    ttl_s: float | None = None
    paid: Paid = Paid()
    cost_bounds: tuple[float, float] | None = None
    rate_bounds: tuple[float, float] | None = None
    unsure: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All prompt tokens."""
        return self.read + self.written_5m + self.written_1h + self.new

    @property
    def rate(self) -> float | None:
        """Read / all prompt tokens."""
        return self.read / self.total if self.total else None

    @property
    def cost(self) -> float:
        """In the rules' currency."""
        return self.paid.total


def bill(found: Sequence[Session], rules: Rules | RulesOf) -> list[BillRow]:
    """The rows that say something about this log."""
    rules_of = each_by(rules)
    turns = [turn for session in found for turn in session.turns]
    rows = [row_of("as_it_was", turns, rules_of)]
    other = _other_ttl(found, rules_of)
    if other is not None:
        rows.append(other)
    if any(_only(turn, "tools") for turn in turns):
        kept = [reading_all(turn) if _only(turn, "tools") else turn for turn in turns]
        rows.append(row_of("tools_kept", kept, rules_of))
    if any(turn.read or turn.written for turn in turns):
        plain = [
            replace(turn, read=0, written=0, written_5m=0, written_1h=0, new=turn.total) for turn in turns
        ]
        rows.append(row_of("no_cache", plain, rules_of))
    return rows


MATTERS = 0.005
"""Ends that are no further apart than this share are one."""


def _other_ttl(found: Sequence[Session], rules_of: RulesOf) -> BillRow | None:
    """None where the log does not tell lives apart, or gives hardly any times."""
    turns = [turn for session in found for turn in session.turns]
    ttl = other_ttl_of(
        [turn for turn in turns if rules_of(turn.request.model, turn.total).write_1h is not None]
    )
    judged = [turn for turn in turns if turn.expected is not None]
    if ttl is None or 2 * sum(turn.pause_s is None for turn in judged) > len(judged):
        return None
    every = supposed(found, ttl)
    few, many = (
        row_of(
            "other_ttl", [_with_life(reading(one.turn, read), ttl, rules_of) for one, read in ends], rules_of
        )
        for ends in ([(one, one.least) for one in every], [(one, one.most) for one in every])
    )
    row = replace(few if ttl == ONE_HOUR else many, ttl_s=ttl)
    if few.cost - many.cost <= MATTERS * row.cost:
        return row
    return replace(
        row,
        cost_bounds=(many.cost, few.cost),
        rate_bounds=(few.rate or 0.0, many.rate or 0.0),
        unsure=Counter(one.why for one in every if one.least != one.most),
    )


def extra_cost(turn: Turn, rules: Rules) -> float:
    """What a reset cost: its tokens at the price of this turn's writes instead of that of reading."""
    return 0.0 if turn.reset is None else again_cost(turn, turn.reset.extra_tokens, rules)


def again_cost(turn: Turn, tokens: int, rules: Rules) -> float:
    """What it costs that a turn writes so many tokens instead of reading them."""
    short, long = written(turn)
    price = 1.0
    if short + long:
        price = (short * rules.write_5m + long * long_price(rules)) / (short + long)
    return tokens * (price - rules.read) * rules.per_million / 1e6


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


def _with_life(turn: Turn, ttl_s: float, rules_of: RulesOf) -> Turn:
    if rules_of(turn.request.model, turn.total).write_1h is None:
        return turn
    long = turn.written if ttl_s == ONE_HOUR else 0
    return replace(turn, written_1h=long, written_5m=turn.written - long)


def row_of(row: RowId, turns: Iterable[Turn], rules_of: RulesOf) -> BillRow:
    """The turns' tokens and money, added up."""
    read = short = long = new = 0
    paid = [0.0, 0.0, 0.0]
    for turn in turns:
        five, hour = written(turn)
        read, short, long, new = read + turn.read, short + five, long + hour, new + turn.new
        rules = rules_of(turn.request.model, turn.total)
        price = rules.per_million / 1e6
        paid[0] += turn.read * rules.read * price
        paid[1] += (five * rules.write_5m + hour * long_price(rules)) * price
        paid[2] += turn.new * price
    return BillRow(row, read, short, long, new, paid=Paid(*paid))
