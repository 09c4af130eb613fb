"""Text to tokens: the `Tokenizer` protocol and the small tokenizer that all lessons use.

The engine knows nothing of text; it sees token ids only. `TeachingTokenizer` cuts text the way byte-pair
tokenizers look to a reader: a word takes the space before it along, a punctuation mark stands alone, a run
of digits is one token, and so is every single Chinese, Japanese or Korean character.

A token's id is derived from its text alone, so the same piece has the same id in every prompt, whatever was
encoded before it: hash tags on screen stay the same when prompts are edited or put into another order.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache
from typing import Protocol

import xxhash

from core.errors import TokenizerError
from core.texts import text_bytes

ID_MASK = 2**31 - 1
"""Ids stay below 2**31, so they fit a signed 32 bit integer everywhere."""


class Tokenizer(Protocol):
    """What the pages and scenarios ask of a tokenizer."""

    def encode(self, text: str) -> list[int]:
        """The token ids of `text`."""
        ...

    def pieces(self, text: str) -> list[str]:
        """The text of each token: as many as `encode` gives, and joined they are `text` again."""
        ...


class TeachingTokenizer:
    """A word-level tokenizer without tables, for any Unicode text.

    >>> TeachingTokenizer().pieces("Hot soup, please: 一碗面！")
    ['Hot', ' soup', ',', ' please', ':', ' 一', '碗', '面', '！']

    An instance remembers the piece behind each id it gave out. Two pieces with the same hash (about one
    pair in two thousand million) would share an id: the later one then takes the hash under the next seed,
    so equal calls in equal order always give equal ids.
    """

    def __init__(self) -> None:
        self._piece_of: dict[int, str] = {}
        self._id_of: dict[str, int] = {}

    def encode(self, text: str) -> list[int]:
        """The token ids of `text`. O(len(text))."""
        return [self._id(piece) for piece in _cut(text)]

    def pieces(self, text: str) -> list[str]:
        """The text of each token; joined they give back `text` exactly."""
        return list(_cut(text))

    def piece(self, token_id: int) -> str:
        """The text behind an id that this instance gave out.

        Raises:
            TokenizerError: the id did not come from this instance.
        """
        try:
            return self._piece_of[token_id]
        except KeyError:
            raise TokenizerError(
                "tokenizer.unknown_id",
                f"Token id {token_id} is not known here; expected an id that encode() returned. "
                "Encode the text with the same tokenizer first.",
                token_id=token_id,
            ) from None

    def _id(self, piece: str) -> int:
        known = self._id_of.get(piece)
        if known is not None:
            return known
        seed = 0
        while self._piece_of.setdefault(token_id := _hash(piece, seed), piece) != piece:
            seed += 1
        self._id_of[piece] = token_id
        return token_id


def _hash(piece: str, seed: int) -> int:
    return xxhash.xxh32_intdigest(text_bytes(piece), seed) & ID_MASK


# -- cutting ------------------------------------------------------------------------------------------


class _Kind(Enum):
    LETTER = auto()
    DIGIT = auto()
    CJK = auto()
    MARK = auto()
    NEWLINE = auto()
    BLANK = auto()
    OTHER = auto()


_NEWLINES = "\n\r\x0b\x0c\x85\u2028\u2029"
_APOSTROPHES = "'\u2019"
_JOINER = "\u200d"
_CJK_RANGES = (
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x3005, 0x3007),  # 々 〆 〇
    (0x3040, 0x30FF),  # kana
    (0x3100, 0x31FF),  # Bopomofo, Hangul compatibility, kana extensions
    (0x3400, 0x4DBF),  # Han, extension A
    (0x4E00, 0x9FFF),  # Han
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Han, compatibility
    (0xFF66, 0xFFDC),  # half-width kana and Hangul
    (0x20000, 0x3FFFF),  # Han, later extensions
)
_SKIN_TONES = range(0x1F3FB, 0x1F400)


@lru_cache(maxsize=4096)
def _kind(char: str) -> _Kind:
    code = ord(char)
    category = unicodedata.category(char)
    if char in _NEWLINES:
        return _Kind.NEWLINE
    if char.isspace():
        return _Kind.BLANK
    if category[0] == "M" or char in "\u200c\u200d" or code in _SKIN_TONES:
        return _Kind.MARK
    if category[0] == "L":
        return _Kind.CJK if any(low <= code <= high for low, high in _CJK_RANGES) else _Kind.LETTER
    if category == "Nd":
        return _Kind.DIGIT
    return _Kind.CJK if code == 0x3007 else _Kind.OTHER


def _cut(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        stop = _end_of_piece(text, start)
        yield text[start:stop]
        start = stop


def _end_of_piece(text: str, start: int) -> int:
    """Where the piece that begins at `start` ends (one past its last character)."""
    kind = _kind(text[start])
    if kind is _Kind.NEWLINE:
        return _run(text, start, (_Kind.NEWLINE,))
    if kind is _Kind.BLANK:
        stop = _run(text, start, (_Kind.BLANK,))
        if not _takes_space(text, stop):
            return stop
        if stop - start > 1:
            return stop - 1  # the last space goes with the word behind it
        start = stop
        kind = _kind(text[start])
    if kind is _Kind.LETTER:
        return _end_of_word(text, start)
    if kind is _Kind.DIGIT:
        return _run(text, start, (_Kind.DIGIT,))
    return _end_of_symbol(text, start)


def _takes_space(text: str, stop: int) -> bool:
    return stop < len(text) and text[stop - 1] == " " and _kind(text[stop]) is not _Kind.NEWLINE


def _run(text: str, start: int, kinds: tuple[_Kind, ...]) -> int:
    stop = start
    while stop < len(text) and _kind(text[stop]) in kinds:
        stop += 1
    return stop


def _end_of_word(text: str, start: int) -> int:
    """Letters with their marks; an apostrophe between two letters stays inside (don't)."""
    stop = _run(text, start, (_Kind.LETTER, _Kind.MARK))
    while stop + 1 < len(text) and text[stop] in _APOSTROPHES and _kind(text[stop + 1]) is _Kind.LETTER:
        stop = _run(text, stop + 1, (_Kind.LETTER, _Kind.MARK))
    return stop


def _end_of_symbol(text: str, start: int) -> int:
    """One character with its marks; symbols glued by a joiner (family emoji) stay together."""
    stop = _run(text, start + 1, (_Kind.MARK,))
    while stop < len(text) and text[stop - 1] == _JOINER and _kind(text[stop]) is _Kind.OTHER:
        stop = _run(text, stop + 1, (_Kind.MARK,))
    return stop
