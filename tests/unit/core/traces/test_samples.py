"""Every hand-written sample: its format is recognised, and what it says is what comes out."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import TraceError
from core.traces.door.detect import detect
from core.traces.door.formats import FORMATS, NAMES, format_named
from core.traces.door.read import read_trace
from core.traces.model import Trace
from core.traces.packing.sources import TraceFile
from core.traces.usage import Usage
from tests.unit.core.traces.logs import SAMPLES, common_tokens, error_of, full_block_ids, notes

FORMAT_OF = {
    "pairs.jsonl": "pairs",
    "openai_stored_completions.jsonl": "openai_stored",
    "openai_responses.jsonl": "openai_responses",
    "anthropic_batch.jsonl": "anthropic_batch",
    "gemini.jsonl": "gemini",
    "bedrock_invocation_log.jsonl": "bedrock",
    "helicone.jsonl": "helicone",
    "helicone.csv": "helicone_csv",
    "opentelemetry_spans.jsonl": "opentelemetry",
    "langsmith.jsonl": "langsmith",
    "phoenix.jsonl": "phoenix",
    "langfuse_table.csv": "langfuse_csv",
    "vllm_request.log": "vllm_log",
    "usage_lines.jsonl": "usage_lines",
    "unknown_fields.jsonl": "field_map",
    "anthropic_messages_log.jsonl": "anthropic_messages",
    "azure_llm_inference.csv": "azure",
    "bailian.jsonl": "bailian",
    "burstgpt.csv": "burstgpt",
    "claude_code_transcript.jsonl": "claude_code_transcript",
    "completions_prompt.jsonl": "prompts",
    "gateway.csv": "gateway_csv",
    "kv_events_vllm.jsonl": "kv_events",
    "kv_events_vllm_sglang.decoded.jsonl": "kv_events",
    "langfuse_observations.jsonl": "langfuse",
    "litellm_standard_logging.jsonl": "litellm",
    "llmservingsim.jsonl": "llmservingsim",
    "lmsys_chat_1m.jsonl": "lmsys",
    "mooncake.jsonl": "mooncake",
    "mooncake_kvcache_simulator.jsonl": "mooncake_simulator",
    "mooncake_sessions.jsonl": "mooncake_sessions",
    "openai_batch.jsonl": "openai_batch",
    "openai_chat.jsonl": "openai_chat",
    "prometheus_query_range.json": "prometheus_api",
    "codex_rollout.jsonl": "codex_rollout",
    "sagemaker_data_capture.jsonl": "sagemaker",
    "sglang_request.log": "sglang_log",
    "sharegpt.json": "sharegpt",
    "sharegpt.jsonl": "sharegpt",
    "token_ids.jsonl": "token_ids",
    "server_log.log": "engine_log",
    "vllm_metrics.prom": "engine_metrics",
    "weka_trace.json": "claude_code_blocks",
}


def sample(name: str) -> Trace:
    return read_trace(SAMPLES / name)


def column(trace: Trace, name: str) -> list[Any]:
    return [getattr(request, name) for request in trace.requests]


def blocks(trace: Trace) -> list[list[int]]:
    return [list(request.block_ids or ()) for request in trace.requests]


def test_codex_rollout_counts_each_answer_once() -> None:
    """A repeated event carries new rate limits only; one without counts is no request."""
    trace = sample("codex_rollout.jsonl")
    assert [request.usage for request in trace.requests] == [
        Usage(20000, 0, None, 50),
        Usage(22000, 19968, None, 50),
        Usage(25000, 21888, None, 50),
    ]
    assert column(trace, "arrival_s") == [0, 23, 62]
    assert set(column(trace, "session")) == {"0199-s"}
    assert set(column(trace, "model")) == {"gpt-x-codex"}
    assert notes(trace)["repeated"] == 1


def test_there_is_a_sample_of_every_format_that_can_be_detected() -> None:
    assert {path.name for path in SAMPLES.iterdir()} == set(FORMAT_OF)
    assert set(NAMES) - set(FORMAT_OF.values()) == {"text_lines"}


@pytest.mark.parametrize("name", FORMAT_OF)
def test_a_sample_is_recognised_and_carries_what_its_format_promises(name: str) -> None:
    found = detect(TraceFile(name, SAMPLES / name))
    assert (found.format.name, found.others) == (FORMAT_OF[name], ())
    trace = sample(name)
    assert trace.format == FORMAT_OF[name]
    assert trace.facts <= found.format.gives | {"usage", "lengths"}
    assert trace.has_identity == bool(found.format.gives & {"blocks", "tokens", "text"} & trace.facts)
    assert trace.num_skipped == 0


def test_mooncake() -> None:
    trace = sample("mooncake.jsonl")
    assert (trace.block_size, trace.convention, trace.order) == (512, "ceil", "arrival")
    assert column(trace, "arrival_s") == [0, 2.5, 2.5]  # milliseconds; equal times keep the file's order
    assert column(trace, "num_tokens") == [1300, 1810, 500]
    assert column(trace, "num_output") == [40, 52, 9]
    assert blocks(trace) == [[0, 1, 2], [0, 1, 3, 4], [5]]
    assert [full_block_ids(request) for request in trace.requests] == [[0, 1], [0, 1, 3], []]
    assert trace.facts == {"blocks"}


def test_mooncake_simulator_keeps_the_order_and_reads_ids_written_as_texts() -> None:
    trace = sample("mooncake_kvcache_simulator.jsonl")
    assert (trace.block_size, trace.order) == (64, "file")
    assert blocks(trace) == [[0, 1, 2], [0, 3]]
    assert column(trace, "arrival_s") == [None, None]
    assert notes(trace) == {"times_ignored": 2}


def test_mooncake_sessions() -> None:
    trace = sample("mooncake_sessions.jsonl")
    assert column(trace, "session") == ["s-1", "s-1"]
    assert column(trace, "arrival_s") == [0, 4]  # the delay counts from the turn before
    assert blocks(trace) == [[0, 1], [0, 1, 2]]
    assert not trace.deltas
    assert notes(trace) == {"delay": 1}


def test_bailian() -> None:
    trace = sample("bailian.jsonl")
    assert (trace.block_size, trace.convention) == (16, "ceil")
    assert column(trace, "arrival_s") == [0, 14.25]  # seconds
    assert column(trace, "session") == ["1", "1"]  # chat 2 continues chat 1
    assert column(trace, "tag") == ["text", "text"]
    assert blocks(trace) == [[0, 1, 2], [0, 1, 3, 4, 5]]


def test_claude_code_blocks() -> None:
    trace = sample("weka_trace.json")
    assert (trace.block_size, trace.convention) == (64, "ceil")  # this sample lists the partial tail
    assert column(trace, "arrival_s") == [0, 3]
    assert column(trace, "model") == ["model-x"] * 2
    assert blocks(trace) == [[0, 1, 2, 3], [0, 1, 2, 4, 5]]
    assert notes(trace) == {"inferred": 1, "local_ids": 1}


def test_claude_code_transcript_counts_one_request_for_its_two_lines() -> None:
    trace = sample("claude_code_transcript.jsonl")
    assert column(trace, "usage") == [Usage(24004, 15000, 9000, 120, 9000, 0)]
    assert column(trace, "num_tokens") == [24004]
    assert trace.reported().ratio_of_sums == 15000 / 24004
    assert not trace.has_identity
    assert notes(trace) == {"other_rows": 2, "repeated": 1, "hidden_prompt": 1, "lengths_only": 1}


def test_llmservingsim() -> None:
    trace = sample("llmservingsim.jsonl")
    flat, first, second = trace.requests
    assert flat.tokens().tolist() == [5, 6, 7, 8, 9, 10]
    assert list(flat.output_ids or ()) == [3, 4]
    assert (flat.arrival_s, first.session, second.session) == (0, "s0", "s0")
    assert [round((r.arrival_s or 0) * 1e9) for r in trace.requests] == [0, 4000, 4200]  # nanoseconds
    assert [r.has_identity for r in trace.requests] == [True, False, False]
    assert notes(trace)["lengths_only"] == 2


def test_openai_chat_shares_the_history() -> None:
    trace = sample("openai_chat.jsonl")
    assert column(trace, "request_id") == ["q1", "q2"]
    assert column(trace, "session") == ["s1", "s1"]
    assert column(trace, "arrival_s") == [0, 30]
    assert (trace.tokenizer, trace.template) == ("teaching", "plain")
    assert common_tokens(*trace.requests) == 0  # the second one has tools, and they stand in front


def test_openai_batch_and_prompts() -> None:
    assert column(sample("openai_batch.jsonl"), "request_id") == ["b-1"]
    one, two = sample("completions_prompt.jsonl").requests
    assert common_tokens(one, two) == 5  # Translate, to, French, :, good
    assert one.segments[0].text == "Translate to French: good morning"


def test_token_ids() -> None:
    trace = sample("token_ids.jsonl")
    assert column(trace, "tenant") == ["acme", "acme"]
    assert column(trace, "session") == ["s1", None]
    assert common_tokens(*trace.requests) == 16  # the second names no model: it is the log's only one
    assert trace.tokenizer is None


@pytest.mark.parametrize("name", ["sharegpt.json", "sharegpt.jsonl"])
def test_sharegpt_becomes_one_request_per_turn(name: str) -> None:
    trace = sample(name)
    first, second = trace.requests
    assert column(trace, "request_id") == ["c1/1", "c1/2"]
    assert common_tokens(first, second) == first.num_tokens  # the marker of the answer included
    texts = [part.text for part in second.segments if part.role != "marker"]
    assert texts == ["What is a block?", "A fixed run of tokens.", "And a chain?"]
    assert first.num_output == 6


def test_lmsys() -> None:
    (request,) = sample("lmsys_chat_1m.jsonl").requests
    assert (request.request_id, request.model, request.tag) == ("l1/1", "m", "English")
    assert [part.text for part in request.segments if part.role == "user"] == ["Name a river."]


def test_anthropic() -> None:
    (request,) = sample("anthropic_messages_log.jsonl").requests
    assert request.usage == Usage(1512, 0, 1500, 20)  # 12 + 1500 written + 0 read
    assert [part.role for part in request.segments if part.role != "marker"] == ["system", "user"]
    assert request.request_id == "msg_1"


def test_litellm() -> None:
    (request,) = sample("litellm_standard_logging.jsonl").requests
    assert request.usage == Usage(2048, 1920, None, 50)  # prompt_tokens includes the cached ones
    assert (request.session, request.tenant, request.tag) == ("sess-1", "team-a", "prod")


def test_langfuse() -> None:
    (request,) = sample("langfuse_observations.jsonl").requests
    assert request.usage == Usage(2048, 1920, None, 50)  # input is the rest only: 128 + 1920 + 50 = 2098
    assert request.usage.ratio == 0.9375


def test_gateway_and_sagemaker() -> None:
    (request,) = sample("gateway.csv").requests
    assert (request.usage, request.num_output, request.model) == (Usage(14, 0, None, 2), 2, "m")
    (request,) = sample("sagemaker_data_capture.jsonl").requests
    assert (request.request_id, request.usage) == ("e-1", None)
    assert [part.text for part in request.segments if part.role == "user"] == ["Hi"]


def test_sglang_log() -> None:
    (request,) = sample("sglang_request.log").requests
    assert request.tokens().tolist() == [5, 6, 7, 8, 9, 10]
    assert (request.request_id, request.num_output, request.usage) == ("r-1", 2, Usage(6, 4, None, 2))


@pytest.mark.parametrize(
    ("name", "lengths"), [("azure_llm_inference.csv", [700, 64]), ("burstgpt.csv", [300, 900])]
)
def test_lengths_only_means_no_hit_rate_and_not_zero(name: str, lengths: list[int]) -> None:
    trace = sample(name)
    assert column(trace, "num_tokens") == lengths
    assert trace.facts == {"lengths"}
    assert trace.reported().ratio_of_sums is None
    assert not format_named(trace.format).gives & {"blocks", "tokens", "text"}
    with pytest.raises(TraceError) as caught:
        trace.with_identity()
    assert caught.value.code == "trace.no_identity"


def test_azure_and_burstgpt_times() -> None:
    azure, burst = sample("azure_llm_inference.csv"), sample("burstgpt.csv")
    assert azure.requests[1].arrival_s == pytest.approx(3.15, abs=1e-6)
    assert azure.start_s == pytest.approx(1893456000.1)
    assert column(burst, "arrival_s") == [0, 16]
    assert column(burst, "tag") == ["Conversation log", "API log"]


def test_vllm_metrics_give_the_engines_own_rate_and_no_request() -> None:
    trace = sample("vllm_metrics.prom")
    (counters,) = trace.counters
    (reading,) = counters.readings
    assert (reading.queries, reading.hits, reading.usage) == (4000, 1500, 0.42)
    assert counters.hit_rate == 0.375
    assert trace.requests == ()
    assert notes(trace) == {"no_requests": 1}


def test_kv_events_tell_blocks_and_no_hit() -> None:
    trace = sample("kv_events_vllm_sglang.decoded.jsonl")
    assert trace.events is not None
    assert (trace.events.num_stored, trace.events.num_removed, trace.events.num_cleared) == (2, 1, 1)
    assert (trace.events.peak_live, trace.events.num_live, trace.events.block_sizes) == (2, 0, (16,))
    assert trace.facts == {"events"}


def test_batches_captured_from_a_server() -> None:
    trace = sample("kv_events_vllm.jsonl")
    assert trace.events is not None
    assert (trace.events.num_batches, trace.events.num_stored, trace.events.num_removed) == (7, 19, 5)
    assert (trace.events.num_cleared, trace.events.block_sizes) == (1, (32, 128))
    assert trace.events.num_unknown_removed == 3  # batches were captured, not all of them
    assert len(trace.recording) == 7


def test_a_person_may_choose_another_format() -> None:
    text = (SAMPLES / "completions_prompt.jsonl").read_text("utf-8")
    trace = read_trace(TraceFile("log", text), format_name="text_lines")
    assert [request.segments[0].text for request in trace.requests] == text.splitlines()
    assert error_of(text, "no such").code == "trace.no_such_format"


def test_titles_and_names_are_different() -> None:
    assert len(set(NAMES)) == len(FORMATS)
    assert len({entry.title for entry in FORMATS}) == len(FORMATS)


def test_the_paper_names_every_format() -> None:
    paper = (SAMPLES.parents[2] / "docs" / "formats.md").read_text("utf-8")
    assert [name for name in NAMES if f"`{name}`" not in paper] == []
