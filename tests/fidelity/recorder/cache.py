"""Records cache scenarios: vLLM's own KVCacheManager, one operation after the other.

Only public calls change its state; everything else reads. The form is that of `core.conformance`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from vllm.v1.core.kv_cache_manager import KVCacheManager
from vllm.v1.request import Request, RequestStatus

from tests.fidelity.recorder.contents import Contents
from tests.fidelity.recorder.parts import (
    MAX_MODEL_LEN,
    Counted,
    block_hasher,
    free_queue,
    kv_cache_config,
    make_request,
    told_events,
)

TAKING = ("start", "resume", "prefill", "decode")  # operations that take blocks
UNBOUND = 1 << 30


class CacheRecorder:
    """A manager, and the little bookkeeping that vLLM's scheduler would do for it."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.contents = Contents(config["block_size"])
        self._block_size = config["block_size"]
        self._hasher = block_hasher(self._block_size)
        self._manager = KVCacheManager(
            kv_cache_config=kv_cache_config(config),
            max_model_len=MAX_MODEL_LEN,
            scheduler_block_size=self._block_size,
            hash_block_size=self._block_size,
            enable_caching=config.get("enable_caching", True),
            log_stats=True,
            enable_kv_cache_events=True,
            watermark=config.get("watermark", 0.0),
        )
        self._pool = self._manager.block_pool
        self._requests: dict[str, Request] = {}  # running or preempted
        self._counted = Counted()

    # -- what makes sense ------------------------------------------------------------------------------

    def makes_sense(self, op: dict[str, Any]) -> bool:
        """Whether the operation can be asked now. What cannot is left out of a recording."""
        request = self._requests.get(op.get("id", ""))
        match op["op"]:
            case "start":
                return request is None
            case "prefill":
                running = request is not None and request.status == RequestStatus.RUNNING
                return running and request.num_computed_tokens < request.num_tokens
            case "decode" | "preempt":
                return request is not None and request.status == RequestStatus.RUNNING
            case "resume":
                return request is not None and request.status == RequestStatus.PREEMPTED
            case "append" | "free":
                return request is not None
            case "evict":
                return all(0 < block_id < self._pool.num_gpu_blocks for block_id in op["blocks"])
        return True

    # -- doing -------------------------------------------------------------------------------------------

    def _do(self, op: dict[str, Any], out: dict[str, Any]) -> None:
        request = self._requests.get(op.get("id", ""))
        match op["op"]:
            case "start":
                self._admit(self._make(op), op, out)
            case "resume":
                self._admit(request, op, out)
            case "prefill":
                self._grow(request, min(op["n"], request.num_tokens - request.num_computed_tokens), out)
            case "decode":
                request.append_output_token_ids(sampled(op))
                self.contents.learn(request)
                self._grow(request, request.num_tokens - request.num_computed_tokens, out)
            case "append":
                request.append_output_token_ids(sampled(op))
                self.contents.learn(request)
                out["ok"] = True
            case "free" | "preempt":
                self._let_go(request, op["op"] == "preempt", out)
            case "lookup":
                blocks, hit = self._manager.get_computed_blocks(self._make(op))[:2]
                out |= {"ok": True, "hit": hit, "hit_blocks": list(blocks.get_block_ids()[0])}
            case "reset":
                out["ok"] = self._manager.reset_prefix_cache()
            case "evict":
                blocks = set(op["blocks"])
                op["blocks"] = list(blocks)  # vLLM takes a set: its order is the order
                self._manager.evict_blocks(blocks)
                out["ok"] = True
            case verb:
                raise ValueError(f"unknown operation {verb}")

    def _make(self, op: dict[str, Any]) -> Request:
        request = make_request(op, self._hasher, arrival=0.0, max_tokens=UNBOUND)
        self.contents.learn(request)
        return request

    def _admit(self, request: Request, op: dict[str, Any], out: dict[str, Any]) -> None:
        blocks, hit = self._manager.get_computed_blocks(request)[:2]
        count = request.num_tokens - hit
        if op.get("chunk"):
            count = min(count, op["chunk"])
        taken = self._manager.allocate_slots(
            request,
            count,
            hit,
            blocks,
            full_sequence_must_fit=op.get("fit", True),
            has_scheduled_reqs=any(r.status == RequestStatus.RUNNING for r in self._requests.values()),
        )
        out |= {"hit": hit, "ok": taken is not None}
        if taken is not None:
            self._manager.record_prefix_cache_stats(request, hit)
            request.num_computed_tokens = hit + count
            request.status = RequestStatus.RUNNING
            self._requests[request.request_id] = request

    def _grow(self, request: Request, count: int, out: dict[str, Any]) -> None:
        out["ok"] = self._manager.allocate_slots(request, count) is not None
        if out["ok"]:
            request.num_computed_tokens += count

    def _let_go(self, request: Request, comes_back: bool, out: dict[str, Any]) -> None:
        held = self._table(request.request_id)
        self._manager.free(request)
        out["ok"] = True
        out["released"] = [[block, self._pool.blocks[block].ref_cnt] for block in reversed(held)]
        if comes_back:
            request.num_computed_tokens = 0
            request.status = RequestStatus.PREEMPTED
            request.num_preemptions += 1
        else:
            del self._requests[request.request_id]

    # -- writing down ------------------------------------------------------------------------------------

    def apply(self, op: dict[str, Any]) -> dict[str, Any]:
        """Carry out one operation and write down everything that can be seen of it."""
        verb, out = op["op"], dict[str, Any]()
        before, queue_before = self._blocks(), free_queue(self._pool)
        request = self._requests.get(op.get("id", ""))  # of `free` it is gone afterwards
        self._do(op, out)
        request = self._requests.get(op.get("id", ""), request)
        after, queue = self._blocks(), free_queue(self._pool)
        if request is not None and verb not in ("lookup", "reset", "evict"):
            table = self._table(request.request_id)
            refs = [self._pool.blocks[block].ref_cnt for block in table]
            out |= {"computed": request.num_computed_tokens, "table": table, "refs": refs}
        if out["ok"] and verb in TAKING:
            out |= self._taken(verb, out, before, after)
        elif verb == "evict":
            lost = [block for block in op["blocks"] if before[block][1] is not None]
            out["evicted"] = [[block, self.contents.number(before[block][1])] for block in lost]
        elif verb == "reset":
            out["cleared"] = sum(digest is not None for _, digest in before) if out["ok"] else 0
        elif verb not in ("free", "preempt"):
            assert before == after, "what failed or only read has changed a block"
        assert verb in (*TAKING, "free", "preempt") or queue == queue_before, "the queue has moved"
        out |= {"free": self._pool.get_num_free_blocks(), "queue": queue}
        if events := told_events(self._manager.take_events(), self.contents):
            out["events"] = events
        stats = self._manager.make_prefix_cache_stats()
        out |= self._counted.observe(stats)
        if stats.preempted_requests:
            out["preempted_lookup"] = [stats.preempted_queries, stats.preempted_hits]
        self._check()
        return out

    def _taken(self, verb: str, out: dict[str, Any], before: list[Any], after: list[Any]) -> dict[str, Any]:
        table, number = out["table"], self.contents.number
        if verb in ("start", "resume"):
            new = table[out["hit"] // self._block_size :]
        else:
            new = [block for block in table if before[block][0] == 0]
        fresh = set(new)
        return {
            "new": new,
            "evicted": [[block, number(before[block][1])] for block in new if before[block][1] is not None],
            "cached": [
                [block, number(after[block][1])]
                for block in table
                if after[block][1] is not None and (block in fresh or before[block][1] is None)
            ],
        }

    def _blocks(self) -> list[tuple[int, bytes | None]]:
        return [
            (block.ref_cnt, bytes(block.block_hash[:-4]) if block.block_hash else None)
            for block in self._pool.blocks
        ]

    def _table(self, request_id: str) -> list[int]:
        return list(self._manager.get_block_ids(request_id)[0])

    def _check(self) -> None:
        """What must hold of any recording: ref counts are the tables' rows, the queue the idle blocks."""
        held = Counter(block for request_id in self._requests for block in self._table(request_id))
        queued = set(free_queue(self._pool))
        assert len(queued) == self._pool.get_num_free_blocks()
        for block in self._pool.blocks[1:]:
            assert block.ref_cnt == held[block.block_id]
            assert (block.ref_cnt == 0) == (block.block_id in queued)

    def final(self) -> dict[str, Any]:
        """The state after the last operation."""
        number = self.contents.number
        cached = {
            str(number(bytes(key[:-4]))): list(blocks) if isinstance(blocks, dict) else [blocks.block_id]
            for key, blocks in self._pool.cached_block_hash_to_block._cache.items()
        }
        blocks = [
            [index, refs, None if digest is None else number(digest)]
            for index, (refs, digest) in enumerate(self._blocks())
            if index
        ]
        usable = self._pool.num_gpu_blocks - 1
        return {
            "cached": cached,
            "blocks": blocks,
            "usage": [usable - self._pool.get_num_free_blocks(), usable],
        }


def sampled(op: dict[str, Any]) -> list[int]:
    """Sampled tokens: `token` for one, `tokens` for several."""
    return list(op["tokens"]) if "tokens" in op else [op["token"]]
