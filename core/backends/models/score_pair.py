"""SentencePiece's tokenizer as Llama 2 and Mistral use it: characters merge, the rest is spelt in bytes.

Files write the order of merging in two ways: GGUF gives each token a score, ``tokenizer.json`` lists pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from core.backends.models.byte_text import ByteText
from core.backends.models.merging import Order, merge
from core.backends.models.special_tokens import SpecialTokens
from core.texts import text_bytes

Front = Literal["never", "first", "each", "first_unless", "each_unless"]
"""Where a space is put in front: of the text (``first``) or also behind every special token (``each``);
``unless`` one stands there."""

SPACE = "\u2581"
"""Stands for a space inside tokens."""

_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_SHORT = 256


class ScorePairTokenizer(ByteText):
    """A ``core.scenario.tokenizer.Tokenizer``. ``unknown``: the token of a byte that has none."""

    def __init__(
        self,
        id_of: Mapping[str, int],
        order: Order,
        special: SpecialTokens,
        *,
        unknown: int = 0,
        front: Front = "each",
    ) -> None:
        self.special = special
        self._id_of = id_of
        self._token_of = {token_id: token for token, token_id in id_of.items()}
        self._order = order
        self._unknown = unknown
        self._front = front
        self._ids_of_short = lru_cache(maxsize=4096)(self._ids_of_text)

    def _ids_between(self, text: str, *, is_first: bool) -> tuple[int, ...]:
        marked = self._added(text, is_first) + text.replace(" ", SPACE)
        return self._ids_of_short(marked) if len(marked) <= _SHORT else self._ids_of_text(marked)

    def _added(self, text: str, is_first: bool) -> str:
        """The space in front, or nothing."""
        place, _, unless = self._front.partition("_")
        wanted = place == "each" or (place == "first" and is_first)
        return SPACE if wanted and not (unless and text.startswith((" ", SPACE))) else ""

    def _shown(self, texts: list[str], text: str, *, is_first: bool) -> list[str]:
        if self._added(text, is_first):
            texts[0] = texts[0].removeprefix(" ")
        return texts

    def _raw(self, token_id: int) -> bytes:
        token = self._token_of.get(token_id, "")  # the model may know more ids
        if _BYTE.fullmatch(token):
            return bytes.fromhex(token[3:5])
        return text_bytes(token.replace(SPACE, " "))

    def _ids_of_text(self, text: str) -> tuple[int, ...]:
        return tuple(token_id for part in merge(text, self._order) for token_id in self._spell(part))

    def _spell(self, part: str) -> list[int]:
        """A token, or the bytes of a character that is none."""
        if part in self._id_of:
            return [self._id_of[part]]
        names = [f"<0x{byte:02X}>" for byte in text_bytes(part)]
        return [self._id_of.get(name, self._unknown) for name in names]


def by_score(id_of: Mapping[str, int], scores: Sequence[float]) -> Order:
    """The pair whose token has the highest score first."""

    def order(left: str, right: str) -> float | None:
        token_id = id_of.get(left + right)
        return None if token_id is None else -scores[token_id]

    return order


def by_rank(id_of: Mapping[str, int], merges: Iterable[tuple[str, str]]) -> Order:
    """The pair that stands first in the list first."""
    rank_of = {pair: rank for rank, pair in enumerate(merges) if pair[0] + pair[1] in id_of}
    return lambda left, right: rank_of.get((left, right))
