"""Attention is a lower triangle of the decoder's own; the error of a cached cell is what a reuse would do."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from core.backends.base import Difference
from core.backends.decoders.loader import Model
from core.backends.decoders.numpy_decoder import attend
from core.backends.experiments.attention import (
    STEPS,
    attention_weights,
    block_readers,
    block_shares,
    pack,
    shown_layers,
    unpack,
    watching,
)
from core.backends.experiments.breaks import break_and_reuse
from core.backends.experiments.prefix import (
    MOST_TOKENS,
    Span,
    difference_of,
    tokens_of,
    why_prefix,
    with_another_word,
)
from core.backends.experiments.report import Report
from core.backends.models.sources import ModelSource
from core.backends.plan import Plan
from core.errors import BackendError
from tests.unit.core.backends.tiny import LIBRARIES, TINY, VARIANTS, backend_of, weights_of

WORDS = [f"w{number}" for number in range(22)]
PROMPT = " ".join(WORDS)


def model_of(spec_name: str = "llama") -> Model:
    spec = VARIANTS[spec_name]
    return Model(ModelSource("random", "tiny"), spec, "numpy", weights_of(spec))


def prefix(word: str = "w9", instead: str = "other", prompt: str = PROMPT, name: str = "llama") -> Report:
    return why_prefix(model_of(name), prompt=prompt, word=word, instead=instead, block_size=4)


# -- attention --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("library", LIBRARIES)
def test_rows_sum_to_one_and_nothing_lies_ahead(library: str, name: str) -> None:
    backend = backend_of(library, VARIANTS[name])
    backend.reserve(8, 4)
    with watching(backend, [0, 2]) as found:
        backend.prefill(Plan("a", tuple(range(21)), (3, 1, 6, 2, 5, 4), 0))
    assert sorted(found) == [0, 2]
    for weights in found.values():
        assert weights.shape == (4, 21, 21)
        assert np.abs(weights.sum(-1) - 1).max() < 1e-5
        assert not weights[:, *np.triu_indices(21, 1)].any(), "exactly 0"
        assert weights[:, *np.tril_indices(21)].min() > 0
    assert backend.watch is None


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_the_weights_are_those_the_decoder_mixes_with(kv_heads: int) -> None:
    """Weights times values is what the decoder's own kernel gives; 150 tokens are two of its pieces."""
    dice = np.random.default_rng(kv_heads)
    queries = dice.normal(size=(150, 4, 8)).astype(np.float32)
    keys, values = dice.normal(size=(2, 150, kv_heads, 8)).astype(np.float32)
    mixed = np.einsum("hnt,thd->nhd", attention_weights(queries, keys), values.repeat(4 // kv_heads, 1))
    assert np.abs(mixed - attend(queries, keys, values, 0)).max() < 1e-5


def test_the_watcher_changes_nothing_and_is_gone_after_an_error() -> None:
    backend = backend_of("numpy")
    backend.reserve(8, 4)
    plan = Plan("a", tuple(range(9)), (1, 2, 3), 0)
    plain = backend.prefill(plan).logits
    with watching(backend, [0]):
        watched = backend.prefill(plan).logits
    assert np.array_equal(plain, watched)
    with pytest.raises(RuntimeError), watching(backend, [0]):
        raise RuntimeError
    assert backend.watch is None


def test_packed_weights_are_right_to_a_step() -> None:
    weights = attention_weights(*np.random.default_rng(0).normal(size=(2, 10, 2, 8)).astype(np.float32))
    (matrices,) = unpack(pack({5: weights}, most_heads=1)).values()
    assert len(matrices) == 1, "no more heads than asked for"
    assert np.abs(np.sqrt(matrices[0]) - np.sqrt(weights[0])).max() <= 0.51 / STEPS


def test_shares_and_readers_of_blocks() -> None:
    head = np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 0.25, 0.75]], np.float32)
    assert block_shares(head, 2) == [pytest.approx((1 + 1 + 0.25) / 3, abs=1e-4), 0.75]
    assert block_readers({0: head[None]}, 2) == [3, 1]
    head[2] = (0, 0, 1)
    assert block_readers({0: head[None]}, 2) == [2, 1], "who gives nothing does not read"


def test_layers_shown() -> None:
    assert [shown_layers(n) for n in (1, 2, 3, 30)] == [[0], [0, 1], [0, 1, 2], [0, 15, 29]]


# -- a word is changed ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "span"),
    [
        ("abcd", "abXd", Span(2, 3, 3)),
        ("abcd", "abXYd", Span(2, 3, 4)),
        ("abcd", "abd", Span(2, 3, 2)),
        ("abcd", "Xbcd", Span(0, 1, 1)),
        ("abcd", "abcX", Span(3, 4, 4)),
        ("aaaa", "aaa", Span(3, 4, 3)),
        ("ab", "abab", Span(2, 2, 4)),
        ("abcd", "wxyz", Span(0, 4, 4)),
    ],
)
def test_where_two_prompts_differ(old: str, new: str, span: Span) -> None:
    assert difference_of([*map(ord, old)], [*map(ord, new)]) == span


def test_whole_words_first() -> None:
    assert with_another_word("cats and a cat.", "cat", "dog") == "cats and a dog."
    assert with_another_word("一碗牛肉面", "牛", "鱼") == "一碗鱼肉面"
    assert with_another_word("a+b (c)", "(c)", r"\1") == r"a+b \1"


@pytest.mark.parametrize(
    ("word", "instead", "code"),
    [("dog", "cat", "backend.no_word"), ("", "x", "backend.no_word"), ("w9", "w9", "backend.same_word")],
)
def test_a_change_that_is_none_is_refused(word: str, instead: str, code: str) -> None:
    with pytest.raises(BackendError) as caught:
        prefix(word, instead)
    assert caught.value.code == code


@pytest.mark.parametrize("name", VARIANTS)
def test_untouched_columns_are_right_and_those_behind_are_wrong_above_layer_0(name: str) -> None:
    report = prefix(name=name)
    before, changed, behind = report.rows[:9], report.rows[9], report.rows[10:]
    assert len(report.rows) == 22
    assert report.settings["changed"] == [9, 10]
    assert all(max(*row["key"], *row["value"]) < 1e-6 for row in before)
    assert (changed["was_at"], changed["key"], changed["value"]) == (None, None, None)
    for row in behind:
        assert max(row["key"][0], row["value"][0]) < 1e-6
        assert all(error > 1e-4 for error in (*row["key"][1:], *row["value"][1:]))
    assert Difference(**report.summary["equality"]).equal, "what the engine reuses is legal"


def test_the_engine_takes_whole_blocks_before_the_change() -> None:
    report = prefix()
    assert report.summary["hit_tokens"] == 8, "the first token of block 2 is right, and its block is not"
    assert [row["hit"] for row in report.rows] == [True] * 8 + [False] * 14
    table, cached = report.summary["table"], report.summary["cached_table"]
    assert table[:2] == cached[:2]
    assert not set(table[2:]) & set(cached[:5]), "the last one was not full: nobody kept it"
    assert report.summary["readers"] == [22, 18, 14, 10, 6, 2]


def test_a_longer_word_moves_what_follows() -> None:
    """Keys are turned by their position: wrong in layer 0 already. Values are not."""
    report = prefix(instead="two words")
    assert report.settings["moved_by"] == 1
    assert [row["was_at"] for row in report.rows] == [*range(9), None, None, *range(10, 22)]
    assert all(row["key"][0] > 0.05 and row["value"][0] < 1e-6 for row in report.rows[11:])
    shorter = prefix("w9 w10", "one")
    assert [row["was_at"] for row in shorter.rows] == [*range(9), None, *range(11, 22)]


def test_the_errors_are_those_of_a_forced_reuse() -> None:
    """A block that is forced in ``breaks.py`` is as wrong as its cells say, all of its tokens together."""
    model = model_of()
    report = prefix("w0")
    old, _ = tokens_of(model, PROMPT)
    new, _ = tokens_of(model, with_another_word(PROMPT, "w0", "other"))
    forced = break_and_reuse(model.backend(), new[:4], old[:4], new[4:8], new[8:], block_size=4)
    for layer in forced.layers:
        cells = [row["value"][layer.layer] for row in report.rows[4:8]]
        assert min(cells) - 1e-6 <= layer.value <= max(cells) + 1e-6


def test_a_prompt_that_is_too_long_is_refused() -> None:
    with pytest.raises(BackendError) as caught:
        prefix(prompt=" ".join(["w9"] * (MOST_TOKENS + 1)))
    assert caught.value.values == {"count": MOST_TOKENS + 1, "limit": MOST_TOKENS}


def test_a_model_without_a_tokenizer_reads_nothing() -> None:
    spec = replace(TINY, folds_tokens=False)
    with pytest.raises(BackendError) as caught:
        why_prefix(Model(ModelSource("gguf", "x"), spec, "numpy", weights_of(spec)))
    assert caught.value.code == "backend.no_tokenizer"


def test_it_tells_its_progress_and_stops_and_travels() -> None:
    told: list[float] = []
    report = why_prefix(model_of(), block_size=4, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert Report.from_json(json.loads(json.dumps(report.to_json(), allow_nan=False))) == report
    with pytest.raises(BackendError) as caught:
        why_prefix(model_of(), cancelled=lambda: True)
    assert caught.value.code == "backend.cancelled"
