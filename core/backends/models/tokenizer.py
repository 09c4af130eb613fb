"""A model's own tokenizer, from the metadata of its GGUF file or from a Hugging Face ``tokenizer.json``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from core.backends.models.byte_pair import BytePairTokenizer
from core.backends.models.gguf import GgufFile
from core.backends.models.gguf_entries import Entries
from core.backends.models.pretokens import GPT2, NAMED, compiled
from core.backends.models.score_pair import ScorePairTokenizer
from core.backends.models.special_tokens import SpecialTokens

_CONTROL, _USER = 3, 4  # GGUF's types of special tokens


class ModelTokenizer(Protocol):
    """``core.scenario.tokenizer.Tokenizer``, and the way back from tokens to text."""

    special: SpecialTokens

    def encode(self, text: str) -> list[int]:
        """The token ids of ``text``; the names of special tokens in it become those tokens."""
        ...

    def pieces(self, text: str) -> list[str]:
        """The text of each token: as many as ``encode`` gives, and joined they are ``text`` again."""
        ...

    def texts(self, token_ids: Sequence[int]) -> list[str]:
        """The text of each token of a sequence."""
        ...

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of a sequence of tokens."""
        ...


def gguf_tokenizer(file: GgufFile) -> ModelTokenizer | None:
    """The tokenizer in a GGUF file; None if it is of a kind that is not read here.

    Raises:
        BackendError: a part of it cannot be.
    """
    entries = file.entries
    kind = entries.text("tokenizer.ggml.model", "")
    if kind not in ("gpt2", "llama"):
        return None
    tokens = entries.texts("tokenizer.ggml.tokens")
    kinds = entries.numbers("tokenizer.ggml.token_type", tokens)
    special = {token: i for i, token in enumerate(tokens) if kinds[i] in (_CONTROL, _USER)}
    unknown = entries.index("tokenizer.ggml.unknown_token_id", len(tokens))
    match kind:
        case "gpt2":
            name = entries.text("tokenizer.ggml.pre", "gpt-2")
            if name not in NAMED:
                return None
            merges = _merges(entries)
            whole_first = NAMED[name] in (NAMED["llama-bpe"],)
            return BytePairTokenizer(
                tokens, merges, NAMED[name], special, unknown=unknown, whole_first=whole_first
            )
        case "llama":
            scores = entries.numbers("tokenizer.ggml.scores", tokens)
            add_space = entries.flag("tokenizer.ggml.add_space_prefix", True)
            return ScorePairTokenizer(tokens, scores, special, unknown=unknown or 0, add_space=add_space)
    return None


def hf_tokenizer(data: Mapping[str, Any]) -> ModelTokenizer | None:
    """The tokenizer in a ``tokenizer.json``; None unless it is a byte-level byte-pair tokenizer."""
    model = data.get("model", {})
    expressions = _expressions(data.get("pre_tokenizer") or {})
    if model.get("type") != "BPE" or data.get("normalizer") is not None or expressions is None:
        return None
    added = {token["content"]: token["id"] for token in data.get("added_tokens", [])}
    id_of = {**model["vocab"], **added}
    tokens = [""] * (max(id_of.values()) + 1)
    for token, token_id in id_of.items():
        tokens[token_id] = token
    merges = [_pair(merge) for merge in model["merges"]]
    whole_first = bool(model.get("ignore_merges"))
    return BytePairTokenizer(tokens, merges, expressions, added, whole_first=whole_first)


def _merges(entries: Entries) -> list[tuple[str, str]]:
    name = "tokenizer.ggml.merges"
    try:
        return [_pair(merge) for merge in entries.texts(name)] if name in entries.values else []
    except ValueError as problem:
        raise entries.damaged(name) from problem


def _pair(merge: str | Sequence[str]) -> tuple[str, str]:
    """A merge is written as "a b" or as ["a", "b"]."""
    left, right = merge.split(" ") if isinstance(merge, str) else merge
    return left, right


def _expressions(step: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The expressions of a pre-tokenizer; None if it does anything but cut and turn text into bytes."""
    steps = step.get("pretokenizers", [step])
    found: list[str] = []
    for part in steps:
        match part.get("type"):
            case "ByteLevel" if not part.get("add_prefix_space"):
                found += GPT2 if part.get("use_regex", True) else ()
            case "Digits" if part.get("individual_digits"):
                found.append(r"\p{N}")
            case "Split" if "Regex" in part.get("pattern", {}) and part.get("behavior") == "Isolated":
                found.append(part["pattern"]["Regex"])
            case _:
                return None
    if not steps or steps[-1].get("type") != "ByteLevel" or not all(map(_readable, found)):
        return None
    return tuple(found)


def _readable(expression: str) -> bool:
    try:
        compiled(expression)
    except re.error:
        return False
    return True
