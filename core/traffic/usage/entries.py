"""What a turn left in a provider's cache: a prefix in stretches, each with the time that it stays unused.

Reading renews what was read; what lies behind the last token read is gone as far as this conversation goes.
Entries for an hour stand before those for five minutes in a prompt, so a stretch never outlives one before
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from core.traffic.usage.rules import FIVE_MINUTES, ONE_HOUR, Rules
from core.traffic.usage.turns import Turn

MOST_BREAKPOINTS = 20
"""Ends of stretches that are remembered: no provider looks back further."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Tokens up to `end`, readable until they were unused for `life_s` (None: nobody says).

    `turn`: the number of the turn whose prompt ended there; 0 where no turn's did.
    """

    end: int
    life_s: float | None
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Held:
    """One conversation's prefix after `turn`."""

    stretches: tuple[Stretch, ...]
    turn: Turn

    @property
    def readable(self) -> int:
        """Tokens of the whole prefix."""
        return self.stretches[-1].end if self.stretches else 0

    @property
    def lives_are_said(self) -> bool:
        """Whether the log says how long its writes live; else the provider's usual time counts."""
        return self.turn.written_5m is not None or self.turn.written_1h is not None

    def alive_after(self, pause_s: float | None) -> int:
        """Tokens that are sure to be there after such a pause, as far as lives are known."""
        end = 0
        for one in self.stretches:
            if pause_s is not None and one.life_s is not None and pause_s > one.life_s:
                break
            end = one.end
        return end

    def life_at(self, place: int) -> float | None:
        """How long the stretch stays in which token `place` lies."""
        return next((one.life_s for one in self.stretches if place < one.end), None)

    def turn_at(self, end: int, step: int) -> int:
        """The turn whose prompt ended there; 0 if none did."""
        near = max(step, 2)
        return next((one.turn for one in self.stretches if -2 < one.end - end < near), 0)


STEP = 128
"""Automatic caches round what is read down to such steps, where they state none too."""


def rounded(rules: Rules) -> int:
    """By how many tokens a count of what was read may lie below the end of what was stored."""
    return max(rules.step, STEP) if rules.automatic else rules.step


def after(turn: Turn, before: Held | None, rules: Rules) -> Held:
    """What is readable once this turn is through."""
    kept = [one for one in (before.stretches if before else ()) if one.end < turn.read]
    if turn.read:
        life = before.life_at(turn.read - 1) if before else None
        ends = before.turn_at(turn.read, rounded(rules)) if before else 0
        kept.append(Stretch(turn.read, rules.ttl_s if life is None else life, ends))
    return Held((*_merged(kept), *_new(turn, rules)), turn)


def _merged(stretches: list[Stretch]) -> list[Stretch]:
    """Without the oldest breakpoints that say nothing any more: their stretch lives as long as the next."""
    most = len(stretches) - MOST_BREAKPOINTS
    if most <= 0:
        return stretches
    old = [one for one, after in pairwise(stretches[: most + 1]) if one.life_s != after.life_s]
    return old + stretches[most:]


def _new(turn: Turn, rules: Rules) -> list[Stretch]:
    """What this turn stored behind what it read."""
    usage = turn.request.usage
    if usage is None or usage.written_tokens is None:
        return _stored_unasked(turn, rules)
    long, short = turn.written_1h or 0, turn.written_5m or 0
    found = []
    end = turn.read
    for tokens, life in ((long, ONE_HOUR), (short, FIVE_MINUTES), (turn.written - long - short, rules.ttl_s)):
        if tokens > 0:
            end += tokens
            found.append(Stretch(end, life, turn.number))
    return found


def _stored_unasked(turn: Turn, rules: Rules) -> list[Stretch]:
    """Without a count of writes: the whole prompt, in whole steps from the minimum on."""
    end = turn.total // rules.step * rules.step
    return [Stretch(end, rules.ttl_s, turn.number)] if end > turn.read and end >= rules.minimum else []
