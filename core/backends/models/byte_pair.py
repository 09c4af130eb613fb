"""Byte-level byte-pair tokenizer (GPT-2 and its children), from a vocabulary and a list of merges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from core.backends.models.byte_text import ByteText
from core.backends.models.pretokens import cut
from core.backends.models.special_tokens import SpecialTokens
from core.texts import text_bytes


@lru_cache(maxsize=1)
def byte_letters() -> tuple[str, ...]:
    """The letter that stands for each byte in such vocabularies: printable bytes for themselves, the others
    for the letters from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    spare = iter(range(0x100, 0x200))
    return tuple(chr(byte) if byte in printable else chr(next(spare)) for byte in range(256))


class BytePairTokenizer(ByteText):
    """Implements ``core.scenario.tokenizer.Tokenizer``.

    ``expressions`` cut the text first (``pretokens.py``). ``whole_first``: a piece that is a token as it
    stands is taken without merging. ``unknown``: the token for a byte that the vocabulary lacks.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        merges: Iterable[tuple[str, str]],
        expressions: tuple[str, ...],
        special: Mapping[str, int],
        *,
        unknown: int | None = None,
        whole_first: bool = False,
    ) -> None:
        self.special = SpecialTokens(special)
        self._id_of = {token: token_id for token_id, token in enumerate(tokens)}
        self._rank_of = {pair: rank for rank, pair in enumerate(merges)}
        self._expressions = expressions
        self._unknown = unknown
        self._whole_first = whole_first
        byte_of = {letter: byte for byte, letter in enumerate(byte_letters())}
        self._bytes_of = [_to_bytes(token, byte_of) for token in tokens]
        self._ids_of_piece = lru_cache(maxsize=65_536)(self._merge)

    def _ids_between(self, text: str, *, is_first: bool) -> Iterator[int]:
        for piece in cut(text, self._expressions):
            yield from self._ids_of_piece(piece)

    def pieces(self, text: str) -> list[str]:
        """The text of each token. A character that several tokens share belongs to the last of them."""
        return self.texts(self.encode(text))

    def _raw(self, token_id: int) -> bytes:
        name = self.special.name(token_id)
        if name is not None:
            return text_bytes(name)
        return self._bytes_of[token_id] if token_id < len(self._bytes_of) else b""  # the model knows more ids

    def _merge(self, piece: str) -> tuple[int, ...]:
        """Merge neighbours, the earliest learnt pair first. O(length²) of one piece, which is a word."""
        letters = byte_letters()
        parts = [letters[byte] for byte in text_bytes(piece)]
        whole = "".join(parts)
        if self._whole_first and whole in self._id_of:
            return (self._id_of[whole],)
        rank_of, never = self._rank_of, len(self._rank_of)
        while len(parts) > 1:
            ranks = [rank_of.get(pair, never) for pair in pairwise(parts)]
            best = min(ranks)
            if best == never:
                break
            parts = _join(parts, ranks, best)
        known = (self._id_of.get(part, self._unknown) for part in parts)
        return tuple(token_id for token_id in known if token_id is not None)


def _join(parts: list[str], ranks: list[int], best: int) -> list[str]:
    """Join every pair of rank ``best``, from the left."""
    joined, place = [], 0
    while place < len(parts):
        if place < len(ranks) and ranks[place] == best:
            joined.append(parts[place] + parts[place + 1])
            place += 2
        else:
            joined.append(parts[place])
            place += 1
    return joined


def _to_bytes(token: str, byte_of: Mapping[str, int]) -> bytes:
    """A token's bytes; one with other letters in it (a special token) is taken as text."""
    if all(letter in byte_of for letter in token):
        return bytes(byte_of[letter] for letter in token)
    return text_bytes(token)
