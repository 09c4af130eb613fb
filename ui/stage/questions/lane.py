"""Which is the last block that hits? Asked before a request's tags are made; the lane is the answer sheet.

What a choice means depends on the run: one block too far is something else where that block is not full than
where somebody else's text stands in it. The lesson of a question is why the look-up ends where it ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.timeline.frame import Frame
from ui.stage.questions.told import NONE, Ask, Placed, Step, Told, ask_of

LESSONS = ("empty", "chain", "until", "whole", "full", "gone", "old", "lock", "once")
CLICKABLE = 9
"""Blocks that have a key of their own; a longer prompt offers a few places as options instead."""

_OF_REASON = {
    "evicted": "gone",
    "ttl": "old",
    "salt": "lock",
    "version": "lock",
    "extras": "lock",
    "not_admitted": "once",
    "collision": "lock",
}
_BELIEF = {"unsent": "unsent", "notfull": "zero", "some": "zero", "apart": "anywhere", "first": "all"}
_BELIEF |= {
    "early": "all",
    "last": "full",
    "old": "ttl",
    "once": "everything",
    "gone": "size",
    "other": "unsent",
    "open": "zero",
}


@dataclass(frozen=True)
class _LookUp:
    """One look-up, from its first hash to its end: all that a choice's meaning hangs on."""

    rid: str
    at: int
    """The step that the question stands before: its first hash, so that no tag gives the answer away."""
    begins: int
    """The step from which one sees why: its first hash, or where its turn comes behind others."""
    ends: int
    """The number of the step that decides: the miss, or the last hit."""
    hit: int
    """The last block that hits, or NONE."""
    full: int
    blocks: int
    size: int
    reason: str
    near: int
    known: tuple[bool, ...]
    """Of each full block: is its tag in the table, whether or not it is looked up?"""
    owner: str
    running: bool
    nothing: bool
    """The table is empty, and nothing that is asked for was ever in it."""

    @property
    def hint(self) -> str:
        """What is said beside the question."""
        return "empty" if self.nothing else "why" if self.begins == self.at else "turn"

    @property
    def lesson(self) -> str:
        if self.nothing:
            return "empty"
        if self.reason:
            return _OF_REASON.get(self.reason) or ("chain" if self.hit == NONE else "until")
        if self.hit == self.full - 1:
            return "whole"
        return "full" if self.known[-1] else "until"


def lane_questions(told: Told) -> Iterator[Placed]:
    """One for each request whose look-up can be told."""
    for at, step in enumerate(told.steps):
        if step["op"] == "cut" and step["args"]["full"]:
            look_up = _look_up(told, at, step)
            if look_up is not None:
                yield look_up.at, _question(look_up)


def _look_up(told: Told, cut: int, step: Step) -> _LookUp | None:
    rid = step["rid"]

    def mine(*ops: str) -> int | None:
        return told.ahead(cut, lambda one: one["op"] in ops and one.get("rid") == rid)

    first, probe, end = mine("hash"), mine("probe"), mine("plan", "wait", "reject", "done", "preempt")
    if first is None or probe is None or end is None or probe > end:
        return None
    if told.frames[probe]["reqs"][rid]["num_tokens"] != step["args"]["n"]:
        return None  # it was never looked up as it arrived, but later, longer by its answer
    seen = [i for i in range(probe, end) if told.steps[i].get("rid") == rid]
    hits = [told.steps[i]["b"] for i in seen if told.steps[i]["op"] == "match"]
    last = told.steps[seen[-1]]
    table = told.frames[probe]["table"]
    hashes = told.frames[probe]["reqs"][rid]["hashes"][: step["args"]["full"]]
    owner = told.author.get(hashes[0], "")
    if not owner:
        owner = next((one["rid"] for one in told.steps[:cut] if one["op"] == "arrive"), rid)
    reason = _reason(told, last)
    return _LookUp(
        rid=rid,
        at=first,
        begins=first if _same_before(told.frames[first]["table"], hashes, len(hits), bool(reason)) else probe,
        ends=seen[-1] + 1,
        hit=hits[-1] if hits else NONE,
        full=step["args"]["full"],
        blocks=step["args"]["full"] + (step["args"]["rest"] > 0),
        size=step["args"]["size"],
        reason=reason,
        near=int(last["args"].get("near", 0)) if reason else 0,
        known=tuple(one in table for one in hashes),
        owner=owner,
        running=_runs(told.frames[probe], owner),
        nothing=not table and reason not in _OF_REASON,
    )


def _same_before(table: Mapping[str, object], hashes: Sequence[str], hits: int, missed: bool) -> bool:
    """Would the look-up end alike before its tags are made? Otherwise others are served between, and the
    question says so."""
    return all(one in table for one in hashes[:hits]) and not (missed and hashes[hits] in table)


def _runs(frame: Frame, rid: str) -> bool:
    return rid in frame["reqs"] and frame["reqs"][rid]["status"] == "running"


def _reason(told: Told, last: Step) -> str:
    """Why the look-up ended with this step; nothing where all that was asked for was there."""
    if last["op"] == "collision":
        return "collision"
    reason = str(last["args"]["reason"]) if last["op"] == "miss" else ""
    if reason == "evicted":
        gone = [
            one["op"]
            for one in told.steps[: last["i"]]
            if one["op"] in ("evict", "ttl") and one.get("hash") == last["hash"]
        ]
        return "ttl" if gone[-1:] == ["ttl"] else reason
    return reason


def _question(one: _LookUp) -> Ask:
    choices = range(NONE, one.blocks)
    places = {choice: choice for choice in choices}
    more: Ask = {"args": _args(one), "why": f"stage.ask.lane.{one.hint}"}
    kind = asks = "lane"
    if one.blocks > CLICKABLE:
        last = one.blocks - 1
        upto = one.hit if 0 < one.hit < last else last // 2
        kind, asks, places = "choice", "some", dict(enumerate((NONE, 0, upto, last)))
        more["options"] = [f"stage.ask.some.{name}" for name in ("none", "first", "upto", "all")]
        more["args"]["upto"] = upto
    said = {choice: _said(one, place) for choice, place in places.items()}
    fell = {choice: belief for choice, key in said.items() if (belief := _belief(one, key))}
    answers = [choice for choice, place in places.items() if place == one.hit]
    said = {choice: f"lane.{key}" for choice, key in said.items()}
    return ask_of(one.lesson, kind, one.rid, answers, said, fell, (one.begins, one.ends), asks, **more)


def _args(one: _LookUp) -> Ask:
    return {
        "req": one.rid,
        "owner": one.owner,
        "near": one.near,
        "size": one.size,
        "hit": one.hit,
        "after": one.hit + 1,
        "last": one.blocks - 1,
    }


def _said(one: _LookUp, place: int) -> str:
    """What it would have meant that this is the last block that hits."""
    if place == one.hit:
        is_later = one.hint == "turn" and one.lesson in ("whole", "until")  # its tags are stored meanwhile
        return "right.turn" if is_later else f"right.{one.lesson}"
    if place >= one.full:
        return "open" if one.nothing else "notfull"
    if one.nothing:
        return "unsent"
    if place < one.hit:
        return "private" if place == NONE else "first" if place == 0 else "early"
    return _too_far(one, place)


def _too_far(one: _LookUp, place: int) -> str:
    """The chosen block is full and does not hit."""
    if one.lesson in ("gone", "old", "lock", "once"):
        return one.lesson
    if one.lesson == "full":
        return "last"
    if place > one.hit + 1:
        return "apart"
    return "some" if one.near else "other"


def _belief(one: _LookUp, key: str) -> str:
    if key == "private":
        return "together" if one.running else "cleared"
    if key == "lock":
        return "weights" if one.reason == "version" else "tenants"
    return _BELIEF.get(key, "")
