"""A log as sessions, each turn judged against the conversation that it continues.

Within a scope several conversations may alternate (subagents without names, a title asked on the side). A
turn continues the one whose prefix it reads; one that reads none of them is judged against the latest. If a
later turn goes on reading the older conversation, the shorter prompt in between was an aside and no reset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.traces.model import Trace, TraceRequest
from core.traffic.usage.conversations import TRANSCRIPTS, is_conversation
from core.traffic.usage.entries import Held, after
from core.traffic.usage.resets import after_other_model, judged, threshold
from core.traffic.usage.rules import FIVE_MINUTES, ONE_HOUR, Rules
from core.traffic.usage.turns import Session, Turn, turn_of

CONTINUES = (0.8, 1.25)
"""A first turn under another model goes on with a conversation if its prompt is about as long."""
SIDE = "sidechain"


@dataclass(slots=True)
class _Chain:
    """One conversation: what it left, and the places of its first and its latest turn in the session."""

    held: Held
    opened: int
    latest: int

    def fits(self, turn: Turn, rules: Rules) -> bool:
        """Whether the turn reads this conversation's prefix, which is still there."""
        held, before, now = self.held, self.held.turn.request.arrival_s, turn.request.arrival_s
        pause = None if before is None or now is None else now - before
        missing = held.readable - turn.read
        alive = held.alive_after(pause) == held.readable
        return (
            alive
            and held.readable <= turn.total
            and -rules.step <= missing <= threshold(held, turn.read, rules)
        )


class _Scope:
    """The conversations of one scope, the latest last, and when it was used last."""

    def __init__(self) -> None:
        self.chains: list[_Chain] = []
        self.used_s: float | None = None
        self.seen = False

    def continued(self, turn: Turn, rules: Rules) -> _Chain | None:
        """The conversation whose prefix this turn reads: exactly, or the latest but for a small loss."""
        exactly = max(rules.step, 2)
        fitting = [chain for chain in reversed(self.chains) if chain.fits(turn, rules)]
        for chain in fitting:
            if abs(chain.held.readable - turn.read) < exactly:
                return chain
        return fitting[0] if fitting and fitting[0] is self.chains[-1] else None


def sessions(trace: Trace, rules: Rules) -> list[Session]:
    """All sessions with at least one turn whose usage is known, by their first turn."""
    found: dict[str | None, list[TraceRequest]] = {}
    for request in trace.requests:
        found.setdefault(request.session, []).append(request)
    sure = trace.format in TRANSCRIPTS
    made = [session_of(name, requests, rules, sure) for name, requests in found.items()]
    return [session for session in made if session.turns]


def session_of(
    name: str | None, requests: Sequence[TraceRequest], rules: Rules, sure: bool = False
) -> Session:
    """One session; turns that are no conversation (`sure`: they are) stand alone and expect nothing."""
    turns = _Walk(rules).through(requests)
    if (name is None or not sure) and not is_conversation(turns, name is not None):
        turns = [replace(turn, pause_s=None, expected=None, reset=None) for turn in turns]
    return Session(name, tuple(turns), _ttl_of(turns))


def _ttl_of(turns: Sequence[Turn]) -> float | None:
    long = sum(turn.written_1h or 0 for turn in turns)
    short = sum(turn.written_5m or 0 for turn in turns)
    if bool(long) == bool(short):
        return None
    return ONE_HOUR if long else FIVE_MINUTES


class _Walk:
    """One session, turn by turn."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._scopes: dict[tuple[str, str], _Scope] = {}
        self._latest: dict[str, Held] = {}
        self._turns: list[Turn] = []

    def through(self, requests: Sequence[TraceRequest]) -> list[Turn]:
        """The turns whose usage is known; the others count for the pauses."""
        for number, request in enumerate(requests, 1):
            turn = turn_of(request, number)
            key = (_branch(request), request.model or "")
            scope = self._scopes.setdefault(key, _Scope())
            pause = None
            if scope.seen and request.arrival_s is not None and scope.used_s is not None:
                pause = max(request.arrival_s - scope.used_s, 0.0)
            if turn is not None:
                self._take(replace(turn, pause_s=pause), scope)
            scope.seen, scope.used_s = True, request.arrival_s
        return self._turns

    def _take(self, turn: Turn, scope: _Scope) -> None:
        branch, rules = _branch(turn.request), self._rules
        chain = scope.continued(turn, rules)
        before = chain.held if chain else None
        if chain is not None:
            turn = judged(turn, chain.held, rules)
            self._undo_asides(scope, chain, turn)
        elif scope.chains and branch != SIDE:
            before = scope.chains[-1].held
            turn = judged(turn, before, rules)
        elif (other := self._other_model(turn, scope)) is not None:
            turn = after_other_model(turn, other, rules)
        held = after(turn, before, rules)
        self._latest[branch] = held
        self._turns.append(turn)
        if chain is not None:
            scope.chains.remove(chain)
        place = len(self._turns) - 1
        scope.chains.append(_Chain(held, place if chain is None else chain.opened, place))
        del scope.chains[:-MOST_CHAINS]

    def _other_model(self, turn: Turn, scope: _Scope) -> Held | None:
        """The conversation that this turn goes on with under a model which sees it for the first time."""
        branch = _branch(turn.request)
        other = self._latest.get(branch)
        if scope.chains or other is None or branch == SIDE:
            return None
        least, most = CONTINUES
        return other if least <= turn.total / max(other.turn.total, 1) <= most else None

    def _undo_asides(self, scope: _Scope, chain: _Chain, turn: Turn) -> None:
        """What began since this conversation's last turn, and is not part of its growth, was beside it."""
        for other in scope.chains:
            opened = self._turns[other.opened]
            if other.opened > chain.latest and not chain.held.turn.total <= opened.total <= turn.total:
                self._turns[other.opened] = replace(opened, reset=None, expected=None)


MOST_CHAINS = 16
"""Conversations of one scope that are remembered."""


def _branch(request: TraceRequest) -> str:
    return request.branch or (SIDE if request.tag == SIDE else "")
