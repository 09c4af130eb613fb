"""How byte-pair tokenizers cut a text before they merge: regular expressions with Unicode classes.

Python's ``re`` has no ``\\p{L}``, so the classes are spelt out as ranges, once.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
NAMED = {
    "gpt-2": (_GPT2,),
    "smollm": (r"\p{N}", _GPT2),
    "llama-bpe": (_LLAMA3,),
    "llama3": (_LLAMA3,),
    "qwen2": (_LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}"),),
}
"""Expressions by the name that GGUF files use; each is applied to what the one before it leaves."""

GPT2 = NAMED["gpt-2"]
_SPACES = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


@lru_cache(maxsize=1)
def _classes() -> dict[str, str]:
    """Letters, numbers and marks as ranges inside brackets: one walk over all characters, about 0.2 s."""
    spans: dict[str, list[list[int]]] = {"L": [], "N": [], "M": []}
    for code in range(sys.maxunicode + 1):
        found = spans.get(unicodedata.category(chr(code))[0])
        if found is None:
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return {
        name: "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in found) for name, found in spans.items()
    }


@lru_cache(maxsize=16)
def compiled(expression: str) -> re.Pattern[str]:
    """An expression with Unicode classes as Python's ``re`` understands it.

    Raises:
        re.error: a construct that Python does not know.
    """
    return re.compile(_spelt_out(expression))


def _spelt_out(expression: str) -> str:
    """Replace the classes, inside brackets or alone."""
    inside = False
    parts: list[str] = []
    for token in re.findall(r"\\p\{\w+\}|\\.|.", expression, re.S):
        ranges = _ranges(token)
        if ranges is not None:
            parts.append(ranges if inside else f"[{ranges}]")
        elif token == r"\S" and not inside:
            parts.append(f"[^{_SPACES}]")
        else:
            inside = token == "[" or (inside and token != "]")
            parts.append(token)
    return "".join(parts)


def _ranges(token: str) -> str | None:
    if token == r"\s":
        return _SPACES
    named = re.fullmatch(r"\\p\{(\w+)\}", token)
    if named is None:
        return None
    if named[1] not in _classes():
        raise re.error(f"unknown class {token}")
    return _classes()[named[1]]


def cut(text: str, expressions: tuple[str, ...]) -> list[str]:
    """The pieces of a text, in order; joined they give it back. What no expression matches stays whole."""
    pieces = [text] if text else []
    for expression in expressions:
        pieces = [part for piece in pieces for part in _split(piece, compiled(expression))]
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
