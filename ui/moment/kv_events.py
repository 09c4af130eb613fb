"""A part of a recorded stream of KV events on the stage: its steps in words. Pure.

The stage hides what would need requests, and where the queue, the block table and the hit rate stand it says
that the events do not tell them (``meta.told``, ``assets/stage/draw/told.js``).
"""

from __future__ import annotations

from typing import Any

from core import __version__
from core.traffic.kv_run import KVRun, Move
from ui.moment.shown import ShownMoment
from ui.stage.payload import MAX_STEPS, SCHEMA_VERSION
from ui.stage.steps.telling import Step, level_of, tag_of

HIDDEN = ("fork", "inspect", "tables", "code", "noodle")
"""Panels that speak of requests."""
TOLD = "kv_events"
_WORDS = {  # move -> op, caption
    "begin": ("chain", "chain.begin"),
    "grow": ("chain", "chain.grow"),
    "branch": ("chain", "chain.branch"),
    "late": ("chain", "chain.late"),
    "stored": ("register", "register.told"),
    "copy": ("dup", "dup.told"),
    "removed": ("evict", "evict.told"),
    "unseen": ("evict", "evict.unseen"),
    "cleared": ("reset", "reset.told"),
}


def events_moment(run: KVRun, name: str, title: str, note: str, origin: str) -> ShownMoment:
    """What the execute page shows of a stream. ``note``: stands under the stage."""
    steps = [_step(place, move) for place, move in enumerate(run.moves)][:MAX_STEPS]
    data = {
        "schema": SCHEMA_VERSION,
        "meta": {
            "scenario": name,
            "title": title,
            "block_size": run.block_size,
            "slots": len(run.frame["slots"]),
            "seed": None,
            "engine": __version__,
            "num_steps": len(steps),
            "told": TOLD,
        },
        "pieces": {
            chain: ["?" if token is None else str(token) for token in tokens]
            for chain, tokens in run.tokens.items()
        },
        "init": run.frame,
        "events": steps,
    }
    return ShownMoment(name, 0.0, data, 0, origin, HIDDEN, note)


def _step(place: int, move: Move) -> Step:
    op, caption = _WORDS[move.kind]
    digest = None if move.hash is None else move.hash.hex()
    tag = None if digest is None else tag_of(digest)
    words: dict[str, Any] = {
        "req": move.chain,
        "slot": move.slot,
        "tag": tag,
        "parent": None if move.parent is None else tag_of(move.parent.hex()),
        "other": move.other,
        "n": move.count,
        "batch": move.batch,
    }
    level = "block" if op in ("register", "dup") else level_of(op)
    step: Step = {
        "i": place,
        "ev": place,
        "op": op,
        "t": move.batch,
        "rid": move.chain,
        "b": move.place,
        "slot": move.slot,
        "hash": digest,
        "tag": tag,
        "level": level,
        "cap": caption,
        "args": {word: value for word, value in words.items() if value is not None},
        "patch": list(move.patches),
    }
    return {word: value for word, value in step.items() if value is not None}
