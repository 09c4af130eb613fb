"""The experiments of ``breaks.py`` and ``astray.py`` as reports: repeated, counted, kept."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.decoders.loader import Model
from core.backends.experiments.astray import answers_astray
from core.backends.experiments.breaks import BreakResult, break_and_reuse
from core.backends.experiments.report import Json, Report, report, worst
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress, stopped

Backend = DecoderBackend[Any]


def broken_reuse(
    backend: Backend,
    *,
    tries: int = 12,
    head: int = 64,
    body: int = 64,
    tail: int = 20,
    moved_by: int = 32,
    block_size: int = 16,
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """Blocks reused behind another head of the same length, and the same blocks moved by ``moved_by`` tokens.

    Rows: per layer the median error of K and V in the reused blocks, in place and moved. Summary: how often
    another token came out, and the legal reuse beside it.
    """
    dice = np.random.default_rng(seed)

    def words(count: int) -> list[int]:
        drawn: list[int] = dice.integers(0, backend.spec.vocab_size, count).tolist()
        return drawn

    found: dict[str, list[BreakResult]] = {"in_place": [], "moved": []}
    for number in range(tries):
        for place, other in (("in_place", head), ("moved", head - moved_by)):
            if cancelled():
                raise stopped()
            found[place].append(
                break_and_reuse(backend, words(head), words(other), words(body), words(tail), block_size)
            )
        progress((number + 1) / tries)
    settings = {
        "tries": tries,
        "head": head,
        "body": body,
        "tail": tail,
        "moved_by": moved_by,
        "block_size": block_size,
        "seed": seed,
    }
    return report(
        "breaks",
        backend,
        settings,
        [_layer_row(layer, found) for layer in range(backend.spec.num_layers)],
        summary={place: _summary(results) for place, results in found.items()},
        equality=worst(each.legal.difference for results in found.values() for each in results),
    )


def _layer_row(layer: int, found: dict[str, list[BreakResult]]) -> Json:
    row: Json = {"layer": layer}
    for place, results in found.items():
        row[f"{place}_key"] = statistics.median(each.layers[layer].key for each in results)
        row[f"{place}_value"] = statistics.median(each.layers[layer].value for each in results)
    return row


def _summary(results: Sequence[BreakResult]) -> Json:
    return {
        "flipped": sum(each.broken.flipped for each in results),
        "tries": len(results),
        "kl": statistics.median(each.broken.kl for each in results),
        "relative": statistics.median(each.broken.relative for each in results),
        "max_abs": max(each.broken.difference.max_abs for each in results),
        "legal_max_abs": max(each.legal.difference.max_abs for each in results),
    }


@dataclass(frozen=True, slots=True)
class Story:
    """Two prompts that differ near their beginning, with equally many tokens."""

    story_id: str
    prompt: str
    other_prompt: str
    block_size: int = 4


def texts_astray(
    model: Model,
    stories: Sequence[Story],
    *,
    max_tokens: int = 24,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """What a real model goes on to write, honestly and over blocks reused from the other prompt."""
    rows: list[Json] = []
    for number, story in enumerate(stories):
        if cancelled():
            raise stopped()
        found = answers_astray(
            model, story.prompt, story.other_prompt, max_tokens=max_tokens, block_size=story.block_size
        )
        row = {**asdict(story), **asdict(found), "layers": [asdict(layer) for layer in found.layers]}
        rows.append({**row, "flipped": found.logits.flipped})
        progress((number + 1) / len(stories))
    return report("astray", model.backend(), {"max_tokens": max_tokens}, rows)
