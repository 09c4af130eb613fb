"""Colours and rows of the monitor's curves: one table for live strips, paused charts and map. Pure."""

from __future__ import annotations

from types import MappingProxyType

INKS = MappingProxyType(
    {
        "hit_rate": "hit",
        "hit_rate_window": "hit_edge",
        "hit_rate_total": "ink",
        "in_use": "others",
        "cached": "cached",
        "partial": "partial",
        "kept_out": "miss_soft",
        "empty": "bg",
        "evicted_per_s": "evict_edge",
        "expired_per_s": "line",
        **{f"{name}_with": "hit_edge" for name in ("ttft_p50", "ttft_p95", "throughput", "queue", "inside")},
        **{
            f"{name}_without": "miss_edge"
            for name in ("ttft_p50", "ttft_p95", "throughput", "queue", "inside")
        },
    }
)
"""For each curve the name of its colour in the palette."""

ROWS = MappingProxyType(
    {
        "hit": ("hit_rate", "hit_rate_window", "hit_rate_total"),
        "room": ("in_use", "cached", "partial", "kept_out", "empty"),
        "evict": ("evicted_per_s", "expired_per_s"),
        "ttft": ("ttft_p50_with", "ttft_p95_with", "ttft_p50_without", "ttft_p95_without"),
        "rate": ("throughput_with", "throughput_without"),
        "queue": ("queue_with", "queue_without", "inside_with", "inside_without"),
    }
)
"""The charts from top to bottom, and their curves."""

RARE = ("kept_out",)
"""Told only once there are some."""

FAINT = "hit_rate"
"""Of each bin alone: drawn behind the mean over a minute, with its gaps."""
