"""vLLM's own KVCacheManager as a side of ``benchmarks.race``. Imports vLLM: only where it is installed."""

from __future__ import annotations

import logging
import os
from collections import deque
from time import process_time
from typing import Any

os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
logging.getLogger("vllm").setLevel(logging.ERROR)

import torch  # noqa: E402
import vllm  # noqa: E402
from vllm.lora.request import LoRARequest  # noqa: E402
from vllm.multimodal.inputs import MultiModalFeatureSpec, PlaceholderRange  # noqa: E402
from vllm.sampling_params import SamplingParams  # noqa: E402
from vllm.utils.hashing import get_hash_fn_by_name  # noqa: E402
from vllm.v1.core.kv_cache_manager import KVCacheManager  # noqa: E402
from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash  # noqa: E402
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec  # noqa: E402
from vllm.v1.request import Request, RequestStatus  # noqa: E402

from benchmarks.race import ADAPTER, Prompt  # noqa: E402

VERSION = vllm.__version__
HASH = "sha256"
"""vLLM's default."""


class VllmSide:
    """What vLLM's scheduler does with its manager for one prompt after another, outputs left out."""

    def __init__(self, num_blocks: int, block_size: int, *, kv_events: bool) -> None:
        hash_of = get_hash_fn_by_name(HASH)
        init_none_hash(hash_of)
        self._hasher = get_request_block_hasher(block_size, hash_of)
        spec = FullAttentionSpec(block_size=block_size, num_kv_heads=1, head_size=1, dtype=torch.float32)
        layout = KVCacheConfig(
            num_blocks=num_blocks,
            kv_cache_tensors=[],
            kv_cache_groups=[KVCacheGroupSpec(["layer"], spec)],
        )
        self._manager = KVCacheManager(
            layout,
            max_model_len=num_blocks * block_size,
            scheduler_block_size=block_size,
            hash_block_size=block_size,
            log_stats=True,
            enable_kv_cache_events=kv_events,
        )
        self._events: list[Any] = []
        self._running: deque[Request] = deque()
        self._sampling = SamplingParams(max_tokens=1)
        self._adapter = LoRARequest(ADAPTER[0], 1, ADAPTER[1])
        self.hits: list[int] = []

    @property
    def num_running(self) -> int:
        return len(self._running)

    def extras(self, prompt: Prompt) -> dict[str, Any]:
        features = [
            MultiModalFeatureSpec(
                data=None,
                modality="image",
                identifier=item.item_id,
                mm_position=PlaceholderRange(offset=item.offset, length=item.length),
            )
            for item in prompt.images
        ]
        adapter = self._adapter if prompt.has_adapter else None
        return {"lora_request": adapter, "mm_features": features or None}

    def serve(self, number: int, tokens: Any, extras: dict[str, Any]) -> None:
        manager, name = self._manager, f"R{number}"
        request = Request(  # hashes all full blocks
            name, tokens, self._sampling, None, arrival_time=0.0, block_hasher=self._hasher, **extras
        )
        while True:
            blocks, num_hit, *_ = manager.get_computed_blocks(request)
            new = manager.allocate_slots(
                request,
                request.num_tokens - num_hit,
                num_hit,
                blocks,
                full_sequence_must_fit=True,
                has_scheduled_reqs=bool(self._running),
            )
            if new is not None:
                break
            self.finish_oldest()
        manager.record_prefix_cache_stats(request, num_hit)
        request.status = RequestStatus.RUNNING
        self.hits.append(num_hit)
        self._running.append(request)

    def finish_oldest(self) -> None:
        self._manager.free(self._running.popleft())

    def take_events(self) -> None:
        self._events = self._manager.take_events()

    def forget_events(self) -> None:
        self._events = []

    def free_queue(self) -> list[int]:
        return [block.block_id for block in self._manager.block_pool.free_block_queue.get_all_free_blocks()]

    def seconds_to_hash(self, prompt: Prompt, tokens: list[int]) -> float:
        """CPU seconds for the identities of a prompt's full blocks, and nothing else."""
        request = Request("R", tokens, self._sampling, None, arrival_time=0.0, **self.extras(prompt))
        start = process_time()
        hashes = self._hasher(request)
        spent = process_time() - start
        del hashes
        return spent
