"""Chat rendering: shared history stays a shared prefix, and what differs differs where it stands."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scenario.tokenizer import TeachingTokenizer
from core.traces.model import TraceRequest
from core.traces.templates import TEMPLATES
from tests.strategies import texts
from tests.unit.core.traces.logs import common_tokens, error_of, jsonl, notes, read_rows

Json = dict[str, Any]


def message(role: str, content: object, **more: object) -> Json:
    return {"role": role, "content": content, **more}


def chat(*messages: Json, **more: object) -> Json:
    return {"messages": list(messages), **more}


def requests(*rows: Json, **options: Any) -> tuple[TraceRequest, ...]:
    return read_rows(*rows, format_name="openai_chat", **options).requests


def text_of(request: TraceRequest) -> str:
    return "".join(part.text or "" for part in request.segments)


SYSTEM, USER = message("system", "You are polite."), message("user", "Hi")
REPLY = message("assistant", "Hello!")
TOOL_A = {"type": "function", "function": {"name": "a", "parameters": {"x": 1}}}
TOOL_B = {"type": "function", "function": {"name": "b", "parameters": {"x": 1}}}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("plain", "tools:\n{tool}\nsystem:\nYou are polite.\nuser:\nHi\nassistant:\n"),
        (
            "chatml",
            "<|im_start|>system\nYou are polite.{tool}<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
            "<|im_start|>assistant\n",
        ),
        (
            "llama3",
            "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nYou are polite.{tool}<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ),
    ],
)
def test_templates(template: str, expected: str) -> None:
    (request,) = requests(chat(SYSTEM, USER, tools=[TOOL_A]), template=template)
    tool = '{"type": "function", "function": {"name": "a", "parameters": {"x": 1}}}\n'
    assert text_of(request) == expected.replace("{tool}", tool)


def test_every_template_is_tried() -> None:
    assert list(TEMPLATES) == ["plain", "chatml", "llama3"]
    assert error_of(jsonl(chat(USER)), template="x").code == "trace.option"


MESSAGES = st.lists(
    st.builds(message, st.sampled_from(["system", "user", "assistant", "tool"]), texts),
    min_size=2,
    max_size=8,
)


@given(MESSAGES, st.sampled_from(list(TEMPLATES)))
def test_a_longer_history_begins_with_the_shorter_one(messages: list[Json], template: str) -> None:
    """Whoever appends messages keeps every token before them, but for the marker of the coming answer."""
    shorter, longer = requests(chat(*messages[:-1]), chat(*messages), template=template)
    last_but_one = messages[-2]["role"]
    end = len(shorter.segments) - (last_but_one != "assistant")  # without the answer's marker
    assert longer.segments[:end] == shorter.segments[:end]


def test_pieces_and_token_ids_belong_together() -> None:
    (request,) = requests(chat(SYSTEM, USER))
    encoder = TeachingTokenizer()
    assert request.tokens().tolist() == [
        t for part in request.segments for t in encoder.encode(part.text or "")
    ]
    segment, place = request.segment_at(request.num_tokens - 1)
    assert (segment.role, segment.text, place) == ("marker", "assistant:\n", 2)
    assert encoder.pieces(request.segment_at(3)[0].text or "")[0] == "You"
    with pytest.raises(IndexError):
        request.segment_at(request.num_tokens)


def test_a_timestamp_costs_what_comes_after_it() -> None:
    """The same eight words, early, behind the stable part, or in the last message: only the place matters."""
    stable = "You are polite. " * 20
    shared = []
    for place in ("front", "behind", "last"):
        rows = []
        for now in ("now 10:01", "at 11:59"):
            system = {"front": f"{now} {stable}", "behind": f"{stable}{now}", "last": stable}[place]
            user = f"{now} Hi" if place == "last" else "Hi"
            rows.append(chat(message("system", system), USER, REPLY, message("user", user)))
        shared.append(common_tokens(*requests(*rows)))
    assert shared == sorted(shared)
    assert shared[0] < 6
    assert shared[1] > 80
    assert shared[2] > shared[1]


def test_tool_order_and_key_order_are_seen() -> None:
    swapped = {"function": {"parameters": {"x": 1}, "name": "a"}, "type": "function"}
    first, order, keys, same = requests(
        chat(USER, tools=[TOOL_A, TOOL_B]),
        chat(USER, tools=[TOOL_B, TOOL_A]),
        chat(USER, tools=[swapped, TOOL_B]),
        chat(message("user", "Bye"), tools=[TOOL_A, TOOL_B]),
    )
    assert common_tokens(first, same) > common_tokens(first, order) > common_tokens(first, keys)
    assert [part.role for part in first.segments].count("tools") == 2


def test_stripped_thinking_ends_the_shared_part_where_it_stood() -> None:
    thought = message("assistant", "Hello!", reasoning_content="hmm, a greeting")
    kept, stripped = requests(chat(USER, thought, USER), chat(USER, REPLY, USER))
    prefix = len(requests(chat(USER))[0].tokens())
    assert common_tokens(kept, stripped) == prefix
    assert [part.role for part in kept.segments][:6] == [
        "marker", "user", "marker", "marker", "thinking", "assistant",
    ]  # fmt: skip


def test_parts_of_all_kinds() -> None:
    call = {"id": "call_9f3", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    rows = chat(
        message(
            "user",
            [{"type": "text", "text": "Look: "}, {"type": "image_url", "image_url": {"url": "data:1"}}],
        ),
        message("assistant", None, tool_calls=[call]),
        message("tool", "42", tool_call_id="call_9f3"),
        message(
            "assistant",
            [{"type": "thinking", "thinking": "so", "signature": "s"}, {"type": "text", "text": "A"}],
        ),
        message(
            "user", [{"type": "tool_result", "tool_use_id": "u", "content": [{"type": "text", "text": "R"}]}]
        ),
        message("assistant", [{"type": "tool_use", "id": "u", "name": "g", "input": {"k": 1}}]),
        message("user", [{"type": "something_new", "id": "1", "payload": 5}], name="Ann"),
    )
    (request,) = requests(rows)
    parts = [(part.role, part.text) for part in request.segments if part.role != "marker"]
    assert parts[0] == ("user", "Look: ")
    assert parts[1][0] == "media"
    assert parts[2:] == [
        ("assistant", '{"name": "f", "arguments": {"x": 1}}'),
        ("tool", "42"),
        ("thinking", "so"),
        ("assistant", "A"),
        ("tool", "R"),
        ("assistant", '{"name": "g", "input": {"k": 1}}'),
        ("user", '{"type": "something_new", "payload": 5}'),
    ]
    assert "user Ann:\n" in text_of(request)


def test_an_image_is_its_content() -> None:
    def look(url: str, **more: object) -> Json:
        return chat(message("user", [{"type": "image_url", "image_url": {"url": url}, **more}]))

    trace = read_rows(look("data:1"), look("data:1", cache_control={"type": "ephemeral"}), look("data:2"))
    one, same, other = trace.requests
    assert one.segments == same.segments
    assert one.segments[1] != other.segments[1]
    assert notes(trace) == {"media": 3, "untimed": 3}


def test_an_answer_that_was_begun_is_continued() -> None:
    (request,) = requests(chat(USER, message("assistant", "Sure, ")))
    assert text_of(request) == "user:\nHi\nassistant:\nSure, "


def test_cache_marks_and_call_ids_are_no_text() -> None:
    marked = [{"type": "text", "text": "You are polite.", "cache_control": {"type": "ephemeral"}}]
    plain, with_mark = requests(chat(SYSTEM, USER), chat(message("system", marked), USER))
    assert plain.segments == with_mark.segments


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [5]}, "messages[0]"),
        ({"messages": [{"content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": [5]}]}, "messages[0].content[0]"),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "messages[0].content[0].text"),
        ({"messages": [USER], "tools": {"a": 1}}, "tools"),
        ({"messages": [USER], "tools": [1]}, "tools[0]"),
        ({"messages": [USER], "timestamp": "soon"}, "timestamp"),
        ({"messages": [USER], "timestamp": True}, "timestamp"),
    ],
)
def test_what_is_wrong_is_named(row: Json, field: str) -> None:
    error = error_of(jsonl(row), "openai_chat")
    assert (error.values["field"], error.values["line"]) == (field, 1)


def test_other_tokenizers_take_part() -> None:
    class Letters:
        def encode(self, text: str) -> list[int]:
            return [ord(char) for char in text]

        def pieces(self, text: str) -> list[str]:
            return list(text)

    trace = read_rows(chat(USER), tokenizer=Letters(), tokenizer_name="letters")
    assert trace.tokenizer == "letters"
    assert trace.requests[0].num_tokens == len("user:\nHi\nassistant:\n")
