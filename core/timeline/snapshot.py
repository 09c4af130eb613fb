"""The engine's state as a Frame (the other side of *fold(log) == engine state*) and in numbers."""

from __future__ import annotations

from dataclasses import dataclass

from core.engine.block_manager import BlockManager
from core.engine.cache_controller import CacheController
from core.engine.scheduler import Scheduler
from core.engine.sequence import Sequence
from core.timeline.frame import Frame, RequestFrame, SlotFrame, Totals
from core.types import BlockId, EngineConfig


def take_snapshot(
    config: EngineConfig, num_steps: int, blocks: BlockManager, cache: CacheController, scheduler: Scheduler
) -> Frame:
    """The visible state of an engine. Fields that only the log knows (``fill``, ``look``, the totals of
    stored and evicted blocks, finished requests) are empty: compare with ``frame.engine_part``."""
    owners: dict[BlockId, list[str]] = {}
    for sequence in scheduler.running:
        for block_id in sequence.table:
            owners.setdefault(block_id, []).append(sequence.request_id)
    return Frame(
        clock=cache.clock,
        step=num_steps,
        version=config.version,
        slots={str(b): _slot(cache, b, owners.get(b, [])) for b in range(1, config.num_blocks)},
        queue=list(blocks.queue()),
        table={digest.hex(): list(cache.carriers(digest)) for digest in cache.hashes()},
        reqs={request_id: _request(sequence) for request_id, sequence in scheduler.sequences.items()},
        waiting=[sequence.request_id for sequence in scheduler.waiting],
        running=[sequence.request_id for sequence in scheduler.running],
        totals=_totals(scheduler),
    )


def _slot(cache: CacheController, block_id: BlockId, owners: list[str]) -> SlotFrame:
    digest = cache.hash_of(block_id)
    return SlotFrame(
        ref=cache.ref_count(block_id),
        hash=None if digest is None else digest.hex(),
        fill=0,
        owners=owners,
        last=cache.last_access(block_id),
    )


def _request(sequence: Sequence) -> RequestFrame:
    hits = sequence.num_hit_blocks
    return RequestFrame(
        status=sequence.status.value,
        num_prompt=len(sequence.request.token_ids),
        num_tokens=sequence.num_tokens,
        computed=sequence.num_computed,
        hit=sequence.hit_tokens or 0,
        hashes=[digest.hex() for digest in sequence.hashes],
        look={},
        btable=[[block, "hit" if i < hits else "new"] for i, block in enumerate(sequence.table)],
        skip_read=sequence.request.skip_read,
        salt=sequence.request.salt,
        version=sequence.version,
    )


def _totals(scheduler: Scheduler) -> Totals:
    return Totals(
        requests=scheduler.num_requests,
        queries=scheduler.query_tokens,
        hits=scheduler.hit_tokens,
        computed=scheduler.computed_tokens,
        preempted=scheduler.num_preemptions,
        stored=0,
        evicted=0,
    )


def take_frame(frame: Frame, block_size: int, cache: CacheController) -> Frame:
    """A fresh snapshot with what is written in each block and the totals of block events: a log that begins
    now folds onto it. Changes the snapshot it is given.

    Content that was cached but whose request was preempted before the step computed it counts as written.
    """
    for name, slot in frame["slots"].items():
        slot["fill"] = cache.left_in(int(name)) if slot["hash"] is None else block_size
    for request in frame["reqs"].values():
        for index, (block_id, _) in enumerate(request["btable"]):
            slot = frame["slots"][str(block_id)]
            if slot["hash"] is None:
                slot["fill"] = max(min(request["computed"] - index * block_size, block_size), 0)
    frame["totals"]["stored"] = cache.num_stored
    frame["totals"]["evicted"] = sum(cache.num_evicted.values())
    return frame


@dataclass(frozen=True, slots=True)
class Levels:
    """Blocks by state; together all usable ones."""

    in_use: int
    cached: int
    not_full: int
    empty: int


def take_levels(blocks: BlockManager, cache: CacheController) -> Levels:
    """Count once through the free queue."""
    cached = sum(1 for block_id in blocks.queue() if cache.hash_of(block_id) is not None)
    not_full = cache.num_left
    return Levels(blocks.num_held, cached, not_full, blocks.num_free - cached - not_full)


def slot_letters(num_blocks: int, cache: CacheController) -> str:
    """u in use, c cached and idle, n not full (free, with tokens but no content), e empty."""
    return "".join(_letter(cache, block_id) for block_id in range(1, num_blocks))


def _letter(cache: CacheController, block_id: BlockId) -> str:
    if cache.ref_count(block_id):
        return "u"
    if cache.hash_of(block_id) is not None:
        return "c"
    return "n" if cache.left_in(block_id) else "e"
