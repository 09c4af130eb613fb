"""Logs for the tests of readers: short ones made here, the samples, and a plain word on what would hit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.errors import TraceError
from core.traces.door.read import read_trace
from core.traces.model import Trace, TraceRequest
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from tests.prompt_logs import TRACES

SAMPLES = Path(__file__).resolve().parents[3] / "data" / "formats"
CASES = SAMPLES.parent / "import_cases.jsonl"


def jsonl(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def read(text: str | bytes, format_name: str | None = None, **options: Any) -> Trace:
    return read_trace(TraceFile("log", text), format_name=format_name, options=ReadOptions(**options))


def read_rows(*rows: object, format_name: str | None = None, **options: Any) -> Trace:
    return read(jsonl(*rows), format_name, **options)


def error_of(text: str | bytes, format_name: str | None = None, **options: Any) -> TraceError:
    with pytest.raises(TraceError) as caught:
        read(text, format_name, **options)
    return caught.value


def notes(trace: Trace) -> dict[str, int]:
    return {note.code: note.count for note in trace.notes}


def common_tokens(one: TraceRequest, other: TraceRequest) -> int:
    """How many tokens two prompts share from the first one on."""
    if one.scope != other.scope:
        return 0
    pairs = zip(one.tokens().tolist(), other.tokens().tolist(), strict=False)
    return next(
        (place for place, (a, b) in enumerate(pairs) if a != b), min(one.num_tokens, other.num_tokens)
    )


def full_block_ids(request: TraceRequest) -> list[int]:
    """The numbers of the full blocks (a listed partial tail is left out); none where a log has no blocks."""
    if request.block_ids is None or request.block_size is None:
        return []
    return list(request.block_ids[: request.num_tokens // request.block_size])


def hit_blocks(request: TraceRequest, seen: set[int]) -> int:
    """Blocks of a block log that an unbounded cache of `seen` blocks would reuse: never the last token's."""
    assert request.block_size is not None
    count = 0
    for number in full_block_ids(request)[: (request.num_tokens - 1) // request.block_size]:
        if number not in seen:
            break
        count += 1
    return count


def unbounded_hits(requests: Sequence[TraceRequest]) -> list[int]:
    """Hit blocks per request, in order, if nothing were ever forgotten."""
    seen: set[int] = set()
    found = []
    for request in requests:
        found.append(hit_blocks(request, seen))
        seen.update(full_block_ids(request))
    return found


def real(*parts: str) -> Path:
    """A published trace, read where it lies; it never travels with the project."""
    path = TRACES.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path.name} is not in {TRACES}; set BROTH_TRACES to the folder that holds it")
    return path
