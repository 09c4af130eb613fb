"""Block ids of a log, made safe to compare: re-chained numbers, and the convention that counts them.

A log's id may stand for a block's own content (Bailian hashes each block by itself), for the whole prefix
(Mooncake does, without promising it), or for nothing outside its file (Claude Code traces number their blocks
from 1 in every session). `BlockNumbers` turns all of them into one kind: a number per (parent, id), so equal
numbers mean equal prefixes. An id that turns up under two parents gets two numbers.

A prompt of n tokens in blocks of B has ceil(n / B) ids where the partial tail is listed (Mooncake, Bailian)
and floor(n / B) where it is not (Claude Code traces). A row that fits neither is broken.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from core.traces.model import Convention
from core.traces.rows import Row

RawId = int | str
GLOBAL = -1
"""The root under which ids of the whole log stand; roots are negative, numbers of blocks are not."""
_NO_PARENT = -(2**62)

INFERRED_SIZES = (512, 16, 32, 64, 128, 256, 1024, 2048)
MOST_PROMPT_TOKENS = 10**7
"""A longer prompt is a broken length, and some readers must make one number per block of it."""
FEWEST_ROWS = 8
"""Rows that must agree before another block size than the format's own is believed."""


class _Table:
    """The numbers under one root: by id, as it was first seen, and by (parent, id) for all other parents."""

    __slots__ = ("first", "others")

    def __init__(self) -> None:
        self.first: dict[RawId, int] = {}
        self.others: dict[tuple[int, RawId], int] = {}


class BlockNumbers:
    """Numbers for chains of block ids. One instance per trace, so that numbers compare within it."""

    def __init__(self) -> None:
        self._tables: dict[int, _Table] = {GLOBAL: _Table()}
        self._parents: list[int] = []
        self._next_root = GLOBAL

    @property
    def num_rechained(self) -> int:
        """Ids of the log's common scope that turned up under more than one parent."""
        return len({block for _, block in self._tables[GLOBAL].others})

    def local_root(self) -> int:
        """A root of its own: ids under it match nothing under another root."""
        self._next_root -= 1
        self._tables[self._next_root] = _Table()
        return self._next_root

    def private(self) -> int:
        """A number that nothing else has."""
        self._parents.append(_NO_PARENT)
        return len(self._parents) - 1

    def chain(self, ids: Iterable[RawId], parent: int = GLOBAL) -> array[int]:
        """The numbers of a chain that begins at `parent` (a root, or the number of the block before).

        In a log whose ids are chained already, each id costs one look-up and one comparison.
        """
        table = self._tables[min(parent, GLOBAL)]
        first, parents = table.first, self._parents
        numbers: list[int] = []
        for block in ids:
            number = first.get(block)
            if number is None:
                number = first[block] = len(parents)
                parents.append(parent)
            elif parents[number] != parent:
                number = table.others.get((parent, block))
                if number is None:
                    number = table.others[(parent, block)] = len(parents)
                    parents.append(parent)
            numbers.append(number)
            parent = number
        return array("I", numbers)


def raw_ids(row: Row, field: str) -> list[RawId]:
    """The ids as the log writes them. Decimal digits in quotes are the number they spell.

    Readers in a browser lose digits above 2**53, so some tools write ids as texts; a number with a point or
    an exponent has lost them already and is refused.
    """
    ids = row.items(field)
    if set(map(type, ids)) <= {int}:
        return ids
    found: list[RawId] = []
    for index, block in enumerate(ids):
        if type(block) is int or (isinstance(block, str) and block):
            found.append(_canonical(block))
        else:
            where = f"{row.name(field)}[{index}]"
            raise row.place.wrong(where, "a whole number or a text that is not empty", block)
    return found


def _canonical(block: RawId) -> RawId:
    if isinstance(block, str) and block.isascii() and block.isdecimal() and len(block) <= 40:
        return int(block) if block == "0" or block[0] != "0" else block
    return block


def num_ids(num_tokens: int, block_size: int, convention: Convention) -> int:
    """How many ids a prompt must have."""
    return num_tokens // block_size if convention == "floor" else -(-num_tokens // block_size)


def check_count(
    row: Row, field: str, ids: Sequence[object], num_tokens: int, block_size: int, convention: Convention
) -> None:
    """Refuse a row whose ids do not cover its length.

    Raises:
        TraceError: names the row, the length and how many ids belong to it.
    """
    wanted = num_ids(num_tokens, block_size, convention)
    if len(ids) != wanted:
        raise row.wrong(
            field,
            f"{wanted} ids, {convention}({num_tokens} tokens / {block_size} a block)",
            f"{len(ids)} ids",
        )


def infer_shape(
    rows: Sequence[tuple[int, int]], block_size: int, convention: Convention
) -> tuple[int, Convention]:
    """Block size and convention of (num_tokens, num_ids) rows: the format's own if any long row fits it.

    Another size is believed only if it is the only one that nine rows in ten fit, at least `FEWEST_ROWS`;
    otherwise the format's own stands. Either way rows that do not fit are reported one by one.
    """
    own = (block_size, convention)
    if any(_fits(row, *own) for row in rows if row[0] > block_size):
        return own
    needed = max(FEWEST_ROWS, -(-len(rows) * 9 // 10))
    candidates: list[tuple[int, Convention]] = [
        (size, rule)
        for size in INFERRED_SIZES
        for rule in _conventions()
        if sum(_fits(row, size, rule) for row in rows) >= needed
    ]
    sizes = {size for size, _ in candidates}
    return candidates[0] if len(sizes) == 1 else own  # both conventions: every prompt fills its last block


def _conventions() -> tuple[Convention, Convention]:
    return ("ceil", "floor")


def _fits(row: tuple[int, int], block_size: int, convention: Convention) -> bool:
    return row[1] == num_ids(row[0], block_size, convention)
