"""What turns would have read had all writes stayed for another time.

Every conversation leaves its whole prefix behind, whatever it read, so within the other time a turn reads
what the time alone took from it, and beyond it loses what it read. What it then still reads, and what the
first turn of a conversation reads, is the part that conversations share (tools, system prompt): it is known
where some first turn, or one after a reset, read it, and is there if any conversation that shares it used it
within the time. A longer time never reads less than was reported, a shorter one never more.

Where the log leaves it open, a turn has two ends: without a time (or with one that cannot be true, as all
was read after more than the prefix can live), and where a first turn read nothing, so that nobody knows how
much it shares with the conversations before it; and where it comes back to a model after many turns under
another one, since providers look back over so many messages only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.traffic.usage.rules import FIVE_MINUTES, ONE_HOUR
from core.traffic.usage.turns import Session, Turn

Scope = tuple[int, str, str]
"""Session's place, branch, model."""
Family = tuple[str, bool]
"""Model, and whether a subagent: they share tools and system prompt among each other."""
MOST = 0.5
"""Share of the first turns of a family that must have read the same, to hold for those that read nothing."""
NOTHING_LOST = 128
MANY = 5
"""Turns in between whose messages may be more than a provider looks back over from a mark."""


@dataclass(frozen=True, slots=True)
class Supposed:
    """A turn with the fewest and the most tokens that it would have read; `why` where they differ."""

    turn: Turn
    least: int
    most: int
    why: str = ""


@dataclass(slots=True)
class _Talk:
    """One conversation: its turns and what it shares with others (None: not known).

    `away`: numbers of turns that come back to this model after many under another one. `gaps`: `_gaps`, once
    somebody asks for them.
    """

    family: Family
    turns: list[Turn] = field(default_factory=list)
    shared: int | None = None
    away: set[int] = field(default_factory=set)
    gaps: list[float] = field(default_factory=list)


def supposed(found: Sequence[Session], ttl_s: float) -> list[Supposed]:
    """Every turn under the other time, in the order of the times."""
    talks = _talks(found)
    _learn_shared(talks)
    every = [(turn, talk, place) for talk in talks for place, turn in enumerate(talk.turns)]
    last = 0.0
    at = []
    for number, one in enumerate(every):
        time = one[0].request.arrival_s
        last = last if time is None else time
        at.append((last, number))
    used = _Used(ttl_s)
    made = []
    for _, number in sorted(at):
        turn, talk, place = every[number]
        made.append(_one(turn, talk, place, used, ttl_s))
        used.by(talk, turn)
    return made


def _talks(found: Sequence[Session]) -> list[_Talk]:
    talks: dict[Scope, _Talk] = {}
    for number, session in enumerate(found):
        sent, last = Counter[str](), dict[tuple[str, str], int]()
        for turn in session.turns:
            branch, model = turn.request.branch or turn.request.tag or "", turn.request.model or ""
            talk = talks.setdefault((number, branch, model), _Talk((model, bool(branch))))
            talk.turns.append(turn)
            sent[branch] += 1
            if sent[branch] - last.get((branch, model), sent[branch]) > MANY:
                talk.away.add(turn.number)
            last[branch, model] = sent[branch]
    return list(talks.values())


def _learn_shared(talks: Sequence[_Talk]) -> None:
    """What each conversation read first, else after a loss, else what most others of its kind did."""
    read: dict[Family, Counter[int]] = defaultdict(Counter)
    for talk in talks:
        lost = [turn.read for turn in talk.turns if turn.reset is not None and turn.read]
        talk.shared = talk.turns[0].read or min(lost, default=None)
        if talk.shared is not None:
            read[talk.family][talk.shared] += 1
    for talk in talks:
        usual = read[talk.family].most_common(1)
        if talk.shared is None and usual and usual[0][1] > MOST * sum(read[talk.family].values()):
            talk.shared = min(usual[0][0], talk.turns[0].total)


class _Used:
    """When conversations and shared parts were last used, as the replay goes."""

    def __init__(self, ttl_s: float) -> None:
        self._ttl_s = ttl_s
        self._shared: dict[tuple[Family, int], float] = {}
        self._last: dict[Family, dict[int, tuple[float, int]]] = defaultdict(dict)

    def by(self, talk: _Talk, turn: Turn) -> None:
        """A turn was sent, if it says when."""
        now = turn.request.arrival_s
        if now is not None:
            latest = self._last[talk.family]
            latest.pop(id(talk), None)
            latest[id(talk)] = now, turn.total
            if talk.shared is not None:
                self._shared[talk.family, talk.shared] = now

    def since(self, talk: _Talk, now: float) -> float | None:
        """Seconds since any conversation used this one's shared part; None if nobody in the log did."""
        if talk.shared is None or (before := self._shared.get((talk.family, talk.shared))) is None:
            return None
        return abs(now - before)

    def common(self, talk: _Talk, turn: Turn, now: float, least_s: float) -> int:
        """The most that this turn can share with others of its kind, if all were used longer ago than
        `least_s`: else it would have been there, and nothing is shared. The latest come first."""
        most = 0
        for key, (at, total) in reversed(self._last[talk.family].items()):
            if key == id(talk):
                continue
            if now - at <= least_s:
                return 0
            if now - at > self._ttl_s:
                break
            most = max(most, min(total, turn.total))
        return most


def _one(turn: Turn, talk: _Talk, place: int, used: _Used, ttl_s: float) -> Supposed:
    longer = ttl_s == ONE_HOUR
    now = turn.request.arrival_s
    if turn.expected is None or not place:
        least, most, why = _first(turn, talk, used, ttl_s)
    elif _impossible(turn) or turn.pause_s is None:
        least, most, why = _untimed(turn, talk, place, ttl_s)
    elif turn.pause_s <= ttl_s:
        most = turn.expected if _by_time(turn) else turn.read
        least, why = (turn.read, "other_model") if turn.number in talk.away else (most, "")
    else:
        since = None if now is None else used.since(talk, now)
        least = most = talk.shared or 0 if since is not None and since <= ttl_s else 0
        why = ""
        if talk.shared is None and longer and now is not None and not turn.read:
            most, why = used.common(talk, turn, now, FIVE_MINUTES), "first"
    ends = (max, min)[not longer]
    return Supposed(
        turn, min(ends(least, turn.read), turn.total), min(ends(most, turn.read), turn.total), why
    )


def _first(turn: Turn, talk: _Talk, used: _Used, ttl_s: float) -> tuple[int, int, str]:
    """A conversation's first turn reads what it shares, if that is there."""
    now = turn.request.arrival_s
    if now is None:
        shared = talk.shared or 0
        return (
            (turn.read, max(shared, turn.read), "untimed") if ttl_s == ONE_HOUR else (0, turn.read, "untimed")
        )
    since = used.since(talk, now)
    if talk.shared is not None and since is not None:
        own = FIVE_MINUTES if ttl_s == ONE_HOUR else ONE_HOUR
        if not turn.read and since <= own:
            return 0, 0, ""  # it was there, and is not shared
        there = talk.shared if since <= ttl_s else 0
        return there, there, ""
    if turn.read:  # stored by somebody whom this log does not show
        return (turn.read, turn.read, "") if ttl_s == ONE_HOUR else (0, turn.read, "first")
    if ttl_s != ONE_HOUR or talk.shared is not None:
        return 0, 0, ""
    return 0, used.common(talk, turn, now, FIVE_MINUTES), "first"


def _untimed(turn: Turn, talk: _Talk, place: int, ttl_s: float) -> tuple[int, int, str]:
    """A turn after an unknown pause; the times around it may show that it was short."""
    expected = turn.expected or 0
    if not talk.gaps:
        talk.gaps = _gaps(talk.turns)
    if talk.gaps[place] <= ttl_s:
        sure = turn.reset is not None and turn.reset.cause != "unexplained"
        return turn.read, turn.read if sure else max(expected, turn.read), "untimed"
    if ttl_s == ONE_HOUR:
        return turn.read, max(expected, turn.read) if turn.reset is not None else turn.read, "untimed"
    return 0, turn.read, "untimed"


def _gaps(turns: Sequence[Turn]) -> list[float]:
    """Seconds between the known times around each turn: its pause is no longer. Without both, no bound."""
    times = [turn.request.arrival_s for turn in turns]
    later: list[float | None] = []
    for time in reversed(times):
        later.append(time if time is not None or not later else later[-1])
    found: list[float] = []
    before: float | None = None
    for turn, time, end in zip(turns, times, reversed(later), strict=True):
        gap = -1.0 if before is None or end is None or _impossible(turn) else end - before
        found.append(gap if gap >= 0 else float("inf"))
        before = before if time is None else time
    return found


def _by_time(turn: Turn) -> bool:
    """Whether the time is the one cause of the turn's reset, or of a loss too small to be called one."""
    if turn.reset is None:
        return turn.pause_s is not None and turn.pause_s > FIVE_MINUTES
    return turn.reset is not None and turn.reset.cause == "ttl" and not turn.reset.values["also"]


def _impossible(turn: Turn) -> bool:
    """A pause beyond an hour after which everything was still there: no write lives so long."""
    if turn.pause_s is None or turn.expected is None or not turn.read:
        return False
    return turn.pause_s > ONE_HOUR and turn.expected - turn.read <= NOTHING_LOST
