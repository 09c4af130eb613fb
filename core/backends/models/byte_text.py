"""Tokens whose texts are bytes: a character may be spread over several of them."""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod
from collections.abc import Sequence


class ByteText(ABC):
    """Reads token ids back to text; half a character waits for its other half, and is replaced at the end."""

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
