"""Rows of a length and the ids of blocks, as requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.traces.building.build import Builder
from core.traces.model import Convention, TraceRequest
from core.traces.prompts.blocks import GLOBAL, check_count, infer_shape, raw_ids
from core.traces.rows import Row, as_whole

NAMES = ("input_length", "hash_ids")


def decide_shape(
    builder: Builder,
    head: Sequence[Row],
    block_size: int,
    convention: Convention,
    names: tuple[str, str] = NAMES,
) -> None:
    """Set what one id covers: as the person says, else as the rows say (`hash_block_size`, which our own
    files have), else as the lengths say, else as the format says."""
    told = {as_whole(row.get("hash_block_size")) or 0 for row in head}
    own_size = told.pop() if len(told) == 1 and min(told) > 0 else None
    wanted_size, wanted_rule = builder.options.block_size or own_size, builder.options.convention
    own: tuple[int, Convention] = (wanted_size or block_size, wanted_rule or convention)
    found = own if wanted_size or wanted_rule else infer_shape(_lengths(head, names), *own)
    if found != own:
        builder.note("inferred", block_size=found[0], convention=found[1])
    builder.shape.block_size, builder.shape.convention = found


def _lengths(head: Sequence[Row], names: tuple[str, str]) -> list[tuple[int, int]]:
    found = []
    for row in head:
        length, ids = as_whole(row.get(names[0])), row.get(names[1])
        if length is not None and length > 0 and isinstance(ids, list):
            found.append((length, len(ids)))
    return found


def block_request(
    builder: Builder, row: Row, parent: int = GLOBAL, names: tuple[str, str] = NAMES, **more: Any
) -> TraceRequest:
    """A row with a length and ids (`names`) as a request. `more` are further fields of the request."""
    size, convention = builder.shape.block_size, builder.shape.convention
    assert size is not None
    assert convention is not None
    length = row.whole(names[0], least=1)
    ids = raw_ids(row, names[1])
    check_count(row, names[1], ids, length, size, convention)
    fields: dict[str, Any] = {
        "request_id": builder.next_id(row, "request_id", "id"),
        "num_tokens": length,
        "block_size": size,
        "num_output": row.whole_or_none("output_length"),
        "session": row.label("session_id", "session"),
        "model": row.label("model"),
        "line": row.place.line,
    } | more
    block_ids = builder.numbers.chain(ids, parent)
    tail_id = builder.numbers.private() if len(ids) * size < length else None
    return TraceRequest(block_ids=block_ids, tail_id=tail_id, **fields)
