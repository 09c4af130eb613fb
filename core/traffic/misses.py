"""Why each request of a log reused no more: one reason, the best stored prefix, the first token that differs.

    all        everything that can be reused was (all full blocks but the one with the last token)
    refused    the prompt is larger than the pool
    too_short  the prompt fills no block beside its last token
    evicted    it was stored and had to make room
    expired    it was stored and its time to live ran out
    differs    an earlier prompt has the same beginning, then another token, or block
    unknown    in a log of blocks: an earlier prompt has the same full blocks, and how it ends behind them, or
               whether this one goes on from there, is not in the log
    grown      the prompt goes on where an earlier one, whole, ends: what is new had to be computed
    first      no earlier prompt begins with the same token

The best stored prefix is the earlier prompt with the longest common beginning, token by token. Where blocks
branch off, the first blocks of all branches are kept in order of their tokens: the neighbours of a new one
are those it has most in common with.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, get_args

import numpy as np

from core.replay.prefix_tree import TELL_EVERY, PrefixTree, Progress, ticks_of
from core.traces.model import TraceRequest
from core.traffic.pauses import Pauses

Reason = Literal["evicted", "expired", "differs", "too_short", "refused", "grown", "unknown", "first", "all"]
REASONS: tuple[Reason, ...] = get_args(Reason)
_WIDTH = 4
_Node = int | str


@dataclass(frozen=True, slots=True)
class Miss:
    """Of one request. ``block``: its first block that was not reused (0-based). ``best``: the earlier request
    with the longest common beginning, ``common`` tokens of it. ``lost``: tokens computed again that stood in
    the cache before, or that stand, equal, behind the difference too."""

    request: int
    reason: Reason
    block: int
    hit_tokens: int
    best: int | None = None
    common: int = 0
    lost: int = 0


def find_misses(
    requests: Sequence[TraceRequest],
    tree: PrefixTree,
    hits: Sequence[int],
    *,
    admitted: Sequence[bool] | None = None,
    ttl_s: float | None = None,
    progress: Progress | None = None,
) -> list[Miss]:
    """One per request, in order. O(tokens + runs on all paths)."""
    branches = _Branches(tree)
    pauses = Pauses(tree)
    ttl = inf if ttl_s is None else ticks_of(ttl_s)
    found = []
    for number, request in enumerate(requests):
        tokens = request.tokens().astype(">u4").tobytes()
        blocks = hits[number] // tree.block_size
        best, common = branches.best(number, request.scope, tokens)
        miss = _miss(tree, number, blocks, best, common, requests)
        if admitted is not None and not admitted[number]:
            miss = Miss(number, "refused", 0, 0)
        elif miss.reason == "evicted" and pauses.longest(number, blocks) > ttl:
            miss = Miss(number, "expired", miss.block, miss.hit_tokens, best, common, miss.lost)
        pauses.use(number)
        branches.add(number, request.scope, tokens)
        found.append(miss)
        if progress is not None and number % TELL_EVERY == 0:
            progress(number, len(requests))
    return found


def _miss(
    tree: PrefixTree,
    number: int,
    blocks: int,
    best: int | None,
    common: int,
    requests: Sequence[TraceRequest],
) -> Miss:
    size, length = tree.block_size, tree.num_tokens[number]
    usable = (length - 1) // size
    known = min(tree.matched[number], usable)
    hit = blocks * size
    if blocks < known:
        return Miss(number, "evicted", blocks, hit, best, common, (known - blocks) * size)
    if usable == 0:
        return Miss(number, "too_short", 0, 0, best, common)
    if blocks >= usable:
        return Miss(number, "all", blocks, hit, best, common)
    if best is None or common == 0:
        return Miss(number, "first", blocks, hit)
    if common >= tree.num_tokens[best]:
        return Miss(number, "grown", blocks, hit, best, common)
    own = requests[best].block_size
    if own is not None and common >= tree.num_tokens[best] // own * own:
        return Miss(number, "unknown", blocks, hit, best, common)
    lost = min(equal_behind(requests[number], requests[best], common), usable * size - hit)
    return Miss(number, "differs", blocks, hit, best, common, max(lost, 0))


def equal_behind(mine: TraceRequest, other: TraceRequest, place: int) -> int:
    """Tokens of ``mine`` behind the first difference that stand behind it in ``other`` too: whole pieces of
    the log (a message, a tool), and the end of the piece in which they differ. 0 for logs of blocks."""
    if not mine.segments or not other.segments or place >= min(mine.num_tokens, other.num_tokens):
        return 0
    (at, inside), (other_at, other_inside) = _segment_of(mine, place), _segment_of(other, place)
    left = np.frombuffer(mine.segments[at].token_ids, np.uint32)[inside:]
    right = np.frombuffer(other.segments[other_at].token_ids, np.uint32)[other_inside:]
    theirs = {id(part) for part in other.segments[other_at:]}
    behind = sum(
        len(part.token_ids)
        for part in mine.segments[at + 1 :]
        if part.role != "marker" and id(part) in theirs
    )
    if id(mine.segments[at]) in theirs:
        return behind + len(left)
    length = min(len(left), len(right))
    same = left[len(left) - length :] == right[len(right) - length :]
    ending = length if same.all() else int(same[::-1].argmin())
    return behind + ending


def _segment_of(request: TraceRequest, place: int) -> tuple[int, int]:
    start = 0
    for number, part in enumerate(request.segments):
        if place < start + len(part.token_ids):
            return number, place - start
        start += len(part.token_ids)
    raise IndexError(f"request {request.request_id} has no token {place}")


class _Branches:
    """At each end of a run: the first tokens of every way on, in order, with the request that was first."""

    def __init__(self, tree: PrefixTree) -> None:
        self._tree = tree
        self._ways: dict[_Node, list[tuple[bytes, int]]] = {}
        self._known: set[tuple[_Node, int]] = set()

    def best(self, number: int, scope: str, tokens: bytes) -> tuple[int | None, int]:
        """(earlier request, common tokens) with the longest common beginning."""
        tree, width = self._tree, self._tree.block_size * _WIDTH
        node: _Node = scope
        depth = 0
        for run in tree.paths[number]:
            if depth >= tree.matched[number]:
                break
            node, depth = run, depth + tree.length[run]
        ways = self._ways.get(node)
        if not ways:
            return None, 0
        mine = tokens[depth * width : (depth + 1) * width]
        place = bisect_left(ways, (mine, -1))
        near = ways[max(place - 1, 0) : place + 1]
        common, other = max((_common_tokens(mine, theirs), -other) for theirs, other in near)
        return -other, depth * tree.block_size + common

    def add(self, number: int, scope: str, tokens: bytes) -> None:
        """From now on this prompt is an earlier one."""
        tree, width = self._tree, self._tree.block_size * _WIDTH
        node: _Node = scope
        depth = 0
        for run in tree.paths[number]:
            self._add(node, run, tokens[depth * width : (depth + 1) * width], number)
            node, depth = run, depth + tree.length[run]
        self._add(node, -1 - number, tokens[depth * width :], number)

    def _add(self, node: _Node, way: int, first: bytes, number: int) -> None:
        if (node, way) not in self._known:
            self._known.add((node, way))
            insort(self._ways.setdefault(node, []), (first, number))


def _common_tokens(left: bytes, right: bytes) -> int:
    length = min(len(left), len(right))
    same = np.frombuffer(left, ">u4", length // _WIDTH) == np.frombuffer(right, ">u4", length // _WIDTH)
    return length // _WIDTH if same.all() else int(same.argmin())
