"""tokenizer.json: our own reading beside the package's, and what neither may guess."""

from __future__ import annotations

import copy
import json
import os
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from benchmarks.against_tokenizers import texts
from core.backends.models import tokenizer_json
from core.backends.models.byte_pair import byte_letters
from core.backends.models.packaged_tokenizer import PackagedTokenizer, has_package
from core.backends.models.pretokens import NAMED, compiled, cut
from core.backends.models.tokenizer import ModelTokenizer
from core.backends.models.tokenizer_json import hf_tokenizer, own_tokenizer
from core.errors import BackendError
from core.extras import how_to_add
from core.texts import showable
from tests.strategies import any_texts, examples
from tests.unit.core.backends.files import MERGES, TOKENS, added_token

Json = dict[str, Any]
REAL = "BROTH_TOKENIZERS"
needs_package = pytest.mark.skipif(
    not has_package(), reason=f"tokenizers is not installed: {how_to_add('tokenizers')}"
)
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}


def real_folders() -> list[Any]:
    """Directories with a real tokenizer.json; without any a test that is skipped and says so."""
    named = [place for place in os.environ.get(REAL, "").split(os.pathsep) if place]
    why = (
        f"{REAL} names no directory with a real tokenizer.json (benchmarks/against_tokenizers.py has places)"
    )
    return named or [pytest.param("none", marks=pytest.mark.skip(reason=why))]


def in_order(*steps: Json) -> Json:
    return {"type": "Sequence", "pretokenizers": list(steps)}


def split(expression: str) -> Json:
    return {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False}


def over_bytes(pre: Json, normalizer: Json | None = None, **model: Any) -> Json:
    """A tokenizer of the kind of GPT-2, Llama 3 and Qwen, with a few merges."""
    usual = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
             "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False}  # fmt: skip
    vocabulary = {token: place for place, token in enumerate(TOKENS)}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_token(name, place) for place, name in enumerate(TOKENS[:3])],
        "normalizer": normalizer,
        "pre_tokenizer": pre,
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {**usual, "vocab": vocabulary, "merges": MERGES, **model},
    }


NAMES = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁helo汤w",
         "he", "ll", "▁w", "hell", "▁hell", "▁▁", "lo"]  # fmt: skip


def over_characters(normalizer: Json | None, pre: Json | None = None, **model: Any) -> Json:
    """A tokenizer of the kind of Llama 2 and Mistral."""
    data = over_bytes(pre or {}, normalizer)
    data["pre_tokenizer"] = pre
    data["added_tokens"] = [added_token(name, place) for place, name in enumerate(NAMES[:3])]
    data["decoder"] = {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
        {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}  # fmt: skip
    merges = ["h e", "l l", "▁ w", "he ll", "▁ hell", "▁ ▁", "l o"]
    vocabulary = {token: place for place, token in enumerate(NAMES)}
    own = {
        "unk_token": "<unk>",
        "fuse_unk": True,
        "byte_fallback": True,
        "vocab": vocabulary,
        "merges": merges,
    }
    data["model"] = {**data["model"], **own, **model}
    return data


REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
LLAMA2 = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, REPLACE]}


def metaspace(scheme: str, **settings: Any) -> Json:
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": False, **settings}


READ = {
    "gpt2": over_bytes({**BYTES, "use_regex": True}),
    "smollm": over_bytes(
        in_order({"type": "Digits", "individual_digits": True}, {**BYTES, "use_regex": True})
    ),
    "llama3": over_bytes(in_order(split(NAMED["llama3"][0]), BYTES), ignore_merges=True),
    "qwen": over_bytes(in_order(split(NAMED["qwen2"][0]), BYTES), {"type": "NFC"}),
    "nemo": over_bytes(in_order(split(NAMED["tekken"][0]), BYTES), ignore_merges=True),
    "llama2": over_characters(LLAMA2),
    "mistral first": over_characters(None, metaspace("first")),
    "mistral always": over_characters(None, metaspace("always")),
    "mistral never": over_characters(None, metaspace("never")),
}


def own(data: Json) -> ModelTokenizer:
    return own_tokenizer(json.dumps(data), "m")


@pytest.mark.parametrize("name", READ)
def test_what_stands_in_a_file_is_read_and_gives_the_text_back(name: str) -> None:
    made = own(READ[name])
    for text in ("hello world 12 你汤", "<s>hello</s> <|im_start|>", "e\u0301 \n\n  w"):
        ids = made.encode(text)
        assert len(made.pieces(text)) == len(ids)
        shown = "e\u0301" if name != "qwen" else "é"
        assert "".join(made.pieces(text)) == text.replace("e\u0301", shown)


@needs_package
@pytest.mark.parametrize("name", READ)
def test_ours_are_the_packages_ids(name: str) -> None:
    ours, theirs = own(READ[name]), PackagedTokenizer(json.dumps(READ[name]), "m")
    for text in [one for kind in texts(20).values() for one in kind] + ["hello<s> hellow<|im_end|>lo wo  he"]:
        assert ours.encode(text) == theirs.encode(text), text
        assert len(theirs.pieces(text)) == len(theirs.encode(text))
        assert "".join(theirs.pieces(text)) == theirs.decode(theirs.encode(text))


@needs_package
def test_half_a_character_is_replaced_and_no_text_is_cut_or_filled_up() -> None:
    """Settings for training stand in such files; a prompt is taken as it is."""
    short = {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0}
    made = PackagedTokenizer(json.dumps({**READ["llama3"], "truncation": short}), "m")
    ids = made.encode("hello 汤")
    assert len(ids) > 3
    assert made.texts(ids[:-1])[-1] == "\ufffd"
    assert "".join(made.texts(ids[:-1])) == made.decode(ids[:-1])


@needs_package
def test_a_file_that_fails_only_at_a_text_is_refused_there() -> None:
    data = over_bytes(BYTES, vocab={"h": 0}, merges=[], unk_token="nobody")
    made = PackagedTokenizer(json.dumps({**data, "added_tokens": []}), "m")
    with pytest.raises(BackendError) as caught:
        made.encode("x")
    assert caught.value.code == "backend.model_damaged"


@needs_package
def test_a_panic_of_the_package_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rust's panics arrive as a BaseException of their own."""

    class Panic(BaseException):
        @classmethod
        def from_str(cls, _text: str) -> None:
            raise cls

    monkeypatch.setattr("tokenizers.Tokenizer", Panic)
    with pytest.raises(BackendError):
        PackagedTokenizer("{}", "m")


@needs_package
def test_names_of_special_tokens_in_a_text_are_found_by_both() -> None:
    names = [token["content"] for token in READ["qwen"]["added_tokens"]]
    for made in (own(READ["qwen"]), PackagedTokenizer(json.dumps(READ["qwen"]), "m")):
        assert made.marks(f"a{names[-1]} b{names[0]}{names[-1]}") == [names[-1], names[0]]
        assert made.marks(f"a{names[0][:-1]}") == []


@needs_package
@given(any_texts)
@examples(60)
def test_the_package_takes_every_text(text: str) -> None:
    ours, theirs = own(READ["qwen"]), PackagedTokenizer(json.dumps(READ["qwen"]), "m")
    assert theirs.encode(text) == ours.encode(showable(text))


@needs_package
@pytest.mark.parametrize("folder", real_folders())
def test_real_ones_are_the_packages_too(folder: str) -> None:
    text = (Path(folder) / "tokenizer.json").read_text("utf-8")
    ours, theirs = own_tokenizer(text, folder), PackagedTokenizer(text, folder)
    for one in [each for kind in texts(20).values() for each in kind]:
        assert ours.encode(one) == theirs.encode(one), one


def with_(data: Json, path: str, value: Any) -> Json:
    """A copy with one entry changed."""
    changed = copy.deepcopy(data)
    *way, last = path.split(".")
    place: Any = changed
    for step in way:
        place = place[int(step) if step.isdigit() else step]
    place[last] = value
    return changed


QWEN, LLAMA = READ["qwen"], READ["llama2"]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (with_(QWEN, "model.type", "Unigram"), "Unigram"),
        (with_(QWEN, "model.dropout", 0.1), "dropout"),
        (with_(QWEN, "normalizer", {"type": "Lowercase"}), "Lowercase"),
        (with_(QWEN, "pre_tokenizer", in_order(split(r"\p{Greek}"), BYTES)), "Greek"),
        (with_(QWEN, "pre_tokenizer", in_order(split(r"(a+)+b"), BYTES)), "expression"),
        (with_(QWEN, "pre_tokenizer", in_order({**split("a"), "behavior": "Removed"}, BYTES)), "Split"),
        (with_(QWEN, "pre_tokenizer", {**BYTES, "add_prefix_space": True}), "ByteLevel"),
        (with_(QWEN, "added_tokens.0.lstrip", True), "neighbours"),
        (with_(LLAMA, "added_tokens.0.normalized", True), "normalised"),
        (with_(LLAMA, "model.byte_fallback", False), "no tokens"),
        (with_(LLAMA, "normalizer", None), "nothing"),
        (over_characters(None, metaspace("first", split=True)), "Metaspace"),
        (over_characters(None, {"type": "Whitespace"}), "Whitespace"),
    ],
)
def test_what_would_be_guessed_is_refused_with_what_to_install(data: Json, what: str) -> None:
    with pytest.raises(BackendError, match=what) as caught:
        own(data)
    assert caught.value.code == "backend.tokenizer_package"
    assert how_to_add("tokenizers") in str(caught.value)


@needs_package
@pytest.mark.parametrize("data", [with_(QWEN, "normalizer", {"type": "Lowercase"}),
                                  with_(QWEN, "added_tokens.0.lstrip", True)])  # fmt: skip
def test_the_package_reads_what_we_refuse(data: Json, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(data), "utf-8")
    assert hf_tokenizer(tmp_path).encode("hello") == [TOKENS.index("hello")]


def test_a_directory_without_the_file_has_none(tmp_path: Path) -> None:
    with pytest.raises(BackendError) as caught:
        hf_tokenizer(tmp_path)
    assert caught.value.code == "backend.no_tokenizer"


def damaged_texts(count: int) -> list[str]:
    """Files with one part replaced by what cannot be there, or cut."""
    dice = random.Random(7)
    found = ["", "[]", "{}", "[" * 100_000, json.dumps(QWEN)[:-20], json.dumps({**QWEN, "model": {}})]
    for data in (QWEN, LLAMA) * count:
        changed = copy.deepcopy(data)
        place: Any = changed
        while True:
            key = dice.choice(list(place) if isinstance(place, dict) else range(len(place)))
            inner = place[key]
            if not isinstance(inner, dict | list) or not inner or dice.random() < 0.3:
                break
            place = inner
        place[key] = dice.choice([None, -1, 2**40, 1e300, "", "x y z", [], {}, [[]], True, {"type": 3}])
        found.append(json.dumps(changed))
    return found


@pytest.mark.parametrize("packaged", [False, pytest.param(True, marks=needs_package)])
def test_a_damaged_file_is_refused_or_read_and_never_a_raw_exception(
    packaged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer_json, "has_package", lambda: packaged)
    refused = 0
    for text in damaged_texts(150):
        (tmp_path / "tokenizer.json").write_text(text, "utf-8")
        try:
            hf_tokenizer(tmp_path).pieces("hello <s>汤 12")
        except BackendError:
            refused += 1
    assert refused > 50


@pytest.mark.parametrize(
    "expression",
    [r"[[:alpha:]]", r"[a&&b]", r"(?<x>a)", r"\w+", r"\b", r"^a", r"a$", r"a.b", r"(a|b)*", r"(?:a){3}",
     r"a++", r"a*?", r"(?i)a", r"(?=a", r"[a", r"\1", r"\p{L", "x" * 5000],
)  # fmt: skip
def test_expressions_that_could_mean_something_else_are_not_taken(expression: str) -> None:
    with pytest.raises(re.error):
        compiled(expression)


def test_classes_inside_and_outside_of_brackets() -> None:
    assert cut("aB1 ²\t汤!", (r"\p{Lu}|[^\S\t]|[\p{Nd}\p{Po}]+",)) == ["a", "B", "1", " ", "²\t汤", "!"]
    assert cut("a-b", (r"\P{L}",)) == ["a", "-", "b"]
    assert len(set(byte_letters())) == 256
