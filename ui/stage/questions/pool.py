"""Which slot joins the free queue first, which one goes, which one survives? The pool is the answer sheet."""

from __future__ import annotations

from collections.abc import Iterator

from core.timeline.frame import Frame
from ui.stage.questions.told import Placed, Told, ask_of

CLICKABLE = 64
"""Slots up to which each is drawn; more are a map."""

FEW = 3
"""Survivors up to which one asks who survives."""


def pool_questions(told: Told) -> Iterator[Placed]:
    """Releases from the second one on, and evictions for a request."""
    if len(told.frames[0]["slots"]) > CLICKABLE:
        return
    releases = [at for at, _ in enumerate(told.steps) if _begins(told, at, "free")]
    for at in releases[1:]:
        yield from _first_free(told, at)
    for at, _ in enumerate(told.steps):
        if _begins(told, at, "evict", "alloc") and told.steps[at]["args"].get("cause") == "reused":
            yield _goes(told, at)


def _begins(told: Told, at: int, op: str, *inside: str) -> bool:
    """Is this the first of its kind of one request? ``inside``: what may stand between two of a kind."""
    step = told.steps[at]
    if step["op"] != op:
        return False
    for back in range(at - 1, -1, -1):
        before = told.steps[back]
        if before.get("rid") != step.get("rid"):
            return True
        if before["op"] not in inside:
            return bool(before["op"] != op)
    return True


# -- who joins the queue first -----------------------------------------------------------------------------


def _first_free(told: Told, at: int) -> Iterator[Placed]:
    """Asked where at least two blocks are this request's alone; what is free already cannot join."""
    rid, frame = told.steps[at]["rid"], told.frames[at]
    rows = [slot for slot, _ in frame["reqs"][rid]["btable"]]
    alone = [slot for slot in rows if frame["slots"][str(slot)]["ref"] == 1]
    joins = told.ahead(at, lambda one: one["op"] == "free" and one["args"]["place"] != "held")
    if len(alone) < 2 or joins is None or told.steps[joins].get("rid") != rid:
        return
    answer = told.steps[joins]["slot"]
    open_slots = [int(slot) for slot in frame["slots"] if int(slot) not in frame["queue"]]
    said = {slot: f"free.{_meant(slot, answer, rows, frame)}" for slot in open_slots}
    fell = dict.fromkeys(rows, "lru")
    args = {"req": rid, "rows": len(rows), "after": answer}
    yield (
        at,
        ask_of(
            "free", "pool", rid, [answer], said, fell, (at, joins + 1), args=args, why="stage.ask.free.why"
        ),
    )


def _meant(slot: int, answer: int, rows: list[int], frame: Frame) -> str:
    if slot == answer:
        return "right"
    if slot not in rows:
        return "foreign"
    if frame["slots"][str(slot)]["ref"] > 1:
        return "shared"
    return "first" if slot == rows[0] else "middle"


# -- who goes, who stays -----------------------------------------------------------------------------------


def _goes(told: Told, at: int) -> Placed:
    """One slot is taken: which? Or several, and few are left: which one survives?"""
    step, frame = told.steps[at], told.frames[at]
    kept = [slot for slot in frame["queue"] if frame["slots"][str(slot)]["hash"]]
    taken = [i for i in told.group(at, {"evict", "alloc"}) if told.steps[i]["op"] == "evict"]
    gone = [told.steps[i]["slot"] for i in taken]
    left = [slot for slot in kept if slot not in gone]
    survives = len(gone) > 1 and 0 < len(left) <= FEW
    name, answers = ("stays", left) if survives else ("evict", gone[:1])
    said = {int(slot): _fate(name, int(slot), answers, kept, frame) for slot in frame["slots"]}
    shows = (at, (taken[-1] if survives else at) + 1)
    args = {"req": step.get("rid"), "need": len(gone), "front": gone[0], "stays": (left or gone)[-1]}
    fell = dict.fromkeys(kept, "lru")
    return at, ask_of(
        name, "pool", step.get("rid"), answers, said, fell, shows, args=args, why=f"stage.ask.{name}.why"
    )


def _fate(name: str, slot: int, answers: list[int], kept: list[int], frame: Frame) -> str:
    if slot in answers:
        return f"{name}.right"
    if slot in kept:
        return "evict.last" if name == "evict" and slot == kept[-1] else f"{name}.behind"
    return "pool.used" if frame["slots"][str(slot)]["ref"] else "pool.empty"
