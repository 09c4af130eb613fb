"""Tokens whose texts are bytes: a character may be spread over several of them."""

from __future__ import annotations

import codecs
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from core.backends.models.special_tokens import SpecialTokens

NormalForm = Literal["", "NFC", "NFD", "NFKC", "NFKD"]
"""How letters are composed before anything else ("" leaves them): Qwen's tokenizers want NFC."""


class ByteText(ABC):
    """Names of special tokens are those tokens; what stands between them is each tokenizer's own affair. Read
    back to text, half a character waits for its other half, and is replaced at the end."""

    special: SpecialTokens
    form: NormalForm = ""

    @abstractmethod
    def _ids_between(self, text: str, *, is_first: bool) -> Iterable[int]:
        """The token ids of a text without special tokens; ``is_first``: nothing stands before it."""

    def _shown(self, texts: list[str], text: str, *, is_first: bool) -> list[str]:
        """The texts of the tokens of ``text`` without what the tokenizer itself has put in front."""
        return texts

    def encode(self, text: str) -> list[int]:
        """The token ids of ``text``; the names of special tokens in it become those tokens."""
        return [token for part in self._parts(text) for token in self._ids_of(*part)]

    def pieces(self, text: str) -> list[str]:
        """The text of each token: a character that several tokens share belongs to the last of them. Joined
        they are the text in the tokenizer's normal form."""
        found: list[str] = []
        for part, token_id, is_first in self._parts(text):
            texts = self.texts(self._ids_of(part, token_id, is_first))
            found += texts if token_id is not None else self._shown(texts, part, is_first=is_first)
        return found

    def marks(self, text: str) -> list[str]:
        """The names of special tokens in the text, each once, as they come."""
        return list(dict.fromkeys(part for part, token_id, _ in self._parts(text) if token_id is not None))

    @abstractmethod
    def _raw(self, token_id: int) -> bytes:
        """The bytes of one token, UTF-8 or a part of it."""

    def texts(self, token_ids: Sequence[int]) -> list[str]:
        """The text of each token of a sequence; joined they are ``decode`` of all of them."""
        reader = codecs.getincrementaldecoder("utf-8")("replace")
        last = len(token_ids) - 1
        return [reader.decode(self._raw(id_), place == last) for place, id_ in enumerate(token_ids)]

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of a sequence of tokens."""
        return b"".join(map(self._raw, token_ids)).decode("utf-8", "replace")

    def _ids_of(self, part: str, token_id: int | None, is_first: bool) -> list[int]:
        return [token_id] if token_id is not None else list(self._ids_between(part, is_first=is_first))

    def _parts(self, text: str) -> Iterator[tuple[str, int | None, bool]]:
        """(name, id) of special tokens and (text in normal form, None) between them; whether it is first."""
        is_first = True
        for part, token_id in self.special.split(text):
            if token_id is not None:
                yield part, token_id, is_first
                is_first = False
                continue
            normal = unicodedata.normalize(self.form, part) if self.form else part
            for inner, later_id in self.special.split_later(normal):
                yield inner, later_id, is_first
                is_first = False
