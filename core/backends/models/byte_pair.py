"""Byte-level byte-pair tokenizer (GPT-2 and its children), from a vocabulary and a list of merges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from core.backends.models.byte_text import ByteText, NormalForm
from core.backends.models.merging import merge
from core.backends.models.pretokens import cut
from core.backends.models.special_tokens import SpecialTokens
from core.texts import text_bytes

_WORD = 64
"""Letters of the longest piece that is remembered: longer ones are no words that come again."""


@lru_cache(maxsize=1)
def byte_letters() -> tuple[str, ...]:
    """The letter that stands for each byte in such vocabularies: printable bytes for themselves, the others
    for the letters from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    spare = iter(range(0x100, 0x200))
    return tuple(chr(byte) if byte in printable else chr(next(spare)) for byte in range(256))


@lru_cache(maxsize=1)
def _byte_of() -> dict[str, int]:
    return {letter: byte for byte, letter in enumerate(byte_letters())}


class BytePairTokenizer(ByteText):
    """Implements ``core.scenario.tokenizer.Tokenizer``.

    ``id_of``: the vocabulary. ``expressions`` cut the text first (``pretokens.py``). ``whole_first``: a piece
    that is a token as it stands is taken without merging. ``unknown``: the token for a byte that the
    vocabulary lacks.
    """

    def __init__(
        self,
        id_of: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        expressions: tuple[str, ...],
        special: SpecialTokens,
        *,
        unknown: int | None = None,
        whole_first: bool = False,
        form: NormalForm = "",
    ) -> None:
        self.special = special
        self.form = form
        self._id_of = id_of
        self._token_of = {token_id: token for token, token_id in id_of.items()}
        self._rank_of = {pair: rank for rank, pair in enumerate(merges) if pair[0] + pair[1] in id_of}
        self._expressions = expressions
        self._unknown = unknown
        self._whole_first = whole_first
        self._ids_of_word = lru_cache(maxsize=65_536)(self._ids_of_piece)

    def _ids_between(self, text: str, *, is_first: bool) -> Iterator[int]:
        for piece in cut(text, self._expressions):
            yield from self._ids_of_word(piece) if len(piece) <= _WORD else self._ids_of_piece(piece)

    def _raw(self, token_id: int) -> bytes:
        name = self.special.name(token_id)
        if name is not None:
            return text_bytes(name)
        return _to_bytes(self._token_of.get(token_id, ""))  # the model may know more ids

    def _ids_of_piece(self, piece: str) -> tuple[int, ...]:
        letters = byte_letters()
        symbols = [letters[byte] for byte in text_bytes(piece)]
        whole = "".join(symbols)
        if self._whole_first and whole in self._id_of:
            return (self._id_of[whole],)
        parts = merge(symbols, lambda left, right: self._rank_of.get((left, right)))
        known = (self._id_of.get(part, self._unknown) for part in parts)
        return tuple(token_id for token_id in known if token_id is not None)


def _to_bytes(token: str) -> bytes:
    """A token's bytes; one with other letters in it (a special token) is taken as text."""
    byte_of = _byte_of()
    if all(letter in byte_of for letter in token):
        return bytes(byte_of[letter] for letter in token)
    return text_bytes(token)
