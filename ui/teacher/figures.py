"""The numbers that the words of a stop need, each computed from the run that the stop shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from core.timeline.frame import Frame
from ui.interview.numbers import numbers as interview_numbers
from ui.interview.runs import COST, admitted, percent, second
from ui.stage.questions.told import told_of
from ui.stage.setup import Setup, load_setup
from ui.stage.show_me import find_step
from ui.teacher.places import log_of, opens_on

Figures = Mapping[str, object]
PREFIX, ORDERS = 500, 100_000
ANSWERED = 4_096
"""Tokens of the prompt behind which the time per token is modelled."""


@cache
def figures(name: str) -> Figures:
    """All numbers of a stop; none where its words need none."""
    return _FIGURES.get(name, dict)()


def frames_of(name: str) -> tuple[Frame, ...]:
    """Every state of the stop's run, the first one before its first step."""
    log = log_of(name)
    return tuple(told_of(log["events"], log["init"]).frames)


def _decode() -> Figures:
    """Modelled time per token of one user's answer behind a prompt of this length, in milliseconds. Found or
    computed, the prompt's keys and values are read alike, so the model asks for its length alone."""
    return {"prompt": f"{ANSWERED:,}", "ms": f"{1e3 * COST.decode_s([ANSWERED]):.1f}"}


@cache
def _prompts(preset: str) -> tuple[tuple[int, ...], ...]:
    commands = load_setup(Setup(preset), "en").commands
    return tuple(tuple(one.prompt.ids) for one in commands if one.request is not None)


def _size(preset: str) -> int:
    return load_setup(Setup(preset), "en").config.block_size


# -- stop by stop -----------------------------------------------------------------------------------------


def _saved() -> Figures:
    rows = admitted("P1")
    hit, total = sum(hit for hit, _ in rows), sum(prompt for _, prompt in rows)
    first = rows[0][1]
    computed = total - hit
    return {
        "hit": hit,
        "total": total,
        "computed": computed,
        "percent": percent(hit, total),
        "first": first,
        "own": computed - first,
    }


def _counter() -> Figures:
    total = PREFIX * ORDERS
    shown = {"prefix": PREFIX, "orders": ORDERS, "total": total, "waste": ORDERS - 1}
    shown |= {"tenth": total // 10}
    return {name: f"{number:,}" for name, number in shown.items()}


def _chain() -> Figures:
    return {"size": _size("three")}


def _partial() -> Figures:
    first, then = _prompts("P0")[:2]
    same = next(i for i, (a, b) in enumerate(zip(first, then, strict=False)) if a != b)
    hit, size = second("P0")["hit"], _size("P0")
    return {"same": same, "size": size, "hit": hit, "near": same - hit, "begun": -(-same // size) * size}


def _touch() -> Figures:
    log = log_of("touch")
    step = log["events"][find_step(log, lambda one: one["op"] == "touch") - 1]
    found = [one for one in log["events"] if (one["op"], one.get("rid")) == ("match", step["rid"])]
    return {"ref": step["args"]["ref"], "blocks": len(found)}


def _done() -> Figures:
    frame = frames_of("done")[opens_on("done") or 0]
    rows = frame["reqs"]["R0"]["btable"]
    return {"tags": sum(frame["slots"][str(slot)]["hash"] is not None for slot, _ in rows)}


def _evict() -> Figures:
    frames, at = frames_of("evict"), opens_on("evict") or 0
    frame = frames[at]
    rows = frame["reqs"]["R2"]["btable"]
    return {
        "need": len(rows) + 1,
        "got": len(rows),
        "kept": len(frame["queue"]),
        "slot": rows[0][0],
        "front": frame["queue"][0],
        "next": frame["queue"][1],
        "last": frame["queue"][-1],
    }


def _stamped(preset: str) -> Figures:
    first, then = _prompts(preset)
    same = [a == b for a, b in zip(first, then, strict=True)]
    size = _size(preset)
    return {**second(preset), "rest": len(same) - size, "most": sum(same)}


def _asked_twice() -> Figures:
    """The question of the sheet: what the second of its two prompts hits."""
    plan = next(one for one in log_of("after")["events"] if (one["op"], one.get("rid")) == ("plan", "R1"))
    return {"hit": plan["args"]["hit"], "total": plan["args"]["n"]}


def _full() -> Figures:
    return {"total": second("P6")["total"], "size": _size("P6"), "n": second("P6")["computed"]}


def _cliff() -> Figures:
    found: dict[str, Any] = dict(interview_numbers("pool_cliff"))
    enough = admitted("P9", num_slots=found["enough_slots"])
    hits = sum(hit > 0 for hit, _ in enough)
    return {**found, "orders": len(enough), "all_but": hits, "half": len(enough) // 2}


_FIGURES: Mapping[str, Callable[[], Figures]] = MappingProxyType(
    {
        "bet": _saved,
        "saved": _saved,
        "counter": _counter,
        "chain": _chain,
        "partial": _partial,
        "same": lambda: second("P1"),
        "touch": _touch,
        "done": _done,
        "evict": _evict,
        "after": _asked_twice,
        "stamp": lambda: _stamped("P3"),
        "stamp_end": lambda: _stamped("P3b"),
        "full": _full,
        "cliff": _cliff,
        "decode": _decode,
    }
)
