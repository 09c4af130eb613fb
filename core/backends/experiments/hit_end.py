"""Why a hit of a conversation ends where it ends: read off the earlier sequences and what the engine said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.backends.models.chat_template import Messages
from core.backends.models.tokenizer import ModelTokenizer

Reason = Literal["empty", "all", "inside", "other_ids", "rewritten", "changed", "evicted"]
_SHOWN = 4
"""Tokens of either side that are shown where they part."""


@dataclass(frozen=True, slots=True)
class Held:
    """One sequence whose K/V the cache has seen: ``token_ids`` of prompt and answer, and the conversation
    they stand for, answer included."""

    token_ids: tuple[int, ...]
    messages: Messages


@dataclass(frozen=True, slots=True)
class HitEnd:
    """``num_shared`` tokens are those of an earlier sequence; the hit covers the full blocks of them.

    ``empty``: there was no earlier sequence. ``all``: the earlier one is shared to its end. ``inside``:
    this prompt is the beginning of it. ``changed``: somebody changed an earlier message. Where all earlier
    messages are as they were: ``other_ids``, the text goes on as it did, and read again it is cut into other
    tokens; ``rewritten``, the template writes the same conversation as another text. ``evicted``: the
    tokens are shared, but some of their blocks had to make room.
    ``was`` and ``now``: the texts of the tokens from where the sequences part.
    """

    reason: Reason
    num_shared: int = 0
    was: tuple[str, ...] = ()
    now: tuple[str, ...] = ()


def hit_end(
    held: Sequence[Held],
    token_ids: tuple[int, ...],
    messages: Messages,
    hit: tuple[int, int],
    tokenizer: ModelTokenizer,
) -> HitEnd:
    """``hit`` is the engine's (tokens, and a block's size); ``messages`` is what ``token_ids`` stand for."""
    hit_tokens, block_size = hit
    if not held:
        return HitEnd("empty")
    best = max(held, key=lambda one: (num_shared(one.token_ids, token_ids), len(one.token_ids)))
    shared = num_shared(best.token_ids, token_ids)
    if hit_tokens < min(shared, len(token_ids) - 1) // block_size * block_size:
        return HitEnd("evicted", shared)
    if shared == len(token_ids):
        return HitEnd("inside", shared)
    if shared == len(best.token_ids):
        return HitEnd("all", shared)
    was, now = (tuple(tokenizer.texts(ids[shared:])) for ids in (best.token_ids, token_ids))
    return HitEnd(_parted(was, now, best.messages, messages), shared, was[:_SHOWN], now[:_SHOWN])


def num_shared(one: Sequence[object], other: Sequence[object]) -> int:
    """How much two sequences have in common from the beginning."""
    places = enumerate(zip(one, other, strict=False))
    return next((place for place, pair in places if pair[0] != pair[1]), min(len(one), len(other)))


def _parted(was: tuple[str, ...], now: tuple[str, ...], before: Messages, messages: Messages) -> Reason:
    if messages[: len(before)] != before:
        return "changed"  # first: a changed word can begin like the one before it, as a model's may
    before_text, now_text = "".join(was), "".join(now)
    same = num_shared(before_text, now_text)
    goes_on = same == len(before_text) or same >= max(len(was[0]), len(now[0]))
    return "other_ids" if goes_on else "rewritten"
