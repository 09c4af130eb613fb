"""Predict before you see: which steps stop and ask, what may be answered, what each choice would have meant.

lane.py    which is the last block that hits
pool.py    which slot joins the queue, goes, survives
choice.py  the few questions with options
told.py    a run as the questions see it

A question stands on the first step that would show its outcome; the stage stops before it. A choice is a
whole number: a block (-1: none), a slot, or the place of an option. Right answers follow from the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from core.timeline.frame import Frame
from ui.stage.questions.choice import choice_questions, decode_question
from ui.stage.questions.lane import LESSONS, lane_questions
from ui.stage.questions.pool import pool_questions
from ui.stage.questions.told import Placed, Step, told_of

MOST = {"evict": 3, "stays": 2} | dict.fromkeys(LESSONS, 2) | {"empty": 1}
"""How often in one run; all others once."""

MOST_LOOK_UPS = 8
KINDS = (*LESSONS, "free", "evict", "stays", "touch", "done", "merge", "bigger", "append")
"""What is asked, by lesson."""


def with_questions(steps: Sequence[Step], start: Frame, scenario_id: str = "") -> list[Step]:
    """The same steps, some of them with an ``ask``; ``start`` is the state before the first. Pure."""
    told = told_of(steps, start)
    found = [*lane_questions(told), *pool_questions(told), *choice_questions(told, scenario_id)]
    chosen = dict(_chosen(sorted(found, key=lambda one: one[0])))
    if chosen:
        chosen |= dict(decode_question(told, max(chosen) + 1))
    return [{**step, "ask": chosen[i]} if i in chosen else step for i, step in enumerate(steps)]


def _chosen(found: Iterable[Placed]) -> Iterable[Placed]:
    """One question a step, and each lesson only while it can still teach something."""
    asked: Counter[str] = Counter()
    taken: set[int] = set()
    for at, ask in found:
        name = ask["id"]
        looks = sum(asked[lesson] for lesson in LESSONS)
        full = name in LESSONS and looks >= MOST_LOOK_UPS
        if at not in taken and not full and asked[name] < MOST.get(name, 1):
            asked[name] += 1
            taken.add(at)
            yield at, ask
