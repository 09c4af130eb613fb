"""A living engine's state as a Frame (the other side of *fold(log) == engine state*) and in numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields

from core.engine.cache_controller import BlockState
from core.engine.engine import Engine
from core.engine.sequence import Sequence
from core.timeline.frame import Frame, RequestFrame, SlotFrame
from core.types import BlockId


def take_snapshot(engine: Engine) -> Frame:
    """The visible state of an engine. Fields that only the log knows (``fill``, ``look``, the totals of
    stored and evicted blocks, finished requests) are empty: compare with ``frame.engine_part``."""
    view = engine.view
    owners: dict[BlockId, list[str]] = {}
    for request_id in view.running_ids():
        for block_id in view.block_table(request_id):
            owners.setdefault(block_id, []).append(request_id)
    return Frame(
        clock=view.clock,
        step=engine.num_steps,
        version=engine.config.version,
        slots={
            str(block_id): _slot(state, owners.get(block_id, []))
            for block_id, state in enumerate(view.block_states(), 1)
        },
        queue=list(view.free_queue()),
        table={digest.hex(): list(view.cached_blocks(digest)) for digest in view.cached_hashes()},
        reqs={request_id: _request(view.request(request_id)) for request_id in view.request_ids()},
        waiting=list(view.waiting_ids()),
        running=list(view.running_ids()),
        totals={**view.totals(), "stored": 0, "evicted": 0},
    )


def _slot(state: BlockState, owners: list[str]) -> SlotFrame:
    ref_count, digest, last_access, _ = state
    content = None if digest is None else digest.hex()
    return SlotFrame(ref=ref_count, hash=content, fill=0, owners=owners, last=last_access)


def _request(sequence: Sequence) -> RequestFrame:
    hits = sequence.num_hit_blocks
    return RequestFrame(
        status=sequence.status.value,
        num_prompt=len(sequence.request.token_ids),
        num_tokens=sequence.num_tokens,
        computed=sequence.num_computed,
        written=sequence.num_computed,  # between commands all that was scheduled is computed
        reached=sequence.num_reached,
        reused=sequence.num_reused,
        hit=sequence.hit_tokens or 0,
        hashes=[digest.hex() for digest in sequence.hashes],
        look={},
        btable=[[block, "hit" if i < hits else "new"] for i, block in enumerate(sequence.table)],
        skip_read=sequence.request.skip_read,
        salt=sequence.request.salt,
        version=sequence.version,
    )


def take_frame(engine: Engine) -> Frame:
    """As ``take_snapshot``, with what otherwise only a log from the beginning tells: the tokens written in
    each block, and the totals. A log that begins now folds onto it. What finished, and how look-ups went,
    stays untold. Content whose request was preempted before the step computed it counts as written."""
    frame, view, block_size = take_snapshot(engine), engine.view, engine.config.block_size
    for slot, (_, digest, _, left) in zip(frame["slots"].values(), view.block_states(), strict=True):
        slot["fill"] = left if digest is None else block_size
    for request in frame["reqs"].values():
        for index, (block_id, _) in enumerate(request["btable"]):
            slot = frame["slots"][str(block_id)]
            if slot["hash"] is None:
                slot["fill"] = max(min(request["computed"] - index * block_size, block_size), 0)
    frame["totals"] = view.totals()
    return frame


@dataclass(frozen=True, slots=True)
class Levels:
    """Blocks by state; together all usable ones. ``in_use`` are held. Held and still empty is a block only
    within a step: what is planned is computed by its end. The others are free: ``cached`` carries
    content, ``partial`` a part of a block, ``kept_out`` a full block that was not stored (a policy kept it
    out, or caching is off)."""

    in_use: int
    cached: int
    partial: int
    kept_out: int
    empty: int


LEVELS = tuple(state.name for state in fields(Levels))
LETTERS = "ucpke"
"""One for each of them."""


def take_levels(engine: Engine) -> Levels:
    """How many blocks are in which state. O(blocks)."""
    letters = slot_letters(engine)
    return Levels(*(letters.count(letter) for letter in LETTERS))


def slot_letters(engine: Engine) -> str:
    """One letter of ``LETTERS`` per block from block 1 on. O(blocks)."""
    size = engine.config.block_size
    return "".join(
        "u" if ref_count else "c" if digest is not None else _left_letter(left, size)
        for ref_count, digest, _, left in engine.view.block_states()
    )


def _left_letter(left: int, block_size: int) -> str:
    return "e" if not left else "p" if left < block_size else "k"
