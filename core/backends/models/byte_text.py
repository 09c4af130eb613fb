"""Tokens whose texts are bytes: a character may be spread over several of them."""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from core.backends.models.special_tokens import SpecialTokens


class ByteText(ABC):
    """Names of special tokens are those tokens; what stands between them is each tokenizer's own affair. Read
    back to text, half a character waits for its other half, and is replaced at the end."""

    special: SpecialTokens

    @abstractmethod
    def _ids_between(self, text: str, *, is_first: bool) -> Iterable[int]:
        """The token ids of a text without special tokens; ``is_first``: nothing stands before it."""

    def encode(self, text: str) -> list[int]:
        """The token ids of ``text``; the names of special tokens in it become those tokens."""
        ids: list[int] = []
        for part, token_id in self.special.split(text):
            if token_id is not None:
                ids.append(token_id)
            else:
                ids += self._ids_between(part, is_first=not ids)
        return ids

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
