"""Why a branch of vLLM's is none of ours: what stands in its condition, in one above it, or in its function's name.

The first pattern that fits gives the reason. Whatever no pattern fits is ours to reach, and is told as not taken.
"""

from __future__ import annotations

CONNECTORS = "KV connectors, offloading, encoder transfer"
DRAFTS = "draft tokens, and tokens hashed ahead for them"
IMAGES = "encoder budgets (the images of the scenarios always fit)"
GROUPS = "several groups, hybrid models, hits smaller than a block"
ASYNC = "asynchronous scheduling, several steps in flight"
CADENCE = "`prefill_schedule_interval`, throttled prefill"
SESSIONS = "streaming sessions, pauses, structured output, pooling, prompt embeddings"
ADAPTERS = "`max_loras`"
LIMITS = "adaptive thresholds, chunking switched off, model length, admission caps"
PLUMBING = "statistics, logging, events switched off, model runners"
GUARDS = "guards against what cannot happen in a consistent state"
TIES = "two arrivals at the same instant"

REASONS: tuple[tuple[str, str], ...] = (
    (
        r"aux_output|connector|load_kv_async|external|kv_transfer|ext_tokens|partial_tail and|_ec_transfer",
        CONNECTORS,
    ),
    (
        r"did_prefix_cache_lookup|request\.num_computed_tokens == 0$|_holds_kv_blocks|kv_load|delay_cache_blocks",
        CONNECTORS,
    ),
    (
        r"kv_holding|reuse_watchers|_notify_reuse|unpin_blocks|watcher|delay_free_blocks|retained_hit",
        CONNECTORS,
    ),
    (r"block_state|boundary_state|offload", CONNECTORS),
    (
        r"defer_block_free|_can_be_freed|in_flight|placeholder|stale|next_decode_eligible|deferred_|_free_request_blocks",
        ASYNC,
    ),
    (
        r"request is None or request\.is_finished|request is not None$|stopped_preempted|== RequestStatus\.RUNNING$",
        ASYNC,
    ),
    (r"draft|spec_|spec_token|eagle|lookahead|dynamic_sd|padded|num_invalid", DRAFTS),
    (r"local_prefill_interval|defer_prefills|throttle", CADENCE),
    (
        r"encoder|embeds_mismatch|disable_chunked_mm|error_req|mm_encoder_only|curr_embeds|can_allocate",
        IMAGES,
    ),
    (
        r"num_new_tokens == 0|step_skipped|skip_request|prepend_requests|ready_to_schedule|not num_new_tokens",
        IMAGES,
    ),
    (
        r"mamba|replay|skipped|null|swa|window|hybrid|partial|shared_prefix|block_mask|_indices|cow|block_copies",
        GROUPS,
    ),
    (r"group|hit_diverged|boundary|alignment|_remove_blocks_in_range|move_block_hashes|CoW|copy", GROUPS),
    (r"lora_config|max_loras", ADAPTERS),
    (
        r"pause|streaming|resumable|structured|grammar|pool(ing|er)|prompt_embeds|embeds_hash|session",
        SESSIONS,
    ),
    (r"update is (not )?None|existing|continuing_reqs|finished$|is_blocked_waiting", SESSIONS),
    (r"adaptive|enable_chunked_prefill|max_model_len|admission_cap|reserved_blocks|prefix_cacheable", LIMITS),
    (r"log_stats|metrics|perf_|logprobs|sampling_mask|nans|stats|report_mode|iteration_details", PLUMBING),
    (r"v2_model_runner|zeroing|record_new_block|finished_req_ids|new_block_ids|kv_cache_event", PLUMBING),
    (
        r"new_hashes is not None|isinstance\(request_ids|request_ids is not None|estimate_cached|get_usage",
        PLUMBING,
    ),
    (r"arrival_time|request_id != other", TIES),
    (r"WAITING_FOR_REMOTE_KVS|max_cache_hit_length|iter_blocks_after", CONNECTORS),
    (r"WAITING_FOR_STREAMING_REQ", SESSIONS),
    (r"pop_blocks_for_free|^blocks$|KVCacheManager\.cache_blocks", ASYNC),
    (r"emit_cached_block_events|cached_hashes", PLUMBING),
    (
        r"block\.block_hash is None|blk\.block_hash is not None|fine_grained|dcp_world|CrossAttention|isinstance\(spec",
        GROUPS,
    ),
    (
        r"other_pools|block\.pool|retention_interval|block_size == hash_block_size|contain$|BlockMap\.contain",
        GROUPS,
    ),
    (r"isinstance\(blocks, dict\)|blocks is None|blocks\.block_id == block_id|to_block\.pop\(", GUARDS),
    (r"num_cached_blocks >= num_full|num_blocks > self\.get_num_free|^n == 0|num_cached_block\b", GUARDS),
    (r"(first|next|prev|last|curr)_(free_)?block\b|num_free_blocks > 0", GUARDS),
    (r"^not self(\._heap)?$|start_mm_idx < 0|== RequestStatus\.PREEMPTED|not reset_successful", GUARDS),
    (r"^self\.enable_caching$", GUARDS),  # the early return for caching switched off stands before it
)
