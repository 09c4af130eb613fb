"""The questions of chapter 12 by name, in order, with their levels; and what one hears, wrong or true.

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
        "scale": (
            *("scale_chunked", "scale_disagg", "scale_tiers", "scale_tensor", "scale_spec", "scale_cascade"),
            *("scale_window", "scale_closed"),
        ),
    }
)
QUESTIONS = tuple(name for names in THEMES.values() for name in names)
WRONG = (
    *("wrong_radix", "wrong_merge", "wrong_prompt", "wrong_linear", "wrong_full", "wrong_copy", "wrong_page"),
    *("wrong_decode", "wrong_output", "wrong_stored", "wrong_units"),
)
TRUE = (
    *("true_block", "true_step", "true_more", "true_double", "true_own", "true_again", "true_length"),
    *("true_read", "true_zero"),
)
CLAIMS: Mapping[str, bool] = MappingProxyType({name: name in TRUE for name in (*WRONG, *TRUE)})
"""What one hears, and whether it is true."""

LEVELS = ("junior", "engineer", "senior")
_JUNIOR = frozenset(
    {
        *("kv_what", "kv_q", "kv_memory", "kv_phases", "kv_sampling", "match_prefix", "pool_ref"),
        *("pool_finished", "work_four", "work_prompt", "work_change", "work_price"),
    }
)
_SENIOR = frozenset(
    {
        *("kv_paged", "match_verify", "match_radix", "pool_parallel", "pool_preempt", "work_tenant"),
        *("work_route", "work_speed", "scale_disagg", "scale_tensor", "scale_spec", "scale_cascade"),
        *("scale_window", "scale_closed"),
    }
)
LEVEL_OF: Mapping[str, str] = MappingProxyType(
    {name: "junior" if name in _JUNIOR else "senior" if name in _SENIOR else "engineer" for name in QUESTIONS}
)
"""Who is usually asked: somebody who explains it, works with it, or builds it."""
