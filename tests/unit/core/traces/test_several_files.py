"""Several files are one log, each read in the format that it is in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import TraceError
from core.traces.door.read import read_trace
from core.traces.packing.sources import TraceFile

DATA = Path(__file__).resolve().parents[3] / "data" / "formats"
CHAT = json.dumps({"messages": [{"role": "user", "content": "one two three"}], "timestamp": 10}) + "\n"
IDS = json.dumps({"token_ids": [1, 2, 3, 4], "timestamp": 5}) + "\n"
SCRAPE = "vllm:prefix_cache_queries_total{{}} {}\nvllm:prefix_cache_hits_total{{}} {}\n"


def notes_of(*files: tuple[str, str]) -> dict[str, tuple[int, str]]:
    trace = read_trace([TraceFile(name, text) for name, text in files])
    return {note.code: (note.count, str(note.values)) for note in trace.notes}


def test_each_file_is_read_in_its_own_format() -> None:
    """The second was read as the first: here as chat, so that its first line was broken."""
    trace = read_trace([TraceFile("a.jsonl", CHAT), TraceFile("b.jsonl", IDS)])
    assert len(trace.requests) == 2
    assert trace.format == "openai_chat"
    assert trace.requests[0].num_tokens == 4, "by time: the ids came first"
    assert notes_of(("a", CHAT), ("b", IDS))["formats"] == (2, "{'formats': 'openai_chat, token_ids'}")


def test_requests_lead_and_an_engines_counters_lie_beside_them() -> None:
    counters = ("metrics.txt", SCRAPE.format(1000, 250))
    for files in ([counters, ("a.jsonl", IDS)], [("a.jsonl", IDS), counters]):
        trace = read_trace([TraceFile(*file) for file in files])
        assert trace.format == "token_ids"
        assert len(trace.requests) == 1
        assert trace.meters, "the counters are read too"


def test_two_scrapes_are_one_series() -> None:
    files = [("before.txt", SCRAPE.format(1000, 250)), ("after.txt", SCRAPE.format(3000, 1750))]
    trace = read_trace([TraceFile(*file) for file in files])
    assert "formats" not in {note.code for note in trace.notes}
    assert trace.meters


def test_two_sessions_of_an_assistant_are_one_log() -> None:
    text = (DATA / "claude_code_transcript.jsonl").read_text("utf-8")
    one = read_trace(TraceFile("a.jsonl", text))
    names = {request.session for request in one.requests}
    other = text
    for name in names:
        other = other.replace(str(name), f"{name}x")
    for old in {request.request_id for request in one.requests}:
        other = other.replace(old, f"{old}x")
    both = read_trace([TraceFile("a.jsonl", text), TraceFile("b.jsonl", other)])
    assert len(both.requests) == 2 * len(one.requests)
    assert len({request.session for request in both.requests}) == 2 * len(names)


@pytest.mark.parametrize("rest", ["", "\n\n"])
def test_an_empty_file_beside_others_adds_nothing(rest: str) -> None:
    for files in ([("a", IDS), ("b", rest)], [("b", rest), ("a", IDS)]):
        assert len(read_trace([TraceFile(*file) for file in files]).requests) == 1
    with pytest.raises(TraceError, match="empty"):
        read_trace([TraceFile("a", rest), TraceFile("b", rest)])


def test_a_file_that_is_no_log_is_named() -> None:
    with pytest.raises(TraceError) as caught:
        read_trace([TraceFile("a.jsonl", IDS), TraceFile("README.md", "Hello\nthere\n")])
    assert caught.value.values["file"] == "README.md"


def test_a_format_chosen_by_hand_is_that_of_all_files() -> None:
    files = [TraceFile("a", "one two\n"), TraceFile("b", IDS)]
    assert len(read_trace(files, format_name="text_lines").requests) == 2
