"""Sisters of the small cache, each with one line changed: what do they reuse of a prompt that is not ours?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from core.demo.cache import PrefixCache


@dataclass(frozen=True, slots=True)
class Sister:
    """A cache with one line changed: the right function, the changed one, and the line as it stands there."""

    make: Callable[[int], PrefixCache]
    right: Callable[..., Any]
    changed: Callable[..., Any]
    line: str


class FirstTokenOnly(PrefixCache):
    """The tag sees the first token of a block and none of the others."""

    def tags(self, tokens: list[int]) -> list[str]:
        """One tag for each whole block."""
        tag = ""
        found: list[str] = []
        for start in range(0, len(tokens) - self.block_size + 1, self.block_size):
            block = tokens[start : start + 1]
            tag = sha256(f"{tag} {block}".encode()).hexdigest()[:8]  # 32 bits: short, not safe
            found.append(tag)
        return found


class WholePrompt(PrefixCache):
    """The tag is made of all tokens of the prompt, also of those that come after the block."""

    def tags(self, tokens: list[int]) -> list[str]:
        """One tag for each whole block."""
        tag = ""
        found: list[str] = []
        for start in range(0, len(tokens) - self.block_size + 1, self.block_size):
            block = tokens
            tag = sha256(f"{tag} {block}".encode()).hexdigest()[:8]  # 32 bits: short, not safe
            found.append(tag)
        return found


class LastTokenToo(PrefixCache):
    """The end of the look-up forgets the last token, which is always computed."""

    def look_up(self, tokens: list[int]) -> list[str]:
        """The KV of the longest cached beginning; the last token is never part of it."""
        kv: list[str] = []
        limit = len(tokens) // self.block_size
        for tag in self.tags(tokens)[:limit]:
            if tag not in self.kv_of:
                break
            kv += self.kv_of[tag]
        return kv


SISTERS: Mapping[str, Sister] = MappingProxyType(
    {
        "first": Sister(
            FirstTokenOnly, PrefixCache.tags, FirstTokenOnly.tags, "block = tokens[start : start + 1]"
        ),
        "whole": Sister(WholePrompt, PrefixCache.tags, WholePrompt.tags, "block = tokens"),
        "last": Sister(
            LastTokenToo,
            PrefixCache.look_up,
            LastTokenToo.look_up,
            "limit = len(tokens) // self.block_size",
        ),
    }
)


def reused(name: str, prompts: Sequence[Sequence[int]], block_size: int) -> int:
    """Tokens that a sister reuses of the last of these prompts, which come one after another; "" is the right
    cache."""
    cache = SISTERS[name].make(block_size) if name else PrefixCache(block_size)
    found = 0
    for tokens in prompts:
        found = len(cache.look_up(list(tokens)))
        cache.store(list(tokens), ["kv"] * len(tokens))  # which KV it is changes no count
    return found
