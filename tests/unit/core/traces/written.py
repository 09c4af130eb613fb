"""The same twelve requests as every exporter writes them, and what they must give: a known truth.

`REQUESTS` are three turns in each of four sessions. Each function writes all of them in one form; the names
of the fields are those of the exporters, the words are ours.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

START = 1_767_225_600
SYSTEM = "You answer for a parcel service. Be brief; ask for the number where it is missing. " * 3
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Call:
    """One request, its answer, and what the provider counted (cached is part of prompt)."""

    name: str
    session: str
    at: int
    turns: tuple[tuple[str, str], ...]
    answer: str
    prompt: int
    cached: int
    output: int

    @property
    def iso(self) -> str:
        return datetime.fromtimestamp(self.at, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")

    @property
    def messages(self) -> Rows:
        return [{"role": role, "content": text} for role, text in self.turns]

    @property
    def spoken(self) -> Rows:
        """The messages without the system text."""
        return self.messages[1:]


def _calls() -> tuple[Call, ...]:
    found = []
    for turn in range(3):
        for session in range(4):
            turns = [("system", SYSTEM)]
            for past in range(turn + 1):
                turns.append(
                    ("user", f"Session {session}, question {past}: where is parcel {past}-{session}?")
                )
                turns.append(("assistant", f"Parcel {past}-{session} is on its way to you."))
            answer = turns.pop()[1]
            at = START + 60 * turn + session
            prompt = 200 + 40 * turn
            cached = 0 if not turn and not session else 128 if not turn else prompt - 56
            found.append(
                Call(f"q{turn}-{session}", f"s{session}", at, tuple(turns), answer, prompt, cached, 9)
            )
    return tuple(found)


REQUESTS = _calls()
REPORTED = sum(call.cached for call in REQUESTS) / sum(call.prompt for call in REQUESTS)


def jsonl(rows: Sequence[object]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def table(rows: Rows, delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def each(write: Callable[[Call], object]) -> Callable[[], str]:
    return lambda: jsonl([write(call) for call in REQUESTS])


# -- usage in each provider's words ---------------------------------------------------------------------


def openai(call: Call) -> dict[str, Any]:
    details = {"cached_tokens": call.cached, "audio_tokens": 0}
    total = call.prompt + call.output
    return {
        "prompt_tokens": call.prompt,
        "completion_tokens": call.output,
        "total_tokens": total,
        "prompt_tokens_details": details,
    }


def responses_usage(call: Call) -> dict[str, Any]:
    return {
        "input_tokens": call.prompt,
        "input_tokens_details": {"cached_tokens": call.cached},
        "output_tokens": call.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": call.prompt + call.output,
    }


def anthropic_usage(call: Call) -> dict[str, Any]:
    return {
        "input_tokens": call.prompt - call.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": call.cached,
        "output_tokens": call.output,
    }


def gemini_usage(call: Call, snake: bool = False) -> dict[str, Any]:
    """What is 0 is not written."""
    names = (
        ("prompt_token_count", "candidates_token_count", "total_token_count", "cached_content_token_count")
        if snake
        else ("promptTokenCount", "candidatesTokenCount", "totalTokenCount", "cachedContentTokenCount")
    )
    counts = (call.prompt, call.output, call.prompt + call.output, call.cached)
    return {name: count for name, count in zip(names, counts, strict=True) if count}


# -- bodies ---------------------------------------------------------------------------------------------


def contents(call: Call) -> Rows:
    roles = {"assistant": "model"}
    return [{"role": roles.get(m["role"], m["role"]), "parts": [{"text": m["content"]}]} for m in call.spoken]


def gemini_body(call: Call) -> dict[str, Any]:
    return {
        "contents": contents(call),
        "systemInstruction": {"parts": [{"text": SYSTEM}]},
        "generationConfig": {"temperature": 0.2},
    }


def converse_body(call: Call) -> dict[str, Any]:
    messages = [{"role": m["role"], "content": [{"text": m["content"]}]} for m in call.spoken]
    return {"messages": messages, "system": [{"text": SYSTEM}], "inferenceConfig": {"maxTokens": 100}}


def anthropic_body(call: Call) -> dict[str, Any]:
    system = [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}]
    return {"model": "claude-x", "max_tokens": 100, "system": system, "messages": call.spoken}


def response_items(call: Call) -> Rows:
    kinds = {"assistant": "output_text"}
    return [
        {
            "type": "message",
            "role": m["role"],
            "content": [{"type": kinds.get(m["role"], "input_text"), "text": m["content"]}],
        }
        for m in call.spoken
    ]


def response_object(call: Call) -> dict[str, Any]:
    return {
        "id": f"resp_{call.name}",
        "object": "response",
        "created_at": call.at,
        "status": "completed",
        "model": "gpt-x",
        "instructions": SYSTEM,
        "output": [
            {
                "type": "message",
                "id": f"msg_{call.name}",
                "status": "completed",
                "role": "assistant",
                "content": [{"type": "output_text", "text": call.answer, "annotations": []}],
            }
        ],
        "usage": responses_usage(call),
    }


def bedrock(call: Call, operation: str, body: dict[str, Any], answer: object) -> dict[str, Any]:
    return {
        "schemaType": "ModelInvocationLog",
        "schemaVersion": "1.0",
        "timestamp": call.iso,
        "accountId": "000000000000",
        "identity": {"arn": "arn:aws:iam::000000000000:user/a"},
        "region": "eu-x-1",
        "requestId": call.name,
        "operation": operation,
        "modelId": "anthropic.claude-x",
        "input": {
            "inputContentType": "application/json",
            "inputBodyJson": body,
            "inputTokenCount": call.prompt - call.cached,
            "cacheReadInputTokenCount": call.cached,
            "cacheWriteInputTokenCount": 0,
        },
        "output": {
            "outputContentType": "application/json",
            "outputBodyJson": answer,
            "outputTokenCount": call.output,
        },
    }


def converse_usage(call: Call) -> dict[str, Any]:
    return {
        "inputTokens": call.prompt - call.cached,
        "outputTokens": call.output,
        "totalTokens": call.prompt + call.output,
        "cacheReadInputTokens": call.cached,
        "cacheWriteInputTokens": 0,
    }


def stream_of_invocation(call: Call) -> Rows:
    usage = anthropic_usage(call)
    return [
        {"type": "message_start", "message": {"id": "m", "usage": usage | {"output_tokens": 1}}},
        {"type": "content_block_delta", "delta": {"text": call.answer}},
        {"type": "message_delta", "usage": {"output_tokens": call.output}},
        {"type": "message_stop", "amazon-bedrock-invocationMetrics": {"inputTokenCount": 1}},
    ]


# -- spans ----------------------------------------------------------------------------------------------


def span_attributes(call: Call) -> dict[str, Any]:
    messages = [
        {"role": m["role"], "parts": [{"type": "text", "content": m["content"]}]} for m in call.spoken
    ]
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.conversation.id": call.session,
        "gen_ai.system_instructions": json.dumps([{"type": "text", "content": SYSTEM}]),
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.usage.input_tokens": call.prompt,
        "gen_ai.usage.output_tokens": call.output,
        "gen_ai.usage.cache_read.input_tokens": call.cached,
    }


def pairs(attributes: dict[str, Any]) -> Rows:
    return [
        {"key": name, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
        for name, value in attributes.items()
    ]


def otlp_span(call: Call, attributes: dict[str, Any], events: Rows | None = None) -> dict[str, Any]:
    return {
        "traceId": f"trace-{call.session}",
        "spanId": call.name,
        "name": "chat gpt-x",
        "kind": 3,
        "startTimeUnixNano": str(call.at * 10**9),
        "endTimeUnixNano": str((call.at + 1) * 10**9),
        "attributes": pairs(attributes),
        "events": events or [],
        "status": {},
    }


def otlp(call: Call) -> dict[str, Any]:
    """One export of a collector: the call, the agent around it (whose usage only repeats), and a tool."""
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 10**6}
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "track"}
    spans = [otlp_span(call, span_attributes(call)), otlp_span(call, agent), otlp_span(call, tool)]
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": spans}]}]}


def span_with_events(call: Call) -> dict[str, Any]:
    """Older conventions: one event a message."""
    kept = {k: v for k, v in span_attributes(call).items() if "messages" not in k and "instructions" not in k}
    events = [
        {"name": f"gen_ai.{m['role']}.message", "attributes": {"content": m["content"], "role": m["role"]}}
        for m in call.messages
    ]
    return {
        "name": "chat",
        "context": {"trace_id": call.session, "span_id": call.name},
        "start_time": call.iso,
        "attributes": kept,
        "events": [*events, {"name": "gen_ai.choice", "attributes": {"content": call.answer}}],
    }


def span_numbered(call: Call) -> dict[str, Any]:
    """OpenLLMetry: a number for each message."""
    numbered = {}
    for number, message in enumerate(call.messages):
        for name, text in message.items():
            numbered[f"gen_ai.prompt.{number}.{name}"] = text
    attributes = {
        "gen_ai.system": "OpenAI",
        "llm.request.type": "chat",
        "gen_ai.request.model": "gpt-x",
        **numbered,
        "gen_ai.completion.0.content": call.answer,
        "gen_ai.usage.prompt_tokens": call.prompt,
        "gen_ai.usage.completion_tokens": call.output,
        "gen_ai.usage.cache_read_input_tokens": call.cached,
    }
    return {"span_id": call.name, "trace_id": call.session, "start_time": call.iso, "attributes": attributes}


def span_openinference(call: Call) -> dict[str, Any]:
    numbered = {}
    for number, message in enumerate(call.messages):
        for name, text in message.items():
            numbered[f"llm.input_messages.{number}.message.{name}"] = text
    return {
        "span_id": call.name,
        "start_time": call.iso,
        "attributes": {
            "openinference.span.kind": "LLM",
            "llm.model_name": "gpt-x",
            "session.id": call.session,
            **numbered,
            "llm.token_count.prompt": call.prompt,
            "llm.token_count.completion": call.output,
            "llm.token_count.prompt_details.cache_read": call.cached,
        },
    }


# -- proxies --------------------------------------------------------------------------------------------


def spend_row(call: Call) -> dict[str, Any]:
    return {
        "request_id": call.name,
        "call_type": "acompletion",
        "api_key": "h",
        "spend": 0.01,
        "prompt_tokens": call.prompt,
        "completion_tokens": call.output,
        "total_tokens": call.prompt + call.output,
        "startTime": call.iso,
        "endTime": call.iso,
        "model": "gpt-x",
        "session_id": call.session,
        "metadata": json.dumps({"user_api_key_alias": "team-a", "usage_object": openai(call)}),
        "cache_hit": "False",
        "request_tags": '["prod"]',
        "messages": json.dumps(call.messages),
        "response": "{}",
        "proxy_server_request": "{}",
    }


def helicone(call: Call, as_text: bool = False) -> dict[str, Any]:
    pack: Callable[[object], Any] = json.dumps if as_text else (lambda value: value)
    return {
        "request_id": call.name,
        "request_created_at": call.iso,
        "request_body": pack({"model": "gpt-x", "messages": call.messages}),
        "request_path": "https://api/v1/chat/completions",
        "request_user_id": "u",
        "request_properties": pack({"Helicone-Session-Id": call.session}),
        "response_id": f"r{call.name}",
        "response_created_at": call.iso,
        "response_status": 200,
        "response_body": pack({"usage": openai(call)}),
        "cache_reference_id": "00000000-0000-0000-0000-000000000000",
        "prompt_tokens": call.prompt,
        "completion_tokens": call.output,
    }


def langfuse_row(call: Call) -> dict[str, Any]:
    return {
        "id": call.name,
        "traceId": f"t-{call.session}",
        "sessionId": call.session,
        "type": "GENERATION",
        "name": "answer",
        "startTime": call.iso,
        "model": "gpt-x",
        "input": call.messages,
        "output": {"role": "assistant", "content": call.answer},
        "usageDetails": {
            "input": call.prompt - call.cached,
            "input_cached_tokens": call.cached,
            "output": call.output,
            "total": call.prompt + call.output,
        },
    }


def langfuse_blob(call: Call) -> dict[str, Any]:
    row = langfuse_row(call)
    return {
        "id": row["id"],
        "trace_id": row["traceId"],
        "session_id": call.session,
        "type": "GENERATION",
        "name": "answer",
        "start_time": call.iso.replace("T", " ").replace(".000Z", ".000000"),
        "provided_model_name": "gpt-x",
        "input": json.dumps(call.messages),
        "output": json.dumps(row["output"]),
        "usage_details": row["usageDetails"],
    }


def langfuse_table() -> str:
    return table(
        [
            {
                "id": call.name,
                "timestamp": call.iso,
                "name": "answer",
                "userId": "u",
                "sessionId": call.session,
                "input": json.dumps(call.messages),
                "output": call.answer,
                "model": "gpt-x",
                "inputTokens": call.prompt,
                "outputTokens": call.output,
            }
            for call in REQUESTS
        ]
    )


# -- vLLM -----------------------------------------------------------------------------------------------


def prompt_text(call: Call) -> str:
    """The text that a server has made of the messages, as it is with the plain template."""
    return "".join(f"{role}:\n{text}\n" for role, text in call.turns) + "assistant:\n"


def prompt_ids(call: Call) -> list[int]:
    return [ord(char) for char in prompt_text(call)]


def _stamp(call: Call) -> str:
    return datetime.fromtimestamp(call.at, UTC).strftime("%m-%d %H:%M:%S")


def vllm_old(with_ids: bool, with_text: bool) -> str:
    lines = ["INFO 01-01 00:00:00 [api_server.py:1] vLLM API server version 0.9.0"]
    for call in REQUESTS:
        text = repr(prompt_text(call)) if with_text else None
        ids = prompt_ids(call) if with_ids else None
        lines.append(
            f"INFO {_stamp(call)} [logger.py:43] Received request chatcmpl-{call.name}: prompt: {text}, "
            f"params: SamplingParams(n=1, stop=[], prompt='x'), prompt_token_ids: {ids}, "
            "prompt_embeds shape: None, lora_request: None."
        )
        lines.append(f"INFO {_stamp(call)} [async_llm.py:270] Added request chatcmpl-{call.name}.")
    return "\n".join(lines) + "\n"


def vllm_oldest() -> str:
    return "".join(
        f"INFO {_stamp(call)} async_llm_engine.py:529] Received request cmpl-{call.name}: "
        f"prompt: {prompt_text(call)!r}, sampling_params: SamplingParams(n=1), "
        f"prompt_token_ids: {prompt_ids(call)}, lora_request: None.\n"
        for call in REQUESTS
    )


def vllm_new() -> str:
    """The prompt at level DEBUG, the arrival at INFO, the process in front."""
    lines = []
    for call in REQUESTS:
        start = f"(APIServer pid=7) DEBUG {_stamp(call)} [logger.py:50] "
        lines.append(
            f"{start}Request chatcmpl-{call.name} details: prompt: {prompt_text(call)!r}, "
            f"prompt_token_ids: {prompt_ids(call)}, prompt_embeds shape: None."
        )
        start = f"(APIServer pid=7) INFO {_stamp(call)} [logger.py:60] "
        lines.append(
            f"{start}Received request chatcmpl-{call.name}: params: SamplingParams(n=1), lora_request: None."
        )
        lines.append(
            f"{start}Generated response chatcmpl-{call.name}: output: {call.answer!r}, "
            f"output_token_ids: {[1] * call.output}, finish_reason: stop"
        )
    return "\n".join(lines) + "\n"


# -- all of them ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """One way to write the requests. `usage`: whether it tells what was cached; `times`: whether it tells
    when; `ids`: tokens are characters, so that only the relations between prompts can be compared."""

    format: str
    text: Callable[[], str]
    usage: bool = True
    times: bool = True
    ids: bool = False


def _gemini_pair(call: Call) -> dict[str, Any]:
    answer = {
        "candidates": [],
        "usageMetadata": gemini_usage(call),
        "modelVersion": "g",
        "createTime": call.iso,
    }
    return {"request": gemini_body(call), "response": answer}


def _bigquery(call: Call) -> dict[str, Any]:
    pair = _gemini_pair(call)
    return {
        "endpoint": "publishers/google/models/g",
        "deployed_model_id": None,
        "logging_time": call.iso,
        "request_id": call.at,
        "model": "g",
        "api_method": "generateContent",
        "full_request": json.dumps(pair["request"]),
        "full_response": pair["response"],
        "metadata": {"request_latency": 5},
    }


FORMS = MappingProxyType(
    {
        "bodies": Form(
            "openai_chat",
            each(lambda c: {"request_id": c.name, "timestamp": c.at, "model": "m", "messages": c.messages}),
            usage=False,
        ),
        "openai batch": Form(
            "openai_batch",
            each(
                lambda c: {
                    "custom_id": c.name,
                    "url": "/v1/chat/completions",
                    "body": {"messages": c.messages},
                }
            ),
            usage=False,
            times=False,
        ),
        "stored completions": Form(
            "openai_stored",
            each(
                lambda c: {
                    "object": "chat.completion",
                    "id": c.name,
                    "created": c.at,
                    "model": "gpt-x",
                    "input": c.messages,
                    "choices": [{"message": {"role": "assistant", "content": c.answer}}],
                    "usage": openai(c),
                }
            ),
        ),
        "responses, pairs": Form(
            "openai_responses",
            each(
                lambda c: {
                    "request": {"model": "gpt-x", "instructions": SYSTEM, "input": response_items(c)},
                    "response": response_object(c),
                }
            ),
        ),
        "responses, input put into the object": Form(
            "openai_responses", each(lambda c: response_object(c) | {"input": response_items(c)})
        ),
        "responses, continued by id": Form(
            "openai_responses",
            each(
                lambda c: {
                    "request": {
                        "model": "gpt-x",
                        "instructions": SYSTEM,
                        "input": c.turns[-1][1],
                        "previous_response_id": f"resp_q{int(c.name[1]) - 1}{c.name[2:]}"
                        if len(c.turns) > 2
                        else None,
                    },
                    "response": response_object(c),
                }
            ),
        ),
        "anthropic, pairs": Form(
            "anthropic_messages",
            each(
                lambda c: {
                    "ts": c.iso,
                    "request": anthropic_body(c),
                    "response": {"id": c.name, "usage": anthropic_usage(c)},
                }
            ),
        ),
        "anthropic batch": Form(
            "anthropic_batch",
            each(lambda c: {"custom_id": c.name, "params": anthropic_body(c)}),
            usage=False,
            times=False,
        ),
        "gemini, pairs": Form("gemini", each(_gemini_pair)),
        "gemini, REST": Form(
            "gemini",
            each(
                lambda c: {
                    "timestamp": c.at,
                    "model": "g",
                    **gemini_body(c),
                    "usageMetadata": gemini_usage(c),
                }
            ),
        ),
        "gemini, SDK": Form(
            "gemini",
            each(
                lambda c: {
                    "timestamp": c.iso,
                    "request": {
                        "model": "g",
                        "contents": contents(c),
                        "config": {"system_instruction": SYSTEM, "temperature": 0.1},
                    },
                    "response": {"usage_metadata": gemini_usage(c, snake=True), "response_id": c.name},
                }
            ),
        ),
        "gemini, BigQuery": Form("gemini", each(_bigquery)),
        "bedrock, Converse": Form(
            "bedrock",
            each(lambda c: bedrock(c, "Converse", converse_body(c), {"usage": converse_usage(c)})),
        ),
        "bedrock, ConverseStream": Form(
            "bedrock",
            each(
                lambda c: bedrock(
                    c, "ConverseStream", converse_body(c), [{"metadata": {"usage": converse_usage(c)}}]
                )
            ),
        ),
        "bedrock, InvokeModel streamed": Form(
            "bedrock",
            each(
                lambda c: bedrock(
                    c, "InvokeModelWithResponseStream", anthropic_body(c), stream_of_invocation(c)
                )
            ),
        ),
        "bedrock, InvokeModel as text": Form(
            "bedrock",
            each(lambda c: bedrock(c, "InvokeModel", json.dumps(anthropic_body(c)), None)),  # type: ignore[arg-type]
        ),
        "gemini, BigQuery of an endpoint": Form(
            "gemini",
            each(
                lambda c: {
                    "logging_time": c.iso,
                    "request_payload": [json.dumps(gemini_body(c))],
                    "response_payload": [json.dumps({"usageMetadata": gemini_usage(c)})],
                }
            ),
        ),
        "gemini, batch output": Form(
            "gemini",
            each(lambda c: {"status": "", "processed_time": c.iso, **_gemini_pair(c)}),
        ),
        "claude in BigQuery": Form(
            "gemini",
            each(
                lambda c: {
                    "logging_time": c.iso,
                    "full_request": anthropic_body(c),
                    "full_response": {"usage": anthropic_usage(c)},
                }
            ),
        ),
        "pairs": Form(
            "pairs",
            each(
                lambda c: {
                    "request": {"model": "m", "messages": c.messages},
                    "response": {"id": c.name, "created": c.at, "choices": [], "usage": openai(c)},
                }
            ),
        ),
        "pairs, JSON texts": Form(
            "pairs",
            each(
                lambda c: {
                    "time": c.iso,
                    "status_code": "200",
                    "request_body": json.dumps({"model": "m", "messages": c.messages}),
                    "response_body": json.dumps({"usage": openai(c)}),
                }
            ),
        ),
        "pairs, bodies inside": Form(
            "pairs",
            each(
                lambda c: {
                    "timestamp": c.iso,
                    "req": {"method": "POST", "body": {"messages": c.messages}},
                    "resp": {"status": 200, "body": {"usage": openai(c)}},
                }
            ),
        ),
        "spans of the Vercel SDK": Form(
            "opentelemetry",
            each(
                lambda c: {
                    "span_id": c.name,
                    "start_time": c.iso,
                    "attributes": {
                        "ai.operationId": "ai.generateText.doGenerate",
                        "ai.prompt.messages": json.dumps(c.messages),
                        "gen_ai.request.model": "m",
                        "gen_ai.usage.input_tokens": c.prompt,
                        "gen_ai.usage.output_tokens": c.output,
                        "ai.usage.cachedInputTokens": c.cached,
                    },
                }
            ),
        ),
        "helicone": Form("helicone", each(helicone)),
        "helicone, table": Form(
            "helicone_csv", lambda: table([helicone(call, as_text=True) for call in REQUESTS])
        ),
        "otlp": Form("opentelemetry", each(otlp)),
        "otlp, one export": Form(
            "opentelemetry",
            lambda: json.dumps({"resourceSpans": [s for c in REQUESTS for s in otlp(c)["resourceSpans"]]}),
        ),
        "spans with events": Form("opentelemetry", each(span_with_events)),
        "spans, numbered": Form("opentelemetry", each(span_numbered)),
        "spans, OpenInference": Form("opentelemetry", each(span_openinference)),
        "langfuse": Form("langfuse", each(langfuse_row)),
        "langfuse, blob export": Form("langfuse", each(langfuse_blob)),
        "langfuse, table": Form("langfuse_csv", langfuse_table, usage=False),
        "litellm, spend logs": Form("litellm", each(spend_row)),
        "vllm, text and ids": Form("vllm_log", lambda: vllm_old(True, True), usage=False, ids=True),
        "vllm, ids": Form("vllm_log", lambda: vllm_old(True, False), usage=False, ids=True),
        "vllm, text": Form("vllm_log", lambda: vllm_old(False, True), usage=False, ids=True),
        "vllm, oldest": Form("vllm_log", vllm_oldest, usage=False, ids=True),
        "vllm, newest": Form("vllm_log", vllm_new, usage=False, ids=True),
    }
)
USAGE_FORMS = MappingProxyType(
    {
        "openai": openai,
        "responses": responses_usage,
        "anthropic": anthropic_usage,
        "gemini": gemini_usage,
        "gemini, SDK": lambda call: gemini_usage(call, snake=True),
        "a message": lambda call: {"type": "message", "id": call.name, "usage": anthropic_usage(call)},
        "a record": lambda call: {"time": call.iso, "model": "m", "response": {"usage": openai(call)}},
    }
)
