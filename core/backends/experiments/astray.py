"""The text that quietly goes astray: a real model answers over blocks reused behind a changed beginning.

The prompt changes by a word near its beginning, and every block after the change is taken by its content
alone. Nothing crashes; the model answers for a prompt that nobody sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.backends.decoders.loader import Model
from core.backends.experiments.breaks import (
    HandTables,
    LayerError,
    LogitsError,
    layer_errors,
    logits_error,
)
from core.backends.experiments.generate import generate
from core.backends.plan import Plan
from core.errors import BackendError


@dataclass(frozen=True, slots=True)
class Astray:
    """Three answers. ``honest``: everything computed. ``broken``: the blocks after the change reused from the
    other prompt. ``other``: what that other prompt is answered. ``diverges_at`` counts tokens from 1."""

    honest: str
    broken: str
    other: str
    diverges_at: int | None
    reused_tokens: int
    num_tokens: int
    logits: LogitsError
    layers: tuple[LayerError, ...]


def answers_astray(
    model: Model, prompt: str, other_prompt: str, *, max_tokens: int = 32, block_size: int = 16
) -> Astray:
    """Answer ``prompt`` with blocks cached for ``other_prompt``; both must have equally many tokens. For a
    chat, build both with ``model.chat_format.prompt``.

    Raises:
        BackendError: the model has no tokenizer, or the two prompts differ in length.
    """
    tokenizer = model.readable()
    tokens, donor = tuple(tokenizer.encode(prompt)), tuple(tokenizer.encode(other_prompt))
    if len(tokens) != len(donor):
        raise BackendError(
            "backend.lengths",
            f"The two prompts have {len(tokens)} and {len(donor)} tokens; they need equally many, or every "
            "position would be off as well. Add or remove a word.",
            one=len(tokens),
            other=len(donor),
        )
    backend = model.backend()
    hand = HandTables(backend, 3 * (len(tokens) + max_tokens), block_size)
    first, last = _reusable(tokens, donor, block_size)
    donor_table = hand.compute(donor, max_tokens)
    honest_table = hand.compute(tokens, max_tokens)
    broken_table = hand.force(tokens, first, donor_table[first:last], max_tokens)
    logits, texts, ids = [], [], []
    # The donor's answer comes last: it decodes behind the blocks that the broken request reads.
    for request, table, cached in (
        (tokens, honest_table, 0),
        (tokens, broken_table, last * block_size),
        (donor, donor_table, 0),
    ):
        result = backend.prefill(Plan("story", request, table, cached)).logits
        assert result is not None
        logits.append(result)
        ids.append(generate(backend, result, len(request), table, max_tokens, model.stop_ids))
        texts.append(tokenizer.decode(ids[-1]))
    return Astray(
        honest=texts[0],
        broken=texts[1],
        other=texts[2],
        diverges_at=_first_difference(ids[0], ids[1]),
        reused_tokens=(last - first) * block_size,
        num_tokens=len(tokens),
        logits=logits_error(logits[0], logits[1]),
        layers=layer_errors(backend, broken_table, honest_table, first * block_size, last * block_size),
    )


def _reusable(tokens: Sequence[int], donor: Sequence[int], block_size: int) -> tuple[int, int]:
    """Blocks after the last difference, as (first, one past the last); the last token is always computed."""
    changed = [place for place, pair in enumerate(zip(tokens, donor, strict=True)) if pair[0] != pair[1]]
    first = changed[-1] // block_size + 1 if changed else 0
    return first, max(first, (len(tokens) - 1) // block_size)


def _first_difference(one: Sequence[int], other: Sequence[int]) -> int | None:
    """The first token, counted from 1, at which two answers part; None if they are the same."""
    if list(one) == list(other):
        return None
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same + 1
