"""A prefix cache on one page: the idea of this package, small enough to be read line by line.

It computes nothing real: the "KV" of a token is a short digest of all tokens up to it, which is what makes a
wrong reuse visible. What the engine adds (slots, ref counts, eviction, scheduling) is left out.
"""

from __future__ import annotations

from hashlib import sha256


class PrefixCache:
    """Keeps the KV of whole blocks, each under a tag that stands for all tokens up to the block's end."""

    def __init__(self, block_size: int) -> None:
        self.block_size = block_size
        self.kv_of: dict[str, list[str]] = {}

    def tags(self, tokens: list[int]) -> list[str]:
        """One tag for each whole block."""
        tag = ""
        found: list[str] = []
        for start in range(0, len(tokens) - self.block_size + 1, self.block_size):
            block = tokens[start : start + self.block_size]
            tag = sha256(f"{tag} {block}".encode()).hexdigest()[:8]
            found.append(tag)
        return found

    def look_up(self, tokens: list[int]) -> list[str]:
        """The KV of the longest cached beginning; the last token is never part of it."""
        kv: list[str] = []
        limit = (len(tokens) - 1) // self.block_size
        for tag in self.tags(tokens)[:limit]:
            if tag not in self.kv_of:
                break
            kv += self.kv_of[tag]
        return kv

    def store(self, tokens: list[int], kv: list[str]) -> None:
        """Keep every whole block of KV that was computed."""
        for index, tag in enumerate(self.tags(tokens)):
            start = index * self.block_size
            self.kv_of[tag] = kv[start : start + self.block_size]


def compute(tokens: list[int], start: int) -> list[str]:
    """Stands in for the model: the KV of the tokens from ``start`` on. It depends on all tokens before."""
    kv: list[str] = []
    for end in range(start + 1, len(tokens) + 1):
        kv.append(sha256(str(tokens[:end]).encode()).hexdigest()[:4])
    return kv


def serve(cache: PrefixCache, tokens: list[int]) -> tuple[int, list[str]]:
    """One request: reuse what is there, compute the rest, keep it. Returns (tokens reused, KV)."""
    kv = cache.look_up(tokens)
    reused = len(kv)
    kv = kv + compute(tokens, reused)
    cache.store(tokens, kv)
    return reused, kv
