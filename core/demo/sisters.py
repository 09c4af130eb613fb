"""Sisters of the small cache, each with one line changed: what do they reuse of a prompt that is not ours?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType

from core.demo.cache import PrefixCache, serve


class FirstTokenOnly(PrefixCache):
    """The tag sees the first token of a block and none of the others."""

    def tags(self, tokens: list[int]) -> list[str]:
        tag = ""
        found: list[str] = []
        for start in range(0, len(tokens) - self.block_size + 1, self.block_size):
            block = tokens[start : start + 1]
            tag = sha256(f"{tag} {block}".encode()).hexdigest()
            found.append(tag)
        return found


class WholePrompt(PrefixCache):
    """The tag is made of all tokens of the prompt, also of those that come after the block."""

    def tags(self, tokens: list[int]) -> list[str]:
        blocks = range(len(tokens) // self.block_size)
        return [sha256(f"{index} {tokens}".encode()).hexdigest() for index in blocks]


class LastTokenToo(PrefixCache):
    """The end of the look-up forgets the last token, which is always computed."""

    def look_up(self, tokens: list[int]) -> list[str]:
        kv: list[str] = []
        limit = len(tokens) // self.block_size
        for tag in self.tags(tokens)[:limit]:
            if tag not in self.kv_of:
                break
            kv += self.kv_of[tag]
        return kv


SISTERS: Mapping[str, tuple[Callable[[int], PrefixCache], str]] = MappingProxyType(
    {
        "first": (FirstTokenOnly, "block = tokens[start : start + 1]"),
        "whole": (WholePrompt, 'tag = sha256(f"{index} {tokens}".encode()).hexdigest()'),
        "last": (LastTokenToo, "limit = len(tokens) // self.block_size"),
    }
)
"""Each with the line that differs."""


def reused(name: str, prompts: Sequence[Sequence[int]], block_size: int) -> int:
    """Tokens that a sister reuses of the last of these prompts, which come one after another; "" is the right
    cache."""
    make = SISTERS[name][0] if name else PrefixCache
    cache = make(block_size)
    found = 0
    for tokens in prompts:
        found = serve(cache, list(tokens))[0]
    return found
