"""A picture of a run at a step: who asks, what the slots hold, who is in the free queue, before and after.

Everything is read off the engine's frames, so a picture can say nothing that the run does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.scenario.scenario import Scenario, run
from core.timeline.frame import Frame, RequestFrame
from ui.lecture.payload import Lane, RunScene, Slot, State, Verdict
from ui.stage.payload import stage_log
from ui.stage.questions.told import Step, told_of
from ui.stage.setup import Setup, load_setup
from ui.teacher.stops import note
from ui.words.i18n import Lang
from ui.words.visible import visible_text

TAG_DIGITS = 4


@dataclass(frozen=True)
class Played:
    """A run with all its states: ``frames[i]`` is what the stage shows before ``steps[i]``."""

    scenario: Scenario
    steps: Sequence[Step]
    frames: Sequence[Frame]
    lang: Lang

    @cached_property
    def pieces(self) -> Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Prompt and answer of each request, as the tokenizer cut them."""
        return {
            one.request.request_id: (one.prompt.pieces, one.output.pieces)
            for one in self.scenario.commands
            if one.request is not None
        }

    @property
    def size(self) -> int:
        """Tokens in a block."""
        return self.scenario.config.block_size


@dataclass(frozen=True)
class Wanted:
    """What of a moment is drawn. ``at``: the step shown first, ``until``: where the know beat leads to.

    ``judged``: lanes whose verdicts come; ``marked``: whether differing tokens are outlined; ``answers``: the
    answers are drawn and outlined; ``tags_open``, ``slots_open``, ``queue_open``: what is no answer.
    ``slots``, ``queue``, ``tags``: whether they are drawn at all.
    """

    at: int
    until: int
    lanes: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    marked: bool = False
    answers: bool = False
    tags: bool = False
    tags_open: bool = False
    slots: bool | tuple[int, ...] = False
    slots_open: bool = True
    queue: bool = False
    queue_open: bool = True


def played(setup: Setup, lang: Lang) -> Played:
    """The run of a setup.

    Raises:
        BrothError: prompts or knobs that cannot be used.
    """
    scenario = load_setup(setup, lang)
    log = stage_log(scenario, run(scenario), setup.scenario)
    told = told_of(log["events"], log["init"])
    return Played(scenario, told.steps, told.frames, lang)


def run_scene(of: Played, wanted: Wanted, says: str | None = None) -> RunScene:
    """The picture. ``says``: a line below it.

    Raises:
        KeyError: a lane of a request that the run does not have.
    """
    before, after = of.frames[wanted.at], of.frames[wanted.until]
    lanes = [_lane(of, rid, wanted) for rid in wanted.lanes]
    slots = _drawn(before, wanted)
    now, then = ([_slot(frame, one) for one in slots] for frame in (before, after))
    return {
        "kind": "run",
        "lanes": lanes,
        "slots": now if wanted.slots else None,
        "slots_open": wanted.slots_open,
        "slots_after": then if wanted.slots else None,
        "links": _links(after, wanted, slots),
        "queue": [one for one in before["queue"] if one in slots] if wanted.queue else None,
        "queue_after": [one for one in after["queue"] if one in slots] if wanted.queue else None,
        "queue_open": wanted.queue_open,
        "note": says,
    }


# -- lanes ------------------------------------------------------------------------------------------------


def _lane(of: Played, rid: str, wanted: Wanted) -> Lane:
    prompt, answer = of.pieces[rid]
    there = of.frames[wanted.until]["reqs"].get(rid)
    length = there["num_tokens"] if wanted.answers and there is not None else len(prompt)
    tokens = [_shown(piece) for piece in (*prompt, *answer)[:length]]
    blocks = -(-length // of.size)
    status = _status(of, rid, wanted.at)
    tags = [_tag(there["hashes"], b) if there else None for b in range(length // of.size)]
    return {
        "rid": rid,
        "note": note(status, of.lang) if status else "",
        "gone": status == "finished",
        "tokens": tokens,
        "size": of.size,
        "mark": _marks(of, rid, wanted, length),
        "tags": [*tags, *[None] * (blocks - len(tags))] if wanted.tags else None,
        "tags_open": wanted.tags_open,
        "verdicts": [_verdict(of, there, b) if rid in wanted.judged else None for b in range(blocks)],
    }


def _shown(piece: str) -> str:
    """A token without the space before its word; what else is invisible gets a shape."""
    bare = piece[1:] if len(piece) > 1 and piece[0] == " " else piece
    return visible_text(bare)


def _tag(hashes: Sequence[str], block: int) -> str | None:
    return hashes[block][:TAG_DIGITS] if block < len(hashes) else None


def _status(of: Played, rid: str, at: int) -> str:
    """What becomes of it at this moment; nothing before it has come. Whose answer is complete is done, though
    it has not given its slots back yet."""
    request = of.frames[at]["reqs"].get(rid)
    if request is None:
        return ""
    is_complete = request["num_tokens"] == sum(map(len, of.pieces[rid])) > request["num_prompt"]
    return "finished" if is_complete else request["status"]


def _marks(of: Played, rid: str, wanted: Wanted, length: int) -> list[int]:
    prompt = of.pieces[rid][0]
    if wanted.answers:
        return [*range(len(prompt), length)]
    others = [of.pieces[one][0] for one in wanted.lanes if one != rid]
    if not wanted.marked or not others:
        return []
    return [i for i, piece in enumerate(prompt) if any(i < len(o) and o[i] != piece for o in others)]


def _verdict(of: Played, request: RequestFrame | None, block: int) -> Verdict | None:
    """Found, computed, or only a slot for it."""
    if request is None or (request["status"] != "finished" and block >= len(request["btable"])):
        return None  # its turn has not come
    if (block + 1) * of.size <= request["reused"]:
        return "hit"
    return "miss" if block * of.size < request["written"] else "reserved"


# -- slots ------------------------------------------------------------------------------------------------


def _drawn(frame: Frame, wanted: Wanted) -> list[int]:
    if isinstance(wanted.slots, tuple):
        return list(wanted.slots)
    return [int(slot) for slot in frame["slots"]] if wanted.slots or wanted.queue else []


def _slot(frame: Frame, slot: int) -> Slot:
    one = frame["slots"][str(slot)]
    tag = one["hash"]
    return {
        "id": slot,
        "state": slot_state(frame, slot),
        "tag": None if tag is None else tag[:TAG_DIGITS],
        "ref": one["ref"],
        "rids": list(one["owners"]),
    }


def slot_state(frame: Frame, slot: int) -> State:
    """What a slot is: in use (found, computed, or nothing written yet), or free, with something in it or not.
    The words are the stage's."""
    one = frame["slots"][str(slot)]
    if one["ref"]:
        rows = (row for rid in one["owners"] for row in frame["reqs"][rid]["btable"])
        if any(row == [slot, "hit"] for row in rows):
            return "reused"
        return "computed" if one["fill"] else "reserved"
    if one["hash"] is not None:
        return "cached"
    return "dirty" if one["fill"] else "empty"


def _links(frame: Frame, wanted: Wanted, slots: Sequence[int]) -> list[list[int]]:
    """Each hit of a judged lane, with the slot it was found in."""
    found: list[list[int]] = []
    for lane, rid in enumerate(wanted.lanes):
        request = frame["reqs"].get(rid)
        if rid in wanted.judged and request is not None:
            rows = enumerate(request["btable"])
            found += [[lane, b, slot] for b, (slot, how) in rows if how == "hit" and slot in slots]
    return found
