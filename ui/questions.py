"""Predict before you see: which steps stop and ask, what may be answered, what is said afterwards.

A question stands on the step whose outcome it asks for; the stage stops before it. ``answer`` is the index
of the right option, or the link key of the thing to click (``slot:5``). Feedback is a text key per answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Step = dict[str, Any]
Ask = dict[str, Any]

_YES_NO = ["stage.ask.yes", "stage.ask.no"]


def with_questions(steps: Sequence[Step]) -> list[Step]:
    """The same steps, some of them with an ``ask``. Pure."""
    seen: dict[str, int] = {}
    looked: dict[str, str] = {}
    asked: list[Step] = []
    for before, step in zip([None, *steps], steps, strict=False):
        if step["op"] == "done" and (before is None or before["op"] != "free"):
            ask = None  # called off while it waited, or a cap just dropped tags: nothing to learn here
        else:
            ask = _ask(step, seen, looked)
        if ask is not None:
            seen[ask["id"]] = seen.get(ask["id"], 0) + 1
            step = {**step, "ask": ask}
        if step["op"] in ("match", "miss"):
            looked[step["rid"]] = step["op"]
        asked.append(step)
    return asked


def _ask(step: Step, seen: dict[str, int], looked: dict[str, str]) -> Ask | None:
    """At most one question a step; the same kind is asked again only while it can still teach something."""
    maker, most = _QUESTIONS.get(step["op"], (None, 0))
    if maker is None:
        return None
    ask = maker(step, looked)
    return ask if ask is not None and seen.get(ask["id"], 0) < most else None


def _hit(step: Step, looked: dict[str, str]) -> Ask | None:
    """Is this block here? Asked for a request's first look-up, and where a chain of hits ends."""
    if not looked and step["op"] == "miss":
        return None  # nothing is cached before the first request: no guess to make
    before = looked.get(step["rid"])
    if before is not None and step["op"] == "match":
        return None
    if step["op"] == "match":
        return {
            "id": "hit",
            "kind": "choice",
            "options": _YES_NO,
            "answer": 0,
            "feedback": {"right": "stage.ask.hit.here", "wrong": "stage.ask.hit.here"},
        }
    reason = step["args"]["reason"]
    told = "stage.ask.hit.near" if step["args"].get("near") else "stage.ask.hit.gone"
    if reason == "evicted":
        told = "stage.ask.hit.evicted"
    return {
        "id": "hit",
        "kind": "choice",
        "options": _YES_NO,
        "answer": 1,
        "feedback": {"right": told, "wrong": told},
    }


def _touch(step: Step, looked: dict[str, str]) -> Ask:
    told = "stage.ask.touch.told"
    return {
        "id": "touch",
        "kind": "choice",
        "options": ["stage.ask.touch.copy", "stage.ask.touch.ref", "stage.ask.touch.move"],
        "answer": 1,
        "feedback": {"right": told, "wrong": told},
    }


def _evict(step: Step, looked: dict[str, str]) -> Ask | None:
    if step["args"].get("cause") != "reused":
        return None
    told = "stage.ask.evict.told"
    return {
        "id": "evict",
        "kind": "click",
        "answer": f"slot:{step['slot']}",
        "feedback": {"right": told, "wrong": told},
    }


def _free(step: Step, looked: dict[str, str]) -> Ask | None:
    if step["b"] == 0:
        return None  # a table of one row: nothing to choose
    told = "stage.ask.free.told"
    return {
        "id": "free",
        "kind": "choice",
        "options": ["stage.ask.free.first", "stage.ask.free.last"],
        "answer": 1,
        "feedback": {"right": told, "wrong": told},
    }


def _done(step: Step, looked: dict[str, str]) -> Ask:
    told = "stage.ask.done.told"
    return {
        "id": "done",
        "kind": "choice",
        "options": ["stage.ask.done.none", "stage.ask.done.own", "stage.ask.done.all"],
        "answer": 0,
        "feedback": {"right": told, "wrong": told},
    }


def _append(step: Step, looked: dict[str, str]) -> Ask | None:
    if step["args"]["n"] != 1:
        return None  # handed over in one go, not decoded token by token
    told = "stage.ask.append.told"
    return {
        "id": "append",
        "kind": "choice",
        "options": ["stage.ask.append.less", "stage.ask.append.same"],
        "answer": 1,
        "feedback": {"right": told, "wrong": told},
    }


Maker = Callable[[Step, dict[str, str]], Ask | None]
_QUESTIONS: dict[str, tuple[Maker, int]] = {
    # op of the step: (question, how often in one run)
    "match": (_hit, 8),
    "miss": (_hit, 8),
    "touch": (_touch, 1),
    "evict": (_evict, 3),
    "free": (_free, 1),
    "done": (_done, 1),
    "append": (_append, 1),
}
