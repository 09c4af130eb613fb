"""A model's own tokenizer: what every kind can do, and the ones in the metadata of GGUF files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from core.backends.models.byte_pair import BytePairTokenizer
from core.backends.models.entries import Entries
from core.backends.models.gguf import GgufFile
from core.backends.models.pretokens import NAMED
from core.backends.models.refusals import LONGEST
from core.backends.models.score_pair import ScorePairTokenizer, by_score
from core.backends.models.special_tokens import SpecialTokens
from core.errors import BackendError

_UNKNOWN, _CONTROL, _USER = 2, 3, 4  # GGUF's types of tokens that are found by their names
_WHOLE_FIRST = ("llama-bpe", "llama-v3", "llama3", "tekken")
_COMPOSED = ("qwen2", "deepseek-r1-qwen")
"""The models behind these names were trained on composed letters (NFC); the files do not say so."""

_SETTINGS = (
    "add_bos_token", "add_eos_token", "add_sep_token", "add_space_prefix", "merges", "model",
    "normalizer.nfc", "pre", "scores", "suppress_tokens", "token_type", "token_type_count", "tokens",
)  # fmt: skip
"""What a tokenizer's entries may say, and ids of single tokens besides; anything else may change texts."""


class ModelTokenizer(Protocol):
    """``core.scenario.tokenizer.Tokenizer``, and the way back from tokens to text."""

    def encode(self, text: str) -> list[int]:
        """The token ids of ``text``; the names of special tokens in it become those tokens."""
        ...

    def pieces(self, text: str) -> list[str]:
        """The text of each token: as many as ``encode`` gives, and joined they are ``text`` again, in the
        normal form that the tokenizer wants."""
        ...

    def texts(self, token_ids: Sequence[int]) -> list[str]:
        """The text of each token of a sequence."""
        ...

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of a sequence of tokens."""
        ...

    def marks(self, text: str) -> list[str]:
        """The names of special tokens that stand in ``text``, each once: they are no words to the model."""
        ...


def _not_exactly(name: str, what: str) -> BackendError:
    """A tokenizer that we could only approximate is none: its name, what it needs, and what to do."""
    what = what[:LONGEST]
    return BackendError(
        "backend.tokenizer_kind",
        f"The tokenizer of {name} needs what cannot be done exactly here: {what}. Choose this model as a "
        "Hugging Face directory instead.",
        name=name,
        what=what,
    )


def gguf_tokenizer(file: GgufFile) -> ModelTokenizer:
    """The tokenizer in a GGUF file. It gives the ids of llama.cpp, but for two places where llama.cpp leaves
    the model's own ``tokenizer.json``, which we follow: Qwen's letters are composed first, and Tekken's
    expression is the whole one.

    Raises:
        BackendError: a part of it cannot be (``backend.model_damaged``), or it is of a kind that is not read
            here (``backend.tokenizer_kind``).
    """
    entries = file.entries
    kind = entries.text("tokenizer.ggml.model", "")
    if kind not in ("gpt2", "llama"):
        raise _not_exactly(file.path.name, f"tokenizer.ggml.model = {kind or '–'}")
    _refuse_other_settings(entries)
    tokens = entries.texts("tokenizer.ggml.tokens")
    kinds = entries.numbers("tokenizer.ggml.token_type", tokens)
    by_name = (_UNKNOWN, _CONTROL, _USER)
    special = SpecialTokens({token: i for i, token in enumerate(tokens) if kinds[i] in by_name})
    unknown = entries.index("tokenizer.ggml.unknown_token_id", len(tokens))
    id_of = {token: token_id for token_id, token in enumerate(tokens)}
    if kind == "gpt2":
        return _byte_pair(file, id_of, special, unknown)
    scores = entries.numbers("tokenizer.ggml.scores", tokens)
    front = entries.flag("tokenizer.ggml.add_space_prefix", True)
    return ScorePairTokenizer(
        id_of, by_score(id_of, scores), special, unknown=unknown or 0, front="each" if front else "never"
    )


def _refuse_other_settings(entries: Entries) -> None:
    prefix = "tokenizer.ggml."
    for name, value in entries.values.items():
        own = name.removeprefix(prefix)
        if own == name or own in _SETTINGS or re.fullmatch(r"[a-z_]+_token_ids?", own) or value is False:
            continue
        raise _not_exactly(entries.file, own)


def _byte_pair(
    file: GgufFile, id_of: dict[str, int], special: SpecialTokens, unknown: int | None
) -> BytePairTokenizer:
    name = file.entries.text("tokenizer.ggml.pre", "default")
    if name not in NAMED:
        raise _not_exactly(file.path.name, f"tokenizer.ggml.pre = {name}")
    return BytePairTokenizer(
        id_of,
        _merges(file.entries),
        NAMED[name],
        special,
        unknown=unknown,
        whole_first=name in _WHOLE_FIRST,
        form="NFC" if file.entries.flag("tokenizer.ggml.normalizer.nfc", name in _COMPOSED) else "",
    )


def _merges(entries: Entries) -> list[tuple[str, str]]:
    name = "tokenizer.ggml.merges"
    try:
        return [pair_of(merge) for merge in entries.texts(name)] if name in entries.values else []
    except ValueError as problem:
        raise entries.damaged(name) from problem


def pair_of(merge: object) -> tuple[str, str]:
    """A merge is written as "a b" or as ["a", "b"].

    Raises:
        ValueError: it is neither.
    """
    parts = merge.split(" ") if isinstance(merge, str) else merge
    if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(part, str) for part in parts):
        raise ValueError("no pair")
    return parts[0], parts[1]
