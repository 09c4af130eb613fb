"""The picture of each stop of the scripts: which moment of which run, and what in it stays closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from ui.interview.runs import admitted, percent
from ui.lecture.payload import CountScene, CurveScene, RunScene, Scene, TotalScene
from ui.lecture.scenes import Played, Wanted, played, run_scene
from ui.teacher.figures import figures
from ui.teacher.places import OF_THE_SHEET, opens_on, setup_of
from ui.teacher.stops import note
from ui.words.i18n import Lang

CURVE_SLOTS = range(2, 9)
"""Slots of the pool for which the four recipes are run: from what one order needs on."""

Until = tuple[str, str]
"""The op and the request of the step that the know beat leads to: the first one behind the stop's own."""

_RUNS: Mapping[str, tuple[Until, Wanted]] = MappingProxyType(
    {
        "before": (("append", "R1"), Wanted(0, 0, ("R0", "R1"), marked=True)),
        "after": (("append", "R1"), Wanted(0, 0, ("R0", "R1"), ("R1",), marked=True, tags=True)),
        "bet": (("arrive", "R0"), Wanted(0, 0, ("R0", "R1", "R2"))),
        "same": (
            ("append", "R1"),
            Wanted(0, 0, ("R0", "R1"), ("R1",), slots=(1, 2, 3), slots_open=False),
        ),
        "stamp": (("append", "R1"), Wanted(0, 0, ("R0", "R1"), ("R1",), marked=True, tags=True)),
        "stamp_end": (("append", "R1"), Wanted(0, 0, ("R0", "R1"), ("R1",), marked=True, tags=True)),
        "chain": (("plan", "R2"), Wanted(0, 0, ("R0", "R2"), marked=True, tags=True)),
        "partial": (("append", "R1"), Wanted(0, 0, ("R0", "R1"), ("R1",), marked=True)),
        "touch": (("alloc", "R1"), Wanted(0, 0, ("R0", "R1"), ("R1",), slots=True)),
        "done": (
            ("arrive", "R1"),
            Wanted(0, 0, ("R0",), answers=True, slots=(1, 2, 3, 4, 5), queue=True, queue_open=False),
        ),
        "evict": (("register", "R2"), Wanted(0, 0, slots=True, queue=True, queue_open=False)),
        "full": (("append", "R1"), Wanted(0, 0, ("R0", "R1"), ("R1",), tags=True, tags_open=True)),
        "decode": (("free", "R2"), Wanted(0, 0, ("R0", "R2"), ("R0", "R2"), answers=True)),
    }
)


@cache
def picture(name: str, lang: Lang) -> Scene:
    """The scene of a stop.

    Raises:
        LookupError: its run has no such moment.
    """
    if name in _RUNS:
        scene = run_scene(_played(name, lang), moment(name), _says(name, lang))
        return {**scene, "brace": _brace(scene, lang)} if name == "stamp" else scene
    if name == "saved":
        return _total(lang)
    if name == "counter":
        return _count(lang)
    return _curve(lang)


@cache
def moment(name: str) -> Wanted:
    """What is drawn of a stop's run, its steps found in the run.

    Raises:
        LookupError: the run has no such step.
    """
    (op, rid), wanted = _RUNS[name]
    at = _first(name, 0, "hash", "R1") if name in OF_THE_SHEET else opens_on(name) or 0
    return replace(wanted, at=at, until=_first(name, at, op, rid))


def _first(name: str, at: int, op: str, rid: str) -> int:
    """The first step from ``at`` on with this op of this request."""
    steps = _played(name, "en").steps
    found = (i for i in range(at, len(steps)) if (steps[i]["op"], steps[i].get("rid")) == (op, rid))
    first = next(found, None)
    if first is None:
        raise LookupError(f"The run of {name} has no {op} of {rid} behind step {at}.")
    return first


@cache
def _played(name: str, lang: Lang) -> Played:
    return played(setup_of(name, lang), lang)


def _says(name: str, lang: Lang) -> str | None:
    """What stands below the picture once the answer is out."""
    if name != "decode":
        return None
    return note("a_token", lang, **figures(name))


def _brace(scene: RunScene, lang: Lang) -> list[int | str]:
    """Over the blocks behind the last token that differs."""
    lane = scene["lanes"][-1]
    last = len(lane["verdicts"]) - 1
    return [max(lane["mark"]) // lane["size"] + 1, last, note("same_tokens", lang, **figures("stamp"))]


def _total(lang: Lang) -> TotalScene:
    told = figures("saved")
    rows = enumerate(admitted("P1"))
    return {
        "kind": "total",
        "rows": [
            {"rid": f"R{number}", "tokens": total, "reused": hit, "computed": total - hit}
            for number, (hit, total) in rows
        ],
        "computed_note": note("computed", lang, **told),
    }


def _count(lang: Lang) -> CountScene:
    told = figures("counter")
    return {
        "kind": "count",
        "value": str(told["total"]),
        "parts": [note("prompt_tokens", lang, **told), "×", note("requests", lang, **told)],
    }


def _curve(lang: Lang) -> CurveScene:
    points = []
    for slots in CURVE_SLOTS:
        rows = admitted("P9", num_slots=slots)
        points.append([slots, int(percent(sum(hit > 0 for hit, _ in rows), len(rows)))])
    told = figures("cliff")
    return {
        "kind": "curve",
        "points": points,
        "asked": [int(str(told[name])) for name in ("few_slots", "enough_slots")],
        "orders": _orders(),
        "slots": int(str(told["few_slots"])),
        "x": note("slots", lang),
        "y": note("orders_hit", lang),
    }


def _orders() -> list[str]:
    """A letter for each recipe in the order of the orders, two rounds. Equal first blocks are one recipe."""
    of = played(setup_of("cliff", "en"), "en")
    recipes = [prompt[: of.size] for prompt, _ in of.pieces.values()]
    known = list(dict.fromkeys(recipes))
    return [chr(ord("A") + known.index(one)) for one in recipes[: 2 * len(known)]]
