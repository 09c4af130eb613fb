"""What gives the answer to an open question away, and how to look for it on a stage in a browser.

``SEE`` runs on the stage's root and brings back all that a viewer could see or hear there; ``leaks`` says
what of it tells the outcome. Pure, so that a test can plant each leak. ``leaks_here`` looks at a page as it
stands: a stop of a lesson opens before its question, or it leaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ui.words.i18n import Lang, table

Seen = dict[str, Any]
Step = Mapping[str, Any]

SEE = (Path(__file__).parent / "see_stage.js").read_text("utf-8")

TOLD_BY_QUEUE: Mapping[Lang, tuple[str, ...]] = {
    "en": ("next out", "safest", "leaves first", "leaves last"),
    "zh": ("下一个", "最安全", "最先离开", "最后离开"),
}
"""Words at the ends of the queue that answer "which one goes?"."""

DECIDED = {"hit", "miss", "new", "skip", "reserved", "computed", "reused"}
"""States of a lane block that say what became of its look-up."""


LOOKED_UP = {"asked", "hit", "miss", "probe"}
"""Marks of a row of the hash table that say what a look-up found."""


def leaks(seen: Seen, steps: Sequence[Step], hashes: Sequence[str], lang: Lang) -> list[str]:
    """What of a stage tells the outcome of the question that stands open before ``steps[seen["step"]]``.

    ``hashes``: those of the asked request that its frame knows already.
    """
    ask = steps[seen["step"]].get("ask") if seen["step"] < len(steps) else None
    if ask is None or not seen["asking"]:
        return ["no question stands open here"]
    found = [*_sentences(seen, steps, ask, lang), *_future(seen)]
    if ask["question"] in ("stage.ask.lane", "stage.ask.some"):
        found += _lane(seen, steps, ask, hashes, lang)
    if ask["kind"] == "pool":
        found += _pool(seen, ask, lang)
    return found


def leaks_of_bet(seen: Seen, steps: Sequence[Step], num_slots: int, lang: Lang) -> list[str]:
    """What of the stage's first screen tells the outcome of its run, while one may bet on it.

    No number is said but those of the question; nothing has a state yet, and the future is grey.
    """
    if seen["step"] or not seen["betting"]:
        return ["no bet can be placed here"]
    arrivals = [one["args"]["n"] for one in steps if one["op"] == "arrive"]
    asked = {0, len(arrivals), num_slots, sum(arrivals)}
    found = [*_future(seen)]
    for place in ("bench", "names", "live", "tip", "sums"):
        allowed = {0} if place == "sums" else asked
        numbers = {int(one) for one in re.findall(r"\d+", seen[place])}
        found += [f"{number} in {place}" for number in sorted(numbers - allowed)]
    if seen["blocks"] or seen["tags"] or seen["rows"]:
        found.append("a request has been cut or looked up")
    if set(seen["fates"]) - {"come"} or {one["state"] for one in seen["slots"]} - {"empty"}:
        found.append("a token or a slot has a state")
    words = " ".join(seen["queue"])
    return found + [f"the queue says “{word}”" for word in TOLD_BY_QUEUE[lang] if word in words]


def filled(key: str, args: Mapping[str, Any], lang: Lang) -> str:
    """A sentence as the stage writes it, as far as its arguments are plain: the longest piece of it."""
    text = table(lang)[key].replace("**", "")
    for name, value in args.items():
        text = text.replace(f"{{{name}}}", f"#{value}" if name == "slot" else str(value))
    return max(text.split("{"), key=len).strip()


def _sentences(seen: Seen, steps: Sequence[Step], ask: Mapping[str, Any], lang: Lang) -> Iterator[str]:
    """What would be said afterwards, and the captions of the steps that decide."""
    step = steps[seen["step"]]
    args = {**step["args"], **ask.get("args", {})}
    told = {f"verdict {key}": filled(key, args, lang) for key in ask["said"].values()}
    before = {one["cap"] for one in steps[: seen["step"]]}
    for one in steps[ask["shows"][0] : ask["shows"][1]]:
        key = f"cap.{one['cap']}.what"
        if one["cap"] not in before and key in table(lang):
            told[f"caption {key} of step {one['i'] + 1}"] = filled(key, one["args"], lang)
    for place in ("bench", "names", "live", "tip", "head"):
        text = " ".join(seen[place].split())
        yield from (f"{name} in {place}" for name, words in told.items() if len(words) > 3 and words in text)


def _future(seen: Seen) -> Iterator[str]:
    if seen["loud"]:
        yield "the timeline shows an outcome ahead"
    if seen["card"]:
        yield "the end card stands"


def _lane(
    seen: Seen, steps: Sequence[Step], ask: Mapping[str, Any], hashes: Sequence[str], lang: Lang
) -> Iterator[str]:
    """Its blocks are alike, its tags unknown unless made before, no row is pointed at, no plan is told."""
    rid, tags = ask["rid"], {one[:4] for one in hashes}
    mine = [one for one in seen["blocks"] if any(key.startswith(f"blk:{rid}:") for key in one["keys"])]
    states = {one["state"] for one in mine}
    if not mine:
        yield "the asked request is not in the lane"
    if len(states) > 1 or states & DECIDED:
        yield f"blocks of the asked request differ: {sorted(states)}"
    coming = {one["hash"][:4] for one in steps[seen["step"] :] if one["op"] == "hash" and one["rid"] == rid}
    shown = " ".join(one["text"] for one in seen["tags"])
    yield from (f"tag {tag} is shown before it is made" for tag in sorted(coming - tags) if tag in shown)
    if any(one["icons"] for one in seen["tags"]):
        yield "a tag carries a mark"
    if any(one["asked"] == "1" or one["ghost"] in LOOKED_UP for one in seen["rows"]):
        yield "a row of the hash table is pointed at"
    plan = table(lang)["stage.lane.plan"].split("{")
    if all(part.split("}")[-1].strip() in seen["lane"] for part in plan if part.split("}")[-1].strip()):
        yield "the lane tells the plan"


def _pool(seen: Seen, ask: Mapping[str, Any], lang: Lang) -> Iterator[str]:
    """No answer is marked; the ends of the queue say where they are, not who goes."""
    answers = {f"slot:{slot}" for slot in ask["answers"]}
    marked = [one for one in seen["slots"] if one["spot"] and answers & set(one["keys"])]
    if marked:
        yield f"the answer is marked: {sorted(answers)}"
    words = " ".join(seen["queue"])
    yield from (f"the queue says “{word}”" for word in TOLD_BY_QUEUE[lang] if word in words)


def leaks_here(
    seen: Seen, log: Mapping[str, Any], frames: Sequence[Mapping[str, Any]], lang: Lang
) -> list[str]:
    """The same of a stage on a page: ``log`` is its run, ``frames`` the states before its steps."""
    step = min(seen["step"], len(log["events"]) - 1)
    ask = log["events"][step].get("ask")
    hashes = [] if ask is None else frames[step]["reqs"].get(ask["rid"], {}).get("hashes", [])
    return leaks(seen, log["events"], hashes, lang)
