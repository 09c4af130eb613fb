"""What a beat says: the caption of a group of steps, with its arguments.

Lists in the arguments are shown joined, with the joint that a language's template names; long ones keep their
first two items and the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ui.stage.steps.telling import Step

Told = tuple[str, Step]
MANY = 4
"""Items of a list that are all named."""

MAX_WORD = 20
"""Characters of an answer that a caption holds."""


def listed(items: Iterable[object]) -> list[object]:
    """Each item once, in order; of many the first two, and the last."""
    known = list(dict.fromkeys(items))
    return known if len(known) <= MANY else [*known[:2], "…", known[-1]]


def arrived(group: Sequence[Step]) -> Told:
    """A request comes in, is cut, and (from the third one on) gets its tags."""
    cut = next(step for step in group if step["op"] == "cut")
    return ("beat.arrive" if cut["args"]["rest"] else "beat.arrive.even"), cut["args"]


def hashed(group: Sequence[Step]) -> Told:
    """Several blocks get their tags."""
    return "beat.hash", {"req": group[-1]["rid"], "tags": _tags(group)}


def hits(group: Sequence[Step]) -> Told:
    """All hits of a look-up."""
    found = [step for step in group if step["op"] == "match"]
    last = found[-1]
    if len(found) == 1:
        return "match", last["args"]
    args: Step = {"req": last["rid"], "hits": len(found), "n": sum(step["args"]["n"] for step in found)}
    if len(found) == 2:
        first = found[0]
        places = {"tag": first["tag"], "slot": first["slot"], "tag2": last["tag"], "slot2": last["slot"]}
        return "beat.match.two", args | places
    return "beat.match", args | {"tags": _tags(found), "slots": _slots(found)}


def touched(group: Sequence[Step]) -> Told:
    """Found blocks gain a holder."""
    found = [step for step in group if step["op"] == "touch"]
    last = found[-1]
    if len(found) == 1:
        return last["cap"], last["args"]
    refs = listed(step["args"]["ref"] for step in found)
    left = any(step["cap"] == "touch.free" for step in found)
    args = {"req": last["rid"], "slots": _slots(found), "refs": refs}
    return ("beat.touch.free" if left else "beat.touch.held"), args


def taken(group: Sequence[Step], plan: Step) -> Told:
    """Slots are reserved; some of them had to forget what they held."""
    got = [step for step in group if step["op"] == "alloc"]
    gone = [step for step in group if step["op"] == "evict"]
    args = {
        "req": got[-1]["rid"],
        "slots": _slots(got),
        "hit": plan["args"].get("hit", 0),
        "n": plan["args"].get("n", 0),
    }
    if gone:
        cap = "beat.evict" if len(gone) == len(got) else "beat.evict.some"
        return cap, {**args, "gone": _slots(gone), "tags": _tags(gone)}
    is_first = got[0]["cap"] == "alloc.first"  # the ref count is explained with the first slots that have one
    if len(got) == 1:
        return (got[0]["cap"], got[0]["args"]) if is_first else ("beat.alloc.one", args)
    if not any(step["op"] == "register" for step in group):
        return "beat.alloc", args
    return ("beat.alloc.first" if is_first else "beat.alloc.tags"), args


def registered(group: Sequence[Step]) -> Told:
    """Tags go into the table."""
    stored = [step for step in group if step["op"] == "register"]
    if not stored or len(stored) < 2:
        return group[-1]["cap"], group[-1]["args"]
    return "beat.register", {"tags": _tags(stored), "slots": _slots(stored)}


def computed(group: Sequence[Step]) -> Told:
    """One pass of the model: prompt tokens of one request, or of several at once."""
    num_answer = sum(step["args"].get("answer", 0) for step in group)
    num_prompt = sum(step["args"]["n"] for step in group) - num_answer
    reqs, slots = listed(step["rid"] for step in group), _slots(group)
    args = {"req": group[-1]["rid"], "reqs": reqs, "n": num_prompt, "answer": num_answer, "slots": slots}
    if len(reqs) == 1 and not num_answer:
        return "beat.compute", args
    writers = listed(step["rid"] for step in group if step["args"].get("answer"))
    readers = [rid for rid in reqs if rid not in writers]
    if len(readers) == len(writers) == num_answer == 1:
        return "beat.compute.pair", {**args, "req": readers[0], "writer": writers[0]}
    return ("beat.compute.mixed" if num_answer else "beat.compute.several"), args


def answered(group: Sequence[Step]) -> Told:
    """Answer tokens, one at a time; a block may fill up meanwhile."""
    added = [step for step in group if step["op"] == "append"]
    reqs = listed(step["rid"] for step in added)
    word = "".join(step["args"]["word"] for step in added if step["rid"] == added[-1]["rid"])
    word = word if len(word) <= MAX_WORD else word[: MAX_WORD - 1] + "…"
    full = [step for step in group if step["op"] == "hash"]
    args: Step = {"req": added[-1]["rid"], "reqs": reqs, "word": word, "n": len(added)}
    ends = [step for step in full if step["cap"] == "hash.last"]
    if len(reqs) > 1 and not ends:
        return "beat.append.several", args
    if not full:
        return "beat.append", args
    last = (ends or full)[-1]
    args |= {"req": last["rid"], "block": last["b"], "tag": last["tag"]}
    if len(reqs) > 1:
        return "beat.append.several.last", args
    return ("beat.append.last" if ends else "beat.append.full"), args


def freed(group: Sequence[Step]) -> Told:
    """A request lets go of its slots, the last one first."""
    slots = [step for step in group if step["op"] == "free"]
    args: Step = {"req": slots[-1]["rid"], "slots": _slots(slots)}
    if len(slots) == 1 and group[-1]["op"] == "free":
        return slots[0]["cap"], slots[0]["args"]
    if group[-1]["op"] != "done":
        return "beat.free", args
    front = [step for step in slots if step["args"]["place"] == "front"]
    held = [step for step in slots if step["args"]["place"] == "held"]
    if len(slots) == 1:
        return ("beat.done.front" if front else "beat.done.one"), {**args, "front": _slots(front)}
    if front:
        return "beat.done.front", {**args, "front": _slots(front)}
    return ("beat.done.held", {**args, "held": _slots(held)}) if held else ("beat.done.back", args)


def expired(group: Sequence[Step]) -> Told:
    """Contents go without being pushed out."""
    last = group[-1]
    return f"beat.{last['cap']}", {**last["args"], "slots": _slots(group), "tags": _tags(group)}


def _slots(group: Iterable[Step]) -> list[object]:
    return listed(step["slot"] for step in group if "slot" in step)


def _tags(group: Iterable[Step]) -> list[object]:
    return listed(step["tag"] for step in group if "tag" in step)
