"""SentencePiece's tokenizer as Llama 2 and Mistral use it: merge by score, spell the rest in bytes."""

from __future__ import annotations

import heapq
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from core.backends.models.byte_text import ByteText
from core.backends.models.special_tokens import SpecialTokens
from core.texts import text_bytes

_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_SPACE = "\u2581"  # stands for a space inside tokens


class ScorePairTokenizer(ByteText):
    """A ``core.scenario.tokenizer.Tokenizer``. ``add_space``: a text begins as if a space stood before it."""

    def __init__(
        self,
        tokens: Sequence[str],
        scores: Sequence[float],
        special: Mapping[str, int],
        *,
        unknown: int = 0,
        add_space: bool = True,
    ) -> None:
        self.special = SpecialTokens(special)
        self._tokens = tokens
        self._scores = scores
        self._id_of = {token: token_id for token_id, token in enumerate(tokens)}
        self._unknown = unknown
        self._add_space = add_space
        self._cached = lru_cache(maxsize=1024)(self._merge)

    def _ids_between(self, text: str, *, is_first: bool) -> tuple[int, ...]:
        prefix = _SPACE if self._add_space and is_first else ""
        return self._cached(prefix + text.replace(" ", _SPACE))

    def pieces(self, text: str) -> list[str]:
        """The text of each token; the space that was put in front is left out again."""
        texts = self.texts(self.encode(text))
        first = next(iter(self.special.split(text)), None)
        if self._add_space and first is not None and first[1] is None:
            texts[0] = texts[0].removeprefix(" ")
        return texts

    def _raw(self, token_id: int) -> bytes:
        token = self._tokens[token_id] if token_id < len(self._tokens) else ""  # the model knows more ids
        if _BYTE.fullmatch(token):
            return bytes.fromhex(token[3:5])
        return text_bytes(token.replace(_SPACE, " "))

    def _merge(self, text: str) -> tuple[int, ...]:
        """Join the neighbours whose joined token has the best score, the leftmost first. O(n log n)."""
        parts: list[str] = list(text)
        after = [*range(1, len(parts)), -1]
        before = list(range(-1, len(parts) - 1))
        heap: list[tuple[float, int, str]] = []

        def offer(left: int) -> None:
            if left >= 0 and after[left] >= 0:
                joined = parts[left] + parts[after[left]]
                token_id = self._id_of.get(joined)
                if token_id is not None:
                    heapq.heappush(heap, (-self._scores[token_id], left, joined))

        for left in range(len(parts) - 1):
            offer(left)
        while heap:
            _, left, joined = heapq.heappop(heap)
            right = after[left]
            if not parts[left] or right < 0 or parts[left] + parts[right] != joined:
                continue  # one of the two has been joined to another neighbour meanwhile
            parts[left], parts[right] = joined, ""
            after[left] = after[right]
            if after[right] >= 0:
                before[after[right]] = left
            offer(left)
            offer(before[left])
        return tuple(token_id for part in parts if part for token_id in self._spell(part))

    def _spell(self, part: str) -> list[int]:
        """A token, or the bytes of a character that is none."""
        if part in self._id_of:
            return [self._id_of[part]]
        names = [f"<0x{byte:02X}>" for byte in text_bytes(part)]
        return [self._id_of.get(name, self._unknown) for name in names]
