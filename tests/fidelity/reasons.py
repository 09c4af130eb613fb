"""Why a branch of vLLM's is none of ours: words in its condition, in one above it, or in its function's name.

The first reason that has such a word is given. Whatever has none is ours to reach, and is told as left.
"""

from __future__ import annotations

import re

WORDS: dict[str, tuple[str, ...]] = {
    "KV connectors, offloading, encoder transfer": (
        *(
            "aux_output",
            "connector",
            "load_kv_async",
            "external",
            "kv_transfer",
            "ext_tokens",
            "partial_tail and",
        ),
        *(
            "_ec_transfer",
            "did_prefix_cache_lookup",
            r"request\.num_computed_tokens == 0$",
            "_holds_kv_blocks",
        ),
        *("kv_load", "delay_cache_blocks", "kv_holding", "reuse_watchers", "_notify_reuse", "unpin_blocks"),
        *("watcher", "delay_free_blocks", "retained_hit", "block_state", "boundary_state", "offload"),
        *("WAITING_FOR_REMOTE_KVS", "max_cache_hit_length", "iter_blocks_after"),
    ),
    "asynchronous scheduling, several steps in flight": (
        *("defer_block_free", "_can_be_freed", "in_flight", "placeholder", "stale", "next_decode_eligible"),
        *("deferred_", "_free_request_blocks", r"request is None or request\.is_finished"),
        *("request is not None$", "stopped_preempted", r"== RequestStatus\.RUNNING$", "pop_blocks_for_free"),
        *("^blocks$", r"KVCacheManager\.cache_blocks"),
    ),
    "draft tokens, and tokens hashed ahead for them": (
        *("draft", "spec_", "eagle", "lookahead", "dynamic_sd", "padded", "num_invalid"),
    ),
    "`prefill_schedule_interval`, throttled prefill": (
        "local_prefill_interval",
        "defer_prefills",
        "throttle",
    ),
    "encoder budgets (the images of the scenarios always fit), requests that cannot be scheduled skipped": (
        *("encoder", "embeds_mismatch", "disable_chunked_mm", "error_req", "curr_embeds", "can_allocate"),
        *("num_new_tokens == 0", "step_skipped", "skip_request", "prepend_requests", "ready_to_schedule"),
    ),
    "several groups, hybrid models, hits smaller than a block": (
        *("mamba", "replay", "skipped", "null", "swa", "window", "hybrid", "partial", "shared_prefix"),
        *("block_mask", "cow", "copy", "block_copies", "group", "hit_diverged", "boundary", "alignment"),
        *("_remove_blocks_in_range", "move_block_hashes", r"block\.block_hash is None", "fine_grained"),
        *(r"blk\.block_hash is not None", "dcp_world", "CrossAttention", r"isinstance\(spec", "other_pools"),
        *(r"block\.pool", "retention_interval", "block_size == hash_block_size", r"BlockMap\.contain"),
    ),
    "`max_loras`": ("lora_config", "max_loras"),
    "streaming sessions, pauses, structured output, pooling, prompt embeddings": (
        *("pause", "streaming", "resumable", "structured", "grammar", "pooling", "pooler", "prompt_embeds"),
        *("embeds_hash", "session", "update is None", "update is not None", "existing", "continuing_reqs"),
        *("finished$", "is_blocked_waiting", "WAITING_FOR_STREAMING_REQ"),
    ),
    "adaptive thresholds, chunking switched off, model length, admission caps": (
        *("adaptive", "enable_chunked_prefill", "max_model_len", "admission_cap", "prefix_cacheable"),
    ),
    "statistics, logging, events switched off, the full report mode, model runners": (
        *("log_stats", "metrics", "perf_", "logprobs", "sampling_mask", "nans", "stats", "report_mode"),
        *("v2_model_runner", "zeroing", "record_new_block", "records_new_block", "finished_req_ids"),
        *("kv_cache_event", "new_hashes is not None", r"isinstance\(request_ids", "request_ids is not None"),
        *("estimate_cached", "get_usage", "emit_cached_block_events", "cached_hashes"),
    ),
    "two arrivals at the same instant": ("arrival_time", "request_id != other"),
    "guards against what cannot happen in a consistent state": (
        *(
            r"isinstance\(blocks, dict\)",
            "blocks is None",
            r"blocks\.block_id == block_id",
            r"to_block\.pop\(",
        ),
        *(
            "num_cached_blocks >= num_full",
            r"num_blocks > self\.get_num_free",
            "^n == 0",
            r"num_cached_block\b",
        ),
        *(r"(first|next|prev|last|curr)_(free_)?block\b", "num_free_blocks > 0", r"^not self(\._heap)?$"),
        *("start_mm_idx < 0", r"== RequestStatus\.PREEMPTED", "not reset_successful"),
        r"^self\.enable_caching$",  # the early return for caching switched off stands before it
    ),
}


def reason(texts: list[str]) -> str:
    """The reason that the first of these texts gives, if any does."""
    for text in texts:
        for why, words in WORDS.items():
            if re.search("|".join(words), text):
                return why
    return ""
