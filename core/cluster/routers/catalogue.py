"""All policies by name, each with its product's defaults, for traffic whose prompts are tokens without a
text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from core.cluster.jobs import Job
from core.cluster.records import Floats
from core.cluster.router import Router
from core.cluster.routers.affinity import PrefixHash, SessionRing, Sticky
from core.cluster.routers.aibrix import AIBrixPrefix
from core.cluster.routers.dynamo import Dynamo
from core.cluster.routers.llm_d import Approximate, Precise
from core.cluster.routers.oracle import Oracle, TimeOracle
from core.cluster.routers.plain import LeastQueued, LeastRequest, PowerOfTwo, Random, RoundRobin
from core.cluster.routers.production_stack import PrefixAware
from core.cluster.routers.ray_serve import RayPrefix
from core.cluster.routers.sglang import SGR, SMG, CacheAware
from core.cluster.run import ClusterRun
from core.cost import TimeModel
from core.load.run import without_cache
from core.types import EngineConfig

CHARS_PER_TOKEN = 4
"""Of a text that is not there: about what English has in the usual vocabularies."""

Maker = Callable[[int, TimeModel], Router]

ROUTERS: Mapping[str, Maker] = MappingProxyType(
    {
        "round_robin": lambda seed, time_model: RoundRobin(),
        "random": lambda seed, time_model: Random(seed),
        "power_of_two": lambda seed, time_model: PowerOfTwo(seed),
        "least_request": lambda seed, time_model: LeastRequest(seed),
        "vllm_ranks": lambda seed, time_model: LeastQueued(),
        "session_ring": lambda seed, time_model: SessionRing(seed),
        "sticky": lambda seed, time_model: Sticky(seed),
        "prefix_hash": lambda seed, time_model: PrefixHash(),
        "sglang_old": lambda seed, time_model: CacheAware(
            SGR, first_of_equals=True, chars_per_unit=CHARS_PER_TOKEN
        ),
        "sglang": lambda seed, time_model: CacheAware(SMG, chars_per_unit=CHARS_PER_TOKEN),
        "production_stack": lambda seed, time_model: PrefixAware(seed, chars_per_unit=CHARS_PER_TOKEN),
        "ray": lambda seed, time_model: RayPrefix(seed),
        "aibrix": lambda seed, time_model: AIBrixPrefix(seed),
        "llm_d_approximate": lambda seed, time_model: Approximate(seed),
        "llm_d_precise": lambda seed, time_model: Precise(seed),
        "dynamo": lambda seed, time_model: Dynamo(seed),
        "oracle": lambda seed, time_model: Oracle(),
        "oracle_time": lambda seed, time_model: TimeOracle(time_model),
    }
)
"""From a name to what makes a fresh router: (seed, time model)."""


def plain_ttft(
    jobs: Sequence[Job],
    config: EngineConfig,
    time_model: TimeModel,
    num_workers: int,
    deaths: Sequence[tuple[float, int]] = (),
) -> Floats:
    """Each request's time to first token on as many workers without any cache, sent to the least loaded
    one: what ``Rates.delivered`` is measured against. Seconds, in the order of the jobs."""
    plain = without_cache(config)
    return (
        ClusterRun(jobs, plain, time_model, LeastRequest(), num_workers, deaths=deaths).finish().rows.ttft_s
    )
