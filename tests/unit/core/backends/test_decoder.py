"""The decoder computes what it should: against a plain reference, in pieces, over any block table."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from core.backends.base import LIMIT, compare
from core.backends.decoders.numpy_decoder import PIECE
from core.backends.plan import Plan
from core.backends.rope import RopeTables, rope_tables
from core.errors import BackendError
from tests.unit.core.backends.reference import logits_of
from tests.unit.core.backends.tiny import LIBRARIES, TINY, VARIANTS, backend_of, weights_of

TOKENS = tuple(np.random.default_rng(7).integers(0, 2**31, 2 * PIECE + 50).tolist())


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_logits_are_those_of_a_plain_decoder(library: str, variant: str) -> None:
    spec = VARIANTS[variant]
    backend = backend_of(library, spec)
    for count in (1, 2, 17, PIECE - 1, PIECE, PIECE + 1, len(TOKENS)):
        result = backend.recompute(TOKENS[:count])
        wanted = logits_of(spec, weights_of(spec), TOKENS[:count]).astype(np.float32)
        assert result.logits is not None
        assert np.abs(result.logits - wanted).max() < LIMIT
        assert result.num_computed == count


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_part_of_a_variant_matters(variant: str) -> None:
    """The reference would not notice a part that both sides leave out: each variant has other logits."""
    plain = backend_of("numpy").recompute(TOKENS[:20]).logits
    other = backend_of("numpy", VARIANTS[variant]).recompute(TOKENS[:20]).logits
    assert plain is not None
    assert other is not None
    assert (variant == "llama") == bool(np.array_equal(plain, other))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("block_size", [1, 3, 16])
def test_any_cut_of_a_prompt_gives_the_same_logits(library: str, block_size: int) -> None:
    """Chunks that begin and end anywhere, blocks in any order: queries meet keys in absolute pieces."""
    dice = np.random.default_rng(block_size)
    backend = backend_of(library)
    whole = backend.recompute(TOKENS).logits
    num_blocks = -(-len(TOKENS) // block_size)
    for _ in range(6):
        backend.reserve(num_blocks + 9, block_size)
        table = tuple((1 + dice.permutation(num_blocks + 8)[:num_blocks]).tolist())
        cuts = [0, *sorted(dice.integers(1, len(TOKENS), 5).tolist()), len(TOKENS)]
        for start, stop in pairwise(cuts):
            if start < stop:
                result = backend.prefill(Plan("a", TOKENS[:stop], table, start))
        assert whole is not None
        assert result.logits is not None
        assert compare(whole, result.logits).equal


@pytest.mark.parametrize("library", LIBRARIES)
def test_decode_is_prefill_of_one(library: str) -> None:
    backend = backend_of(library)
    backend.reserve(20, 4)
    table = tuple(range(19, 0, -1))
    backend.prefill(Plan("a", TOKENS[:40], table, 0))
    for place in range(40, 60):
        result = backend.decode(TOKENS[place], place, table)
        whole = backend.recompute(TOKENS[: place + 1])
        assert result.logits is not None
        assert whole.logits is not None
        assert compare(result.logits, whole.logits).equal
        assert result.num_computed == 1


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_block_that_nobody_wrote_is_never_a_plausible_answer(library: str) -> None:
    backend = backend_of(library)
    backend.reserve(8, 4)
    result = backend.prefill(Plan("a", TOKENS[:10], (1, 2, 3), 4))  # block 1 was never computed
    assert result.logits is not None
    assert np.isnan(result.logits).all()
    difference = backend.verify(Plan("a", TOKENS[:10], (1, 2, 3), 4))
    assert difference.max_abs == float("inf")
    assert not difference.equal


@pytest.mark.parametrize("library", LIBRARIES)
def test_poison_reaches_exactly_the_named_blocks(library: str) -> None:
    backend = backend_of(library)
    backend.reserve(8, 4)
    backend.prefill(Plan("a", TOKENS[:12], (5, 2, 7), 0))
    backend.poison([2])
    keys, values = backend.kv((5, 2, 7), 12)
    for numbers in (keys, values):
        assert numbers.shape == (3, 12, 2, 8)
        assert np.isnan(numbers[:, 4:8]).all()
        assert np.isfinite(numbers[:, :4]).all()
        assert np.isfinite(numbers[:, 8:]).all()


def test_unequal_is_seen() -> None:
    one = np.array([1.0, 2.0, 3.0], np.float32)
    assert compare(one, one.copy()) == compare(one, one)
    assert compare(one, one).bitwise
    near = compare(one, one + np.float32(1e-5))
    assert near.equal
    assert not near.bitwise
    assert not compare(one, one + np.float32(1e-3)).equal
    assert not compare(one, one[::-1].copy()).same_argmax
    assert compare(one, np.array([1.0, np.nan, 3.0], np.float32)).max_abs == float("inf")


def test_computing_needs_a_pool() -> None:
    with pytest.raises(RuntimeError, match="reserve"):
        backend_of("numpy").prefill(Plan("a", (1,), (1,), 0))


def test_a_prompt_longer_than_the_model_is_refused() -> None:
    backend = backend_of("numpy")
    with pytest.raises(BackendError) as caught:
        backend.recompute((1,) * (TINY.max_positions + 1))
    assert caught.value.code == "backend.too_long"


def test_random_models_fold_tokens_and_trained_ones_refuse_them() -> None:
    backend = backend_of("numpy")
    folded, plain = backend.recompute((5 + 97 * 10**7, 6)).logits, backend.recompute((5, 6)).logits
    assert folded is not None
    assert plain is not None
    assert np.array_equal(folded, plain)
    trained = backend_of("numpy", replace(TINY, folds_tokens=False))
    with pytest.raises(BackendError) as caught:
        trained.recompute((5, 97))
    assert caught.value.code == "backend.token"
    assert caught.value.values == {"token": 97, "size": 97}


def test_rotary_tables_grow_and_stay_the_same() -> None:
    """What is looked up for position 300 does not depend on what was asked before."""
    tables = RopeTables(TINY, lambda table: table)
    early = tables.at(10, 20)[0].copy()
    late = tables.at(290, 301)
    assert np.array_equal(tables.at(10, 20)[0], early)
    cos, sin = rope_tables(TINY, 290, 11)
    assert np.array_equal(late[0][:, 0], cos)
    assert np.array_equal(late[1][:, 0], sin)
    assert late[0].shape == (11, 1, 4)
