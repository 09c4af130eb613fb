"""The numbers in the answers of chapter 12: counted by the engine, or modelled. None is written by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from ui.interview import cache as interview_cache
from ui.interview import inside as interview_inside
from ui.interview import scale as interview_scale
from ui.interview import work as interview_work


@cache
def numbers(name: str) -> Mapping[str, Any]:
    """What the holes of one question or one claim are filled with; empty where it has none."""
    make = _NUMBERS.get(name)
    return MappingProxyType(make() if make else {})


_NUMBERS: Mapping[str, Callable[[], dict[str, Any]]] = MappingProxyType(
    {
        "kv_what": interview_inside.kv_what,
        "kv_q": interview_inside.kv_q,
        "kv_size": interview_inside.kv_size,
        "kv_slow": interview_inside.kv_slow,
        "kv_memory": interview_inside.kv_memory,
        "kv_paged": interview_inside.kv_memory,
        "kv_phases": interview_inside.kv_phases,
        "kv_heads": interview_inside.kv_heads,
        "kv_sampling": interview_inside.kv_sampling,
        "match_prefix": interview_cache.time_in_front,
        "match_chain": interview_cache.chain,
        "match_exact": interview_cache.exact,
        "match_verify": interview_cache.verify,
        "match_key": interview_cache.tenants,
        "match_size": interview_cache.block_size,
        "match_radix": interview_cache.radix,
        "pool_evict": interview_cache.evict,
        "pool_ref": interview_cache.ref,
        "pool_finished": interview_cache.finished,
        "pool_generated": interview_cache.generated,
        "pool_parallel": interview_cache.parallel,
        "pool_preempt": interview_cache.preempt,
        "pool_cliff": interview_cache.cliff,
        "work_prompt": interview_cache.time_in_front,
        "work_change": interview_work.change,
        "work_think": interview_work.thinking,
        "work_tenant": interview_cache.tenants,
        "work_route": interview_work.route,
        "work_price": interview_work.price,
        "work_speed": interview_work.speed,
        "work_metric": interview_work.metric,
        "scale_chunked": interview_scale.chunked,
        "scale_disagg": interview_scale.disagg,
        "scale_tiers": interview_scale.tiers,
        "scale_tensor": interview_scale.tensor,
        "scale_spec": interview_scale.speculative,
        "scale_cascade": interview_scale.cascade,
        "scale_window": interview_scale.window,
        "scale_closed": interview_scale.closed,
        "wrong_prompt": interview_cache.generated,
        "wrong_linear": interview_inside.kv_what,
        "wrong_full": interview_cache.exact,
        "wrong_decode": interview_work.decode_same,
        "true_block": interview_cache.one_block,
        "true_step": interview_cache.parallel,
        "true_more": interview_cache.exact,
        "true_double": interview_cache.block_size,
        "true_own": interview_cache.own_tail,
        "true_again": interview_cache.preempt,
        "true_length": interview_work.speed,
        "true_zero": interview_cache.finished,
    }
)
