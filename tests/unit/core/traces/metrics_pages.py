"""Makes scrapes of engines whose true counts are known: names of several ages, restarts, junk."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

FAMILIES = {
    "vllm": ("vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total"),
    "vllm without suffix": ("vllm:prefix_cache_queries", "vllm:prefix_cache_hits"),
    "old vllm": ("vllm:gpu_prefix_cache_queries_total", "vllm:gpu_prefix_cache_hits_total"),
    "renamed by a proxy": ("vllm_prefix_cache_queries_total", "vllm_prefix_cache_hits_total"),
    "sglang": ("sglang:prompt_tokens_total", "sglang:cached_tokens_total"),
    "lmcache": ("lmcache:num_requested_tokens_total", "lmcache:num_hit_tokens_total"),
    "tensorrt": ("trtllm_prompt_tokens_total", "trtllm_prompt_cached_tokens_total"),
}
JUNK = (
    "# HELP vllm:e2e_request_latency_seconds x",
    'vllm:e2e_request_latency_seconds_bucket{engine="0",le="+Inf"} 12 # {trace_id="a b"} 0.28 1770000000.1',
    'go_gc_duration_seconds{quantile="0.5"} NaN',
    "not a sample at all",
    'broken{label="never closed 3',
    'vllm:some_future_metric{x="}"} 1e400',
    "  % Total    % Received % Xferd",
    "",
)


@dataclass
class Truth:
    """Per engine what this run asked for and found, and how often it began anew."""

    queries: dict[str, int] = field(default_factory=dict)
    hits: dict[str, int] = field(default_factory=dict)
    restarts: dict[str, int] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        return sum(self.hits.values()) / sum(self.queries.values())


def run(
    dice: random.Random, names: tuple[str, str], engines: Sequence[str], scrapes: int, restarts: bool = True
) -> tuple[list[list[tuple[str, str, int]]], Truth]:
    """Per scrape (metric, engine, value) of every engine; and what is true of the time in between."""
    truth = Truth()
    now = {engine: [dice.randrange(1000, 90000), 0] for engine in engines}
    for counts in now.values():
        counts[1] = dice.randrange(counts[0])
    pages = []
    for number in range(scrapes):
        for engine, counts in now.items():
            asked = dice.randrange(1, 5000)
            found = dice.randrange(asked + 1)
            if number and restarts and dice.random() < 0.15 and counts[0] > asked:
                counts[:] = [0, 0]
                truth.restarts[engine] = truth.restarts.get(engine, 0) + 1
            if number:
                counts[0] += asked
                counts[1] += found
                truth.queries[engine] = truth.queries.get(engine, 0) + asked
                truth.hits[engine] = truth.hits.get(engine, 0) + found
        pages.append(
            [(name, engine, now[engine][place]) for engine in engines for place, name in enumerate(names)]
        )
    return pages, truth


def page(
    dice: random.Random, samples: Sequence[tuple[str, str, int]], time: str = "", shuffled: bool = False
) -> list[str]:
    """One scrape as lines, junk in between."""
    lines = []
    for name, engine, value in samples:
        labels = [f'engine="{engine}"', 'model_name="a/b \\"c\\" {d}"']
        dice.shuffle(labels)
        shown = dice.choice((f"{value}", f"{value}.0", f"{value:e}" if value < 10**6 else f"{value}"))
        lines.append(f"{name}{{{','.join(labels)}{dice.choice((',', ''))}}} {shown}{time}")
    lines += dice.sample(JUNK, dice.randrange(len(JUNK)))
    if shuffled:
        dice.shuffle(lines)
    return lines
