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
from core.backends.models.score_pair import ScorePairTokenizer
from core.backends.models.special_tokens import SpecialTokens
from core.backends.models.tokenizer import ModelTokenizer, gguf_tokenizer, hf_tokenizer
from core.texts import showable
from tests.strategies import any_texts, examples
from tests.unit.core.backends.files import MERGES, TOKENS, gguf_bytes, tokenizer_metadata

RECORDED = json.loads((Path(__file__).parent / "data" / "pretokens.json").read_text("utf-8"))["cases"]


def from_file(folder: Path, **changes: Any) -> ModelTokenizer | None:
    data = {f"tokenizer.ggml.{name}": value for name, value in changes.items()}
    (folder / "m.gguf").write_bytes(gguf_bytes({**tokenizer_metadata(), **data}, {}))
    return gguf_tokenizer(GgufFile(folder / "m.gguf"))


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> ModelTokenizer:
    made = from_file(tmp_path_factory.mktemp("tokenizer"))
    assert made is not None
    return made


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case['name']}: {case['text'][:12]!r}")
def test_texts_are_cut_as_recorded(case: dict[str, Any]) -> None:
    assert cut(case["text"], NAMED[case["name"]]) == case["pieces"]


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
    assert tokenizer.special.id("<|im_end|>") == 2
    assert tokenizer.special.id("<|nobody|>") is None


@given(any_texts)
@examples(100)
def test_pieces_join_to_the_text(text: str) -> None:
    made = BytePairTokenizer(TOKENS, [tuple(m.split(" ")) for m in MERGES], NAMED["smollm"], {"<x>": 2})  # type: ignore[misc]
    ids, pieces = made.encode(text), made.pieces(text)
    assert len(ids) == len(pieces)
    assert made.decode(ids) == "".join(pieces)
    if text == showable(text):
        assert "".join(pieces) == text


def test_a_special_tokens_name_may_be_any_text() -> None:
    """A model's file is JSON: half a surrogate pair can stand in a name."""
    made = BytePairTokenizer(TOKENS, [], NAMED["smollm"], {"<\ud83c>": 2})
    assert made.encode("<\ud83c>") == [2]
    assert made.decode([2]) == "".join(made.pieces("<\ud83c>")) == "<\ufffd\ufffd\ufffd>"


def test_a_byte_without_token_is_the_unknown_one() -> None:
    tokens = ["?", *"abc"]
    made = BytePairTokenizer(tokens, [], NAMED["gpt-2"], {}, unknown=0)
    assert made.encode("abz") == [1, 2, 0]
    assert BytePairTokenizer(tokens, [], NAMED["gpt-2"], {}).encode("abz") == [1, 2]


def test_a_whole_piece_may_come_before_all_merges() -> None:
    """Llama 3 takes a piece that is a token without asking how it could be merged."""
    tokens = [*byte_letters(), "ab", "abc"]
    plain = BytePairTokenizer(tokens, [("a", "b")], NAMED["gpt-2"], {})
    whole = BytePairTokenizer(tokens, [("a", "b")], NAMED["gpt-2"], {}, whole_first=True)
    assert [tokens[i] for i in plain.encode("abc")] == ["ab", "c"]
    assert [tokens[i] for i in whole.encode("abc")] == ["abc"]


def test_every_byte_has_its_letter() -> None:
    assert len(set(byte_letters())) == 256
    assert byte_letters()[ord("A")] == "A"
    assert byte_letters()[ord(" ")] == "Ġ"


def test_longer_special_names_win_and_none_is_fine() -> None:
    special = SpecialTokens({"<a>": 1, "<a>>": 2})
    assert list(special.split("x<a>><a>")) == [("x", None), ("<a>>", 2), ("<a>", 1)]
    assert list(SpecialTokens({}).split("x<a>")) == [("x<a>", None)]
    assert list(SpecialTokens({}).split("")) == []


def test_a_tokenizer_of_an_unknown_kind_is_none(tmp_path: Path) -> None:
    assert from_file(tmp_path, model="bert") is None
    assert from_file(tmp_path, pre="tomorrow") is None


# -- by score -----------------------------------------------------------------------------------------------

SCORED = {"<unk>": 0.0, "<s>": 0.0, "\u2581": -9.0, "h": -9.0, "e": -9.0, "l": -9.0, "o": -9.0, "he": -1.0,
          "ll": -2.0, "hell": -2.5, "hello": -3.0, "\u2581he": -5.0, "lo": -1.5}  # fmt: skip
BYTES = {f"<0x{byte:02X}>": -99.0 for byte in range(256)}


def scored(**options: Any) -> ScorePairTokenizer:
    table = {**SCORED, **BYTES}
    return ScorePairTokenizer(list(table), list(table.values()), {"<s>": 1}, **options)


def test_the_best_score_is_joined_first() -> None:
    """hello: he (-1.0) first, then lo (-1.5), so ll and with it hello are never made."""
    names = list(SCORED)
    assert [names[i] for i in scored(add_space=False).encode("hello")] == ["he", "l", "lo"]
    assert [names[i] for i in scored().encode("hehe")] == ["\u2581he", "he"]


def test_what_is_no_token_is_spelt_in_bytes() -> None:
    made = scored(add_space=False)
    assert made.pieces("汤he") == ["", "", "汤", "he"]
    assert made.decode(made.encode("<s>汤 he")) == "<s>汤 he"
    assert made.encode("<s>he")[0] == 1


def test_the_space_in_front_is_not_shown() -> None:
    assert scored().pieces("he") == ["he"]
    assert scored().pieces(" he") == ["", " he"]
    assert scored().pieces("<s>he") == ["<s>", "he"]


@given(any_texts, st.booleans())
@examples(100)
def test_pieces_of_scores_join_to_the_text(text: str, add_space: bool) -> None:
    made = scored(add_space=add_space)
    assert len(made.pieces(text)) == len(made.encode(text))
    if text == showable(text):
        assert "".join(made.pieces(text)) == text


def test_a_file_with_scores_is_read(tmp_path: Path) -> None:
    table = {**SCORED, **BYTES}
    kinds = [2, 3, *[1] * (len(table) - 2)]
    made = from_file(
        tmp_path, model="llama", tokens=list(table), scores=list(table.values()), token_type=kinds
    )
    assert made is not None
    assert made.encode("<s>hello") == scored().encode("<s>hello")


# -- tokenizer.json -----------------------------------------------------------------------------------------


def described(pre: Any, **changes: Any) -> dict[str, Any]:
    vocab = {token: number for number, token in enumerate(TOKENS)}
    model = {"type": "BPE", "vocab": vocab, "merges": MERGES}
    return {
        "model": model,
        "pre_tokenizer": pre,
        "added_tokens": [{"id": 900, "content": "<new>"}],
        **changes,
    }


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False}
SPLIT = {"type": "Split", "pattern": {"Regex": r"\p{N}|[^\p{N}]+"}, "behavior": "Isolated"}


@pytest.mark.parametrize(
    "pre",
    [
        BYTE_LEVEL,
        {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL]},
        {"type": "Sequence", "pretokenizers": [SPLIT, {**BYTE_LEVEL, "use_regex": False}]},
    ],
)
def test_a_json_description_is_read(pre: Any) -> None:
    made = hf_tokenizer(described(pre))
    assert made is not None
    assert made.decode(made.encode("hello world 12 你<new>")) == "hello world 12 你<new>"
    assert made.encode("hello<new>") == [TOKENS.index("hello"), 900]


@pytest.mark.parametrize(
    "data",
    [
        described({"type": "Metaspace"}),
        described({"type": "Sequence", "pretokenizers": [SPLIT]}),
        described({"type": "Sequence", "pretokenizers": []}),
        described(None),
        described(BYTE_LEVEL, normalizer={"type": "NFC"}),
        described({"type": "Sequence", "pretokenizers": [{**SPLIT, "behavior": "Removed"}, BYTE_LEVEL]}),
        described(
            {
                "type": "Sequence",
                "pretokenizers": [{**SPLIT, "pattern": {"Regex": r"\p{Greek}"}}, BYTE_LEVEL],
            }
        ),
        {"model": {"type": "WordPiece"}},
        {},
    ],
)
def test_other_descriptions_are_none(data: dict[str, Any]) -> None:
    assert hf_tokenizer(data) is None
