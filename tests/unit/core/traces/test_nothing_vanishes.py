"""Fields that nobody reads, records delivered twice, broken lines: each is told and costs only itself."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import random
from collections.abc import Callable
from typing import Any

import pytest

from core.errors import TraceError
from core.traces.door.read import read_trace
from core.traces.left_out import MOST_SHOWN
from core.traces.model import Trace
from core.traces.packing import text as packed_text
from core.traces.packing.sources import TraceFile
from core.traces.prompts.unread import PARAMETERS
from tests.unit.core.traces.logs import jsonl, notes, read, read_rows

Json = dict[str, Any]
SEEDS = range(12)


def words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(("soup", "stock", "bone", "salt", "高汤", "leek")) for _ in range(count))


def body(rng: random.Random, number: int) -> Json:
    system = {"role": "system", "content": "You are kind and brief. " * 8}
    return {"messages": [system, {"role": "user", "content": f"{number}: {words(rng, 20)}"}]}


# -- unread fields -----------------------------------------------------------------------------------------

PROMPT_LIKE = (
    "functions",
    "documents",
    "knowledge_base",
    "system_parts",
    "persona",
    "retrieval",
    "few_shots",
)
STEERING: Json = {
    "temperature": 0.3,
    "max_tokens": 200,
    "stream": True,
    "stop": ["\n"],
    "seed": 7,
    "logit_bias": {str(token): -100 for token in range(40)},
    "brand_new_switch": True,
}
SHAPES: dict[str, Callable[[Json, int], Json]] = {
    "openai_chat": lambda body, n: {"request_id": f"q{n}", "timestamp": n, "model": "m"} | body,
    "openai_batch": lambda body, n: {"custom_id": f"q{n}", "url": "/v1/chat/completions", "body": body},
    "anthropic_messages": lambda body, n: {
        "request": {"model": "m", "system": "Be kind."} | body,
        "response": {"id": f"a{n}", "usage": {"input_tokens": 9}},
    },
    "litellm": lambda body, n: {
        "id": f"q{n}",
        "call_type": "acompletion",
        "startTime": n,
        "messages": body["messages"],
        "model_parameters": {name: value for name, value in body.items() if name != "messages"},
    },
}


def size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", SEEDS)
def test_unknown_fields_of_a_body_are_named_with_their_share_of_the_bytes(shape: str, seed: int) -> None:
    rng = random.Random(seed)
    name = rng.choice(PROMPT_LIKE)
    rows, in_field, with_field = [], 0, 0
    for number in range(rng.randint(3, 30)):
        one = body(rng, number) | STEERING
        if number == 0 or rng.random() < 0.6:
            one[name] = [{"text": words(rng, rng.randint(30, 300))}]
            in_field += size(one[name])
            with_field += 1
        rows.append(SHAPES[shape](one, number))
    trace = read_rows(*rows)
    assert trace.format == shape
    loud, steering = trace.unread
    assert loud.path.rsplit(".", 1)[-1] == name
    assert (loud.num_records, loud.maybe_prompt, loud.estimated) == (with_field, True, False)
    assert loud.share == pytest.approx(in_field / sum(map(size, rows)), rel=1e-9)
    assert (steering.path, steering.maybe_prompt) == (PARAMETERS, False)
    assert {path.rsplit(".", 1)[-1] for path in steering.fields} == set(STEERING)


def test_a_body_that_is_read_whole_names_nothing() -> None:
    rng = random.Random(1)
    assert read_rows(*(SHAPES["openai_chat"](body(rng, n), n) for n in range(4))).unread == ()


@pytest.mark.parametrize("name", ["previous_response_id", "chat_template_kwargs", "cached_content"])
def test_names_that_enter_a_prompt_are_named_however_short(name: str) -> None:
    (one,) = read_rows({"messages": [{"role": "user", "content": "Hi"}], name: "x1"}).unread
    assert (one.path, one.maybe_prompt) == (name, True)


def test_fields_of_messages_are_named_without_their_number() -> None:
    """A message may hold more than anybody reads here; the next turn may see it."""
    messages = [
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "content": "Wait.", "scratchpad": "w" * 100},
        {"role": "user", "content": "And?"},
    ]
    (one,) = read_rows({"messages": messages}, {"messages": messages}).unread
    assert (one.path, one.num_records, one.maybe_prompt) == ("messages[].scratchpad", 2, True)


def test_a_long_log_is_weighed_on_a_part_and_says_so() -> None:
    rows = [{"prompt": "Hi", "documents": "d" * 400, "request_id": f"{n}"} for n in range(3000)]
    (one,) = read_rows(*rows).unread
    assert (one.path, one.num_records, one.estimated) == ("documents", 3000, True)
    assert one.share == pytest.approx(
        sum(size(row["documents"]) for row in rows) / sum(map(size, rows)), rel=1e-3
    )


def test_fields_of_a_broken_record_do_not_count() -> None:
    good = {"messages": [{"role": "user", "content": "Hi"}]}
    broken = {"messages": [{"role": "user", "content": 3}], "documents": "d" * 400}
    assert read_rows(good, broken, good, skip_broken=True).unread == ()


# -- delivered twice ---------------------------------------------------------------------------------------


def delivered_twice(rng: random.Random, rows: list[Json], later: Callable[[Json], Json]) -> list[Json]:
    """Some rows again, each somewhere behind its first delivery."""
    found = list(rows)
    for row in rng.sample(rows, len(rows) // 2):
        found.insert(rng.randint(found.index(row) + 1, len(found)), later(row))
    return found


def request_row(rng: random.Random, number: int) -> Json:
    row = {
        "request_id": f"q{number}",
        "timestamp": 1000.0 + number,
        "session_id": f"s{number % 3}",
        "model": "m",
    }
    return row | body(rng, number % 4) | {"usage": {"prompt_tokens": 90, "completion_tokens": 9}}


LATER: dict[str, Callable[[Json], Json]] = {
    "the same": dict,
    "received later": lambda row: row | {"timestamp": row["timestamp"] + 37.25},
    "without usage": lambda row: {name: value for name, value in row.items() if name != "usage"},
    "other key order": lambda row: dict(reversed(row.items())),
}


def same_requests(one: Trace, other: Trace) -> bool:
    return [(r.request_id, r.segments, r.usage, r.session) for r in one.requests] == [
        (r.request_id, r.segments, r.usage, r.session) for r in other.requests
    ]


@pytest.mark.parametrize("kind", LATER)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_record_delivered_again_counts_once(kind: str, seed: int) -> None:
    rng = random.Random(seed)
    rows = [request_row(rng, number) for number in range(rng.randint(4, 20))]
    again = delivered_twice(rng, rows, LATER[kind])
    trace = read_rows(*again)
    assert same_requests(trace, read_rows(*rows))
    assert notes(trace)["delivered_again"] == len(again) - len(rows) == len(trace.repeats)
    for one in trace.repeats:
        names = [again[line - 1]["request_id"] for line in (one.line, one.first_line)]
        assert names == [one.request_id] * 2
        assert one.first_line < one.line


def test_a_second_file_that_overlaps_the_first_adds_only_what_is_new() -> None:
    rng = random.Random(3)
    rows = [request_row(rng, number) for number in range(9)]
    files = [TraceFile("mon.jsonl", jsonl(*rows[:6])), TraceFile("tue.jsonl", jsonl(*rows[4:]))]
    trace = read_trace(files)
    assert same_requests(trace, read_rows(*rows))
    places = [(one.file, one.line, one.first_file, one.first_line) for one in trace.repeats]
    assert places == [("tue.jsonl", 1, "mon.jsonl", 5), ("tue.jsonl", 2, "mon.jsonl", 6)]


def test_the_usage_of_a_second_delivery_is_taken_over() -> None:
    """Streams are logged when they begin, without usage, and again when they end."""
    full = request_row(random.Random(1), 1)
    (request,) = read_rows(LATER["without usage"](full), full).requests
    assert request.usage is not None


@pytest.mark.parametrize(
    "more",
    [
        {"messages": [{"role": "user", "content": "Something else"}]},
        {"model": "n"},
        {"usage": {"prompt_tokens": 91, "completion_tokens": 9}},
        {"cache_salt": "x"},
    ],
)
def test_the_same_id_with_another_content_is_another_request(more: Json) -> None:
    row = request_row(random.Random(1), 1)
    trace = read_rows(row, row | more)
    assert (len(trace.requests), trace.repeats) == (2, ())
    assert notes(trace)["renamed"] == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_log_that_repeats_prompts_loses_none(seed: int) -> None:
    """Without ids; with ids of their own; with an id that names a user, not a request; in one record."""
    rng = random.Random(seed)
    prompts = [words(rng, 12) for _ in range(4)]
    sent = [rng.choice(prompts) for _ in range(30)]
    for rows in (
        [{"prompt": text} for text in sent],
        [{"prompt": text, "timestamp": number // 4} for number, text in enumerate(sent)],
        [{"prompt": text, "request_id": f"{number}"} for number, text in enumerate(sent)],
        [{"prompt": text, "request_id": "chat"} for text in (*prompts, *sent)],
        [{"prompt": sent, "request_id": "batch"}],
    ):
        expected = sum(len(row["prompt"]) if isinstance(row["prompt"], list) else 1 for row in rows)
        trace = read_rows(*rows)
        assert (len(trace.requests), trace.repeats) == (expected, ())


def test_equal_rows_without_an_id_are_told_and_kept() -> None:
    rows = [{"prompt": "Hi", "timestamp": 10.125}, {"prompt": "Hi", "timestamp": 10.125}]
    trace = read_rows(*rows, {"prompt": "Hi", "timestamp": 10.5})
    assert len(trace.requests) == 3
    assert notes(trace)["equal_rows"] == 1


def test_a_turn_delivered_twice_does_not_lengthen_its_session() -> None:
    """Rows that hold only what is new: a turn counted twice would stand twice in every prompt behind it."""
    turns = [
        {"session_id": "s", "request_id": "a", "input_length": 1024, "output_length": 0, "hash_ids": [1, 2]},
        {
            "session_id": "s",
            "request_id": "b",
            "delay": 9,
            "input_length": 512,
            "output_length": 0,
            "hash_ids": [3],
        },
        {
            "session_id": "s",
            "request_id": "c",
            "delay": 9,
            "input_length": 512,
            "output_length": 0,
            "hash_ids": [4],
        },
    ]
    trace = read_rows(*turns[:2], turns[1], turns[2])
    assert [request.num_tokens for request in trace.requests] == [1024, 1536, 2048]
    assert notes(trace)["delivered_again"] == 1


# -- broken lines ------------------------------------------------------------------------------------------

BROKEN_LINES = (
    b"{",
    b'{"prompt": ',
    b'{"prompt": "x"} trailing',
    b"not json",
    b'{"prompt": 12}',
    b'{"prompt": "\xff\xfe"}',
    b'{"prompt": ["a", 3]}',
    b"[1]",
    b'"text"',
    b"\x00\x01\x02",
    b'{"prompt": "x", "timestamp": {}}',
    b"[" * 3000,
)


def same_log(one: Trace, other: Trace) -> bool:
    return [(r.request_id, r.segments, r.arrival_s) for r in one.requests] == [
        (r.request_id, r.segments, r.arrival_s) for r in other.requests
    ] and (one.notes, one.order, one.start_s) == (other.notes, other.order, other.start_s)


def good_lines(rng: random.Random, count: int) -> list[bytes]:
    rows = ({"prompt": words(rng, 9), "request_id": f"q{n}", "timestamp": 100 + n} for n in range(count))
    return [json.dumps(row).encode() for row in rows]


def mixed(rng: random.Random, good: list[bytes], broken: list[bytes]) -> tuple[list[bytes], list[int]]:
    """The lines together, and the numbers of the broken ones."""
    lines = [(line, False) for line in good]
    for line in broken:
        lines.insert(rng.randint(0, len(lines)), (line, True))
    return [line for line, _ in lines], [n for n, (_, bad) in enumerate(lines, 1) if bad]


@pytest.mark.parametrize("seed", SEEDS)
def test_broken_lines_cost_only_themselves(seed: int) -> None:
    rng = random.Random(seed)
    good = good_lines(rng, rng.randint(3, 40))
    broken = [rng.choice(BROKEN_LINES) for _ in range(rng.randint(1, 30))]
    lines, numbers = mixed(rng, good, broken)
    trace = read(b"\n".join(lines), "prompts", skip_broken=True)
    assert same_log(trace, read(b"\n".join(good), "prompts"))
    assert (trace.num_skipped, len(trace.skipped)) == (len(broken), min(len(broken), MOST_SHOWN))
    assert [one.line for one in trace.skipped] == numbers[:MOST_SHOWN]
    assert all(one.file == "log" and one.reason for one in trace.skipped)


@pytest.mark.parametrize("seed", SEEDS)
def test_broken_rows_of_a_table_cost_only_themselves(seed: int) -> None:
    rng = random.Random(seed)
    sheet = io.StringIO()
    table = csv.writer(sheet, lineterminator="\n")
    table.writerow(["request_json", "timestamp", "status_code"])
    for number in range(rng.randint(3, 30)):
        table.writerow([json.dumps({"prompt": words(rng, 9)}), number, 200])
    header, *good = sheet.getvalue().encode().splitlines()
    kinds = (b"1,2", b'"{""prompt"": ""a""}",x,200', b'"{",1,200', b'"{}",1,200', b"\xff,1,200", b"a,b,c,d")
    lines, numbers = mixed(rng, good, [rng.choice(kinds) for _ in range(rng.randint(1, 12))])
    trace = read(b"\n".join([header, *lines]), "gateway_csv", skip_broken=True)
    assert same_log(trace, read(b"\n".join([header, *good]), "gateway_csv"))
    assert [one.line for one in trace.skipped] == [number + 1 for number in numbers]


@pytest.mark.parametrize("seed", SEEDS)
def test_elements_of_an_array_that_cannot_be_requests_cost_only_themselves(seed: int) -> None:
    rng = random.Random(seed)
    good = good_lines(rng, rng.randint(3, 30))
    kinds = (b"3", b'"text"', b"null", b'{"prompt": 12}', b'{"prompt": ""}', b"[2, 3]")
    elements, _ = mixed(rng, good, [rng.choice(kinds) for _ in range(rng.randint(1, 12))])
    if not elements[0].startswith(b"{"):
        elements.insert(0, elements.pop(elements.index(good[0])))
    trace = read(b"[\n" + b",\n".join(elements) + b"]", "prompts", skip_broken=True)
    expected = read(b"[\n" + b",\n".join(one for one in elements if one in good) + b"]", "prompts")
    assert same_log(trace, expected)
    assert trace.num_skipped == len(elements) - len(good)


BROKEN_ELEMENTS = (
    b'{"prompt": tru}',
    b'{"prompt": "x"',
    b'{"prompt": "x}',
    b"nonsense",
    b"{]",
    b'{"prompt" "x"}',
)


@pytest.mark.parametrize("seed", SEEDS)
def test_broken_elements_of_an_array_cost_only_themselves(seed: int) -> None:
    rng = random.Random(seed)
    good = good_lines(rng, rng.randint(3, 30))
    elements, _ = mixed(rng, good, [rng.choice(BROKEN_ELEMENTS) for _ in range(rng.randint(1, 6))])
    trace = read(b"[" + b",\n".join(elements) + b"]", skip_broken=True)
    assert same_log(trace, read(b"[" + b",\n".join(good) + b"]"))
    assert trace.num_skipped == len(elements) - len(good)


@pytest.mark.parametrize("first", range(len(BROKEN_LINES)))
def test_broken_lines_in_front_decide_nothing(first: int) -> None:
    """What the first line looks like decided the packing, and the whole file was refused."""
    rng = random.Random(first)
    good = good_lines(rng, 12)
    for count in (1, 5):
        trace = read(b"\n".join([BROKEN_LINES[first]] * count + good), skip_broken=True)
        assert same_log(trace, read(b"\n".join(good)))
        assert trace.num_skipped == count


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress], ids=["gz", "xz"])
def test_a_packed_file_that_was_cut_short_costs_only_its_end(
    seed: int, pack: Callable[[bytes], bytes]
) -> None:
    rng = random.Random(seed)
    good = good_lines(rng, 700)
    packed = pack(b"\n".join(good))
    cut = packed[: rng.randint(len(packed) // 2, len(packed) - 9)]
    trace = read(cut, skip_broken=True)
    assert len(trace.requests) > 100
    count = len(trace.requests)
    assert same_log(trace, read(b"\n".join(good[:count])))
    assert (trace.num_skipped, trace.skipped[0].code) == (1, "trace.damaged")
    with pytest.raises(TraceError):
        read(cut)


def test_a_line_beyond_all_measure_costs_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_text, "LONGEST_LINE", 4000)
    good = good_lines(random.Random(5), 9)
    lines = [*good[:4], b'{"prompt": "' + b"x" * 9000 + b'"}', *good[4:]]
    trace = read(b"\n".join(lines), "prompts", skip_broken=True)
    assert same_log(trace, read(b"\n".join(good), "prompts"))
    assert [(one.line, one.code) for one in trace.skipped] == [(5, "trace.too_long")]


def test_a_record_that_breaks_in_its_middle_leaves_nothing_behind() -> None:
    """Its images, notes and first prompts went into the counts of the log."""
    image = {"type": "image_url", "image_url": {"url": "data:1"}}
    broken: Json = {"messages": [{"role": "user", "content": [image]}, {"role": "user", "content": 3}]}
    good = {"messages": [{"role": "user", "content": "Hi"}]}
    trace = read_rows(good, broken, good, skip_broken=True)
    assert (len(trace.requests), notes(trace), trace.num_skipped) == (2, {"untimed": 2}, 1)


@pytest.mark.parametrize("broken", BROKEN_LINES)
def test_without_being_asked_the_first_broken_line_is_told(broken: bytes) -> None:
    good = good_lines(random.Random(2), 4)
    with pytest.raises(TraceError) as caught:
        read(b"\n".join([*good[:2], broken, *good[2:]]), "prompts")
    assert caught.value.values["line"] == 3
