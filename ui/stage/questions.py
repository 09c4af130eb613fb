"""Predict before you see: which steps stop and ask, what may be answered, what is said afterwards.

A question stands on the step whose outcome it asks for; the stage stops before it. ``answer`` is the index
of the right option, or the link key of the thing to click (``slot:5``). Feedback is a text key per answer.
Most questions follow from what happens, in any run; three belong to a preset that was made for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Step = dict[str, Any]
Ask = dict[str, Any]


@dataclass
class _Seen:
    """What of the run a question may depend on: what came before its step, and what comes next."""

    asked: dict[str, int] = field(default_factory=dict)
    looked: dict[str, Step] = field(default_factory=dict)
    """Request -> its last look-up."""
    cut: dict[str, Step] = field(default_factory=dict)
    """Request -> how its prompt was cut."""
    last_op: str = ""
    next_op: str = ""
    """What comes behind the step: it tells what the step has led to."""
    lost_tags: bool = False
    """While blocks are given back: a cap or a time to live took tags meanwhile."""

    def take(self, step: Step) -> None:
        self.last_op = step["op"]
        self.lost_tags = self.last_op in ("evict", "ttl") or (self.last_op == "free" and self.lost_tags)
        if step["op"] in ("match", "miss"):
            self.looked[step["rid"]] = step
        if step["op"] == "cut":
            self.cut[step["rid"]] = step


def with_questions(steps: Sequence[Step], scenario_id: str = "") -> list[Step]:
    """The same steps, some of them with an ``ask``. Pure."""
    seen = _Seen()
    asked: list[Step] = []
    for at, step in enumerate(steps, 1):
        seen.next_op = steps[at]["op"] if at < len(steps) else ""
        ask = _ask(step, seen, scenario_id)
        if ask is not None:
            seen.asked[ask["id"]] = seen.asked.get(ask["id"], 0) + 1
            step = {**step, "ask": ask}
        seen.take(step)
        asked.append(step)
    return asked


def _ask(step: Step, seen: _Seen, scenario_id: str) -> Ask | None:
    """At most one question a step; the same one comes again only while it can still teach something."""
    placed = _PLACED.get((scenario_id, step["op"], str(step.get("rid"))))
    for maker in (*([placed] if placed else []), *_QUESTIONS.get(step["op"], ())):
        ask = maker(step, seen)
        if ask is not None and seen.asked.get(ask["id"], 0) < MOST.get(ask["id"], 1):
            return ask
    return None


def _choice(name: str, options: Sequence[str], answer: int, told: str = "told") -> Ask:
    """A question with options 1, 2, … One sentence is told after either answer: it says how it is."""
    key = f"stage.ask.{name}"
    said = told if told.startswith("stage.") else f"{key}.{told}"
    return {
        "id": name,
        "kind": "choice",
        "options": [option if option.startswith("stage.") else f"{key}.{option}" for option in options],
        "answer": answer,
        "feedback": {"right": said, "wrong": said},
    }


# -- look-up ---------------------------------------------------------------------------------------------

_YES_NO = ("stage.ask.yes", "stage.ask.no")


def _hit(step: Step, seen: _Seen) -> Ask | None:
    """Is this block here? Asked for a request's first look-up, and where a chain of hits ends."""
    if not seen.looked and step["op"] == "miss":
        return None  # nothing is cached before the first request: no guess to make
    before = seen.looked.get(step["rid"])
    if before is not None and step["op"] == "match":
        return None
    if step["op"] == "match":
        return _choice("hit", _YES_NO, 0, "here")
    told = "near" if step["args"].get("near") else "gone"
    return _choice("hit", _YES_NO, 1, "evicted" if step["args"]["reason"] == "evicted" else told)


def _partial(step: Step, seen: _Seen) -> Ask | None:
    """Some tokens of a block are equal behind equal blocks: do those count?"""
    if step["args"]["reason"] != "chain_broken" or not step["args"]["near"] or step["b"] == 0:
        return None
    return _choice("partial", ("some", "none"), 1, "stage.ask.hit.near")


def _anywhere(step: Step, seen: _Seen) -> Ask:
    """P3: a log line stands in front of text that was seen before."""
    return _choice("anywhere", _YES_NO, 1)


def _chain(step: Step, seen: _Seen) -> Ask | None:
    """P2: one word has changed, in the first block."""
    return _choice("chain", ("one", "all"), 1) if step["b"] == 0 else None


# -- plan ------------------------------------------------------------------------------------------------


def _zero(step: Step, seen: _Seen) -> Ask | None:
    """Nothing is reused, although both prompts begin alike."""
    miss = seen.looked.get(step["rid"])
    if step["args"]["reused"] or miss is None or miss["op"] != "miss":
        return None
    begins_alike = miss["args"]["reason"] == "chain_broken" and miss["args"]["token"] > 1
    return _choice("zero", ("nothing", "beginning"), 1) if begins_alike else None


def _after(step: Step, seen: _Seen) -> Ask | None:
    """One block missed, and full ones follow: are they looked up?"""
    miss, cut = seen.looked.get(step["rid"]), seen.cut.get(step["rid"])
    if miss is None or miss["op"] != "miss" or cut is None or miss["args"]["reason"] == "never_seen":
        return None
    return _choice("after", _YES_NO, 1) if step["args"]["reused"] < cut["args"]["full"] - 1 else None


def _full(step: Step, seen: _Seen) -> Ask | None:
    """The whole prompt is known: what is left to compute?"""
    cut = seen.cut.get(step["rid"])
    if step["cap"] != "plan.last_token" or cut is None or cut["args"]["size"] == 1:
        return None
    if step["args"]["n"] != cut["args"]["n"] - step["args"]["hit"]:
        return None  # in pieces, or after a preemption: another sum
    return _choice("full", ("zero", "one", "block"), 1 if step["args"]["n"] == 1 else 2)


def _bigger(step: Step, seen: _Seen) -> Ask | None:
    """P7: ten shared tokens, cut into blocks of 2, 4, 8 or 16."""
    return _choice("bigger", ("2", "4", "8", "16"), 0)


# -- slots -----------------------------------------------------------------------------------------------


def _touch(step: Step, seen: _Seen) -> Ask:
    return _choice("touch", ("copy", "ref", "move"), 1)


def _evict(step: Step, seen: _Seen) -> Ask | None:
    if step["args"].get("cause") != "reused":
        return None
    told = "stage.ask.evict.told"
    answer = f"slot:{step['slot']}"
    return {"id": "evict", "kind": "click", "answer": answer, "feedback": {"right": told, "wrong": told}}


def _merge(step: Step, seen: _Seen) -> Ask | None:
    """Another slot carries this tag already."""
    return _choice("merge", ("one", "both"), 1) if seen.next_op == "dup" else None


def _free(step: Step, seen: _Seen) -> Ask | None:
    if step["b"] == 0:
        return None  # a table of one row: nothing to choose
    return _choice("free", ("first", "last"), 1)


def _done(step: Step, seen: _Seen) -> Ask | None:
    if seen.last_op != "free" or seen.lost_tags:
        return None  # called off while it waited, or tags just went: nothing to learn here
    return _choice("done", ("none", "own", "all"), 0)


def _append(step: Step, seen: _Seen) -> Ask | None:
    if step["args"]["n"] != 1:
        return None  # handed over in one go, not decoded token by token
    return _choice("append", ("less", "same"), 1)


Maker = Callable[[Step, _Seen], Ask | None]
_QUESTIONS: dict[str, tuple[Maker, ...]] = {
    # op of the step: what may be asked there, the rarer first
    "match": (_hit,),
    "miss": (_partial, _hit),
    "plan": (_full, _zero, _after),
    "touch": (_touch,),
    "evict": (_evict,),
    "register": (_merge,),
    "free": (_free,),
    "done": (_done,),
    "append": (_append,),
}
_PLACED: dict[tuple[str, str, str], Maker] = {
    # (preset, op, request): a question that only this text can ask
    ("P2", "hash", "R1"): _chain,
    ("P3", "miss", "R1"): _anywhere,
    ("P7", "plan", "R1"): _bigger,
}
MOST = {"hit": 8, "evict": 3}
"""How often in one run; all others once."""
