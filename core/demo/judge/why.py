"""Why an answer is wrong: the rule that it breaks, and the event of the run where the right thing is seen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.demo.judge.script import Ask, frame_at
from core.engine import events as ev
from core.timeline.event_log import EventLog
from core.timeline.frame import Frame


@dataclass(frozen=True, slots=True)
class Why:
    """``rule``: the key of its words, with ``values``; ``event``: its number in the log."""

    rule: str
    event: int
    values: dict[str, Any] = field(default_factory=dict)


class Judge:
    """Looks at one run. What is right stands in the log; a visitor's answer is held against it."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.size = log.config.block_size
        self.looked: Collection[int] = frozenset()
        self.tokens_of: dict[str, tuple[int, ...]] = {}
        tokens: dict[str, list[int]] = {}
        for event in log.events:
            if isinstance(event, ev.RequestArrived):
                tokens[event.request_id] = list(event.token_ids)
            elif isinstance(event, ev.TokensAppended):
                tokens[event.request_id] += event.token_ids
            elif isinstance(event, ev.BlockHashed):
                start = event.index * self.size
                self.tokens_of[event.hash.hex()] = tuple(tokens[event.request_id][start : start + self.size])

    def why(
        self, ask: Ask, mine: Any, drained: Sequence[int] = (), looked: Collection[int] = frozenset()
    ) -> Why:
        """The rule behind a wrong answer. ``drained``: blocks that the cache has handed out just before.
        ``looked``: blocks that were only looked up before that."""
        self.looked = looked
        if ask.method == "look_up":
            return self._looked_up(ask, tuple(mine))
        if ask.method == "evict":
            return self._taken(ask, mine, drained)
        return self._stored(ask, mine)

    # -- look_up ------------------------------------------------------------------------------------------

    def _looked_up(self, ask: Ask, mine: tuple[int, ...]) -> Why:
        right = ask.right or ()
        place = _first_difference(mine, right)
        frame = frame_at(self.log, ask.events.start)
        if place == len(mine):
            values = {"block": place, "slot": right[place]}
            return Why(self._missed(ask, right[place], frame), self._hit(ask, place), values)
        slot, wanted = mine[place], ask.tokens[place * self.size : (place + 1) * self.size]
        values = {"block": place, "slot": slot}
        at = self._hit(ask, place) if place < len(right) else ask.events.stop - 1
        if place == len(right):
            at = self._end_of_look_up(ask)
            if len(wanted) < self.size:
                return Why("unfinished", at, values | {"n": len(wanted), "size": self.size})
            if (place + 1) * self.size == len(ask.tokens):
                return Why("last", at, values)
        content = frame["slots"][str(slot)]["hash"]
        if content is not None and place < len(right) and content == self._hash_of(right[place], frame):
            return Why("oldest", at, values | {"right": right[place]})
        holds = () if content is None else self.tokens_of[content]
        if holds == wanted:
            return Why("chain", at, values)
        if "".join(map(str, holds)) == "".join(map(str, wanted)):
            return Why("joined", at, values)
        if sorted(holds) == sorted(wanted):
            return Why("order", at, values)
        same = _first_difference(holds, wanted)
        if same:
            return Why("partial", at, values | {"n": same, "size": self.size})
        if self._carried(slot, ask.events.start):
            return Why("forgotten", at, values)
        return Why("empty" if content is None else "short", at, values)

    def _missed(self, ask: Ask, slot: int, frame: Frame) -> str:
        """Why a block may not have been found that is there."""
        tag, start = frame["slots"][str(slot)]["hash"], ask.events.start
        if not ask.events and frame["queue"][:1] == [slot]:
            return "front_tag"
        stored = self._last(slot, start, ev.BlockStored)
        told = self.log.events[stored:start]
        if any(isinstance(event, ev.BlockEvicted) and event.hash.hex() == tag for event in told):
            return "copy_left"
        return "grown_tag" if self._grown(slot, start) else "found"

    def _grown(self, slot: int, before: int) -> bool:
        """Whether this block has a tag and became full while its request ran, not when it began."""
        stored = self._last(slot, before, ev.BlockStored)
        taken = self._last(slot, stored, ev.BlockAllocated)
        if stored < 0 or self._last(slot, before, ev.BlockEvicted) > stored:
            return False
        batch = (ev.BlockAllocated, ev.BlockTouched, ev.BlockEvicted, ev.BlockStored)
        return any(not isinstance(event, batch) for event in self.log.events[taken:stored])

    def _hit(self, ask: Ask, index: int) -> int:
        """The event in which block ``index`` was found."""
        for place in ask.events:
            event = self.log.events[place]
            if isinstance(event, ev.BlockHit) and event.index == index:
                return place
        return ask.events.stop - 1

    def _end_of_look_up(self, ask: Ask) -> int:
        """The miss that ended it; where there is none, what came of it."""
        missed = (p for p in ask.events if isinstance(self.log.events[p], ev.BlockMissed))
        return next(missed, ask.events.stop - 1)

    def _hash_of(self, slot: int, frame: Frame) -> str | None:
        return frame["slots"][str(slot)]["hash"]

    def _carried(self, slot: int, before: int) -> bool:
        """Whether this block once had a content that it has lost."""
        told = self.log.events[:before]
        return any(isinstance(event, ev.BlockEvicted) and event.block_id == slot for event in told)

    # -- store --------------------------------------------------------------------------------------------

    def _stored(self, ask: Ask, mine: Any) -> Why:
        first = ask.events.start
        frame = frame_at(self.log, first)
        if ask.right is None:
            return Why("room", self._shown(first), {"free": len(frame["queue"])})
        if mine is None:
            return Why("fits", self._shown(first), {"free": len(frame["queue"])})
        mine = tuple(mine)
        place = _first_difference(mine, ask.right)
        if place == min(len(mine), len(ask.right)):
            values = {"n": len(ask.tokens), "size": self.size, "need": len(ask.right)}
            return Why("table", self._shown(ask.events.stop - 1), values)
        held = self._before(ask)
        if place < held:
            rule = "kept" if ask.grows else "reuse"
            at = self._takes(ask, place)
            if self._hash_of(mine[place], frame) == self._hash_of(ask.right[place], frame) is not None:
                rule = "oldest"
            return Why(rule, at, {"block": place, "slot": mine[place], "right": ask.right[place]})
        if mine[place] in mine[:place]:
            owner = {"block": mine.index(mine[place]), "slot": mine[place], "req": ask.request}
            return Why("own_hit", self._takes(ask, mine.index(mine[place])), owner)
        return self._block(ask, mine[place], ask.right[place], frame, mine[held:place])

    def _before(self, ask: Ask) -> int:
        """How many blocks of the right table are not new ones."""
        new = [p for p in ask.events if isinstance(self.log.events[p], ev.BlockAllocated)]
        return len(ask.right or ()) - len(new)

    def _takes(self, ask: Ask, index: int) -> int:
        for place in ask.events:
            event = self.log.events[place]
            if isinstance(event, ev.BlockAllocated | ev.BlockTouched) and event.index == index:
                return place
        return self._shown(ask.events.start)

    def _shown(self, place: int) -> int:
        """This event, or the next one that the stage shows."""
        place = min(place, len(self.log.events) - 1)
        while isinstance(self.log.events[place], ev.RequestScheduled | ev.GrowthFailed):
            place += 1
        return place

    # -- which block is next ---------------------------------------------------------------------------------

    def _taken(self, ask: Ask, mine: int | None, drained: Sequence[int]) -> Why:
        """The free queue at the end of a run, block by block."""
        frame = frame_at(self.log, ask.events.start)
        if mine is None:
            assert ask.right is not None
            return Why("free", self._takes_or_left(ask, ask.right[0]), {"right": ask.right[0]})
        return self._block(ask, mine, ask.right[0] if ask.right else mine, frame, drained)

    def _block(self, ask: Ask, mine: int, right: int, frame: Frame, before: Sequence[int]) -> Why:
        """One block was taken and another one stands in front."""
        values: dict[str, Any] = {"slot": mine, "right": right}
        if mine in before:
            return Why("twice", self._takes_or_left(ask, right), values)
        owners = frame["slots"][str(mine)]["owners"]
        if owners:
            let_go = self._last(mine, ask.events.start, ev.BlockReleased)
            taken = self._last(mine, ask.events.start, ev.BlockAllocated)
            rule = "ref" if let_go > taken else "held"
            at = let_go if rule == "ref" else max(taken, self._last(mine, ask.events.start, ev.BlockTouched))
            return Why(rule, at, values | {"n": len(owners), "req": owners[-1]})
        if not ask.events and (mine in self.looked or right in self.looked):
            return Why("looked", self._takes_or_left(ask, right), values)
        if self._grown(mine, ask.events.start):
            at = self._last(mine, ask.events.start, ev.BlockReleased)
            return Why("needs_tag", at, values)
        one, other = (self._last(slot, ask.events.start, ev.BlockReleased) for slot in (mine, right))
        return Why(self._order(one, other), self._takes_or_left(ask, right), values)

    def _takes_or_left(self, ask: Ask, right: int) -> int:
        """Where the right block is taken; where nobody takes it in this run, where it joined the queue."""
        for place in ask.events:
            event = self.log.events[place]
            if isinstance(event, ev.BlockAllocated) and event.block_id == right:
                return place
        left = self._last(right, ask.events.start, ev.BlockReleased)
        return left if left >= 0 else self._shown(len(self.log.events[: ask.events.start]) - 1)

    def _order(self, mine: int, right: int) -> str:
        """Why the right block, let go of in event ``right`` (-1: never used), stands before the other one."""
        event, other = self.log.events[right], self.log.events[mine]
        if right < 0:
            return "first" if mine < 0 else "fresh"
        assert isinstance(event, ev.BlockReleased)
        if event.place == "front":
            return "unfinished_first"
        if mine >= 0 and isinstance(other, ev.BlockReleased) and other.request_id == event.request_id:
            between = self.log.events[min(mine, right) : max(mine, right)]
            if all(isinstance(one, ev.BlockReleased) for one in between):
                return "tail"
        return "lru"

    def _last(self, slot: int, before: int, kind: type[ev.Event]) -> int:
        for place in reversed(range(before)):
            event = self.log.events[place]
            if isinstance(event, kind) and getattr(event, "block_id", None) == slot:
                return place
        return -1


def _first_difference(one: Sequence[Any], other: Sequence[Any]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
