"""The engine's state as a Frame: the other side of the equation *fold(log) == engine state*."""

from __future__ import annotations

from core.block_manager import BlockManager
from core.cache_controller import CacheController
from core.frame import Frame, RequestFrame, SlotFrame, Totals
from core.scheduler import Scheduler
from core.sequence import Sequence
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
