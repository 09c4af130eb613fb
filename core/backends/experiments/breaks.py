"""Why a block cannot be reused after a break: force it, and see what comes out.

The K/V of a token depends on every token before it. In layer 0 they do not: there K and V come from the
token and its position alone, so a block reused behind another beginning is exactly right in layer 0 and
wrong in every layer above. The engine never does this; here block tables are written by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from core.backends.base import Difference, Floats, compare
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.plan import Plan

Backend = DecoderBackend[Any]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LayerError:
    """Relative error of the reused K and V in one layer: 0 is exact, 1 is as wrong as zeros would be."""

    layer: int
    key: float
    value: float


@dataclass(frozen=True, slots=True)
class LogitsError:
    """What wrong K/V do to the next token: ``kl`` is the Kullback-Leibler divergence in nats, ``relative``
    the error's length by the logits' own."""

    difference: Difference
    relative: float
    kl: float

    @property
    def flipped(self) -> bool:
        """Another token comes out."""
        return not self.difference.same_argmax


@dataclass(frozen=True, slots=True)
class BreakResult:
    """One request whose body was reused from a donor. ``legal`` is the same with the donor's own head."""

    reused_tokens: int
    moved_by: int
    layers: tuple[LayerError, ...]
    broken: LogitsError
    legal: LogitsError

    def to_json(self) -> Json:
        """For results that are kept."""
        return asdict(self)


def break_and_reuse(
    backend: Backend,
    head: Sequence[int],
    other_head: Sequence[int],
    body: Sequence[int],
    tail: Sequence[int],
    block_size: int = 16,
) -> BreakResult:
    """Compute ``head + body + tail`` with the body's blocks of a donor ``other_head + body``.

    Heads of equal length leave the positions right and the history wrong; another length moves the body as
    well. All whole blocks of the body are reused, head and tail are computed honestly.
    """
    tokens, donor = (*head, *body, *tail), (*other_head, *body)
    hand = HandTables(backend, len(tokens) + len(donor) + 2 * len(tokens) + len(tail), block_size)
    donor_table = hand.compute(donor)
    honest_table = hand.compute(tokens)
    honest = _logits(backend, Plan("honest", tokens, honest_table, 0))
    first = -(-len(head) // block_size)  # whole blocks of the body, as the request counts them
    last = (len(head) + len(body)) // block_size
    shift, uneven = divmod(len(other_head) - len(head), block_size)
    if uneven or last <= first:
        raise ValueError("the body must hold a whole block, and move by whole blocks if at all")
    forced_table = hand.force(tokens, first, donor_table[first + shift : last + shift])
    broken = _logits(backend, Plan("forced", tokens, forced_table, last * block_size))
    layers = layer_errors(backend, forced_table, honest_table, first * block_size, last * block_size)
    legal = (*other_head, *body, *tail)
    return BreakResult(
        reused_tokens=(last - first) * block_size,
        moved_by=len(head) - len(other_head),
        layers=layers,
        broken=logits_error(honest, broken),
        legal=_legal(backend, hand, legal, donor_table, len(donor) // block_size),
    )


class HandTables:
    """Block tables written by hand over a pool of one's own; blocks are never given back."""

    def __init__(self, backend: Backend, num_tokens: int, block_size: int) -> None:
        self._backend = backend
        self._block_size = block_size
        self._next = 1
        backend.reserve(num_tokens // block_size + 16, block_size)

    def take(self, count: int) -> tuple[int, ...]:
        """So many blocks that nobody has."""
        first, self._next = self._next, self._next + count
        return tuple(range(first, self._next))

    def blocks_of(self, num_tokens: int) -> int:
        """Blocks that so many tokens need."""
        return -(-num_tokens // self._block_size)

    def compute(self, tokens: Sequence[int], room: int = 0) -> tuple[int, ...]:
        """Compute all tokens honestly in new blocks, with room for more; their table."""
        table = self.take(self.blocks_of(len(tokens) + room))
        self._backend.prefill(Plan("hand", tuple(tokens), table, 0))
        return table

    def force(
        self, tokens: Sequence[int], first: int, reused: Sequence[int], room: int = 0
    ) -> tuple[int, ...]:
        """A table for ``tokens`` whose blocks from ``first`` on are the ``reused`` ones. What stands before
        them is computed; what comes after is not yet."""
        table = list(self.take(self.blocks_of(len(tokens) + room)))
        table[first : first + len(reused)] = reused
        if first:
            self._backend.prefill(Plan("hand", tuple(tokens[: first * self._block_size]), tuple(table), 0))
        return tuple(table)


def _legal(
    backend: Backend, hand: HandTables, tokens: tuple[int, ...], donor_table: Sequence[int], num_blocks: int
) -> LogitsError:
    """The same request behind the donor's own head: reuse from the first block on."""
    size = len(tokens)
    table = (*donor_table[:num_blocks], *hand.take(hand.blocks_of(size) - num_blocks))
    cached = num_blocks * hand._block_size
    reused = _logits(backend, Plan("legal", tokens, table, cached))
    recomputed = backend.recompute(tokens).logits
    assert recomputed is not None
    return logits_error(recomputed, reused)


def layer_errors(
    backend: Backend, table: Sequence[int], honest: Sequence[int], first: int, last: int
) -> tuple[LayerError, ...]:
    """Relative error of K and V of the tokens ``first`` … ``last - 1``, layer by layer."""
    keys, values = backend.kv(table, last)
    true_keys, true_values = backend.kv(honest, last)
    return tuple(
        LayerError(
            layer,
            _relative(true_keys[layer, first:], keys[layer, first:]),
            _relative(true_values[layer, first:], values[layer, first:]),
        )
        for layer in range(backend.spec.num_layers)
    )


def logits_error(honest: Floats, other: Floats) -> LogitsError:
    """How far the next token's logits went astray."""
    return LogitsError(compare(honest, other), _relative(honest, other), _kl(honest, other))


def _relative(true: Floats, other: Floats) -> float:
    return float(np.linalg.norm(other - true) / np.linalg.norm(true))


def _kl(true: Floats, other: Floats) -> float:
    """Of the softmax of both, in nats; never below 0, whatever rounding says."""
    log_true, log_other = _log_softmax(true), _log_softmax(other)
    return max(0.0, float((np.exp(log_true) * (log_true - log_other)).sum()))


def _log_softmax(logits: Floats) -> np.ndarray[Any, np.dtype[np.float64]]:
    wide = logits.astype(np.float64) - float(logits.max())
    logs: np.ndarray[Any, np.dtype[np.float64]] = wide - np.log(np.exp(wide).sum())
    return logs


def _logits(backend: Backend, plan: Plan) -> Floats:
    logits = backend.prefill(plan).logits
    assert logits is not None
    return logits
