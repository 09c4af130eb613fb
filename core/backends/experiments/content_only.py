"""A cache that hashes each block by its own tokens alone, whatever stands before it. It hits more, and lies.

Requests ask a question about a few documents put together in any order. The engine's chained hashes find a
shared beginning and nothing else; a content-only table finds every document wherever it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.backends.base import LIMIT, Difference, compare
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.experiments.bench import Bench
from core.backends.experiments.report import Json, Report, report, worst
from core.backends.plan import Plan
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress, stopped

Backend = DecoderBackend[Any]
Tokens = tuple[int, ...]


class ContentOnlyCache:
    """Block content -> block, wherever the content stood. Never evicts; made for this lesson only."""

    def __init__(self, backend: Backend, num_blocks: int, block_size: int) -> None:
        self._backend = backend
        self._block_size = block_size
        self._block_of: dict[Tokens, int] = {}
        self._next = 1
        backend.reserve(num_blocks, block_size)

    def serve(self, tokens: Tokens) -> tuple[int, Difference]:
        """Reused tokens, and the logits beside those of a computation without any cache.

        Blocks that are not known are computed where they stand, in order; the last token always is.
        """
        size = self._block_size
        contents = [tokens[i : i + size] for i in range(0, len(tokens), size)]
        known = [self._block_of.get(content) for content in contents[:-1]] + [None]
        table = tuple(self._take() if block is None else block for block in known)
        logits = None
        for first, last in _runs(known):
            stop = min(last * size, len(tokens))
            logits = self._backend.prefill(Plan("content", tokens[:stop], table, first * size)).logits
        recomputed = self._backend.recompute(tokens).logits
        assert logits is not None
        assert recomputed is not None
        for content, block in zip(contents, table, strict=True):
            if len(content) == size:
                self._block_of.setdefault(content, block)
        return size * sum(block is not None for block in known), compare(recomputed, logits)

    def _take(self) -> int:
        self._next += 1
        return self._next - 1


def _runs(known: Sequence[int | None]) -> list[tuple[int, int]]:
    """Unknown blocks as runs (first, one past the last)."""
    edges = [0, *(index for index in range(1, len(known)) if _new(known[index]) != _new(known[index - 1]))]
    runs = zip(edges, [*edges[1:], len(known)], strict=True)
    return [(first, last) for first, last in runs if _new(known[first])]


def _new(block: int | None) -> bool:
    return block is None


def shuffled_documents(
    backend: Backend,
    *,
    requests: int = 40,
    documents: int = 6,
    document_tokens: int = 64,
    chosen: int = 3,
    system_tokens: int = 128,
    question_tokens: int = 20,
    block_size: int = 16,
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """The same requests through the engine and through a content-only cache: hit rate and wrong answers."""
    prompts = _prompts(
        backend, requests, documents, document_tokens, chosen, system_tokens, question_tokens, seed
    )
    longest = max(map(len, prompts)) // block_size + 1
    rows: list[Json] = []
    for side in ("chained", "content"):
        if side == "chained":
            serve = _chained(Bench(backend, requests * longest + 1, block_size, seed))
        else:
            serve = ContentOnlyCache(backend, requests * longest + 1, block_size).serve
        found = []
        for number, prompt in enumerate(prompts):
            if cancelled():
                raise stopped()
            found.append(serve(prompt))
            progress((len(rows) + (number + 1) / requests) / 2)
        rows.append({"side": side, **_row(found, sum(map(len, prompts)))})
    settings = {
        "requests": requests,
        "documents": documents,
        "document_tokens": document_tokens,
        "chosen": chosen,
        "system_tokens": system_tokens,
        "question_tokens": question_tokens,
        "block_size": block_size,
        "seed": seed,
        "limit": LIMIT,
    }
    return report("documents", backend, settings, rows)


def _chained(bench: Bench) -> Any:
    def serve(tokens: Tokens) -> tuple[int, Difference]:
        request_id, plan = bench.plan(tokens)
        difference = bench.backend.verify(plan)
        bench.engine.free(request_id)
        return plan.num_cached, difference

    return serve


def _prompts(
    backend: Backend,
    requests: int,
    documents: int,
    document_tokens: int,
    chosen: int,
    system_tokens: int,
    question_tokens: int,
    seed: int,
) -> list[Tokens]:
    """System prompt, ``chosen`` of the documents in any order, a question of one's own."""
    dice = np.random.default_rng(seed)

    def words(count: int) -> list[int]:
        drawn: list[int] = dice.integers(0, backend.spec.vocab_size, count).tolist()
        return drawn

    system, texts = words(system_tokens), [words(document_tokens) for _ in range(documents)]
    prompts = []
    for _ in range(requests):
        picked = dice.permutation(documents)[:chosen]
        body = [token for index in picked for token in texts[index]]
        prompts.append((*system, *body, *words(question_tokens)))
    return prompts


def _row(found: Sequence[tuple[int, Difference]], num_tokens: int) -> Json:
    differences = [difference for _, difference in found]
    return {
        "hit_rate": sum(hit for hit, _ in found) / num_tokens,
        "wrong": sum(not difference.equal for difference in differences),
        "flipped": sum(not difference.same_argmax for difference in differences),
        "requests": len(found),
        "max_abs": worst(differences).max_abs,
    }
