"""Text on its way out: as bytes for a hash, and as text that files, browsers and widgets take.

A Python text may hold half of a surrogate pair: JSON writes it as ``"\\ud83c"``, and logs have it wherever
somebody cut a text in the middle of an emoji. UTF-8 has no form for it, so a plain ``encode`` fails.
"""

from __future__ import annotations

import re

_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
"""Control signs but for line ends and tabs, line separators, and marks that turn the direction of writing."""


def text_bytes(text: str) -> bytes:
    """What every text that enters a hash is encoded to: UTF-8, and halves of surrogate pairs in its manner.

    No text is refused, and different texts have different bytes. vLLM does the same: its default digest is
    made of a pickle, which writes such halves as these three bytes and refuses none; its CBOR digests fail.

    >>> text_bytes("汤"), text_bytes("\\ud83c")
    (b'\\xe6\\xb1\\xa4', b'\\xed\\xa0\\xbc')
    """
    return text.encode("utf-8", "surrogatepass")


def showable(text: str) -> str:
    """The text with U+FFFD, which every browser draws, for each half of a surrogate pair; two halves that
    belong together are joined. For screens and files only: different texts may become equal.

    >>> showable("cut \\ud83c off"), showable("\\ud83c\\udf5c")
    ('cut \\ufffd off', '🍜')
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def escaped(text: str) -> str:
    """The text with ``\\ud83c`` for such a half: for messages of programs. JSON means the same by it, so JSON
    stays the same value.

    >>> escaped("cut \\ud83c off")
    'cut \\\\ud83c off'
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def in_terminal(text: str) -> str:
    """The text for a terminal: what would steer it, or turn the order of its signs, is written ``\\u001b``.
    JSON means the same by it.

    >>> in_terminal("red \\u001b[31m, turned \\u202e")
    'red \\\\u001b[31m, turned \\\\u202e'
    """
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped(text))
