"""What both recorders share: vLLM's request and KV cache made from a scenario, and its state read back."""

from __future__ import annotations

from typing import Any

import torch
from vllm.distributed.kv_events import AllBlocksCleared, BlockRemoved, BlockStored
from vllm.lora.request import LoRARequest
from vllm.multimodal.inputs import MultiModalFeatureSpec, PlaceholderRange
from vllm.sampling_params import SamplingParams
from vllm.utils.hashing import get_hash_fn_by_name
from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec
from vllm.v1.metrics.stats import CachingMetrics
from vllm.v1.request import Request

from tests.fidelity.recorder.contents import Contents

MAX_MODEL_LEN = 1_000_000  # no recorded request comes near it


def block_hasher(block_size: int) -> Any:
    """vLLM's own, with the digest that is a pure function of the values."""
    digest = get_hash_fn_by_name("sha256_cbor")
    init_none_hash(digest)
    return get_request_block_hasher(block_size, digest)


def kv_cache_config(config: dict[str, Any]) -> KVCacheConfig:
    """One full-attention group of the smallest tensors."""
    spec = FullAttentionSpec(
        block_size=config["block_size"], num_kv_heads=1, head_size=1, dtype=torch.float32
    )
    groups = [KVCacheGroupSpec(["layer"], spec)]
    return KVCacheConfig(num_blocks=config["num_blocks"], kv_cache_tensors=[], kv_cache_groups=groups)


def make_request(
    op: dict[str, Any], hasher: Any, *, arrival: float, max_tokens: int, default_id: str = "look-up"
) -> Request:
    """A request with whatever identity the operation gives it."""
    sampling = SamplingParams(
        max_tokens=max_tokens, ignore_eos=True, skip_reading_prefix_cache=op.get("skip_read") or None
    )
    sampling.update_from_generation_config({}, 2)
    lora = None
    if op.get("lora"):
        name, path = op["lora"]
        lora = LoRARequest(lora_name=name, lora_int_id=1, lora_path=path)
    images = [
        MultiModalFeatureSpec(
            data=None,
            modality="image",
            identifier=item["id"],
            mm_position=PlaceholderRange(offset=item["offset"], length=item["length"]),
        )
        for item in op.get("mm", [])
    ]
    return Request(
        request_id=op.get("id", default_id),
        prompt_token_ids=list(op["tokens"]),
        sampling_params=sampling,
        pooling_params=None,
        mm_features=images or None,
        lora_request=lora,
        cache_salt=op.get("salt"),
        priority=op.get("priority", 0),
        block_hasher=hasher,
        arrival_time=arrival,
    )


def told_events(events: list[Any], contents: Contents) -> list[list[Any]]:
    """KV events with contents for digests."""
    told: list[list[Any]] = []
    for event in events:
        match event:
            case BlockStored():
                stored = [contents.number(bytes(digest)) for digest in event.block_hashes]
                parent = event.parent_block_hash
                above = None if parent is None else contents.number(bytes(parent))
                told.append(["stored", stored, above, len(event.token_ids)])
            case BlockRemoved():
                told.append(["removed", [contents.number(bytes(digest)) for digest in event.block_hashes]])
            case AllBlocksCleared():
                told.append(["cleared"])
            case _:
                raise TypeError(f"an event of a kind that the format has no name for: {event!r}")
    return told


def free_queue(pool: Any) -> list[int]:
    """Block ids, front first."""
    return [block.block_id for block in pool.free_block_queue.get_all_free_blocks()]


class Counted:
    """Windowed and lifetime hit rate, counted with vLLM's own class."""

    def __init__(self) -> None:
        self._window = CachingMetrics()
        self._lifetime = [0, 0]

    def observe(self, stats: Any) -> dict[str, list[int]]:
        """Take in one step's statistics and say where the counts stand."""
        self._window.observe(stats)
        self._lifetime = [self._lifetime[0] + stats.queries, self._lifetime[1] + stats.hits]
        window = self._window
        recent = [window.aggregated_requests, window.aggregated_query_total, window.aggregated_query_hit]
        return {"win": recent, "ctr": list(self._lifetime)}
