"""Records that are no request to a language model are left out and counted, in any format."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import Any

import pytest

from core.traces.building.no_request import why_no_request
from core.traces.model import Trace
from tests.unit.core.traces import written
from tests.unit.core.traces.logs import read, read_rows
from tests.unit.core.traces.written import REPORTED, REQUESTS

VECTOR = {"object": "list", "data": [{"object": "embedding", "embedding": [0.1]}]}
LARGE = {"prompt_tokens": 9000, "total_tokens": 9000}
SILENT: tuple[dict[str, Any], ...] = (
    {"request": {"model": "m", "input": "x"}, "response": VECTOR | {"usage": LARGE}},
    {"request": {"model": "text-embedding-3-large", "input": ["x"]}, "response": {"usage": LARGE}},
    {"request": {"model": "m", "query": "q", "documents": ["a"]}, "response": {"usage": LARGE}},
    {
        "request": {"url": "/v1/embeddings", "body": {"input": "x"}},
        "response": {"status": 200, "body": {"usage": LARGE}},
    },
    {"path": "/v1/messages/count_tokens", "request": {"messages": [{"role": "user", "content": "x"}]}},
    {"request": {"messages": [{"role": "user", "content": "x"}]}, "response": {"input_tokens": 9000}},
    {"endpoint": "/v1/audio/speech?x=1", "request": {"input": "x", "voice": "alloy"}},
    {"url": "https://h/v1beta/models/g:countTokens", "request": {"contents": []}},
    {"Operation Name": "embeddings", "usage": LARGE},
    {"call_type": "arerank", "usage": LARGE},
    {"request_path": "/health/readiness", "request": {"prompt": "x"}},
    {"metadata": {"tags": ["litellm-internal-health-check"]}, "request": {"prompt": "x"}, "usage": LARGE},
)
FAILED: tuple[dict[str, Any], ...] = (
    {"status": 429},
    {"statusCode": "503"},
    {"http.response.status_code": 500.0},
    {"status": "HTTP/1.1 429 Too Many Requests"},
    {"status": "error"},
    {"outcome": "Timed Out"},
    {"success": False},
    {"error": "upstream reset"},
    {"response": {"status": 400, "body": {"error": {"code": "content_filter"}}}},
    {"response": {"type": "error", "error": {"type": "overloaded_error"}}},
)
KEPT: tuple[dict[str, Any], ...] = (
    {"status": 200},
    {"status": "success", "error": None},
    {"status": 0, "error": ""},
    {"status_code": "201", "success": "true"},
    {"error": "client went away", "usage": {"prompt_tokens": 10}},
    {
        "operation": "chat",
        "url": "/v1/models/m:generateContent",
        "endpoint": "/openai/deployments/m/chat/completions",
    },
    {"path": "/assistants/health", "response": {"choices": [{"message": {"content": "Rest."}}]}},
    {"model": "Total-7B"},
)


def pair(call: written.Call) -> dict[str, Any]:
    answer = {"choices": [{"message": {"role": "assistant", "content": call.answer}}]}
    return {
        "ts": call.at,
        "request": {"model": "m", "messages": call.messages},
        "response": answer | {"usage": written.openai(call)},
    }


def codes(trace: Trace) -> dict[str, int]:
    return {note.code: note.count for note in trace.notes}


@pytest.mark.parametrize(("more", "code"), [(SILENT, "no_generation"), (FAILED, "failed")])
def test_other_calls_between_the_requests_change_nothing(more: tuple[dict[str, Any], ...], code: str) -> None:
    asked = {"messages": REQUESTS[0].messages}
    rows = [{"request": asked} | row | {"ts": REQUESTS[0].at} for row in more]
    calls = [pair(call) for call in REQUESTS]
    trace = read_rows(*calls[:6], *rows, *calls[6:])
    assert (len(trace.requests), trace.reported().ratio_of_sums) == (12, pytest.approx(REPORTED))
    assert codes(trace)[code] == len(more)
    assert [why_no_request(row) for row in more] == [code] * len(more)


def test_what_only_looks_alike_stays() -> None:
    assert [why_no_request(row) for row in KEPT] == [None] * len(KEPT)


def test_totals_are_left_out_and_counts_of_requests_are_said() -> None:
    rows = [
        {"model": "m", "requests": 7, "prompt_tokens": c.prompt, "cached_tokens": c.cached} for c in REQUESTS
    ]
    sums = {name: sum(row[name] for row in rows) for name in ("requests", "prompt_tokens", "cached_tokens")}
    for word in ("Total", "合计", "Grand total:"):
        trace = read(written.table([*rows, {"model": word} | sums]))
        assert (len(trace.requests), trace.reported().ratio_of_sums) == (12, pytest.approx(REPORTED))
        assert (codes(trace)["total_row"], codes(trace)["sums"]) == (1, 12)


def test_members_are_read_as_people_count_and_empty_files_are_said() -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in (10, 2, 9, 1):
            archive.writestr(
                f"part-{number}.jsonl", written.jsonl([{"prompt": f"p {number}", "id": str(number)}])
            )
        archive.writestr("part-3.jsonl", "")
    trace = read(packed.getvalue())
    assert [request.request_id for request in trace.requests] == ["1", "2", "9", "10"]
    (empty,) = [note for note in trace.notes if note.code == "empty_files"]
    assert (empty.count, empty.values["names"]) == (1, "part-3.jsonl")


def test_arguments_of_a_tool_are_one_prompt_as_text_and_as_an_object() -> None:
    def asked(arguments: object) -> dict[str, Any]:
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
        return {"messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]}

    trace = read_rows(
        asked('{"a": 1}'), asked({"a": 1}), asked('{"a":1}'), asked("not json"), asked('{"a": 2}')
    )
    told = ["".join(part.text or "" for part in request.segments) for request in trace.requests]
    assert told[0] == told[1] == told[2]
    assert len(set(told)) == 3
