"""Recorded block contents and our hashes for them.

A recording names a content by its index in a table of (parent content, tokens, extras) and knows no digest.
Here each of them is hashed with our own hash chain, from the first block on. What the engine then says in
hashes is turned back into indexes: a hash that is not in the table, or one that stands for two contents,
cannot pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.conformance.fields import Fields, show
from core.conformance.findings import Findings
from core.engine.hash_chain import hash_chain
from core.errors import RecordingError
from core.fields import is_whole
from core.types import MAX_TOKEN_ID, BlockHash, MultiModalItem, Request


@dataclass(frozen=True)
class Content:
    """One row of the table: a full block behind a certain prefix."""

    parent: int | None
    tokens: tuple[int, ...]
    extras: tuple[tuple[Any, ...], ...]


class Contents:
    """The table of one scenario, with our hash for every row."""

    def __init__(self, scenario: Fields, block_size: int) -> None:
        rows = scenario.items("contents")
        self._fields = scenario
        self._block_size = block_size
        self._rows = [self._read(i, row, len(rows)) for i, row in enumerate(rows)]
        self._hash_of: dict[int, BlockHash] = {}
        self._index_of: dict[BlockHash, int] = {}
        self._clashes: list[tuple[int, int]] = []
        # Children first: their chains hash the parents along the way.
        for index in reversed(range(len(rows))):
            if index not in self._hash_of:
                self._hash_chain_to(index)

    def index(self, block_hash: BlockHash | None) -> int | str | None:
        """The content's number in the recording; text if no recorded content has this hash."""
        if block_hash is None:
            return None
        return self._index_of.get(block_hash, f"unrecorded content {block_hash.hex()[:8]}")

    def report_clashes(self, findings: Findings) -> None:
        """Different contents must have different hashes."""
        for one, two in self._clashes:
            findings.differ("contents", "hash", f"contents {one} and {two} apart", "the same hash for both")

    def _hash_chain_to(self, index: int) -> None:
        path = self._path(index)
        rows = [self._rows[i] for i in path]
        tokens = [token for row in rows for token in row.tokens]
        hashes = hash_chain(tokens, self._block_size, request=_request(rows, tokens, self._block_size))
        for i, block_hash in zip(path, hashes, strict=True):
            if i in self._hash_of:
                continue
            self._hash_of[i] = block_hash
            if (other := self._index_of.setdefault(block_hash, i)) != i:
                self._clashes.append((other, i))

    def _path(self, index: int) -> list[int]:
        path = [index]
        while (parent := self._rows[path[-1]].parent) is not None:
            if parent in path:
                raise self._wrong(index, "the parents run in a circle")
            path.append(parent)
        return path[::-1]

    def _read(self, index: int, row: object, num_rows: int) -> Content:
        if not isinstance(row, list) or len(row) != 3:
            raise self._wrong(index, f"expected [parent or null, tokens, extras], got {show(row)}")
        parent, tokens, extras = row
        if parent is not None and not (is_whole(parent) and 0 <= parent < num_rows):
            raise self._wrong(index, f"parent {show(parent)} is no row of this table")
        if not _is_block(tokens, self._block_size):
            raise self._wrong(index, f"expected {self._block_size} token ids, got {show(tokens)}")
        if not isinstance(extras, list) or not all(_is_extra(extra) for extra in extras):
            raise self._wrong(index, f"expected extras of kind lora, mm or salt, got {show(extras)}")
        return Content(parent, tuple(tokens), tuple(tuple(extra) for extra in extras))

    def _wrong(self, index: int, problem: str) -> RecordingError:
        return self._fields.error(f"contents[{index}]", "contents", problem)


def _request(rows: list[Content], tokens: list[int], block_size: int) -> Request:
    """The request whose chain of blocks these rows are."""
    salt: str | None = None
    lora: tuple[str, str] | None = None
    # (item id, offset) -> end. Every block that an item overlaps lists it: the last one tells the end.
    spans: dict[tuple[str, int], int] = {}
    for i, row in enumerate(rows):
        for kind, *values in row.extras:
            if kind == "salt":
                salt = values[0]
            elif kind == "lora":
                lora = (values[0], values[1])
            else:
                offset = i * block_size + values[1]
                spans[values[0], offset] = max(offset, i * block_size) + 1
    items = tuple(MultiModalItem(name, offset, end - offset) for (name, offset), end in spans.items())
    return Request("content", tokens, salt=salt, lora=lora, mm=items)


def _is_block(tokens: object, block_size: int) -> bool:
    if not isinstance(tokens, list) or len(tokens) != block_size:
        return False
    return all(is_whole(token) and 0 <= token <= MAX_TOKEN_ID for token in tokens)


def _is_extra(extra: object) -> bool:
    match extra:
        case ["lora", str(), str()] | ["salt", str()]:
            return True
        case ["mm", str(), offset]:
            return is_whole(offset)
        case _:
            return False
