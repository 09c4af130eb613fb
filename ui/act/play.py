"""The act's run on the real engine, cut into beats. A beat holds what is to be seen; the browser draws it.

Nothing that the engine knows is written down here: tags, slots, hits and states come from its event log. A
beat names the last event that it shows, and the log up to there is folded. Pure: same language, same beats.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.engine import events as ev
from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario, run
from core.timeline.event_log import EventLog
from core.timeline.fold import fold
from core.timeline.frame import Frame, initial_frame
from ui.stage.steps.telling import tag_of
from ui.words.i18n import Lang

PLAY = Path(__file__).resolve().parents[2] / "assets" / "act" / "play.json"
FIRST, SECOND = "R0", "R1"
RIDS = (FIRST, SECOND)
Json = dict[str, Any]
Kept = dict[tuple[str, int], tuple[str, int]]
"""What became of each block, and in which slot: a request that is over holds none any more."""


@dataclass(frozen=True, slots=True)
class Beat:
    """One press. ``shows``: the last event of that kind, of that request, is the last that it shows; ``cut``:
    requests whose blocks are drawn; ``words``: those that are named here for the first time."""

    name: str
    shows: tuple[type[ev.Event], str] | None
    cut: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


BEATS = (
    Beat("open", None),
    Beat("request", (ev.RequestArrived, FIRST), (), ("request", "token")),
    Beat("cut", (ev.RequestArrived, FIRST), (FIRST,), ("kv", "block")),
    Beat("tag", (ev.BlockHashed, FIRST), (FIRST,), ("tag",)),
    Beat("miss", (ev.BlockMissed, FIRST), (FIRST,), ("miss",)),
    Beat("reserve", (ev.BlockStored, FIRST), (FIRST,), ("slot", "reserved")),
    Beat("compute", (ev.TokensAppended, FIRST), (FIRST,), ("computed",)),
    Beat("keep", (ev.RequestFinished, FIRST), (FIRST,), ("kept",)),
    Beat("bet", (ev.RequestArrived, SECOND), RIDS),
    Beat("hit", (ev.BlockTouched, SECOND), RIDS, ("hit", "reused")),
    Beat("rest", (ev.TokensAppended, SECOND), RIDS),
    Beat("end", (ev.RequestFinished, SECOND), RIDS, ("caching",)),
)


@cache
def play_text() -> Mapping[str, Any]:
    """The scenario of the act."""
    texts: Mapping[str, Any] = json.loads(PLAY.read_text("utf-8"))
    return texts


@cache
def act_run(lang: Lang) -> tuple[Scenario, EventLog]:
    """The two requests and what the engine told of them."""
    scenario = load_scenario(play_text(), lang=lang, name="act")
    return scenario, run(scenario)


@cache
def act_beats(lang: Lang) -> tuple[Json, ...]:
    """All beats, in order. Nobody changes them."""
    scenario, log = act_run(lang)
    pieces = scenario.pieces()
    kept: Kept = {}
    return tuple(_beat(beat, frame, pieces, log, kept) for beat, frame in _frames(log))


def _frames(log: EventLog) -> Iterator[tuple[Beat, Frame]]:
    frame, done = initial_frame(log.config), 0
    for beat in BEATS:
        end = _end(log, beat)
        for event in log.events[done:end]:
            frame = fold(frame, event)
        done = max(done, end)
        yield beat, frame


def _end(log: EventLog, beat: Beat) -> int:
    """How many events of the log a beat shows."""
    if beat.shows is None:
        return 0
    kind, rid = beat.shows
    named = (i for i, event in enumerate(log.events) if type(event) is kind and _of(event) == rid)
    return max(named) + 1


def _of(event: ev.Event) -> str | None:
    return getattr(event, "request_id", None)


def _beat(beat: Beat, frame: Frame, pieces: Mapping[str, list[str]], log: EventLog, kept: Kept) -> Json:
    """One beat's picture."""
    size = log.config.block_size
    reqs = [_request(rid, frame, pieces[rid], size, kept) | {"cut": rid in beat.cut} for rid in RIDS]
    shown: Json = {"name": beat.name, "words": list(beat.words), "reqs": reqs}
    shown["slots"] = [_slot(int(name), frame, size) for name in frame["slots"]]
    shown["args"] = _args(shown, pieces, log, frame)
    if beat.name == "bet":
        shown["ask"] = bet(pieces, log)
    return shown


# -- what is to be seen ---------------------------------------------------------------------------------


def _request(rid: str, frame: Frame, pieces: list[str], size: int, kept: Kept) -> Json:
    """One request: its tags, the state of each block and of each token, its answer."""
    req = frame["reqs"].get(rid)
    if req is None:
        asked = len(pieces) - 1
        return {"on": "soon", "tags": [], "blocks": [""] * (asked // size), "tokens": [""] * asked}
    for index, (slot, how) in enumerate(req["btable"]):
        written = frame["slots"][str(slot)]["fill"] == size
        kept[rid, index] = "hit" if how == "hit" else "computed" if written else "reserved", slot
    rows = [
        kept.get((rid, index), (_looked(req["look"], index), 0)) for index in range(req["num_prompt"] // size)
    ]
    blocks = [state for state, _ in rows]
    of_token = {"hit": "reused", "computed": "computed", "reserved": "reserved"}
    return {
        "on": "done" if req["status"] == "finished" else "now",
        "tags": [tag_of(digest) for digest in req["hashes"]],
        "blocks": blocks,
        "slots": [slot for _, slot in rows],
        "tokens": [of_token.get(blocks[place // size], "") for place in range(req["num_prompt"])],
        "answer": "".join(pieces[req["num_prompt"] : req["num_tokens"]]),
    }


def _looked(look: Mapping[str, str], index: int) -> str:
    """What the look-up says of a block without a slot: missed, behind the miss, or nothing."""
    missed = [int(name) for name, found in look.items() if found == "miss"]
    if not missed or index < missed[0]:
        return ""
    return "miss" if index == missed[0] else "skip"


def _slot(slot: int, frame: Frame, size: int) -> Json:
    now = frame["slots"][str(slot)]
    state = "kept" if now["hash"] else "empty"
    for owner in now["owners"]:
        how = next(how for held, how in frame["reqs"][owner]["btable"] if held == slot)
        state = "hit" if how == "hit" else "computed" if now["fill"] == size else "reserved"
    return {"id": slot, "state": state, "tag": tag_of(now["hash"] or ""), "fill": now["fill"]}


def _args(shown: Json, pieces: Mapping[str, list[str]], log: EventLog, frame: Frame) -> Json:
    """What the sentences of a beat say of the run."""
    first, second = shown["reqs"]
    held = [slot for req in frame["reqs"].values() for slot, how in req["btable"] if how == "new"]
    size, asked = log.config.block_size, len(second["tokens"])
    alike = [a == b for a, b in zip(*(pieces[rid][:asked] for rid in RIDS), strict=True)]
    reused = second["tokens"].count("reused")
    return {
        "n": len(first["tokens"]),
        "size": size,
        "tag": first["tags"][0] if first["tags"] else "",
        "places": ", ".join(f"#{slot}" for slot in held),
        "answer": (first.get("answer") or "").strip(),
        "asked": asked,
        "reused": reused,
        "computed": second["tokens"].count("computed"),
        "same": sum(alike[reused : reused + size]),
        # Causal attention: token number i looks back at i tokens, itself included. What is reused does not.
        "looks": asked * (asked + 1) // 2,
        "saved": reused * (reused + 1) // 2,
        **_right(pieces, log),
    }


def _right(pieces: Mapping[str, list[str]], log: EventLog) -> Json:
    """The answer of the bet in words, for the verdict: the token's number from 1, and what it says."""
    [hit] = [event.hit_tokens for event in _plans(log)]
    return {"first": hit + 1, "piece": pieces[SECOND][hit].strip()}


def _plans(log: EventLog) -> list[ev.RequestAdmitted]:
    admitted = [event for event in log.events if isinstance(event, ev.RequestAdmitted)]
    return [event for event in admitted if event.request_id == SECOND]


def alike(lang: Lang) -> list[bool]:
    """Token by token: is the second prompt equal to the first?"""
    scenario, _ = act_run(lang)
    one, two = (scenario.pieces()[rid] for rid in RIDS)
    asked = len(two) - 1
    return [a == b for a, b in zip(one[:asked], two[:asked], strict=True)]


# -- the bet --------------------------------------------------------------------------------------------


def bet(pieces: Mapping[str, list[str]], log: EventLog) -> Json:
    """From which token on must we compute? ``said``: what each choice would have meant."""
    [plan] = _plans(log)
    one, two = (pieces[rid][: plan.num_tokens] for rid in RIDS)
    differs = next(place for place, pair in enumerate(zip(one, two, strict=True)) if pair[0] != pair[1])
    return {
        "rid": SECOND,
        "answers": [plan.hit_tokens],
        "said": [_meant(place, plan.hit_tokens, differs) for place in range(plan.num_tokens)],
    }


def _meant(choice: int, hit: int, differs: int) -> str:
    if choice == hit:
        return "act.said.right"
    if choice < hit:
        return "act.said.inside" if choice else "act.said.nothing"
    if choice == differs:
        return "act.said.tokens"
    return "act.said.behind" if choice > differs else "act.said.whole"
