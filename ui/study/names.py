"""The questions and the wrong answers of chapter 12 by name, in order.

A card's number in a link is its place in ``QUESTIONS``: new questions go to the end of the last theme.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

THEMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "kv": (
            *("kv_what", "kv_q", "kv_size", "kv_slow", "kv_memory", "kv_paged", "kv_phases", "kv_heads"),
            "kv_sampling",
        ),
        "match": (
            *("match_prefix", "match_chain", "match_exact", "match_verify", "match_key", "match_size"),
            "match_radix",
        ),
        "pool": (
            *("pool_evict", "pool_ref", "pool_finished", "pool_generated", "pool_parallel", "pool_preempt"),
            "pool_cliff",
        ),
        "work": (
            *("work_four", "work_prompt", "work_change", "work_think", "work_tenant", "work_route"),
            *("work_low", "work_price", "work_speed", "work_metric"),
        ),
    }
)
QUESTIONS = tuple(name for names in THEMES.values() for name in names)
WRONG = (
    *("wrong_radix", "wrong_merge", "wrong_prompt", "wrong_linear", "wrong_full", "wrong_copy", "wrong_page"),
    *("wrong_decode", "wrong_output", "wrong_stored", "wrong_units"),
)
