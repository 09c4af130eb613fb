"""The simulated backend: modelled seconds instead of a clock, symbols instead of K/V.

The K/V of a token is a function of all tokens up to it. Here it *is* the hash of all tokens up to it, so
``verify`` can say whether a plan reads exactly what it would have computed, without any arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from xxhash import xxh3_64_intdigest

from core.backends.base import Difference, PrefillResult
from core.backends.plan import Plan
from core.backends.spec import DecoderSpec
from core.cost import CostModel
from core.types import BlockId

_EMPTY = -1  # no hash is negative


class Times(Protocol):
    """Seconds of a forward pass on an otherwise idle device; ``core.cost.CostModel`` is one."""

    def prefill_s(self, num_new: int, num_cached: int = 0) -> float:
        """Seconds to compute ``num_new`` tokens behind ``num_cached`` ones."""
        ...

    def decode_s(self, contexts: Iterable[int]) -> float:
        """Seconds of one step in which each of these contexts gains a token."""
        ...


def simulated(cost: CostModel) -> SimulatedBackend:
    """The backend for a modelled GPU. FLOPs count a dense decoder of the model's dimensions."""
    model = cost.model
    spec = DecoderSpec(
        name=model.name,
        vocab_size=model.vocab,
        hidden=model.hidden,
        num_layers=model.num_layers,
        num_heads=model.num_heads,
        num_kv_heads=model.num_kv_heads,
        head_dim=model.head_dim,
        ffn=model.ffn,
        tied_head=model.tied,
        folds_tokens=True,
    )
    return SimulatedBackend(spec, cost)


class SimulatedBackend:
    """Plans take modelled time; each slot of a block holds the hash of its token and all before it."""

    name = "simulated"

    def __init__(self, spec: DecoderSpec, times: Times) -> None:
        self.spec = spec
        self._times = times
        self._block_size = 1
        self._slots: list[int] = []

    def reserve(self, num_blocks: int, block_size: int) -> None:
        """A new, empty pool."""
        self._block_size = block_size
        self._slots = [_EMPTY] * (num_blocks * block_size)

    def prefill(self, plan: Plan) -> PrefillResult:
        """Write the new tokens' symbols; the time is the model's. O(tokens)."""
        prefix = _EMPTY
        for position, token in enumerate(plan.token_ids):
            prefix = _extend(prefix, token)
            if position >= plan.num_cached:
                self._slots[self._slot(plan.block_table, position)] = prefix
        return self._result(
            plan.num_new, plan.num_cached, self._times.prefill_s(plan.num_new, plan.num_cached)
        )

    def decode(self, token_id: int, position: int, block_table: Sequence[BlockId]) -> PrefillResult:
        """Write one token's symbol behind the one before it, whatever that is."""
        before = self._slots[self._slot(block_table, position - 1)] if position else _EMPTY
        self._slots[self._slot(block_table, position)] = _extend(before, token_id)
        return self._result(1, position, self._times.decode_s([position]))

    def verify(self, plan: Plan) -> Difference:
        """Whether every cached slot holds the symbol that the plan's own tokens give."""
        prefix, wrong = _EMPTY, 0
        for position, token in enumerate(plan.token_ids):
            prefix = _extend(prefix, token)
            wrong += self._slots[self._slot(plan.block_table, position)] != prefix
        return Difference(math.inf if wrong else 0.0, wrong == 0, wrong == 0)

    def _slot(self, block_table: Sequence[BlockId], position: int) -> int:
        return block_table[position // self._block_size] * self._block_size + position % self._block_size

    def _result(self, num_new: int, num_cached: int, seconds: float) -> PrefillResult:
        return PrefillResult(None, num_new, self.spec.prefill_flops(num_new, num_cached), seconds, None)


def _extend(prefix: int, token: int) -> int:
    return xxh3_64_intdigest(prefix.to_bytes(9, "little", signed=True) + token.to_bytes(4, "little"))
