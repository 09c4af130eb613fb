"""Published traces, read where they lie (BROTH_TRACES): shapes, conventions, counts."""

from __future__ import annotations

import pytest

from core.traces.door.read import read_trace
from core.traces.packing.sources import TraceFile
from tests.unit.core.traces.logs import notes, real, unbounded_hits


@pytest.mark.parametrize(("name", "rows"), [("mooncake_conversation", 12_031), ("mooncake_synthetic", 3_993)])
def test_mooncake(name: str, rows: int) -> None:
    trace = read_trace(real(f"{name}.jsonl"))
    assert (trace.format, len(trace.requests)) == ("mooncake", rows)
    assert (trace.block_size, trace.convention, trace.order) == (512, "ceil", "arrival")
    assert trace.notes == ()  # sorted, complete, every id behind one parent only


def test_claude_code_sessions_are_the_same_one_by_one_and_merged() -> None:
    files = sorted(real("claude_code").glob("trace_*.json"))
    trace = read_trace(files)
    assert (trace.block_size, trace.convention, notes(trace)["local_ids"]) == (64, "floor", 12)
    top = [request for request in trace.requests if request.tag is None]
    merged = read_trace(real("claude_code_12sessions.jsonl"))
    assert (merged.format, merged.block_size, merged.convention) == ("mooncake", 64, "floor")
    assert len(top) == len(merged.requests) == 220
    assert sum(unbounded_hits(top)) == sum(unbounded_hits(merged.requests))
    assert sum(r.num_tokens for r in top) == sum(r.num_tokens for r in merged.requests)
    assert len(trace.requests) == 232  # with two subagents


def test_one_session_uploaded_twice_counts_once_and_another_name_shares_nothing() -> None:
    """Block ids are a session's own: a copy under its id is the same session, under another a second."""
    path = real("claude_code", "trace_0504.json")
    once = read_trace(path)
    twice = read_trace([path, TraceFile("copy.json", path.read_bytes())])
    assert unbounded_hits(twice.requests) == unbounded_hits(once.requests)
    assert [(one.request_id, one.first_file) for one in twice.repeats] == [("trace_0504", path.name)]
    other = path.read_bytes().replace(b"trace_0504", b"trace_9999", 1)
    both = read_trace([path, TraceFile("other.json", other)])
    assert sum(unbounded_hits(both.requests)) == 2 * sum(unbounded_hits(once.requests))
