"""PrefixTree: a whole log of prompts folded into runs, blocks that are always used together.

What prompts share, they share from the first block on, so a log is a tree: a run is a stretch of blocks
that every prompt uses whole or not at all, and a prompt is the path to the run where it ends. Built once,
the tree answers for every cache size: a replay or the capacity curve then costs one visit per run on the
path, not one per block (a chat log of 9 million blocks is about 30 thousand runs).

Prompts whose length is a multiple of the block size get their last block as a run of its own: a cache
computes that block again even when it has it, because the last token must be computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from core.errors import TraceError
from core.replay.block_chain import BlockChain, TracedPrompt, chain_of_prompt, chain_of_request
from core.types import Request

Progress = Callable[[int, int | None], None]
"""Called with (done, total or None) now and then; what it raises ends the work: that is how to cancel."""

TELL_EVERY = 64
TICKS_PER_S = 1000
"""Time is counted in whole milliseconds wherever content can expire: two ways to compute agree at every
tie."""
_PARTS = 1000
ROOT = 0
NOWHERE = -1
"""No run at all."""


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """A finished tree. One entry per run in ``parent`` and ``length`` (blocks; run 0 is the root, empty);
    one entry per prompt, in the log's order, in all others. Each scope has an empty root of its own.

    ``matched``: full blocks that stood in the log before, from the first on. ``tail_matched``: all of them
    did, and so did the last block, which is not full. ``paths``: runs from the first block to the last.
    ``arrivals_s``: seconds since the log began, None unless every prompt has a time.
    """

    block_size: int
    parent: list[int]
    length: list[int]
    end: list[int]
    paths: list[tuple[int, ...]]
    num_tokens: list[int]
    matched: list[int]
    tail_matched: list[bool]
    arrivals_s: list[float] | None

    @property
    def num_requests(self) -> int:
        """Prompts in the log."""
        return len(self.end)

    @property
    def num_distinct(self) -> int:
        """Different full blocks in the log."""
        return sum(self.length)

    def num_full(self, request: int) -> int:
        """Full blocks of one prompt: those a cache can keep."""
        return self.num_tokens[request] // self.block_size

    def num_blocks(self, request: int) -> int:
        """All blocks of one prompt: the slots it needs."""
        return -(-self.num_tokens[request] // self.block_size)

    def is_aligned(self, request: int) -> bool:
        """Whether the prompt's last block is full."""
        return self.num_tokens[request] % self.block_size == 0

    @property
    def arrival_ticks(self) -> list[int]:
        """The log's own clock at each prompt: whole milliseconds, never going back (a late row comes now).

        Raises:
            TraceError: the log has no times.
        """
        return list(accumulate(map(ticks_of, self.check_times()), max))

    def check_times(self) -> list[float]:
        """The arrivals.

        Raises:
            TraceError: the log has no times.
        """
        if self.arrivals_s is None:
            message = (
                "Not every request has a time, so nothing can expire. Use a log with a time in every row."
            )
            raise TraceError("trace.no_times", message)
        return self.arrivals_s

    @property
    def largest(self) -> int:
        """Slots that the largest prompt needs; a smaller pool would have to refuse it."""
        return -(-max(self.num_tokens, default=0) // self.block_size)


def ticks_of(seconds: float) -> int:
    """A time of the log, or a time to live, in ticks."""
    return round(seconds * TICKS_PER_S)


class PrefixTreeBuilder:
    """Takes chains in the log's order, then gives the tree. Memory: ``width`` bytes per different block."""

    def __init__(self, block_size: int) -> None:
        self.block_size = block_size
        self._width: int | None = None
        self._keys: list[bytes] = [b""]
        self._parent: list[int] = [ROOT]
        self._child: dict[tuple[int, bytes], int] = {}  # (run, first block of the next run) -> next run
        self._roots: dict[bytes, int] = {b"": ROOT}  # by scope
        self._tails: set[tuple[int, bytes]] = set()
        self._end: list[int] = []
        self._num_tokens: list[int] = []
        self._matched: list[int] = []
        self._tail_matched: list[bool] = []
        self._arrivals: list[float | None] = []

    def add(self, chain: BlockChain) -> None:
        """Append one prompt. O(runs on its path), plus one comparison of its bytes.

        Raises:
            TraceError: the chain was cut with another block size, or named in another way.
        """
        width = self._width = self._width or chain.width
        num_full, left = divmod(chain.num_tokens, self.block_size)
        if len(chain.full) != num_full * chain.width or width != chain.width:
            raise _does_not_fit(chain, self.block_size, width)
        if chain.scope not in self._roots:
            self._roots[chain.scope] = self._new_run(b"", ROOT)
        matched, end = self._insert(chain.full, self._roots[chain.scope], width)
        if left == 0 and len(self._keys[end]) > width:
            self._split(end, len(self._keys[end]) - width, width)
        self._end.append(end)
        self._num_tokens.append(chain.num_tokens)
        self._matched.append(matched)
        self._tail_matched.append(self._add_tail(end, chain.tail) and matched == num_full)
        self._arrivals.append(chain.arrival_s)

    def _insert(self, content: bytes, run: int, width: int) -> tuple[int, int]:
        """Below the root ``run``. Returns (blocks that were there before, the run where the prompt ends)."""
        place, size = 0, len(content)
        keys, child = self._keys, self._child
        while place < size:
            first = content[place : place + width]
            below = child.get((run, first))
            if below is None:
                new = self._new_run(content[place:], run)
                child[run, first] = new
                return place // width, new
            if content.startswith(keys[below], place):
                run = below
                place += len(keys[below])
            else:
                common = _common_bytes(keys[below], content, place, width)
                run = self._split(below, common, width)
                place += common
        return size // width, run

    def _new_run(self, key: bytes, parent: int) -> int:
        self._keys.append(key)
        self._parent.append(parent)
        return len(self._keys) - 1

    def _split(self, run: int, at: int, width: int) -> int:
        """Cut a run in two; the lower part keeps its number, so whoever ends there still does."""
        key, parent = self._keys[run], self._parent[run]
        upper = self._new_run(key[:at], parent)
        self._child[parent, key[:width]] = upper
        self._child[upper, key[at : at + width]] = run
        self._parent[run] = upper
        self._keys[run] = key[at:]
        return upper

    def _add_tail(self, end: int, tail: bytes) -> bool:
        """Whether this last block, not full, stood behind the same blocks before; from now on it did."""
        if not tail:
            return False
        known = (end, tail) in self._tails or (end, tail) in self._child
        self._tails.add((end, tail))
        return known

    def finish(self) -> PrefixTree:
        """The tree of all prompts added."""
        width = self._width or 1
        arrivals = [arrival for arrival in self._arrivals if arrival is not None]
        return PrefixTree(
            self.block_size,
            self._parent,
            [len(key) // width for key in self._keys],
            self._end,
            self._paths(),
            self._num_tokens,
            self._matched,
            self._tail_matched,
            arrivals if len(arrivals) == len(self._arrivals) else None,
        )

    def _paths(self) -> list[tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        for end in self._end:
            if end not in found:
                path, run = [], end
                while self._keys[run]:  # up to the root of the scope
                    path.append(run)
                    run = self._parent[run]
                found[end] = tuple(reversed(path))
        return [found[end] for end in self._end]


Prompt = BlockChain | Request | TracedPrompt


def build_tree(
    prompts: Iterable[Prompt], block_size: int, *, version: str = "", progress: Progress | None = None
) -> PrefixTree:
    """The tree of a log, whatever its prompts come as; each is needed only once.

    Raises:
        TraceError: a prompt cut with another block size, or named in another way than the ones before.
        RequestError: a token id out of range.
    """
    total = len(prompts) if isinstance(prompts, Sized) else None
    builder = PrefixTreeBuilder(block_size)
    for done, prompt in enumerate(prompts):
        builder.add(chain_of(prompt, block_size, version))
        if progress is not None and done % TELL_EVERY == 0:
            progress(done, total)
    return builder.finish()


def part_of(progress: Progress | None, number: int, count: int) -> Progress | None:
    """Progress of part ``number`` of ``count`` equal ones, as progress of the whole: it never goes back."""
    if progress is None:
        return None

    def tell(done: int, total: int | None) -> None:
        share = min(done * _PARTS // total, _PARTS) if total else 0
        progress(number * _PARTS + share, count * _PARTS)

    return tell


def chain_of(prompt: Prompt, block_size: int, version: str = "") -> BlockChain:
    """The prompt as a chain of blocks of this size."""
    if isinstance(prompt, BlockChain):
        return prompt
    if isinstance(prompt, Request):
        return chain_of_request(prompt, block_size, version=version)
    return chain_of_prompt(prompt, block_size, version=version)


def _common_bytes(key: bytes, content: bytes, place: int, width: int) -> int:
    """Length of the common beginning of ``key`` and ``content[place:]``, in whole blocks."""
    words = min(len(key), len(content) - place) // 8
    same = np.frombuffer(key, np.uint64, words) == np.frombuffer(content, np.uint64, words, place)
    differing = words if same.all() else int(same.argmin())
    return differing * 8 // width * width


def _does_not_fit(chain: BlockChain, block_size: int, width: int) -> TraceError:
    expected = chain.num_tokens // block_size * width
    message = (
        f"A prompt of {chain.num_tokens} tokens comes with {len(chain.full)} bytes of block names; blocks "
        f"of {block_size} tokens need {expected}. Cut all prompts of a log with the same block size."
    )
    return TraceError("trace.block_size", message, num_tokens=chain.num_tokens, block_size=block_size)
