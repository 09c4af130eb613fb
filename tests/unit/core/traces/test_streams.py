"""A streamed answer is one request, in whichever provider's pieces, and its last usage counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.unit.core.traces.logs import read, read_rows
from tests.unit.core.traces.written import jsonl

ANSWERS = ((1000, 0, 31), (2000, 1536, 2), (3000, 2560, 9), (4000, 3584, 4))
"""Prompt and cached tokens, and the pieces of the answer: unequal, so that counting pieces shows."""
RATE = 7680 / 10000
Pieces = Iterator[dict[str, Any]]


def chunks(continuous: bool) -> Pieces:
    for number, (prompt, cached, pieces) in enumerate(ANSWERS):
        for output in range(pieces + 1):
            usage = {"prompt_tokens": prompt, "completion_tokens": output} | {
                "prompt_tokens_details": {"cached_tokens": cached}
            }
            told = continuous or output == pieces
            row = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1_767_225_600}
            yield row | {"choices": [{"index": 0, "delta": {}}], "usage": usage if told else None}


def anthropic() -> Pieces:
    for number, (prompt, cached, pieces) in enumerate(ANSWERS):
        usage = {"input_tokens": prompt - cached, "cache_read_input_tokens": cached, "output_tokens": 1}
        yield {"type": "message_start", "message": {"id": f"m{number}", "model": "c", "usage": usage}}
        for _ in range(pieces):
            yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
        later = {"output_tokens": pieces, "input_tokens": prompt - cached if number % 2 else None}
        yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": later}
        yield {"type": "message_stop"}


def gemini() -> Pieces:
    for number, (prompt, cached, pieces) in enumerate(ANSWERS):
        for output in range(pieces):
            usage = {"promptTokenCount": prompt, "candidatesTokenCount": output or None}
            usage |= {"cachedContentTokenCount": cached} if cached and output == pieces - 1 else {}
            yield {"candidates": [{"index": 0}], "usageMetadata": usage, "responseId": f"r{number}"}


def responses() -> Pieces:
    for number, (prompt, cached, pieces) in enumerate(ANSWERS):
        answer = {"id": f"resp{number}", "object": "response", "created_at": 1_767_225_600 + number}
        yield {"type": "response.created", "response": answer | {"status": "in_progress", "usage": None}}
        for _ in range(pieces):
            yield {"type": "response.output_text.delta", "delta": "a"}
        usage = {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": 5,
        }
        yield {"type": "response.completed", "response": answer | {"status": "completed", "usage": usage}}


def under_one_id() -> Pieces:
    for number, (prompt, cached, pieces) in enumerate(ANSWERS):
        for output in range(pieces):
            usage = {"input_tokens": prompt - cached, "cache_read_input_tokens": cached}
            yield {"id": f"a{number}", "ts": number, "usage": usage | {"output_tokens": output}}


KINDS: dict[str, Callable[[], Pieces]] = {
    "continuous": lambda: chunks(True),
    "at the end": lambda: chunks(False),
    "anthropic": anthropic,
    "gemini": gemini,
    "responses": responses,
    "under one id": under_one_id,
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_pieces_are_one_request_as_lines_and_as_events(kind: str) -> None:
    rows = list(KINDS[kind]())
    events = "".join(f"event: {row.get('type', 'message')}\ndata: {jsonl([row])}\n" for row in rows)
    for text in (jsonl(rows), events):
        trace = read(text)
        reported = trace.reported()
        assert (len(trace.requests), reported.prompt_tokens, reported.ratio_of_sums) == (4, 10_000, RATE)


def test_interleaved_streams_are_kept_apart() -> None:
    rows = sorted(chunks(True), key=lambda row: row["usage"]["completion_tokens"])
    trace = read_rows(*rows)
    assert (len(trace.requests), trace.reported().ratio_of_sums) == (4, RATE)
    assert [request.num_output for request in trace.requests] == [31, 2, 9, 4]


def test_a_retry_that_was_billed_is_no_stream_and_silence_is_said() -> None:
    again = [{"id": "a", "usage": {"prompt_tokens": 50, "completion_tokens": n}} for n in (7, 5, 9)]
    assert len(read_rows(*again).requests) == 3
    silent = [row | {"usage": None, "id": "silent"} for row in list(chunks(False))[:3]]
    trace = read_rows(*chunks(True), *silent)
    assert len(trace.requests) == 4
    assert {note.code: note.count for note in trace.notes}["stream_unreported"] == 1
