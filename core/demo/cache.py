"""A prefix cache on one page, small enough to be read line by line. It needs Python 3.11 and nothing else:

    python3 demo_cache.py

It computes nothing real: the "KV" of a token is a short digest of all tokens up to it, which is what makes a
wrong reuse visible. Tags are cut to 32 bits and KV to 16, so that they can be read. An engine keeps all bits
of a digest (128 or more): with 32, two different beginnings share a tag once in 4,294,967,296 pairs.
Slots, ref counts, eviction and scheduling are left out.
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
            tag = sha256(f"{tag} {block}".encode()).hexdigest()[:8]  # 32 bits: short, not safe
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


def main() -> None:
    """Four requests on one cache, and what must hold of them."""
    cache = PrefixCache(block_size=2)
    first, second, other = [1, 2, 3, 4, 100, 101], [1, 2, 3, 4, 200, 201], [5, 6, 3, 4, 300, 301]
    print("request · 请求             reused · 复用  computed · 计算")
    counts = []
    for tokens in (first, second, other, first):
        reused, kv = serve(cache, tokens)
        assert kv == compute(tokens, 0), "reused KV is what computing would give"
        assert reused < len(tokens), "the last token is always computed"
        counts.append(reused)
        print(f"{' '.join(map(str, tokens)):<24}   {reused:>4}           {len(tokens) - reused:>4}")
    assert counts[0] == 0, "nothing is there yet"
    assert counts[1] == 4, "two whole blocks are shared"
    assert counts[2] == 0, "3 4 is cached, but after another beginning"
    assert counts[3] == 4, "of an equal prompt all but the last block"
    print("✓ all as expected · 全部符合预期")


if __name__ == "__main__":
    main()
