"""A model's own tokenizer: cutting, merging, special tokens, and the way back to the text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.backends.models.byte_pair import BytePairTokenizer, byte_letters
from core.backends.models.gguf import GgufFile
from core.backends.models.pretokens import NAMED, cut
from core.backends.models.score_pair import ScorePairTokenizer, by_score
from core.backends.models.special_tokens import SpecialTokens
from core.backends.models.tokenizer import ModelTokenizer, gguf_tokenizer
from core.errors import BackendError
from core.texts import showable
from tests.strategies import any_texts, examples
from tests.unit.core.backends.files import MERGES, TOKENS, gguf_bytes, tokenizer_metadata

RECORDED = json.loads((Path(__file__).parent / "data" / "pretokens.json").read_text("utf-8"))["cases"]


def byte_pair(
    tokens: list[str], merges: list[str], name: str, special: dict[str, int] | None = None, **options: Any
) -> BytePairTokenizer:
    pairs = [tuple(merge.split(" ")) for merge in merges]
    vocabulary = {token: place for place, token in enumerate(tokens)}
    return BytePairTokenizer(vocabulary, pairs, NAMED[name], SpecialTokens(special or {}), **options)  # type: ignore[arg-type]


def from_file(folder: Path, **changes: Any) -> ModelTokenizer:
    data = {f"tokenizer.ggml.{name}": value for name, value in changes.items()}
    (folder / "m.gguf").write_bytes(gguf_bytes({**tokenizer_metadata(), **data}, {}))
    return gguf_tokenizer(GgufFile(folder / "m.gguf"))


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> ModelTokenizer:
    return from_file(tmp_path_factory.mktemp("tokenizer"))


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case['name']}: {case['text'][:12]!r}")
def test_texts_are_cut_as_recorded(case: dict[str, Any]) -> None:
    assert cut(case["text"], NAMED[case["name"]]) == case["pieces"]


def test_cuts_of_names_that_the_recording_lacks() -> None:
    """llama.cpp's "default" takes numbers apart from the left, in threes; Tekken ends a word at a capital."""
    found = cut("price $1234567, ok!!  x", NAMED["default"])
    assert found == ["price", " ", "$", "123", "456", "7", ",", " ok", "!!", " ", " x"]
    assert cut("HelloWorld été// 12\n/x", NAMED["tekken"]) == [
        "Hello",
        "World",
        " été",
        "//",
        " ",
        "1",
        "2",
        "\n",
        "/x",
    ]


@given(any_texts, st.sampled_from(sorted(NAMED)))
@examples(100)
def test_cutting_loses_nothing(text: str, name: str) -> None:
    pieces = cut(text, NAMED[name])
    assert "".join(pieces) == text
    assert all(pieces)


def test_merges_happen_in_the_order_of_learning(tokenizer: ModelTokenizer) -> None:
    """hello: he, then ll, then hell, then hello; world has no token of its own without its space."""
    pieces = tokenizer.pieces("hello world held word")
    assert pieces == ["hello", " world", " ", "he", "ld", " w", "or", "d"]
    assert [TOKENS[i] for i in tokenizer.encode("hello")] == ["hello"]


def test_a_character_of_several_tokens_belongs_to_the_last(tokenizer: ModelTokenizer) -> None:
    assert tokenizer.pieces("你好") == ["你", "", "", "好"]
    assert tokenizer.decode(tokenizer.encode("你好")) == "你好"
    assert tokenizer.texts(tokenizer.encode("好")[:2]) == ["", "\ufffd"]


def test_special_tokens_are_one_token_each(tokenizer: ModelTokenizer) -> None:
    text = "<|im_start|>hello<|im_end|>"
    assert tokenizer.encode(text) == [1, TOKENS.index("hello"), 2]
    assert tokenizer.pieces(text) == ["<|im_start|>", "hello", "<|im_end|>"]


@given(any_texts)
@examples(100)
def test_pieces_join_to_the_text(text: str) -> None:
    made = byte_pair(TOKENS, MERGES, "smollm", {"<x>": 2})
    ids, pieces = made.encode(text), made.pieces(text)
    assert len(ids) == len(pieces)
    assert made.decode(ids) == "".join(pieces)
    if text == showable(text):
        assert "".join(pieces) == text


def test_a_special_tokens_name_may_be_any_text() -> None:
    """A model's file is JSON: half a surrogate pair can stand in a name."""
    made = byte_pair(TOKENS, [], "smollm", {"<\ud83c>": 2})
    assert made.encode("<\ud83c>") == [2]
    assert made.decode([2]) == "".join(made.pieces("<\ud83c>")) == "<\ufffd\ufffd\ufffd>"


def test_a_byte_without_token_is_the_unknown_one() -> None:
    tokens = ["?", *"abc"]
    assert byte_pair(tokens, [], "gpt-2", unknown=0).encode("abz") == [1, 2, 0]
    assert byte_pair(tokens, [], "gpt-2").encode("abz") == [1, 2]


def test_a_whole_piece_may_come_before_all_merges() -> None:
    """Llama 3 takes a piece that is a token without asking how it could be merged."""
    tokens = [*byte_letters(), "ab", "abc"]
    plain = byte_pair(tokens, ["a b"], "gpt-2")
    whole = byte_pair(tokens, ["a b"], "gpt-2", whole_first=True)
    assert [tokens[i] for i in plain.encode("abc")] == ["ab", "c"]
    assert [tokens[i] for i in whole.encode("abc")] == ["abc"]


def test_a_pair_that_a_merge_made_can_come_before_the_next_of_its_kind() -> None:
    """ab + a stands before a + b: one pair is merged at a time, so the second ab is never made."""
    tokens = [*byte_letters(), "ab", "aba"]
    made = byte_pair(tokens, ["ab a", "a b"], "gpt-2")
    assert [tokens[i] for i in made.encode("abab")] == ["aba", "b"]


def test_letters_are_composed_for_the_models_that_learnt_them_composed() -> None:
    """Qwen's tokenizers want NFC; a mark and its letter are the composed letter, and are shown as it."""
    tokens = [*byte_letters(), "Ã©"]
    composed, as_it_is = (byte_pair(tokens, ["Ã ©"], "qwen2", form=form) for form in ("NFC", ""))
    assert composed.encode("e\u0301") == composed.encode("é") == [256]
    assert composed.pieces("e\u0301<") == ["é", "<"]
    assert len(as_it_is.encode("e\u0301")) == 3


def test_one_long_word_takes_no_square_of_its_length() -> None:
    """200,000 letters without a boundary: the square would be minutes."""
    tokens = [*byte_letters(), "ab", "abab"]
    assert byte_pair(tokens, ["a b", "ab ab"], "gpt-2").encode("ab" * 100_000) == [257] * 50_000


def test_every_byte_has_its_letter() -> None:
    assert len(set(byte_letters())) == 256
    assert byte_letters()[ord("A")] == "A"
    assert byte_letters()[ord(" ")] == "Ġ"


def test_longer_special_names_win_and_none_is_fine() -> None:
    special = SpecialTokens({"<a>": 1, "<a>>": 2})
    assert list(special.split("x<a>><a>")) == [("x", None), ("<a>>", 2), ("<a>", 1)]
    assert list(SpecialTokens({}).split("x<a>")) == [("x<a>", None)]
    assert list(SpecialTokens({}).split("")) == []


def test_names_that_are_looked_for_later_wait_for_the_others() -> None:
    special = SpecialTokens({"<a>": 1, "x<": 2}, later=["x<"])
    assert list(special.split("x<a>x<")) == [("x", None), ("<a>", 1), ("x<", None)]
    assert list(special.split_later("x<")) == [("x<", 2)]
    assert (special.id("x<"), special.name(2), special.id("nobody")) == (2, "x<", None)


@pytest.mark.parametrize("changes", [{"model": "bert"}, {"pre": "tomorrow"}])
def test_a_tokenizer_of_an_unknown_kind_is_refused_by_its_name(changes: Any, tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="|".join(changes.values())) as caught:
        from_file(tmp_path, **changes)
    assert caught.value.code == "backend.tokenizer_kind"


@pytest.mark.parametrize("name", ["normalizer.lowercase", "remove_extra_whitespaces", "of_tomorrow"])
def test_a_setting_of_a_tokenizer_that_is_not_known_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(BackendError) as caught:
        from_file(tmp_path, **{name: True})
    assert (caught.value.code, caught.value.values["what"]) == ("backend.tokenizer_kind", name)
    from_file(tmp_path, **{name: False, "fim_pre_token_id": 1})


def test_a_file_that_says_itself_whether_letters_are_composed(tmp_path: Path) -> None:
    kinds = {"token_type": [1] * (len(TOKENS) + 1), "tokens": [*TOKENS, "Ã©"], "merges": [*MERGES, "Ã ©"]}
    for pre, said in (("qwen2", False), ("gpt-2", True)):
        made = from_file(tmp_path, **kinds, **{"pre": pre, "normalizer.nfc": said})
        assert (made.encode("e\u0301") == [len(TOKENS)]) is said


def test_what_the_name_of_a_cut_says_beside_the_cut(tmp_path: Path) -> None:
    """Qwen composes letters; Llama 3 takes a piece that is a token without merging."""
    tokens, merges = [*TOKENS, "Ã©", "abc"], [*MERGES, "Ã ©"]
    kinds = {"token_type": [1] * len(tokens), "tokens": tokens, "merges": merges}
    found = {
        name: (from_file(tmp_path, pre=name, **kinds).encode("e\u0301") == [tokens.index("Ã©")],
               len(from_file(tmp_path, pre=name, **kinds).encode("abc")))
        for name in ("qwen2", "llama-bpe", "gpt-2")
    }  # fmt: skip
    assert found == {"qwen2": (True, 3), "llama-bpe": (False, 1), "gpt-2": (False, 3)}


# -- by score -----------------------------------------------------------------------------------------------

SCORED = {"<unk>": 0.0, "<s>": 0.0, "\u2581": -9.0, "h": -9.0, "e": -9.0, "l": -9.0, "o": -9.0, "he": -1.0,
          "ll": -2.0, "hell": -2.5, "hello": -3.0, "\u2581he": -5.0, "lo": -1.5}  # fmt: skip
BYTES = {f"<0x{byte:02X}>": -99.0 for byte in range(256)}


def scored(**options: Any) -> ScorePairTokenizer:
    table = {**SCORED, **BYTES}
    id_of = {token: place for place, token in enumerate(table)}
    order = by_score(id_of, list(table.values()))
    return ScorePairTokenizer(id_of, order, SpecialTokens({"<s>": 1}), **options)


def test_the_best_score_is_joined_first() -> None:
    """hello: he (-1.0) first, then lo (-1.5), so ll and with it hello are never made."""
    names = list(SCORED)
    assert [names[i] for i in scored(front="never").encode("hello")] == ["he", "l", "lo"]
    assert [names[i] for i in scored().encode("hehe")] == ["\u2581he", "he"]


def test_what_is_no_token_is_spelt_in_bytes() -> None:
    made = scored(front="never")
    assert made.pieces("汤he") == ["", "", "汤", "he"]
    assert made.decode(made.encode("<s>汤 he")) == "<s>汤 he"
    assert made.encode("<s>he")[0] == 1


def test_the_space_in_front_is_not_shown() -> None:
    assert scored().pieces("he") == ["he"]
    assert scored().pieces(" he") == ["", " he"]
    assert scored().pieces("<s>he") == ["<s>", "he"]
    assert scored(front="first").pieces("he<s>he") == ["he", "<s>", "he"]


def test_where_a_space_is_put_in_front() -> None:
    """Llama 2's rule is each part of a text; newer files say only the first, or unless one is there."""
    name = list(SCORED)
    in_front = {
        front: [name[i] for i in scored(front=front).encode("he<s> he")]
        for front in ("each", "each_unless", "first", "first_unless", "never")
    }
    assert in_front == {
        "each": ["▁he", "<s>", "▁", "▁he"],
        "each_unless": ["▁he", "<s>", "▁he"],
        "first": ["▁he", "<s>", "▁he"],
        "first_unless": ["▁he", "<s>", "▁he"],
        "never": ["he", "<s>", "▁he"],
    }
    assert scored(front="first_unless").encode(" he") == scored(front="never").encode(" he")


@given(any_texts, st.sampled_from(["each", "first_unless", "never"]))
@examples(100)
def test_pieces_of_scores_join_to_the_text(text: str, front: str) -> None:
    made = scored(front=front)
    assert len(made.pieces(text)) == len(made.encode(text))
    if text == showable(text):
        assert "".join(made.pieces(text)) == text


def test_a_file_with_scores_is_read(tmp_path: Path) -> None:
    table = {**SCORED, **BYTES}
    kinds = [2, 3, *[1] * (len(table) - 2)]
    made = from_file(
        tmp_path, model="llama", tokens=list(table), scores=list(table.values()), token_type=kinds
    )
    assert made.encode("<s>hello") == scored().encode("<s>hello")
    assert made.encode("<unk><s>") == [0, 1]
    bare = from_file(
        tmp_path,
        model="llama",
        tokens=list(table),
        scores=list(table.values()),
        token_type=kinds,
        add_space_prefix=False,
    )
    assert bare.encode("hello") == scored(front="never").encode("hello")
