"""What every backend can do: compute what a plan asks for, decode one token, verify itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.backends.plan import Plan
from core.backends.spec import DecoderSpec
from core.types import BlockId

Floats = NDArray[np.float32]

LIMIT = 1e-4
"""fp32 logits of one model computed along two ways differ by less than this."""


@dataclass(frozen=True, slots=True, eq=False)
class PrefillResult:
    """One forward pass. ``logits`` are those of the last token, shape [vocabulary] (None: simulated).

    ``cpu_s`` is the time of the computing thread; None where the CPU does not do the work. ``faults``
    counts how often the operating system had to hand it memory (page faults); None where that is not told.
    """

    logits: Floats | None
    num_computed: int
    flops: float
    wall_s: float
    cpu_s: float | None
    faults: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two computations of the same thing lie apart."""

    max_abs: float
    bitwise: bool
    same_argmax: bool

    @property
    def equal(self) -> bool:
        """Equal for every purpose: the same token comes out, and the numbers agree within ``LIMIT``."""
        return self.same_argmax and self.max_abs <= LIMIT

    def to_json(self) -> dict[str, Any]:
        """For results that are kept."""
        return {"max_abs": self.max_abs, "bitwise": self.bitwise, "same_argmax": self.same_argmax}


def compare(one: Floats, other: Floats) -> Difference:
    """Two rows of logits. A NaN on either side is infinitely far away: it must never look like agreement."""
    apart = np.abs(one - other)
    max_abs = float(apart.max()) if np.isfinite(apart).all() else float("inf")
    return Difference(max_abs, bool(np.array_equal(one, other)), int(one.argmax()) == int(other.argmax()))


class PrefillBackend(Protocol):
    """Computes over the engine's block tables. One per run, never shared between visitors.

    The K/V of a token lies in block ``table[position // block_size]`` at ``position % block_size``.
    """

    @property
    def name(self) -> str:
        """Which implementation this is: ``simulated``, ``numpy`` or ``torch``."""
        ...

    @property
    def spec(self) -> DecoderSpec:
        """The decoder's shape."""
        ...

    def reserve(self, num_blocks: int, block_size: int) -> None:
        """A new, empty pool of blocks (block 0, the null block, included). Everything in the old one goes."""
        ...

    def prefill(self, plan: Plan) -> PrefillResult:
        """Compute the plan's new tokens. Writes their K/V, reads that of the cached ones; doing it twice
        changes nothing."""
        ...

    def decode(self, token_id: int, position: int, block_table: Sequence[BlockId]) -> PrefillResult:
        """Compute one token at ``position``; the K/V of all before it stand in the table's blocks."""
        ...

    def verify(self, plan: Plan) -> Difference:
        """Compute the plan again, and all its tokens from the first one in blocks of its own: how far do
        the logits lie apart? Must come before a later plan takes one of the plan's blocks."""
        ...
