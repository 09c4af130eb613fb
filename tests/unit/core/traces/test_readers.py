"""The rules of single formats beyond their samples: what is left out, what is refused, what is counted."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.traces.model import Trace
from core.traces.recording import AllCleared, BlocksRemoved, BlocksStored, digest_of
from core.traces.usage import Usage
from tests.unit.core.traces.logs import (
    common_tokens,
    error_of,
    jsonl,
    notes,
    read,
    read_rows,
    unbounded_hits,
)

Json = dict[str, Any]


def mooncake(length: int, ids: list[Any], **more: Any) -> Json:
    return {"timestamp": 0, "input_length": length, "output_length": 1, "hash_ids": ids, **more}


def blocks(trace: Trace) -> list[list[int]]:
    return [list(request.block_ids or ()) for request in trace.requests]


# -- block ids ----------------------------------------------------------------------------------------


def test_an_id_under_two_parents_is_two_blocks() -> None:
    """Ids of a log that hashes each block by itself: equal ids do not mean equal prefixes."""
    trace = read_rows(mooncake(1024, [1, 2]), mooncake(1024, [3, 2]), mooncake(1024, [1, 2]))
    assert blocks(trace) == [[0, 1], [2, 3], [0, 1]]
    assert notes(trace) == {"rechained": 1}


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=8))
def test_numbers_are_equal_exactly_where_everything_before_is(rows: list[list[int]]) -> None:
    trace = read_rows(*(mooncake(512 * len(ids), ids) for ids in rows))
    for one, ids in zip(trace.requests, rows, strict=True):
        for other, other_ids in zip(trace.requests, rows, strict=True):
            for place in range(min(len(ids), len(other_ids))):
                same = ids[: place + 1] == other_ids[: place + 1]
                assert (one.block_ids[place] == other.block_ids[place]) == same  # type: ignore[index]


def test_ids_as_texts_keep_every_digit() -> None:
    """Above 2**53 a float has lost digits: two ids would become one."""
    large = 2**60
    trace = read_rows(
        *(mooncake(512, [i]) for i in (str(large), str(large + 1), large, "abc", "007", 7, "7"))
    )
    assert blocks(trace) == [[0], [1], [0], [2], [3], [4], [4]]
    for wrong in (float(large), True, None, "", [1]):
        error = error_of(jsonl(mooncake(512, [wrong])))
        assert error.values["field"] == "hash_ids[0]"


def test_block_size_and_convention_are_read_off_the_lengths() -> None:
    rows = [mooncake(64 * k + 10, list(range(k))) for k in range(8, 20)]
    trace = read_rows(*rows)
    assert (trace.block_size, trace.convention, notes(trace)) == (64, "floor", {"inferred": 1})
    assert error_of(jsonl(*rows[:5])).values["line"] == 1  # too few rows to believe it
    given_by_hand = read_rows(*rows[:5], block_size=64, convention="floor")
    assert (given_by_hand.block_size, notes(given_by_hand)) == (64, {})
    assert error_of(jsonl(*rows, mooncake(64, [1, 2]))).values["line"] == 13


def test_a_full_last_block_says_nothing_about_the_convention() -> None:
    trace = read_rows(*(mooncake(64 * k, list(range(k))) for k in range(8, 20)))
    assert (trace.block_size, trace.convention) == (64, "ceil")


def test_tokens_stand_in_for_blocks_at_any_block_size() -> None:
    trace = read_rows(
        *(mooncake(n, ids) for n, ids in ((1300, [1, 2, 3]), (1300, [1, 2, 4]), (1300, [1, 2, 3])))
    )
    one, two, three = trace.requests
    assert (common_tokens(one, two), common_tokens(one, three)) == (1024, 1300)
    assert len(one.tokens()) == 1300
    assert one.request().token_ids[1024] == one.block_ids[2]  # type: ignore[index]


def test_an_unlisted_tail_belongs_to_nobody_else() -> None:
    one, two = read_rows(mooncake(100, [1]), mooncake(100, [1]), block_size=64, convention="floor").requests
    assert one.block_ids == two.block_ids
    assert (common_tokens(one, two), len(one.tokens())) == (64, 100)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"hash_ids": [1]}, "input_length"),
        ({"input_length": 5}, "hash_ids"),
        (mooncake(0, []), "input_length"),
        (mooncake(-5, []), "input_length"),
        (mooncake(2**60, [1]), "input_length"),
        ({"input_length": "5 tokens", "hash_ids": [1]}, "input_length"),
        ({"input_length": 5, "hash_ids": {"a": 1}}, "hash_ids"),
        (mooncake(5, [1], timestamp="soon"), "timestamp"),
        (mooncake(5, [1], timestamp=1e300), "timestamp"),
        (mooncake(5, [1], output_length=-1), "output_length"),
    ],
)
def test_mooncake_rows_that_are_refused(row: Json, field: str) -> None:
    assert error_of(jsonl(row), "mooncake").values["field"] == field


def simulator(size: int, length: int, ids: list[Any], **more: Any) -> Json:
    return {"block_size": size, "input_length": length, "hash_ids": ids, **more}


@pytest.mark.parametrize(
    ("weights", "good"),
    [
        ([64, 36], True),
        ([64, 64], False),
        ([36, 64], False),
        ([64, 37], False),
        ([64, "36"], True),
        ([64, "x"], False),
        ([], False),
    ],
)
def test_simulator_weights_must_be_the_prompt(weights: list[Any], good: bool) -> None:
    row = simulator(64, 100, ["1", "2"], block_tokens=weights)
    if good:
        assert blocks(read_rows(row)) == [[0, 1]]
    else:
        assert error_of(jsonl(row)).values["field"] == "block_tokens"


def test_simulator_block_size_must_not_change() -> None:
    assert error_of(jsonl(simulator(64, 64, [1]), simulator(32, 32, [1]))).values["field"] == "block_size"
    trace = read_rows(simulator(32, 64, [1]), simulator(64, 64, [1]), skip_broken=True)
    assert (trace.block_size, trace.num_skipped) == (64, 1)  # a broken first line decides nothing


# -- sessions -----------------------------------------------------------------------------------------


def turn(session: str, length: int, ids: list[int], output: int = 0, **more: Any) -> Json:
    return {"session_id": session, "input_length": length, "output_length": output, "hash_ids": ids, **more}


def test_full_histories_are_no_deltas() -> None:
    trace = read_rows(turn("s", 1024, [1, 2], timestamp=0), turn("s", 1536, [1, 2, 3], delay=5))
    assert not trace.deltas
    assert unbounded_hits(trace.requests) == [0, 2]


def test_one_session_that_goes_on_makes_all_rows_full_prompts() -> None:
    rows = [turn("s", 512, [1], timestamp=0), turn("s", 512, [9], delay=1)]
    assert read_rows(*rows).deltas
    assert not read_rows(*rows, turn("t", 512, [5], timestamp=0), turn("t", 1024, [5, 6], delay=1)).deltas
    assert not read_rows(rows[0], rows[1] | {"timestamp": 7}).deltas  # a compaction, not a delta


def test_deltas_carry_everything_before_them() -> None:
    rows = [
        turn("a", 1024, [1, 2], 100, timestamp=0),
        turn("b", 1024, [1, 2], 100, timestamp=1),
        turn("a", 512, [3], 50, delay=1000),
        turn("b", 512, [3], 50, delay=1000),
        turn("a", 512, [4], 50, delay=1000),
    ]
    trace = read_rows(*rows)
    by_name = {request.request_id: request for request in trace.requests}
    assert [by_name[f"r{i}"].num_tokens for i in range(1, 6)] == [1024, 1024, 1636, 1636, 2198]
    # b finds a's first turn; behind an answer, whose ids nobody knows, blocks stay inside their session
    assert dict(zip(by_name, unbounded_hits(trace.requests), strict=True)) == {
        "r1": 0, "r2": 1, "r3": 2, "r4": 2, "r5": 3,
    }  # fmt: skip
    assert [round(request.arrival_s or 0, 3) for request in trace.requests] == [0, 0.001, 1, 1.001, 2]


def test_deltas_without_answers_are_known_exactly() -> None:
    rows = [
        turn("a", 512, [1], timestamp=0),
        turn("a", 512, [2], delay=1),
        turn("b", 1536, [1, 2, 3], timestamp=9),
    ]
    trace = read_rows(*rows)
    assert trace.deltas
    assert unbounded_hits(trace.requests) == [0, 1, 2]


def test_session_rows_with_texts_and_bodies() -> None:
    trace = read_rows(
        {"session_id": "s", "timestamp": 0, "text_input": "one two", "output_length": 3},
        {"session_id": "s", "delay": 500, "messages": [{"role": "user", "content": "x"}], "output_length": 3},
        {"session_id": "s", "delay": 500, "payload": {"prompt": "one two three"}, "output_token_ids": [7, 8]},
    )
    first, _, last = trace.requests
    assert (trace.format, trace.block_size) == ("mooncake_sessions", None)
    assert common_tokens(first, last) == 2
    assert [r.arrival_s for r in trace.requests] == [0, 0.5, 1]
    assert (last.num_output, list(last.output_ids or ())) == (2, [7, 8])


@pytest.mark.parametrize(
    "row",
    [
        {"session_id": "s", "text_input": "a", "messages": []},
        {"session_id": "s", "text_input": "a", "hash_ids": [1], "input_length": 1},
        {"session_id": "s", "text_input": ""},
        {"session_id": "s", "payload": {"prompt": ["a", "b"]}},
        {"session_id": "s", "payload": {}},
        turn("s", 10**9, [1]),
    ],
)
def test_session_rows_that_are_refused(row: Json) -> None:
    assert error_of(jsonl(row), "mooncake_sessions").code in ("trace.value", "trace.missing")


def test_a_history_beyond_all_measure_is_refused_at_its_line() -> None:
    rows = [turn("a", 512, [1], 4_999_500, timestamp=0), turn("a", 512, [2], 4_999_500, delay=1)]
    rows.append(turn("a", 512, [3], delay=1))
    error = error_of(jsonl(*rows))
    assert (error.values["line"], error.values["field"]) == (3, "input_length")
    assert read_rows(*rows, skip_broken=True).num_skipped == 1


def test_bailian_sessions_follow_their_parents() -> None:
    def chat(chat_id: int, parent: int, ids: list[int]) -> Json:
        ids_and_length = {"input_length": 16 * len(ids), "hash_ids": ids}
        return {"chat_id": chat_id, "parent_chat_id": parent, "timestamp": float(chat_id), "type": "text"} | (
            ids_and_length
        )

    trace = read_rows(
        chat(1, -1, [1]), chat(2, 1, [1, 2]), chat(3, 2, [1, 2, 3]), chat(4, -1, [1]), chat(9, 8, [5])
    )
    assert [request.session for request in trace.requests] == ["1", "1", "1", "4", "8"]


def test_subagents_start_their_own_clock_and_share_the_sessions_ids() -> None:
    def call(t: float, ids: list[int], model: str = "m") -> Json:
        return {"t": t, "type": "n", "model": model, "in": 64 * len(ids) + 1, "out": 1, "hash_ids": ids}

    agent = {
        "t": 10.0,
        "type": "subagent",
        "agent_id": "a1",
        "requests": [call(0, [1, 2]), call(5, [1, 2, 3])],
    }
    trace = read_rows({"id": "s", "block_size": 64, "requests": [call(0, [1]), agent, call(12, [1, 2])]})
    assert [request.arrival_s for request in trace.requests] == [0, 10, 12, 15]
    assert [request.tag for request in trace.requests] == [None, "a1", None, "a1"]
    assert unbounded_hits(trace.requests) == [0, 1, 2, 2]
    deep: Json = call(0, [1])
    for _ in range(20):
        deep = {"t": 0, "type": "subagent", "requests": [deep]}
    assert error_of(jsonl({"id": "s", "block_size": 64, "requests": [deep]})).code == "trace.value"


def test_a_switched_model_shares_nothing() -> None:
    calls = [
        {"t": i, "type": "n", "model": model, "in": 200, "out": 1, "hash_ids": [1, 2, 3]}
        for i, model in enumerate(("small", "large", "small"))
    ]
    trace = read_rows({"id": "s", "block_size": 64, "requests": calls})
    assert unbounded_hits(trace.requests) == [0, 0, 3]
    mixed = read_rows({"id": "s", "block_size": 64, "requests": calls}, split_by_model=False)
    assert unbounded_hits(mixed.requests) == [0, 3, 3]


# -- proxies and platforms ----------------------------------------------------------------------------


def transcript(request: str | None, usage: Json | None, **more: Any) -> Json:
    message = {"id": "m", "role": "assistant", "model": "claude-x", "content": [], "usage": usage}
    return {
        "type": "assistant",
        "uuid": "u",
        "sessionId": "s",
        "requestId": request,
        "message": message,
        **more,
    }


def spent(rest: int, read_: int | None, output: int) -> Json:
    return {"input_tokens": rest, "cache_read_input_tokens": read_, "output_tokens": output}


def test_a_transcripts_last_line_of_a_request_counts() -> None:
    trace = read_rows(
        transcript("r1", spent(4, 100, 1), timestamp="2030-01-01T00:00:00Z"),
        transcript("r1", spent(4, 100, 80), timestamp="2030-01-01T00:00:05Z"),
        transcript("r2", spent(4, None, 5), timestamp="2030-01-01T00:00:09Z", isSidechain=True),
        transcript("r1", None, timestamp="2030-01-01T00:00:10Z"),
        {"type": "user", "uuid": "x", "sessionId": "s", "message": {}},
        transcript("r3", spent(0, 0, 0)) | {"message": {"model": "<synthetic>", "usage": None}},
    )
    assert [request.usage for request in trace.requests] == [
        Usage(104, 100, None, 80),
        Usage(None, None, None, 5),
    ]
    assert [request.arrival_s for request in trace.requests] == [0, 9]
    assert [request.tag for request in trace.requests] == [None, "sidechain"]
    assert trace.reported().num_unknown == 1
    assert notes(trace)["repeated"] == 2


def litellm(**more: Any) -> Json:
    base = {"id": "1", "call_type": "acompletion", "startTime": 1.5, "status": "success", "prompt_tokens": 5}
    return base | {"messages": [{"role": "user", "content": "Hi"}]} | more


def test_litellm_leaves_out_what_never_reached_a_model() -> None:
    trace = read_rows(
        litellm(id="1", cache_hit=False),
        litellm(id="2", cache_hit=True),
        litellm(id="3", status="failure"),
        litellm(id="1"),
        litellm(id="4", messages="redacted-by-litellm"),
        litellm(id="5", response={"usage": {"prompt_tokens": 9, "prompt_tokens_details": None}}),
    )
    assert [request.request_id for request in trace.requests] == ["1", "4", "5"]
    assert [request.usage for request in trace.requests] == [Usage(5), Usage(5), Usage(9)]
    assert [request.has_identity for request in trace.requests] == [True, False, True]
    expected = {"response_cache": 1, "failed": 1, "delivered_again": 1, "redacted": 1, "lengths_only": 1}
    assert notes(trace) == expected
    assert trace.reported().num_unknown == 3  # null is unknown, not 0


def langfuse(**more: Any) -> Json:
    return {"id": "1", "traceId": "t", "type": "GENERATION", "startTime": "2030-01-01T00:00:00Z"} | more


def test_langfuse_inputs_and_other_observations() -> None:
    messages = [{"role": "user", "content": "Hi"}]
    trace = read(
        json.dumps(
            [
                langfuse(id="1", input=messages, userId="u", sessionId="s", promptName="p"),
                langfuse(id="2", input={"messages": messages}),
                langfuse(id="3", input="plain text"),
                langfuse(id="4", input=None, promptTokens=7, completionTokens=2),
                langfuse(id="5", type="SPAN"),
                langfuse(id="1", input=messages),
            ]
        )
    )
    one, two, plain, old = trace.requests
    assert one.segments == two.segments
    assert (one.session, one.tenant, one.template, two.session) == ("s", "u", "p", "t")
    assert (plain.num_tokens, old.usage) == (2, Usage(7, None, None, 2))
    assert notes(trace) == {"other_rows": 1, "delivered_again": 1, "redacted": 1, "lengths_only": 1}


def capture(data: str, encoding: str = "JSON") -> Json:
    return {"captureData": {"endpointInput": {"data": data, "encoding": encoding}}, "eventMetadata": {}}


def test_sagemaker_encodings() -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "Hi"}]})
    packed = base64.b64encode(body.encode()).decode()
    one, two = read_rows(capture(body), capture(packed, "BASE64")).requests
    assert one.segments == two.segments
    assert read_rows(capture('{"inputs": "a b"}')).requests[0].num_tokens == 2
    for data, encoding in (
        ("%%%", "BASE64"),
        ("{", "JSON"),
        ("[1]", "JSON"),
        ("{}", "JSON"),
        ("/w==", "BASE64"),
    ):
        assert error_of(jsonl(capture(data, encoding))).values["line"] == 1


def test_gateway_leaves_out_what_failed() -> None:
    head = "ts,request_json,response_json,status_code,model_name\n"
    good = '2030-01-01T00:00:0{},"{{""prompt"": ""a b""}}","{{""usage"": {{""prompt_tokens"": 2}}}}",{},m\n'
    trace = read(head + good.format(0, 200) + good.format(1, 429) + good.format(2, ""))
    assert [request.arrival_s for request in trace.requests] == [0, 2]
    assert [request.usage for request in trace.requests] == [Usage(2), Usage(2)]
    assert notes(trace) == {"failed": 1}
    error = error_of(head + "1,not json,,200,m\n")
    assert (error.values["field"], error.values["line"]) == ("request_json", 2)
    assert error_of("request_json,ts\n{},1\n").values["field"] == "request_json.messages"


def test_batches_of_all_kinds() -> None:
    def call(url: str, **body: Any) -> Json:
        return {"custom_id": url, "url": url, "body": {"model": "m", **body}}

    trace = read_rows(
        call("/v1/completions", prompt=["a b", "a c"]),
        call("/v1/completions", prompt=[1, 2, 3]),
        call("/v1/completions", prompt=[[1, 2], [1, 3]]),
        call("/v1/responses", instructions="Be short.", input="Hi"),
        call("/v1/responses", input=[{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
                                     {"type": "function_call_output", "call_id": "c", "output": "42"}]),
        call("/v1/embeddings", input="Hi"),
    )  # fmt: skip
    assert len(trace.requests) == 7
    assert notes(trace) == {"no_generation": 1, "renamed": 5, "untimed": 7}
    assert trace.facts == {"text", "tokens"}
    for wrong in ([], [1, "a"], [[]], "", [-1], [2**32], [True], 5):
        assert error_of(jsonl(call("/v1/completions", prompt=wrong))).code in ("trace.value", "trace.missing")


def test_conversations_need_a_user() -> None:
    trace = read_rows(
        {"id": "a", "conversations": [{"from": "gpt", "value": "Hi"}, {"from": "human", "value": "x"}]},
        {"id": "b", "conversations": [{"from": "gpt", "value": "alone"}]},
        {"id": "c", "conversations": []},
    )
    assert [request.request_id for request in trace.requests] == ["a/1"]
    assert notes(trace) == {"expanded": 1, "other_rows": 2}
    long = [{"from": "human", "value": "x"}] * 1001
    assert error_of(jsonl({"id": "a", "conversations": long})).code == "trace.value"
    assert error_of(jsonl({"id": "a", "conversations": [{"from": "human"}]})).values["field"] == (
        "conversations[0].value"
    )


def test_llmservingsim_ids_must_be_as_many_as_the_length() -> None:
    row = {"input_toks": 3, "output_toks": 1, "input_tok_ids": [1, 2]}
    assert error_of(jsonl(row)).values["field"] == "input_tok_ids"


SGLANG = (
    "[2030-01-01 00:00:00] INFO: Uvicorn running\n"
    * 150
    + "[2030-01-01 00:00:01] Finish: obj=GenerateReqInput(rid='a', input_ids=[1, 2, 3]), out={'meta_info': "
    "{'prompt_tokens': 3, 'completion_tokens': 2, 'cached_tokens': 0, 'request_received_ts': 100.5}}\n"
    "[2030-01-01 00:00:02] Finish: obj=GenerateReqInput(rid='b', text='hi', input_ids=None), out={'meta': "
    "{'prompt_tokens': 9, 'completion_tokens': 1, 'request_received_ts': 101.5}}\n"
)


def test_sglang_lines_among_others_and_requests_without_ids() -> None:
    trace = read(SGLANG)
    tokens, text = trace.requests
    assert (tokens.usage, text.usage) == (Usage(3, 0, None, 2), Usage(9, None, None, 1))
    assert (text.has_identity, text.num_tokens, text.arrival_s) == (False, 9, 1)
    assert notes(trace) == {"other_rows": 150, "lengths_only": 1}
    for wrong in ("[1, x]", "[1, 99999999999]", "[]", "[1, 2", "[1]"):
        assert error_of(SGLANG.replace("[1, 2, 3]", wrong), "sglang_log").values["line"] == 151


def test_metrics_without_the_suffix_several_engines_and_contradictions() -> None:
    text = (
        "# HELP process_cpu x\nprocess_cpu 3\n"
        * 60
        + 'vllm:prefix_cache_queries{engine="0"} 1e3\nvllm:prefix_cache_hits{engine="0"} 250 1700000000000\n'
        'vllm:prefix_cache_queries_total{engine="1"} 10\nvllm:prefix_cache_hits_total{engine="1"} 20\n'
        'vllm:prefix_cache_queries_total{engine="2"} 0\nvllm:prefix_cache_hits_total{engine="2"} 0\n'
        'vllm:kv_cache_usage_perc{engine="3"} 0.5\nvllm:prompt_tokens_total{engine="0"} 7\n'
    )
    rates = [counters.hit_rate for counters in read(text).counters]
    assert rates == [0.25, None, None, None]  # nothing above 100 %, nothing asked, nothing reported
    for wrong in ("NaN", "-1", "x", "1e300"):
        assert error_of(f"vllm:prefix_cache_hits_total {wrong}\n").code == "trace.value"


def test_kv_events_count_copies() -> None:
    def stored(*hashes: int) -> Json:
        return {"type": "BlockStored", "block_hashes": list(hashes), "block_size": 16, "token_ids": []}

    trace = read_rows(
        {"ts": 1, "events": [stored(1, 2), stored(1)]},
        {
            "ts": 2,
            "events": [["BlockRemoved", [1], "GPU"], {"type": "BlockRemoved", "block_hashes": [1, 2, 9]}],
        },
        {"ts": 3, "events": [["BlockStored", [5], None, [1], 32]]},
    )
    assert trace.events is not None
    totals = trace.events
    assert (totals.num_stored, totals.num_removed, totals.num_unknown_removed) == (4, 4, 1)
    assert (totals.peak_live, totals.num_live, totals.num_hashes, totals.block_sizes) == (3, 1, 3, (16, 32))
    for wrong in (
        5,
        ["Other"],
        {"type": "Other"},
        {"type": "BlockStored"},
        {"type": "BlockRemoved", "block_hashes": [1.5]},
    ):
        assert error_of(jsonl({"ts": 1, "events": [wrong]})).values["line"] == 1


def test_kv_events_as_they_are_sent_one_list_a_line_in_one_list_or_named() -> None:
    stored = {"type": "BlockStored", "block_hashes": [2**64 - 1, 7], "parent_block_hash": None}
    stored |= {"token_ids": [1, 2, 3, 4], "block_size": 2, "medium": "GPU", "group_idx": 0}
    removed = {"type": "BlockRemoved", "block_hashes": [-1], "medium": "GPU", "group_idx": 0}
    sent: list[Any] = [[1.5, [stored], 0], [2, [removed], 0], [3.5, [["AllBlocksCleared"]]]]
    named = [dict(zip(("ts", "events", "data_parallel_rank"), batch, strict=False)) for batch in sent]
    told = [read(jsonl(*sent)), read(json.dumps(sent)), read(json.dumps(sent, indent=1)), read_rows(*named)]
    told.append(read_rows(*({"seq": k, "decoded": batch} for k, batch in enumerate(sent))))
    first, second, third = told[0].recording
    (one,), (gone,) = first, second
    assert isinstance(one, BlocksStored)
    assert isinstance(gone, BlocksRemoved)
    assert (one.pool, one.parent, list(one.token_ids), one.block_size) == (
        (0, "GPU", 0),
        None,
        [1, 2, 3, 4],
        2,
    )
    assert (
        one.hashes[0] == gone.hashes[0] == digest_of(-1) == digest_of(2**64 - 1)
    )  # signed or not: the same 64 bits
    assert third == (AllCleared(None),)
    assert [trace.recording for trace in told] == [told[0].recording] * 5
    for wrong in ("[1, [5]]", "[1, [[]]]", "[true, []]", "[1, [], 0, 0]", '[1, {"type": 3}]'):
        assert error_of(jsonl(sent[0]) + wrong + "\n").values["line"] == 2


@pytest.mark.parametrize(
    ("published", "begins"),
    [
        (1, "0100"),
        (2**64 - 1, "ffffffffffffffff"),
        (-2, "fffffffffffffffe"),
        ("0x" + "ab" * 16, "abab"),
    ],
)
def test_published_hashes_keep_their_digits(published: int | str, begins: str) -> None:
    assert digest_of(published).hex().startswith(begins)


def test_published_hashes_of_other_shapes_stay_apart() -> None:
    shapes = [1, 256, 2**16, 0, 2**64, 2**64 + 1, "a", "b", "ab" * 32, "ab" * 31, "", "ab" * 15]
    assert len({digest_of(one) for one in shapes}) == len(shapes)
    assert {len(digest_of(one)) for one in shapes} == {16}


# -- lengths ------------------------------------------------------------------------------------------


def test_burstgpt_newer_columns_and_failed_calls() -> None:
    head = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    trace = read(head + "5,s1,1.2,M,10,20,30,API log\n6,s1,0.1,M,0,0,0,API log\n")
    (request,) = trace.requests
    assert (request.session, request.num_tokens, request.model) == ("s1", 10, "M")
    assert notes(trace) == {"failed": 1, "lengths_only": 1}
    assert error_of(head + "5,s1,1,M,ten,20,30,x\n").values["field"] == "Request tokens"
    assert error_of(head + "soon,s1,1,M,10,20,30,x\n").values["field"] == "Timestamp"


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (1.5, 1.5),
        (1767225600, 1767225600),
        (1767225600123, 1767225600.123),
        (1767225600123456, 1767225600.123456),
        (1767225600123456789, 1767225600.123456789),
        ("1767225600.5", 1767225600.5),
        ("2026-01-01T00:00:00Z", 1767225600),
        ("2026-01-01 00:00:00", 1767225600),
        ("2026-01-01T02:00:00.250+02:00", 1767225600.25),
        ("2025-12-31T19:00-0500", 1767225600),
        ("2024-02-29T00:00:00Z", 1709164800),
        ("1970-01-01T00:00:00Z", 0),
        ("2000-03-01T00:00:00Z", 951868800),
        ("2000-02-29T23:59Z", 951868740),
        ("1969-12-31T23:59:59,5Z", -0.5),
        ("2016-12-31T23:59:60Z", 1483228800),
        ("2026-01-01T05:30:00.123456789 +0530", 1767225600.123456789),
    ],
)
def test_times_in_all_units(written: object, seconds: float) -> None:
    trace = read_rows({"prompt": "x", "timestamp": written})
    assert trace.start_s == pytest.approx(seconds, abs=1e-5)


@pytest.mark.parametrize("written", ["", "2026-13-01T00:00:00Z", "2026-01", "noon", [], {}, True, 1e300, "٣"])
def test_times_that_are_none(written: object) -> None:
    if written == "":
        assert read_rows({"prompt": "x", "timestamp": written}).start_s is None
    else:
        assert error_of(jsonl({"prompt": "x", "timestamp": written})).values["field"] == "timestamp"


@pytest.mark.parametrize(
    "written",
    [
        "2026-02-31T00:00:00Z",
        "2025-02-29 00:00:00",
        "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-00-10T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00+24:00",
    ],
)
def test_dates_that_no_calendar_has(written: str) -> None:
    """They are not carried over into the next month; the error says where they stand."""
    rows = jsonl({"prompt": "x", "timestamp": "2026-02-28T00:00:00Z"}, {"prompt": "x", "timestamp": written})
    error = error_of(rows)
    assert (error.values["line"], error.values["field"], error.values["value"]) == (2, "timestamp", written)
    assert error.message.startswith(f"{error.values['file']}, line 2: timestamp is {written!r}")
    table = f"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,5,1\n{written},5,1\n"
    error = error_of(table)
    assert (error.values["line"], error.values["field"], error.values["value"]) == (3, "TIMESTAMP", written)


@pytest.mark.parametrize(
    "options", [{"block_size": 0}, {"block_size": True}, {"convention": "round"}, {"template": "none"}]
)
def test_options_that_make_no_sense(options: Json) -> None:
    assert error_of('{"prompt": "x"}', **options).code == "trace.option"
