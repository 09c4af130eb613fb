"""One request while the engine works on it: its tokens, hashes and block table. Private to the write side."""

from __future__ import annotations

from array import array
from enum import Enum

from core.engine.hash_chain import HashChain, token_array
from core.types import BlockHash, BlockId, EngineConfig, Request, RequestId


class Status(Enum):
    """Where a request stands; a preempted one may wait in the queue or for a direct ``resume``."""

    WAITING = "waiting"
    RUNNING = "running"
    PREEMPTED = "preempted"


class Sequence:
    """The mutable twin of a ``Request``, as vLLM's is. All counts in tokens unless named otherwise.

    ``num_computed``: tokens scheduled so far, hits included (vLLM counts them when they are scheduled).
    ``num_reached``: the most of them that were ever really there; ``num_reused``: of the prompt, found and
    not computed. Neither falls when the request is preempted.
    ``num_stored``: full blocks already given to the cache, hits included. ``num_offered``: full blocks
    already counted as sightings; a preempted request does not count twice.
    """

    __slots__ = (
        "chain",
        "hit_tokens",
        "is_queued",
        "num_computed",
        "num_hit_blocks",
        "num_offered",
        "num_preemptions",
        "num_reached",
        "num_reused",
        "num_sampled",
        "num_stored",
        "outputs",
        "rank",
        "request",
        "status",
        "table",
        "tokens",
        "version",
    )

    def __init__(self, request: Request, version: str, config: EngineConfig) -> None:
        self.request = request
        self.tokens: array[int] = token_array(request.token_ids, request.request_id)
        self.outputs: array[int] = token_array(request.outputs, request.request_id)
        self.rank = (0, 0)  # order of waiting, smaller first: given by the scheduler as requests arrive
        self.status = Status.WAITING
        self.is_queued = False  # stands in the waiting queue; one started directly never does
        self.table: list[BlockId] = []
        self.hit_tokens: int | None = None  # of the first admission; a resume does not change it
        self.num_hit_blocks = 0  # of the current table
        self.num_computed = 0
        self.num_reached = 0
        self.num_reused = 0
        self.num_stored = 0
        self.num_offered = 0
        self.num_preemptions = 0
        self.num_sampled = 0
        self.use_version(version, config)

    def use_version(self, version: str, config: EngineConfig) -> None:
        """Hash everything anew under another version. Only for a request that holds no blocks."""
        self.version = version
        self.chain = HashChain(self.request, version, config.block_size, config.hash_name)
        self.num_offered = 0
        if config.enable_caching:
            self.chain.extend(self.tokens)

    @property
    def request_id(self) -> RequestId:
        """The request's id."""
        return self.request.request_id

    @property
    def hashes(self) -> list[BlockHash]:
        """Identities of all full blocks of the known tokens."""
        return self.chain.hashes

    @property
    def num_tokens(self) -> int:
        """Prompt plus sampled tokens."""
        return len(self.tokens)

    @property
    def num_uncomputed(self) -> int:
        """Tokens that still have to be scheduled."""
        return len(self.tokens) - self.num_computed
