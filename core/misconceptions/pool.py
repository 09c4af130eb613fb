"""Beliefs about the pool: how much room pays, who goes first, what stays, how long, and what to admit."""

from __future__ import annotations

from collections import Counter

from core.engine.engine import Engine
from core.engine.events import RequestAdmitted
from core.misconceptions.story import Belief, Knob, Shown, admitted, reused, story
from core.scenario.scenario import Scenario, run
from core.timeline.frame import Frame
from core.timeline.snapshot import take_frame
from core.types import EngineConfig, Request

BLOCK = 4

# -- room --------------------------------------------------------------------------------------------------

DOCUMENTS, DOCUMENT_BLOCK = 6, 16
SLOTS = tuple(range(3, 11))
ENOUGH = DOCUMENTS + 1
"""A block for each document, and one for the question that is being answered."""


def _rotation(slots: int) -> Scenario:
    told = [f"text{k % DOCUMENTS}[0:{DOCUMENT_BLOCK}] question{k}[0:1]" for k in range(3 * DOCUMENTS)]
    return story("size", DOCUMENT_BLOCK, slots, told)


def _per_request(slots: int) -> float:
    """Tokens reused by a request of the second and third round."""
    hits = [event.hit_tokens for event in admitted(_rotation(slots)).values()]
    return sum(hits[DOCUMENTS:]) / len(hits[DOCUMENTS:])


def size(slots: int) -> Shown:
    """Believed: half the room gives half the hits. True: one slot too few for documents that are asked about
    in turn takes them all."""
    believed = _per_request(ENOUGH) * min(slots / ENOUGH, 1)
    return Shown(
        believed,
        _per_request(slots),
        "reused",
        tuple((each, _per_request(each)) for each in SLOTS),
        here=slots,
        across="slots",
        numbers={
            "slots": slots,
            "documents": DOCUMENTS,
            "size": DOCUMENT_BLOCK,
            "hit": f"{_per_request(slots):g}",
            "enough": ENOUGH,
            "most": f"{_per_request(ENOUGH):g}",
        },
        scenario=_rotation(slots),
    )


# -- who goes first ----------------------------------------------------------------------------------------

NEWCOMERS = (1, 2, 3)


def _newcomer(blocks: int) -> Scenario:
    return story("lru", BLOCK, 3, ["system[0:12]", f"newcomer[0:{blocks * BLOCK}]", "system[0:12]"])


def lru(blocks: int) -> Shown:
    """Believed: the oldest block, the head, goes first, and nothing is left. True: the tail goes first."""
    hit = reused(_newcomer(blocks), "R2")
    return Shown(
        0,
        hit,
        "reused",
        tuple((each, reused(_newcomer(each), "R2")) for each in NEWCOMERS),
        here=blocks,
        across="blocks",
        numbers={"blocks": blocks, "hit": hit, "old": 3, "size": BLOCK},
        scenario=_newcomer(blocks),
    )


# -- after the end ------------------------------------------------------------------------------------------

MOMENTS = ("running", "finished")
POOL, ASKED = 8, 13


def _states(moment: str) -> Counter[str]:
    engine = Engine(EngineConfig(block_size=BLOCK, num_blocks=POOL + 1))
    engine.start(Request("R0", range(ASKED)))
    if moment == "finished":
        engine.free("R0")
    return _count(take_frame(engine))


def _count(frame: Frame) -> Counter[str]:
    found: Counter[str] = Counter()
    for slot in frame["slots"].values():
        found["held" if slot["ref"] else "idle" if slot["hash"] else "empty"] += 1
    return found


def cleared(moment: str) -> Shown:
    """Believed: a finished request leaves nothing behind. True: its full blocks stay, held by nobody."""
    states = _states(moment)
    scenario = story("cleared", BLOCK, POOL, [f"prompt[0:{ASKED}]"] * 2)
    return Shown(
        states["held"],
        states["held"] + states["idle"],
        "blocks",
        tuple((name, states[name]) for name in ("held", "idle", "empty")),
        bars_unit="blocks",
        numbers={
            "usage": f"{100 * states['held'] / POOL:.0f}",
            "idle": states["idle"],
            "pool": POOL,
            "asked": ASKED,
            "size": BLOCK,
            "hit": reused(scenario),
        },
        scenario=scenario,
    )


# -- time to live -------------------------------------------------------------------------------------------

GAPS = tuple(range(60, 601, 60))
LIFE, VISITS = 300, 5
CLOCKS = ("absolute", "idle", "none")


def _visits(gap: int, kind: str) -> Scenario:
    """One tick is one second; serving a visit takes two of them (one command, one step)."""
    pause = {"op": "wait", "ticks": gap - 2}
    told = [line for _ in range(VISITS) for line in ("prompt[0:9]", pause)][:-1]
    config = {} if kind == "none" else {"ttl": LIFE, "ttl_kind": kind}
    return story("ttl", BLOCK, 8, told, **config)


def _num_hits(gap: int, kind: str) -> int:
    events = run(_visits(gap, kind), block_events=False).events
    return sum(event.hit_tokens > 0 for event in events if isinstance(event, RequestAdmitted))


def ttl(gap: int) -> Shown:
    """Believed: the clock starts when the entry is made. True: each use starts it anew."""
    return Shown(
        _num_hits(gap, "absolute"),
        _num_hits(gap, "idle"),
        "visits",
        tuple((kind, _num_hits(gap, kind)) for kind in CLOCKS),
        here="idle",
        numbers={
            "gap": gap,
            "life": LIFE,
            "minutes": LIFE // 60,
            "visits": VISITS,
            "again": VISITS - 1,
            **{kind: _num_hits(gap, kind) for kind in CLOCKS},
        },
        scenario=_visits(gap, "idle"),
    )


# -- admission ----------------------------------------------------------------------------------------------

CAP = 4
FLOOD = tuple(range(9))


def _flood(threshold: int, flood: int) -> Scenario:
    hot = [f"hot[0:8] user{k}[0:1]" for k in range(3)]
    once = [f"once{k}[0:9]" for k in range(flood)]
    return story("everything", BLOCK, 12, [*hot[:2], *once, hot[2]], cache_cap=CAP, admit_after=threshold)


def _hot_hit(threshold: int, flood: int) -> int:
    return reused(_flood(threshold, flood), f"R{flood + 2}")


def everything(threshold: int, flood: int) -> Shown:
    """Believed: if all is kept, the hot prefix is kept too. True: what comes once pushes it out."""
    return Shown(
        _hot_hit(threshold, 0),
        _hot_hit(threshold, flood),
        "reused",
        tuple((each, _hot_hit(each, flood)) for each in (1, 2)),
        here=threshold,
        across="threshold",
        numbers={
            "size": BLOCK,
            "cap": CAP,
            "flood": flood,
            "all": _hot_hit(1, flood),
            "second": _hot_hit(2, flood),
        },
        scenario=_flood(threshold, flood),
    )


SIZE = Belief("size", (Knob("slots", SLOTS, DOCUMENTS),), size)
LRU = Belief("lru", (Knob("blocks", NEWCOMERS, 1),), lru)
CLEARED = Belief("cleared", (Knob("moment", MOMENTS, "finished"),), cleared)
TTL = Belief("ttl", (Knob("gap", GAPS, 240),), ttl)
EVERYTHING = Belief("everything", (Knob("threshold", (1, 2), 1), Knob("flood", FLOOD, 3)), everything)
