"""Why the prefix: a word of a prompt is changed, and all layers' K/V of all tokens held against the cache.

The first prompt is computed and stands in the cache. The second one, with another word, is computed from its
first token on: these K/V are the true ones. The error of a cell is how far the cached K (or V) of the same
token lies from them: what a reuse of that token would do. The engine says which blocks it really takes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.backends.base import Difference, Floats, compare
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.decoders.loader import Model
from core.backends.experiments.attention import (
    Weights,
    block_readers,
    block_shares,
    pack,
    shown_layers,
    watching,
)
from core.backends.experiments.hit_end import num_shared
from core.backends.experiments.report import Json, Report, report
from core.backends.plan import Plan, PlanReader
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress, stopped
from core.engine.engine import Engine
from core.errors import BackendError
from core.types import EngineConfig, Request

MOST_TOKENS = 160
"""A picture of more has cells that nobody sees."""
MOST_HEADS = 16
"""Of a layer; beyond, the picture's file grows and nobody looks through them."""

PROMPT = (
    "You are the cook of a small noodle shop. You answer in one or two short sentences. You are "
    "friendly, and you never talk about anything but food. Our broth is made from beef bones and "
    "simmers for eight hours. When a guest asks for a dish, you say what is in it. When a guest asks "
    "for the price, you say: five coins. Guest: What is in the noodle soup? Cook:"
)
WORD, INSTEAD = "beef", "fish"


@dataclass(frozen=True, slots=True)
class Span:
    """Where two prompts differ: tokens ``first`` … ``old_stop - 1`` of the old one became ``first`` …
    ``new_stop - 1`` of the new one. All before and all behind are the same."""

    first: int
    old_stop: int
    new_stop: int


def difference_of(old: Sequence[int], new: Sequence[int]) -> Span:
    """The shortest stretch that, replaced, makes one prompt of the other."""
    shorter = min(len(old), len(new))
    first = num_shared(old, new)
    behind = 0
    while behind < shorter - first and old[-1 - behind] == new[-1 - behind]:
        behind += 1
    return Span(first, len(old) - behind, len(new) - behind)


def with_another_word(prompt: str, word: str, instead: str) -> str:
    """The prompt with the first ``word`` replaced; whole words first, else wherever the letters stand.

    Raises:
        BackendError: the word is not in the prompt, or nothing changes.
    """
    places = [re.search(rf"(?<!\w){re.escape(word)}(?!\w)", prompt), re.search(re.escape(word), prompt)]
    place = next((found for found in places if found and word), None)
    if place is None:
        message = f'The prompt has no "{word}". Name a word that stands in it.'
        raise BackendError("backend.no_word", message, word=word)
    if word == instead:
        raise BackendError("backend.same_word", "Both words are the same. Put another one in its place.")
    return prompt[: place.start()] + instead + prompt[place.end() :]


def tokens_of(model: Model, prompt: str) -> tuple[list[int], list[str]]:
    """Ids and texts of a prompt's tokens. A model with random weights reads nothing: each word is a token.

    Raises:
        BackendError: the model cannot read texts.
    """
    if model.spec.folds_tokens and model.tokenizer is None:
        words = re.findall(r"\s*\S+", prompt)
        return [zlib.crc32(word.strip().encode()) for word in words], words
    tokenizer = model.readable()
    ids = list(tokenizer.encode(prompt))
    return ids, tokenizer.texts(ids)


def why_prefix(
    model: Model,
    *,
    prompt: str = PROMPT,
    word: str = WORD,
    instead: str = INSTEAD,
    block_size: int = 16,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """Change one word, and see which K/V of the cache are still right.

    Rows: one a token of the new prompt, with the relative error of the cached K and V of the same token in
    every layer (None: the token is new). Summary: attention of some layers, and what the engine reused.

    Raises:
        BackendError: no such word, too many tokens, a model that cannot read texts, or it was stopped.
    """
    other = with_another_word(prompt, word, instead)
    old, _ = tokens_of(model, prompt)
    new, texts = tokens_of(model, other)
    _refuse_many(max(len(old), len(new)), min(MOST_TOKENS, model.spec.max_positions))
    span = difference_of(old, new)
    found = _Computed(model.backend(), block_size)
    found.compute(old, new, progress, cancelled)
    settings = {
        "prompt": prompt,
        "other_prompt": other,
        "block_size": block_size,
        "reads": model.tokenizer is not None,
        "kv_bytes_per_token": model.spec.kv_bytes_per_token(),
        "changed": [span.first, span.new_stop],
        "moved_by": len(new) - len(old),
    }
    rows = _rows(texts, span, found)
    return report("prefix", found.backend, settings, rows, summary=_summary(found))


def _refuse_many(count: int, limit: int) -> None:
    if count > limit:
        raise BackendError(
            "backend.too_long",
            f"{count} tokens are more than fit here ({limit}). Shorten the prompt.",
            count=count,
            limit=limit,
        )


class _Computed:
    """Both prompts through one engine, and the second once more without any cache."""

    plan: Plan
    cached_plan: Plan
    cached: tuple[Floats, Floats]
    true: tuple[Floats, Floats]
    weights: Weights
    equality: Difference

    def __init__(self, backend: DecoderBackend[Any], block_size: int) -> None:
        self.backend = backend
        self.block_size = block_size

    def compute(
        self, old: Sequence[int], new: Sequence[int], progress: Progress, cancelled: Cancelled
    ) -> None:
        """Three passes: the old prompt, the new one honestly (watched), the new one over the cache."""
        need = -(-max(len(old), len(new)) // self.block_size)
        config = EngineConfig(block_size=self.block_size, num_blocks=2 * need + 1)
        self.backend.reserve(config.num_blocks + need, self.block_size)
        reader = PlanReader()
        engine = Engine(config, reader)
        engine.start(Request("old", tuple(old)))
        (self.cached_plan,) = reader.take()
        self.backend.prefill(self.cached_plan)
        self.cached = self.backend.kv(self.cached_plan.block_table, len(old))
        _go_on(1 / 3, progress, cancelled)
        engine.free("old")
        engine.start(Request("new", tuple(new)))
        (self.plan,) = reader.take()
        honest = tuple(range(config.num_blocks, config.num_blocks + need))  # blocks that the engine has not
        with watching(self.backend, shown_layers(self.backend.spec.num_layers)) as self.weights:
            expected = self.backend.prefill(Plan("honest", tuple(new), honest, 0)).logits
        self.true = self.backend.kv(honest, len(new))
        _go_on(2 / 3, progress, cancelled)
        over_cache = self.backend.prefill(self.plan).logits
        assert expected is not None
        assert over_cache is not None
        self.equality = compare(expected, over_cache)
        _go_on(1.0, progress, cancelled)


def _go_on(fraction: float, progress: Progress, cancelled: Cancelled) -> None:
    if cancelled():
        raise stopped()
    progress(fraction)


def _rows(texts: Sequence[str], span: Span, found: _Computed) -> list[Json]:
    back = span.new_stop - span.old_stop
    rows: list[Json] = []
    for position, text in enumerate(texts):
        new = span.first <= position < span.new_stop
        was = None if new else position if position < span.first else position - back
        errors = [
            None if was is None else _relative(true[:, position], cached[:, was])
            for true, cached in zip(found.true, found.cached, strict=True)
        ]
        block = position // found.block_size
        rows.append({"position": position, "text": text, "block": block, "was_at": was})
        rows[-1] |= {"key": errors[0], "value": errors[1], "hit": position < found.plan.num_cached}
    return rows


def _relative(true: Floats, cached: Floats) -> list[float]:
    """By layer, of all heads together: ``|cached − true| ÷ |true|``; shape of both [layers, k, d]."""
    axes = (1, 2)
    apart = np.sqrt(((cached - true).astype(np.float64) ** 2).sum(axes))
    size = np.sqrt((true.astype(np.float64) ** 2).sum(axes))
    return [float(f"{error:.3g}") for error in apart / size]


def _summary(found: _Computed) -> Json:
    size = found.block_size
    heads = {layer: weights[:MOST_HEADS] for layer, weights in found.weights.items()}
    return {
        "hit_tokens": found.plan.num_cached,
        "equality": found.equality.to_json(),  # the report's own would stand there before the bet
        "table": list(found.plan.block_table),
        "cached_table": list(found.cached_plan.block_table),
        "layers": list(heads),
        "num_heads": found.backend.spec.num_heads,
        "readers": block_readers(found.weights, size),
        "shares": {
            str(layer): [block_shares(head, size) for head in weights] for layer, weights in heads.items()
        },
        "attention": pack(heads, MOST_HEADS),
    }
