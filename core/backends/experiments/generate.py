"""Greedy decoding over a block table: always the likeliest token, so the same K/V give the same text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.backends.base import Floats
from core.backends.decoders.decoder_backend import DecoderBackend


def generate(
    backend: DecoderBackend[Any],
    logits: Floats,
    position: int,
    block_table: Sequence[int],
    max_tokens: int,
    stop_ids: frozenset[int] = frozenset(),
) -> list[int]:
    """Tokens that follow, at ``position`` and after; the table must have room for them."""
    answer: list[int] = []
    while len(answer) < max_tokens:
        token = int(logits.argmax())
        if token in stop_ids:
            break
        answer.append(token)
        if len(answer) < max_tokens:
            result = backend.decode(token, position, block_table)
            assert result.logits is not None
            logits, position = result.logits, position + 1
    return answer
