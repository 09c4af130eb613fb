"""Beats: steps of one kind that belong together are one press for those who follow the story.

Three slots that are reserved for one request are one thing that happens; so are three tags, four computed
blocks, an answer. The last step of such a group carries ``beat``: the caption of all, its arguments, and
where the group begins; the steps before it are ``inner``. A question stands before its step, so no group
runs over one. Pure, and last of all: it comes after the questions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ui.stage.steps.beat_words import (
    answered,
    arrived,
    computed,
    expired,
    freed,
    hashed,
    hits,
    registered,
    taken,
    touched,
)
from ui.stage.steps.telling import Step

_TAKES = frozenset(["evict", "alloc", "register", "dup", "notstored"])
_WRITES = frozenset(["append", "full", "hash", "compute", *_TAKES])
_LOOKS = frozenset(["probe", "match", "miss", "collision", "plan", "wait"])

_EXPLAINED = 2
"""So many requests after the first have their tags told apart; those after them just get them."""


@dataclass
class _Story:
    """What was told before a step, as far as grouping depends on it."""

    steps: Sequence[Step]
    num_arrived: int = 0
    num_hashed: int = 0
    num_answered: int = 0
    answering: set[str] = field(default_factory=set)
    """Requests whose prompt is computed: what they take now is for their answer."""
    plans: dict[str, Step] = field(default_factory=dict)

    def take(self, step: Step) -> None:
        op, rid = step["op"], step.get("rid", "")
        self.num_arrived += op == "arrive"
        self.num_hashed += op == "hash"
        self.num_answered += op == "append"
        if op == "append":
            self.answering.add(rid)
        elif op in ("plan", "resume", "done", "preempt", "arrive"):
            self.answering.discard(rid)
        if op in ("plan", "resume"):
            self.plans[rid] = step

    def run(self, start: int, goes_on: Callable[[Step], bool]) -> int:
        """Where the group that begins at ``start`` ends: at the first step that does not go on with it."""
        end = start + 1
        while end < len(self.steps) and "ask" not in self.steps[end] and goes_on(self.steps[end]):
            end += 1
        return end

    def ops(self, start: int, rid: str | None, *ops: str) -> int:
        """As ``run``: the next steps with these ops, of that request."""
        return self.run(start, lambda step: step["op"] in ops and step.get("rid") == rid)

    def is_pass(self, start: int) -> bool:
        """Whether the model's pass that begins here computes prompts, be it beside answers."""
        return any(not _is_answer(step) for step in self.steps[start : self.end_of_pass(start)])

    def end_of_pass(self, start: int) -> int:
        """One pass of the model: everything that is computed at this time."""
        now = self.steps[start]["t"]
        return self.run(start, lambda step: step["op"] == "compute" and step["t"] == now)


def _is_answer(computed: Step) -> bool:
    return bool(computed["args"].get("answer") == computed["args"]["n"])


def with_beats(steps: Sequence[Step]) -> list[Step]:
    """The same steps, groups of them marked. Pure."""
    told: list[Step] = []
    story, start = _Story(steps), 0
    while start < len(steps):
        end = _end(story, start)
        group = list(steps[start:end])
        told += [{**step, "inner": True} for step in group[:-1]]
        told.append(group[-1] if len(group) == 1 else {**group[-1], "beat": _beat(story, group)})
        for step in group:
            story.take(step)
        start = end
    return told


def _end(story: _Story, start: int) -> int:
    step = story.steps[start]
    op, rid = step["op"], step.get("rid")
    if op == "compute" and story.is_pass(start):
        return story.end_of_pass(start)
    if op in ("append", "compute") or (op in _WRITES and rid in story.answering):
        return _end_of_answer(story, start)
    if op == "arrive" and story.num_arrived:
        return story.ops(start, rid, "cut", *(["hash"] if story.num_arrived > _EXPLAINED else []))
    if op == "hash" and story.num_hashed:
        return story.ops(start, rid, "hash")
    if op in ("probe", "match"):
        return _end_of_look_up(story, start)
    if op == "plan":
        return _end_of_plan(story, start)
    if op == "touch":
        return story.ops(start, rid, "touch")
    if op == "ttl" or (op == "evict" and step["args"]["cause"] == "cap"):
        return story.run(start, lambda other: other["op"] == op and other["cap"] == step["cap"])
    if op in _TAKES and rid:
        return story.ops(start, rid, *_TAKES)
    if op == "free":
        end = story.ops(start, rid, "free")
        following = story.steps[end : end + 1]
        return end + any(step["cap"] == "done.finished" and "ask" not in step for step in following)
    return start + 1


def _end_of_answer(story: _Story, start: int) -> int:
    """Token after token of whoever is answering; the very first answer token of a run stands by itself."""
    first = story.steps[start]
    if not story.num_answered and first["op"] == "append":
        return story.ops(start, first.get("rid"), "full", "hash")
    writing = story.answering | ({first["rid"]} if first["op"] == "append" else set())

    def goes_on(step: Step) -> bool:
        at, op = step["i"] - first["i"] + start, step["op"]
        if op == "append":
            writing.add(step["rid"])
        if op == "compute":  # the first of a pass that reads prompts too is told with those
            return _is_answer(step) and (story.steps[at - 1]["op"] == "compute" or not story.is_pass(at))
        return op in ("append", "full") or (op in _WRITES and step.get("rid") in writing)

    end = story.run(start, goes_on)
    if not any(step["op"] in ("append", "compute") for step in story.steps[start:end]):
        # a book entry only: it goes along with what the step does next
        for step in story.steps[end : end + 1]:
            if step["op"] in _LOOKS and "ask" not in step:
                return _end(story, end)
    return end


def _end_of_look_up(story: _Story, start: int) -> int:
    """All hits together; the miss by itself, with its reason."""
    rid = story.steps[start].get("rid")
    end = story.ops(start, rid, "probe", "match")
    if end < len(story.steps) and story.steps[end]["op"] in ("miss", "collision"):
        if end == start + 1 and story.steps[start]["op"] == "probe":
            return end + int("ask" not in story.steps[end])
        is_probe = bool(story.steps[end - 1]["op"] == "probe")  # the one that the miss answers
        return max(end - is_probe, start + 1)
    return end


def _end_of_plan(story: _Story, start: int) -> int:
    """A plan goes along with what it takes, unless it has something to say of its own."""
    step = story.steps[start]
    following = story.steps[start + 1 : start + 2]
    if step["cap"] == "plan.last_token" or not following or "ask" in following[0]:
        return start + 1
    if following[0].get("rid") != step.get("rid") or following[0]["op"] not in ("touch", "evict", "alloc"):
        return start + 1
    return _end(story, start + 1)


def _beat(story: _Story, group: list[Step]) -> Step:
    cap, args = _told(story, group)
    return {"cap": cap, "args": args, "from": group[0]["i"]}


def _told(story: _Story, group: list[Step]) -> tuple[str, Step]:
    """The caption of a group and its arguments, by the ops in it."""
    last = group[-1]
    ops = {step["op"] for step in group}
    if "match" in ops:
        return hits(group)
    if "arrive" in ops:
        return arrived(group)
    if "append" in ops:
        return answered(group)
    if "free" in ops:
        return freed(group)
    if "touch" in ops:
        return touched(group)
    if "alloc" in ops and ops <= _TAKES | {"plan"}:
        return taken(group, story.plans.get(last.get("rid", "")) or group[0])
    if ops == {"compute"}:
        return computed(group)
    if ops == {"hash"}:
        return hashed(group)
    if ops <= {"register", "dup", "notstored"}:
        return registered(group)
    if len(ops) == 1 and last["op"] in ("ttl", "evict"):
        return expired(group)
    return last["cap"], last["args"]
