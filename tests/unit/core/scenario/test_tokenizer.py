"""The teaching tokenizer: nothing is lost, equal pieces are equal tokens, and the cuts look right."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import core.scenario.tokenizer as tokenizer_module
from core.errors import TokenizerError
from core.scenario.tokenizer import ID_MASK, TeachingTokenizer
from tests.strategies import any_texts


@given(any_texts)
@example("a  b \n\n c\t d  ")
@example("\u0301 lonely mark, \ud83d half a pair, \u200d")
@example("مرحبا بالعالم נקודה 👩‍👩‍👧 👍🏽 🇨🇳 각 が")
def test_joined_pieces_are_the_text(text: str) -> None:
    tokenizer = TeachingTokenizer()
    pieces = tokenizer.pieces(text)
    assert "".join(pieces) == text
    assert all(pieces)
    ids = tokenizer.encode(text)
    assert len(ids) == len(pieces)
    assert [tokenizer.piece(token_id) for token_id in ids] == pieces
    assert all(0 <= token_id <= ID_MASK for token_id in ids)


@given(st.lists(any_texts, max_size=6), st.randoms())
def test_ids_do_not_depend_on_what_came_before(texts: list[str], random: object) -> None:
    in_order, shuffled = TeachingTokenizer(), TeachingTokenizer()
    other_order = list(texts)
    random.shuffle(other_order)  # type: ignore[attr-defined]
    for text in other_order:
        shuffled.encode(text)
    assert [in_order.encode(text) for text in texts] == [shuffled.encode(text) for text in texts]


@given(any_texts)
def test_equal_ids_mean_equal_pieces(text: str) -> None:
    tokenizer = TeachingTokenizer()
    pairs = set(zip(tokenizer.encode(text), tokenizer.pieces(text), strict=True))
    assert len(pairs) == len({token_id for token_id, _ in pairs}) == len({piece for _, piece in pairs})


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("Two bowls, please.", ["Two", " bowls", ",", " please", "."]),
        ("你好，一碗面！", ["你", "好", "，", "一", "碗", "面", "！"]),
        ("[09:41] ok", ["[", "09", ":", "41", "]", " ok"]),
        ("don't the shop’s 'x'", ["don't", " the", " shop’s", " '", "x", "'"]),
        ("KV 缓存 v2", ["KV", " 缓", "存", " v", "2"]),
        ("a   b", ["a", "  ", " b"]),
        ("a\t b", ["a", "\t", " b"]),
        ("a\tb", ["a", "\t", "b"]),
        ("end  ", ["end", "  "]),
        ("one\r\n\r\n  two\n", ["one", "\r\n\r\n", " ", " two", "\n"]),
        ("a \nb", ["a", " ", "\n", "b"]),
        ("cafe\u0301 हिन्दी", ["cafe\u0301", " हिन्दी"]),
        ("👍🏽 👩‍👩‍👧!", ["👍🏽", " 👩‍👩‍👧", "!"]),
        ("きょうは 한국", ["き", "ょ", "う", "は", " 한", "국"]),
        ("שלום עולם", ["שלום", " עולם"]),
        ("snake_case==1024", ["snake", "_", "case", "=", "=", "1024"]),
    ],
)
def test_cuts(text: str, pieces: list[str]) -> None:
    assert TeachingTokenizer().pieces(text) == pieces


GOLDEN_IDS = [1341244471, 911637660]


def test_ids_are_the_same_in_every_process() -> None:
    """Golden ids: tags in documents and tests rest on them."""
    assert TeachingTokenizer().encode("broth 汤") == GOLDEN_IDS


def test_a_clash_gets_the_next_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pieces with one hash must not become one token, or strangers would share a block."""
    real = tokenizer_module._hash
    monkeypatch.setattr(
        tokenizer_module, "_hash", lambda piece, seed: real("same", 0) if seed == 0 else real(piece, seed)
    )
    first, again = TeachingTokenizer(), TeachingTokenizer()
    ids = first.encode("cat dog cat")
    assert ids[0] == real("same", 0)
    assert ids[1] == real(" dog", 1)
    assert ids[2] == real(" cat", 1)
    assert ids == again.encode("cat dog cat")
    assert [first.piece(token_id) for token_id in ids] == ["cat", " dog", " cat"]


def test_a_foreign_id_is_our_error() -> None:
    with pytest.raises(TokenizerError) as caught:
        TeachingTokenizer().piece(7)
    assert caught.value.code == "tokenizer.unknown_id"
    assert caught.value.values == {"token_id": 7}
