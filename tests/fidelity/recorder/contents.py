"""Block contents without digests: a table of (parent, tokens, extras), numbered as they are first told."""

from __future__ import annotations

from typing import Any

Row = tuple[bytes | None, list[int], list[list[Any]]]


class Contents:
    """The table of one scenario. ``learn`` a request before vLLM may cache its blocks, then ask by digest."""

    def __init__(self, block_size: int) -> None:
        self.rows: list[list[Any]] = []  # [parent's number or null, tokens, extras], as the format has it
        self._block_size = block_size
        self._known: dict[bytes, Row] = {}
        self._numbers: dict[bytes, int] = {}

    def learn(self, request: Any) -> None:
        """Remember what the digests of a request's full blocks stand for, as far as vLLM has made them."""
        parent = None
        for index, digest in enumerate(map(bytes, request.block_hashes)):
            start = index * self._block_size
            tokens = list(request.all_token_ids[start : start + self._block_size])
            row = (parent, tokens, self._extras(request, start))
            assert self._known.setdefault(digest, row) == row, "one digest for two contents"
            parent = digest

    def number(self, digest: bytes) -> int:
        """The content's number; one that was never told gets the next, after its ancestors."""
        if digest not in self._numbers:
            parent, tokens, extras = self._known[digest]
            above = None if parent is None else self.number(parent)
            self._numbers[digest] = len(self.rows)
            self.rows.append([above, tokens, extras])
        return self._numbers[digest]

    def _extras(self, request: Any, start: int) -> list[list[Any]]:
        extras: list[list[Any]] = []
        if request.lora_request:
            extras.append(["lora", request.lora_request.lora_name, request.lora_request.lora_path])
        for feature in request.mm_features:
            offset, length = feature.mm_position.offset, feature.mm_position.length
            if offset < start + self._block_size and start < offset + length:
                extras.append(["mm", feature.identifier, offset - start])
        if start == 0 and request.cache_salt:
            extras.append(["salt", request.cache_salt])
        return extras
