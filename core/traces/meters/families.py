"""Which metric of which engine says what. One table; everything else is the same for all of them.

Source rule, names as the engines declare them (the client library adds `_total` to counters and a
`_created` sample beside each; proxies write `_` or `.` for the colon, so names are compared with `_`):

* vLLM: `vllm:prefix_cache_queries`, `…_hits` in tokens; `external_prefix_cache_*` for the store behind a KV
  connector, asked for what the own cache does not have; before 0.9 `gpu_prefix_cache_*`, and in V0 only the
  gauge `gpu_prefix_cache_hit_rate` (since the start, -1: off). `prompt_tokens_by_source` and
  `prompt_tokens_cached` tell the same of finished prompts. `kv_cache_usage_perc`, before
  `gpu_cache_usage_perc`, is a share of 1.
* SGLang (metrics_collector.py): `prompt_tokens` are whole prompts, `cached_tokens` the hits among them,
  since 2026 by `cache_source` (device, host, storage_…; "total" where the request did not say, so it is
  never added to the others); `realtime_tokens` by mode; the gauge `cache_hit_rate` is of the last prefill
  batch.
* LMCache (observability.py): tokens asked for and found, `num_requested_tokens`, `num_hit_tokens`; the same
  for look-ups, and with `lmcache_mp_` in the server of its own.
* llama.cpp: `prompt_tokens` are those computed; reused ones stand in `prompt_tokens_cached`, which builds
  before August 2026 do not have: they cannot tell.
* TensorRT-LLM (metrics/collector.py): `prompt_tokens`, `prompt_cached_tokens`, or blocks reused and missed.
* Dynamo's frontend sees the same requests as its workers; its router counts requests, each with a rate.
* TGI reports no hits at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.traces.engine_facts import Counts, Role, Window

Roles = tuple[str, ...]
"""To which fields of a `Reading` a sample adds."""


@dataclass(frozen=True, slots=True)
class By:
    """A metric whose samples mean different things, by one label; "" is a sample without that label."""

    label: str
    roles: Mapping[str, Roles]
    other: Roles = ()


Meaning = Roles | By
Way = Mapping[str, Meaning]
"""One way to count: metrics (without the family's prefix) that belong together."""


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of engine. `ways`: the better one first. `older`: names that say the same as newer ones."""

    name: str
    ways: tuple[Way, ...]
    older: tuple[tuple[str, str], ...] = ()
    gauge: str = ""
    window: Window | None = None
    usage: str = ""
    role: Role = "engine"
    counts: tuple[Counts, ...] = ("tokens",)

    def counts_of(self, way: int) -> Counts:
        """What the numbers of a way are."""
        return self.counts[min(way, len(self.counts) - 1)]


ASKED: Roles = ("queries",)
OWN: Roles = ("hits",)
ANY: Roles = ("any_hits",)
ASKED_AND_OWN: Roles = ("queries", "hits")
_EXTERNAL: Roles = ("external_hits",)
_SOURCES = By("cache_source", {"": OWN, "device": OWN, "total": ANY}, _EXTERNAL)

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        family.name: family
        for family in (
            Family(
                "vllm",
                (
                    {
                        "prefix_cache_queries": ASKED,
                        "prefix_cache_hits": OWN,
                        "external_prefix_cache_queries": ("external_queries",),
                        "external_prefix_cache_hits": _EXTERNAL,
                    },
                    {
                        "prompt_tokens_by_source": By(
                            "source",
                            {
                                "local_compute": ASKED,
                                "local_cache_hit": ASKED_AND_OWN,
                                "external_kv_transfer": ("queries", "external_hits"),
                            },
                        )
                    },
                    {"prompt_tokens": ASKED, "prompt_tokens_cached": ANY},
                ),
                (
                    ("gpu_prefix_cache_queries", "prefix_cache_queries"),
                    ("gpu_prefix_cache_hits", "prefix_cache_hits"),
                    ("gpu_cache_usage_perc", "kv_cache_usage_perc"),
                ),
                "gpu_prefix_cache_hit_rate",
                "since_start",
                "kv_cache_usage_perc",
            ),
            Family(
                "sglang",
                (
                    {"prompt_tokens": ASKED, "cached_tokens": _SOURCES},
                    {
                        "realtime_tokens": By(
                            "mode", {"prefill_compute": ASKED, "prefill_cache": ASKED_AND_OWN}
                        )
                    },
                ),
                (("token_usage", "full_token_usage"),),
                "cache_hit_rate",
                "last_batch",
                "full_token_usage",
            ),
            Family(
                "lmcache",
                (
                    {"num_requested_tokens": ASKED, "num_hit_tokens": OWN},
                    {"num_lookup_tokens": ASKED, "num_lookup_hits": OWN},
                    {"mp_lookup_requested_tokens": ASKED, "mp_lookup_hit_tokens": OWN},
                ),
                (),
                "retrieve_hit_rate",
                "since_last_log",
                role="store",
            ),
            Family(
                "llamacpp",
                ({"prompt_tokens": ASKED, "prompt_tokens_cached": ASKED_AND_OWN},),
                usage="kv_cache_usage_ratio",
            ),
            Family(
                "trtllm",
                (
                    {"prompt_tokens": ASKED, "prompt_cached_tokens": OWN},
                    {"kv_cache_reused_blocks": ASKED_AND_OWN, "kv_cache_missed_blocks": ASKED},
                ),
                (("prompt_tokens_cached", "prompt_cached_tokens"),),
                "kv_cache_hit_rate",
                "since_start",
                "kv_cache_utilization",
                counts=("tokens", "blocks"),
            ),
            Family(
                "dynamo",
                (
                    {"frontend_input_sequence_tokens_sum": ASKED, "frontend_cached_tokens_sum": ANY},
                    {"component_router_kv_hit_rate_count": ASKED, "component_router_kv_hit_rate_sum": ANY},
                ),
                role="frontend",
                counts=("tokens", "requests"),
            ),
            Family("tgi", ({"request_input_length_sum": ASKED},)),
        )
    }
)
