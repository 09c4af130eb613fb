"""How byte-pair tokenizers cut a text before they merge: regular expressions with Unicode classes.

Python's ``re`` has no ``\\p{L}``, so the classes are spelt out as ranges, once; they follow the Unicode
version of this Python (3.11: 14.0; characters that are newer are no letters to it). Only constructs that mean
the same here and in the libraries these expressions were written for are taken, and no repeated groups, which
can take time without end.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_TEKKEN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN2 = _LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
_DEFAULT = (  # what llama.cpp does where a file says "default" or nothing
    r"[\p{P}\$\+<=>\^~\|]+",
    _GPT2.removesuffix(r"|\s+"),
    r"\p{N}+",
    r"[0-9][0-9][0-9]",
)
NAMED = {
    "default": _DEFAULT,
    "gpt-2": (_GPT2,),
    "smollm": (r"\p{N}", _GPT2),
    "llama-bpe": (_LLAMA3,),
    "llama-v3": (_LLAMA3,),
    "llama3": (_LLAMA3,),
    "qwen2": (_QWEN2,),
    "deepseek-r1-qwen": (_QWEN2,),
    "tekken": (_TEKKEN,),
}
"""Expressions by the name that GGUF files use; each is applied to what the one before it leaves."""

GPT2 = NAMED["gpt-2"]
_SPACES = ((9, 13), (32, 32), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
           (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000))  # fmt: skip
_TOKEN = re.compile(
    r"\\[pP]\{[A-Z][a-z]?\}"  # a Unicode class
    r"|\\[sSd]"
    r"|\\[rntfv]|\\[^\w\s]"  # one character
    r"|\(\?i:|\(\?:|\(\?!|\(\?=|\((?!\?)"
    r"|\)\??(?![*+{?])"  # repeating a group could take time without end
    r"|\[\^?(?![\[\]:^])"
    r"|[\]|]|[*+?](?![+?])|\{\d{1,2}(?:,\d{0,2})?\}(?![+?])"
    r"|&(?!&)|-(?!-)|[^\\()\[\]{}*+?|^$.&-]",
    re.S,
)
_LONGEST = 4000


@lru_cache(maxsize=1)
def _categories() -> dict[str, list[tuple[int, int]]]:
    """Every general category, and its first letter, as spans: one walk over all characters, about 0.2 s."""
    found: dict[str, list[tuple[int, int]]] = {}
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        for name in (category, category[0]):
            spans = found.setdefault(name, [])
            if spans and spans[-1][1] == code - 1:
                spans[-1] = (spans[-1][0], code)
            else:
                spans.append((code, code))
    return found


@lru_cache(maxsize=16)
def compiled(expression: str) -> re.Pattern[str]:
    """An expression with Unicode classes as Python's ``re`` understands it.

    Raises:
        re.error: a construct that is not taken here.
    """
    if len(expression) > _LONGEST:
        raise re.error("a longer expression than any tokenizer's")
    return re.compile(_spelt_out(expression))


def _spelt_out(expression: str) -> str:
    """Replace the classes, inside brackets or alone; refuse every other construct."""
    inside, place = False, 0
    parts: list[str] = []
    while place < len(expression):
        if inside and expression[place] in "(){}*+?|^$.~":  # plain characters there
            parts.append("\\" + expression[place])
            place += 1
            continue
        found = _TOKEN.match(expression, place)
        if found is None or (inside and found[0].startswith(("[", "(", "{"))):
            raise re.error(f"not taken here: {expression[place : place + 12]}")
        token, place = found[0], found.end()
        ranges = _ranges(token)
        if ranges is not None:
            parts.append(ranges if inside else f"[{ranges}]")
            continue
        inside = token.startswith("[") or (inside and token != "]")
        parts.append(token)
    return "".join(parts)


def _ranges(token: str) -> str | None:
    """What a class stands for, as ranges inside brackets; None for what is no class."""
    if token == r"\d":
        token = r"\p{Nd}"
    if token in (r"\s", r"\S"):
        return _written(_SPACES if token == r"\s" else _others(_SPACES))
    named = re.fullmatch(r"\\([pP])\{(\w+)\}", token)
    if named is None:
        return None
    spans = _categories().get(named[2])
    if spans is None:
        raise re.error(f"unknown class {token}")
    return _written(spans if named[1] == "p" else _others(spans))


def _others(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """All characters that the spans leave out."""
    rest, start = [], 0
    for low, high in spans:
        if start < low:
            rest.append((start, low - 1))
        start = high + 1
    return [*rest, (start, sys.maxunicode)] if start <= sys.maxunicode else rest


def _written(spans: Iterable[tuple[int, int]]) -> str:
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in spans)


def cut(text: str, expressions: tuple[str, ...]) -> list[str]:
    """The pieces of a text, in order; joined they give it back. What no expression matches stays whole."""
    pieces = [text] if text else []
    for expression in expressions:
        pattern = compiled(expression)
        pieces = [part for piece in pieces for part in _split(piece, pattern)]
    return pieces


def _split(piece: str, pattern: re.Pattern[str]) -> list[str]:
    parts, end = [], 0
    for match in pattern.finditer(piece):
        if match.start() > end:
            parts.append(piece[end : match.start()])
        if match.end() > match.start():
            parts.append(match.group())
        end = match.end()
    return parts + ([piece[end:]] if end < len(piece) else [])
