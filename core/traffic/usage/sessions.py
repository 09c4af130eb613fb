"""A log as sessions, each turn judged against the conversation that it continues.

Within a scope several conversations may alternate (subagents without names, a title asked on the side). A
turn continues the one whose prefix it reads; one that reads none of them is judged against the latest. If a
later turn goes on reading the older conversation, the shorter prompt in between was an aside and no reset.
Two conversations that both go on, neither's prompt holding the other's, began apart.

Requests stand in the order of their times. Where a clock was set back, the file's own order may be the true
one: it counts if its turns read each other better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.traces.model import Trace, TraceRequest
from core.traffic.usage.conversations import TRANSCRIPTS, is_conversation
from core.traffic.usage.entries import Held, after
from core.traffic.usage.resets import judged, threshold
from core.traffic.usage.rules import FIVE_MINUTES, ONE_HOUR, Rules, RulesOf, each_by
from core.traffic.usage.turns import Session, Turn, turn_of

CONTINUES = (0.8, 1.25)
"""A first turn under another model goes on with a conversation if its prompt is about as long."""
SIDE = "sidechain"


@dataclass(slots=True)
class _Chain:
    """One conversation: what it left, and the places of its latest and first turns among the session's."""

    held: Held
    latest: int
    first: int

    def fits(self, turn: Turn, rules: Rules) -> bool:
        """Whether the turn reads this conversation's prefix, which is still there."""
        held, missing = self.held, self.held.readable - turn.read
        if not 0 < held.readable <= turn.total or not -rules.step <= missing <= threshold(
            held, turn.read, rules
        ):
            return False
        before, now = held.turn.request.arrival_s, turn.request.arrival_s
        pause = None if before is None or now is None else now - before
        return held.alive_after(pause) == held.readable


class _Scope:
    """The conversations of one scope, the latest last; when it was used, and by a turn that says nothing."""

    def __init__(self) -> None:
        self.chains: list[_Chain] = []
        self.used: list[float | None] = []
        self.unsaid_s: float | None = None
        self.base = 0

    def learn(self, turn: Turn) -> None:
        """The fewest tokens read by a turn that begins or lost the rest: all prompts begin with them."""
        if turn.read and (turn.expected is None or turn.reset is not None):
            self.base = min(self.base or turn.read, turn.read)

    def use(self, request: TraceRequest, said: bool) -> None:
        """A request that was sent, whether or not its usage is known."""
        self.used = [request.arrival_s]
        if not said:
            self.unsaid_s = request.arrival_s

    def pause(self, now: float | None, before: float | None) -> float | None:
        """Since the later of an earlier turn and a turn of unknown usage; None where a time is missing."""
        if now is None or before is None or now < before:
            return None
        return max(now - max(before, self.unsaid_s if self.unsaid_s is not None else before), 0.0)

    def likely(self, turn: Turn) -> _Chain | None:
        """The latest conversation that is no aside beside this prompt, else the latest."""
        large = (one for one in reversed(self.chains) if 2 * one.held.turn.total >= turn.total)
        return next(large, self.chains[-1] if self.chains else None)

    def continued(self, turn: Turn, rules: Rules) -> _Chain | None:
        """The conversation whose prefix this turn reads: exactly, or the latest but for a small loss."""
        exactly = max(rules.step, 2)
        fitting = [chain for chain in reversed(self.chains) if chain.fits(turn, rules)]
        for chain in fitting:
            if abs(chain.held.readable - turn.read) < exactly:
                return chain
        return fitting[0] if fitting and fitting[0] is self.chains[-1] else None


def sessions(trace: Trace, rules: Rules | RulesOf) -> list[Session]:
    """All sessions with at least one turn whose usage is known, by their first turn."""
    found: dict[str | None, list[TraceRequest]] = {}
    for request in trace.requests:
        found.setdefault(request.session, []).append(request)
    sure = trace.format in TRANSCRIPTS
    rules_of = each_by(rules)
    made = [session_of(name, requests, rules_of, sure) for name, requests in found.items()]
    return [session for session in made if session.turns]


def session_of(
    name: str | None, requests: Sequence[TraceRequest], rules_of: RulesOf, sure: bool = False
) -> Session:
    """One session; turns that are no conversation (`sure`: they are) stand alone and expect nothing."""
    turns = _Walk(rules_of).through(in_true_order(requests))
    if (name is None or not sure) and not is_conversation(turns, name is not None):
        turns = [replace(turn, pause_s=None, expected=None, reset=None) for turn in turns]
    return Session(name, tuple(turns), _ttl_of(turns), len(requests) - len(turns))


def in_true_order(requests: Sequence[TraceRequest]) -> Sequence[TraceRequest]:
    """By time, unless turns read what the one before them left more often in the order of the lines."""
    by_line = sorted(requests, key=lambda one: one.line)
    if all(one is other for one, other in zip(requests, by_line, strict=True)):
        return requests
    return by_line if _read_on(by_line) > _read_on(requests) else requests


def _read_on(requests: Sequence[TraceRequest]) -> int:
    """Turns that read to the token what the one before them had read and written."""
    counts = [
        (one.usage.cached_tokens, one.usage.written_tokens)
        for one in requests
        if one.usage is not None and one.usage.known
    ]
    return sum(now[0] == (old[0] or 0) + (old[1] or 0) != 0 for old, now in pairwise(counts))


def _ttl_of(turns: Sequence[Turn]) -> float | None:
    long = sum(turn.written_1h or 0 for turn in turns)
    short = sum(turn.written_5m or 0 for turn in turns)
    if bool(long) == bool(short):
        return None
    return ONE_HOUR if long else FIVE_MINUTES


class _Walk:
    """One session, turn by turn."""

    def __init__(self, rules_of: RulesOf) -> None:
        self._rules_of = rules_of
        self._scopes: dict[tuple[str, str], _Scope] = {}
        self._latest: dict[str, Held] = {}
        self._turns: list[Turn] = []

    def through(self, requests: Sequence[TraceRequest]) -> list[Turn]:
        """The turns whose usage is known; the others count for the pauses.

        Where turns have to ask for being stored, one that reads and stores nothing did not ask, and stands
        alone.
        """
        writes = any(one.usage is not None and one.usage.written_tokens for one in requests)
        for number, request in enumerate(requests, 1):
            turn = turn_of(request, number)
            scope = self._scopes.setdefault((_branch(request), request.model or ""), _Scope())
            rules = self._rules_of(request.model, 0 if turn is None else turn.total)
            if turn is not None and (rules.automatic or not writes or turn.read or turn.written):
                self._take(turn, scope, rules)
            elif turn is not None:
                self._turns.append(turn)
            scope.use(request, turn is not None)
        return self._turns

    def _take(self, turn: Turn, scope: _Scope, rules: Rules) -> None:
        branch, now = _branch(turn.request), turn.request.arrival_s
        chain = scope.continued(turn, rules)
        before = chain or (None if branch == SIDE else scope.likely(turn))
        if before is not None:
            turn = replace(turn, pause_s=scope.pause(now, before.held.turn.request.arrival_s))
            turn = judged(turn, before.held, rules, base=scope.base)
        elif scope.used:
            turn = replace(turn, pause_s=scope.pause(now, scope.used[0]))
        elif (other := self._other_model(turn)) is not None:
            turn = judged(turn, other, rules, other_model=True)
        if before is not None:
            self._undo_asides(before, turn, continued=chain is not None)
        if chain is not None:
            self._part(chain, turn, scope)
            scope.chains.remove(chain)
        held = after(turn, before.held if before else None, rules)
        self._latest[branch] = held
        place = len(self._turns)
        scope.chains.append(_Chain(held, place, place if chain is None else chain.first))
        scope.learn(turn)
        del scope.chains[:-MOST_CHAINS]
        self._turns.append(turn)

    def _part(self, chain: _Chain, turn: Turn, scope: _Scope) -> None:
        """Another conversation went on in between, with a prompt that this one does not hold: two of them.

        Then the later one's first turn lost nothing that the earlier one had stored.
        """
        for other in scope.chains:
            beside = other is not chain and other.latest > chain.latest and other.held.turn.total > turn.total
            if beside and other.held.readable > turn.read:
                place = max(other.first, chain.first)
                first = self._turns[place]
                if first.reset is not None and first.reset.cause in ("shrank", "unexplained"):
                    self._turns[place] = replace(first, reset=None, expected=None)

    def _other_model(self, turn: Turn) -> Held | None:
        """The conversation that this turn goes on with under a model which sees it for the first time."""
        other = self._latest.get(_branch(turn.request))
        least, most = CONTINUES
        goes_on = other is not None and least <= turn.total / max(other.turn.total, 1) <= most
        return other if goes_on and _branch(turn.request) != SIDE else None

    def _undo_asides(self, chain: _Chain, turn: Turn, continued: bool) -> None:
        """What came since this conversation's last turn, and is not part of its growth, was beside it.

        Where the turn does not continue it for sure, only prompts that are much shorter.
        """
        least, branch = chain.held.turn.total, _branch(turn.request)
        for place in range(chain.latest + 1, len(self._turns)):
            other = self._turns[place]
            if other.reset is None or _branch(other.request) != branch:
                continue
            same = other.request.model == turn.request.model
            beside = not least <= other.total <= turn.total if continued else 2 * other.total < turn.total
            if beside and (same or (continued and other.reset.cause == "model")):
                self._turns[place] = replace(other, reset=None, expected=None)


MOST_CHAINS = 16
"""Conversations of one scope that are remembered."""


def _branch(request: TraceRequest) -> str:
    return request.branch or (SIDE if request.tag == SIDE else "")
