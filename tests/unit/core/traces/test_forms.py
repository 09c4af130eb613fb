"""Twelve requests in every form in which exporters write them: the same requests, rate and usage."""

from __future__ import annotations

import json

import pytest

from core.traces.door.read import read_trace
from core.traces.model import Trace, TraceRequest
from core.traces.packing.sources import TraceFile
from tests.unit.core.traces.logs import error_of, notes, read, read_rows
from tests.unit.core.traces.written import (
    FORMS,
    REPORTED,
    REQUESTS,
    START,
    SYSTEM,
    USAGE_FORMS,
    anthropic_usage,
    bedrock,
    contents,
    helicone,
    jsonl,
    openai,
    otlp,
    otlp_span,
    response_object,
    span_attributes,
)

BLOCK = 16


def rate(trace: Trace) -> float:
    """Hit tokens / prompt tokens at block 16, if nothing is ever forgotten, counted without any engine."""
    seen: set[tuple[int, ...]] = set()
    hits = total = 0
    for request in trace.requests:
        tokens = tuple(request.tokens().tolist())
        ends = range(BLOCK, len(tokens) + 1, BLOCK)
        total += len(tokens)
        for end in ends:
            if end >= len(tokens) or tokens[:end] not in seen:
                break
            hits += BLOCK
        seen.update(tokens[:end] for end in ends)
    return hits / total


def texts(request: TraceRequest) -> str:
    return "".join(part.text or "" for part in request.segments)


BASE = read(FORMS["bodies"].text())


@pytest.mark.parametrize("name", FORMS)
def test_the_same_requests_in_every_form(name: str) -> None:
    form = FORMS[name]
    trace = read(form.text())
    assert trace.format == form.format
    assert len(trace.requests) == len(REQUESTS)
    assert trace.num_skipped == 0
    if form.times:
        arrivals = [request.arrival_s for request in trace.requests]
        assert arrivals == [call.at - START for call in REQUESTS]
    if not form.ids:
        assert [texts(request) for request in trace.requests] == [texts(r) for r in BASE.requests]
        assert rate(trace) == rate(BASE)
    reported = trace.reported().ratio_of_sums
    assert reported == pytest.approx(REPORTED) if form.usage else reported is None


def test_the_rate_is_the_one_that_was_worked_out() -> None:
    assert rate(BASE) > 0.5
    assert len({texts(request) for request in BASE.requests}) == 12


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.ids])
def test_a_servers_log_gives_the_same_whichever_way_it_tells_a_prompt(name: str) -> None:
    trace, other = read(FORMS[name].text()), read(FORMS["vllm, ids"].text())
    assert [r.request_id.split("-", 1)[1] for r in trace.requests] == [call.name for call in REQUESTS]
    if name != "vllm, text":
        assert [r.tokens().tolist() for r in trace.requests] == [r.tokens().tolist() for r in other.requests]
    if name == "vllm, newest":
        assert {request.num_output for request in trace.requests} == {9}


@pytest.mark.parametrize("name", ["otlp", "spans with events", "responses, pairs", "helicone", "langfuse"])
def test_sessions_are_kept(name: str) -> None:
    sessions = [request.session for request in read(FORMS[name].text()).requests]
    if name == "responses, pairs":  # nothing in these pairs says which belong together
        return
    assert sessions == [call.session for call in REQUESTS]


def test_responses_that_continue_one_another_are_one_session() -> None:
    sessions = [r.session for r in read(FORMS["responses, continued by id"].text()).requests]
    assert len(set(sessions)) == 4
    assert sessions[:4] == sessions[4:8] == sessions[8:]


@pytest.mark.parametrize("name", USAGE_FORMS)
def test_usage_alone(name: str) -> None:
    write = USAGE_FORMS[name]
    trace = read(jsonl([write(call) for call in REQUESTS]))
    assert trace.format in ("usage_lines", "gemini")
    assert len(trace.requests) == 12
    assert not trace.has_identity
    assert trace.reported().ratio_of_sums == pytest.approx(REPORTED)


def test_a_batch_and_its_results_are_one_log() -> None:
    """In whichever order the two files come: twelve requests, not twenty-four."""
    asked = FORMS["openai batch"].text()
    told = jsonl(
        [
            {"id": "b", "custom_id": c.name, "response": {"status_code": 200, "body": {"usage": openai(c)}}}
            for c in REQUESTS
        ]
    )
    results = jsonl(
        [
            {"custom_id": c.name, "result": {"type": "succeeded", "message": {"usage": anthropic_usage(c)}}}
            for c in REQUESTS
        ]
    )
    for pair in ((asked, told), (told, asked), (FORMS["anthropic batch"].text(), results)):
        trace = read_trace([TraceFile(f"{n}.jsonl", text) for n, text in enumerate(pair)])
        assert len(trace.requests) == 12
        assert trace.reported().ratio_of_sums == pytest.approx(REPORTED)
        assert rate(trace) == rate(BASE)
        assert {request.num_output for request in trace.requests} == {9}
    assert len(read(told).requests) == len(read(results).requests) == 12


def test_tables_of_spans() -> None:
    """A data frame of Phoenix, one column an attribute, the messages as one list."""
    rows = [
        {
            "context.span_id": c.name,
            "start_time": c.iso,
            "attributes.openinference.span.kind": "LLM",
            "attributes.llm.input_messages": [
                {"message.role": m["role"], "message.content": m["content"]} for m in c.messages
            ],
            "attributes.llm.token_count.prompt": c.prompt,
            "attributes.llm.token_count.prompt_details.cache_read": c.cached,
        }
        for c in REQUESTS
    ]
    trace = read_rows(*rows)
    assert trace.format == "opentelemetry"
    assert [texts(request) for request in trace.requests] == [texts(request) for request in BASE.requests]
    assert trace.reported().ratio_of_sums == pytest.approx(REPORTED)


# -- what cannot be known is said -----------------------------------------------------------------------


def test_a_response_that_continues_an_unknown_one_has_no_hit_rate() -> None:
    """Its earlier turns are stored at the provider: the visible part alone would give a wrong rate."""
    call = REQUESTS[0]
    request = {"model": "m", "input": "And now?", "previous_response_id": "resp_elsewhere"}
    trace = read_rows({"request": request, "response": response_object(call)})
    assert not trace.has_identity
    assert notes(trace)["continued"] == 1
    assert trace.requests[0].num_tokens == call.prompt


def test_a_response_object_without_its_input_leaves_its_usage() -> None:
    trace = read(jsonl([response_object(call) for call in REQUESTS]))
    assert (trace.format, trace.has_identity) == ("openai_responses", False)
    assert trace.reported().ratio_of_sums == pytest.approx(REPORTED)


def test_bodies_in_another_place_are_named() -> None:
    call = REQUESTS[0]
    row = bedrock(call, "InvokeModel", {}, None)
    row["input"] |= {"inputBodyJson": None, "inputBodyS3Path": "s3://bucket/a.json.gz"}
    trace = read_rows(row)
    (note,) = [note for note in trace.notes if note.code == "elsewhere"]
    assert note.values == {"place": "s3://bucket/a.json.gz"}
    assert not trace.has_identity
    assert trace.requests[0].num_tokens == call.prompt
    away = helicone(call) | {"request_body": "", "signed_body_url": "https://store/x"}
    assert notes(read_rows(away))["elsewhere"] == 1


def test_stored_content_is_a_placeholder_that_names_it() -> None:
    """Two requests with the same stored content share it; with another one they share nothing."""
    rows = [
        {"model": "g", "contents": contents(REQUESTS[0]), "cachedContent": f"cachedContents/{name}"}
        for name in ("a", "a", "b")
    ]
    trace = read_rows(*rows)
    assert notes(trace)["stored"] == 3
    first, same, other = (request.tokens().tolist() for request in trace.requests)
    assert first == same != other


def test_calls_that_reached_no_model_are_left_out() -> None:
    call = REQUESTS[0]
    good = helicone(call)
    cached = helicone(call) | {"cache_reference_id": "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"}
    failed = helicone(call) | {"response_status": 429}
    trace = read_rows(good, cached, failed)
    assert len(trace.requests) == 1
    assert (notes(trace)["response_cache"], notes(trace)["failed"]) == (1, 1)
    refused = bedrock(call, "Converse", {}, None) | {"errorCode": "ThrottlingException"}
    assert (
        notes(read_rows(bedrock(call, "Converse", {"messages": call.messages}, None), refused))["failed"] == 1
    )
    lost = {"custom_id": "x", "result": {"type": "errored", "error": {}}}
    assert notes(read_rows(FIRST_BATCH, lost))["failed"] == 1


FIRST_BATCH = {"custom_id": "c", "result": {"type": "succeeded", "message": {"usage": {"input_tokens": 3}}}}


def test_other_spans_are_passed_over() -> None:
    trace = read(FORMS["otlp"].text())
    assert notes(trace)["other_rows"] == 24  # an agent and a tool beside each call


def test_log_records_complete_the_span_they_name() -> None:
    """Newer set-ups write messages as log records; the span holds only counts."""
    call = REQUESTS[0]
    bare = {k: v for k, v in span_attributes(call).items() if "messages" not in k and "instructions" not in k}
    records = [
        {
            "spanId": call.name,
            "eventName": f"gen_ai.{role}.message",
            "body": {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": text}}]}},
        }
        for role, text in call.turns
    ]
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [otlp_span(call, bare)]}]}]}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    for rows in ((spans, logs), (logs, spans)):
        (request,) = read_rows(*rows).requests
        assert texts(request) == texts(BASE.requests[0])
        assert request.usage is not None


def test_a_wrong_count_in_a_span_names_its_line() -> None:
    broken = json.loads(json.dumps(otlp(REQUESTS[1])).replace('"intValue": "200"', '"intValue": "-1"'))
    error = error_of(jsonl([otlp(REQUESTS[0]), broken]))
    assert error.values["line"] == 2
    assert len(read(jsonl([otlp(REQUESTS[0]), broken]), skip_broken=True).requests) == 1


def test_newer_vllm_announces_requests_without_prompts() -> None:
    lines = "".join(
        f"INFO 01-01 00:00:0{n} [logger.py:60] Received request c{n}: params: SamplingParams(n=1), "
        "lora_request: None.\n"
        for n in range(3)
    )
    assert error_of(lines).code == "trace.empty"
    with_one = lines + (
        "INFO 01-01 00:00:04 [logger.py:43] Received request c9: prompt: 'It\\'s \"here\"\\n', params: None, "
        "prompt_token_ids: None, lora_request: LoRARequest(lora_name='a', lora_int_id=1).\n"
    )
    trace = read(with_one)
    assert notes(trace)["announced"] == 3
    (request,) = trace.requests
    assert (texts(request), request.adapter) == ('It\'s "here"\n', "a")


# -- tools, old and new ---------------------------------------------------------------------------------

TOOL = {"name": "track", "description": "finds a parcel " * 20, "parameters": {"type": "object"}}


@pytest.mark.parametrize(
    "beside",
    [
        {"functions": [TOOL]},
        {"tools": [{"type": "function", "function": TOOL}]},
        {"toolConfig": {"tools": [{"toolSpec": TOOL}, {"cachePoint": {"type": "default"}}]}},
    ],
)
def test_tools_of_every_age_are_read(beside: dict[str, object]) -> None:
    """Old `functions` vanished: of two requests that differed in them alone all of the prompt was shared."""
    row = {"messages": [{"role": "user", "content": "Where is it? " * 30}]}
    trace = read_rows(row | beside, row | json.loads(json.dumps(beside).replace("finds", "seeks")), row)
    first, other, none = (request.tokens().tolist() for request in trace.requests)
    assert len(first) > len(none) + 40
    common = next(place for place, (a, b) in enumerate(zip(first, other, strict=True)) if a != b)
    assert common < 40
    assert "finds a parcel" in texts(trace.requests[0])
    assert trace.unread == ()


def test_gemini_tools_are_one_part_each() -> None:
    row = {
        "contents": [{"parts": [{"text": "Hi"}]}],
        "tools": [{"functionDeclarations": [TOOL, TOOL | {"name": "b"}]}],
    }
    (request,) = read_rows(row).requests
    assert sum(part.role == "tools" for part in request.segments) == 2


def test_calls_and_results_of_every_provider_are_part_of_the_prompt() -> None:
    gemini = [
        {"role": "model", "parts": [{"functionCall": {"name": "track", "args": {"n": 1}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "track", "response": {"at": "sea"}}}]},
    ]
    converse = [
        {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "t1", "name": "track", "input": {"n": 1}}}],
        },
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "t1", "content": [{"json": {"at": "sea"}}]}}],
        },
    ]
    old = [
        {"role": "assistant", "content": None, "function_call": {"name": "track", "arguments": "{}"}},
        {"role": "function", "name": "track", "content": "sea"},
    ]
    for row in ({"contents": gemini}, {"messages": converse}, {"messages": old}):
        (request,) = read_rows(row).requests
        assert "track" in texts(request)
        assert "sea" in texts(request)
        assert "t1" not in texts(request)


def test_an_image_of_gemini_is_a_placeholder() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "aGVsbG8" * 50}}
    trace = read_rows({"contents": [{"role": "user", "parts": [{"text": "What?"}, image]}]})
    assert notes(trace)["media"] == 1
    assert trace.requests[0].num_tokens < 60


def test_an_embedding_is_no_response() -> None:
    assert error_of(jsonl([{"model": "text-embedding-3", "input": "some words"}])).code.startswith("trace.")


def test_system_text_is_the_same_wherever_it_stands() -> None:
    assert all(SYSTEM in texts(request) for request in BASE.requests)
