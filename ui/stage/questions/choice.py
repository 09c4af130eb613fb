"""The few questions that have options: sharing, the end of a request, twins, block sizes, the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ui.stage.questions.told import Ask, Placed, Step, Told, ask_of

SIZES = (2, 4, 8, 16)
BIGGER = ("P7", "R1")
"""The preset that was made for the question of block sizes, and its request."""


def choice_questions(told: Told, scenario_id: str) -> Iterator[Placed]:
    """All that may be asked; how often, is not decided here."""
    for at, step in enumerate(told.steps):
        if step["op"] == "touch":
            yield from _touch(told, at, step)
        elif step["op"] == "register":
            yield from _merge(told, at, step)
        elif step["op"] == "free":
            yield from _done(told, at, step)
        elif step["op"] == "plan" and (scenario_id, step["rid"]) == BIGGER:
            yield from _bigger(told, at, step)


def decode_question(told: Told, behind: int) -> Iterator[Placed]:
    """Is each answer token faster? The last question of a run, and only behind others."""
    at = told.ahead(behind, lambda one: one["op"] == "append" and one["args"]["n"] == 1)
    if at is not None and _one_by_one(told, told.steps[at]["rid"]):
        yield at, _choice("append", told.steps[at], (at, at + 1), ("less", "same"), 1, {0: "decode"})


def _one_by_one(told: Told, rid: str) -> bool:
    """Behind its prompt, each step computes one token of this request: with hits and without."""
    answer = [i for i, one in enumerate(told.steps) if one["op"] == "append" and one["rid"] == rid]
    work = [one for one in told.steps[answer[0] :] if one["op"] == "compute" and one["rid"] == rid]
    return all(one["args"]["n"] == 1 for one in work)


def _choice(
    name: str,
    step: Step,
    shows: tuple[int, int],
    options: Sequence[str],
    answer: int,
    fell: dict[int, str],
    told: str = "",
    **args: Any,
) -> Ask:
    """``told``: the one sentence that is said of every option, where not each has its own."""
    said = {i: f"{name}.{told or option}" for i, option in enumerate(options)}
    more: Ask = {"options": [f"stage.ask.{name}.{option}" for option in options]}
    if args:
        more["args"] = args
    return ask_of(name, "choice", step.get("rid"), [answer], said, fell, shows, **more)


def _touch(told: Told, at: int, step: Step) -> Iterator[Placed]:
    """Copied, counted, moved: read off the slots before and after."""
    before, after = told.frames[at]["slots"], told.frames[at + 1]["slots"]
    changed = [slot for slot in before if before[slot]["hash"] != after[slot]["hash"]]
    slot = str(step["slot"])
    if not changed and after[slot]["ref"] == before[slot]["ref"] + 1:
        fell = {0: "copy", 2: "copy"}
        yield at, _choice("touch", step, (at, at + 1), ("copy", "ref", "move"), 1, fell)


def _merge(told: Told, at: int, step: Step) -> Iterator[Placed]:
    """Another slot carries this tag already."""
    if at + 1 >= len(told.steps) or told.steps[at + 1]["op"] != "dup":
        return
    slots = told.frames[at + 2]["table"].get(step["hash"], [])
    yield at, _choice("merge", step, (at, at + 2), ("one", "both"), int(len(slots) > 1), {0: "merge"})


def _done(told: Told, at: int, step: Step) -> Iterator[Placed]:
    """How many tags does the table lose when a request ends? Asked before its first block is given back."""
    rid = step["rid"]
    if at and told.steps[at - 1].get("rid") == rid and told.steps[at - 1]["op"] == "free":
        return
    end = told.ahead(at, lambda one: one["op"] != "free" or one["rid"] != rid)
    if end is None or (told.steps[end]["op"], told.steps[end].get("rid")) != ("done", rid):
        return  # preempted, or a cap took tags meanwhile: nothing to learn here
    before, after = told.frames[at], told.frames[end + 1]
    own = [before["slots"][str(slot)]["hash"] for slot, _ in before["reqs"][rid]["btable"]]
    if not any(own) or set(before["table"]) - set(after["table"]):
        return
    fell = {1: "cleared", 2: "cleared"}
    yield at, _choice("done", step, (at, end + 1), ("none", "own", "all"), 0, fell, req=rid)


def _bigger(told: Told, at: int, step: Step) -> Iterator[Placed]:
    """How much of what two prompts share is reused, by block size: whole blocks of it."""
    miss = next((one for one in reversed(told.steps[:at]) if one["op"] == "miss"), None)
    if miss is None or miss["rid"] != step["rid"] or "token" not in miss["args"]:
        return
    shared = miss["args"]["token"] - 1
    reused = [shared // size * size for size in SIZES]
    answer = reused.index(max(reused))
    options = [str(size) for size in SIZES]
    fell = dict.fromkeys(range(len(SIZES)), "zero")
    parts = {f"r{size}": tokens for size, tokens in zip(SIZES, reused, strict=True)}
    yield at, _choice("bigger", step, (at, at + 1), options, answer, fell, "sizes", shared=shared, **parts)
