"""Logs as people have them: numbers of all countries, cut lines, times under any name, titles above."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable

import pytest

from core.traces.door.read import read_trace
from core.traces.field_map import parse_map
from core.traces.mapping.propose import propose
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traces.problems import Place
from core.traces.rows import Row
from tests.unit.core.traces.logs import error_of, jsonl, notes, read, read_rows
from tests.unit.core.traces.test_forms import BASE, texts
from tests.unit.core.traces.written import REQUESTS

COUNTS = [(1000, 0), (950, 900), (2000, 1536), (12000, 2000), (1234567, 1000000)]
PROMPTS = [texts(request) for request in BASE.requests]
RATE = sum(cached for _, cached in COUNTS) / sum(prompt for prompt, _ in COUNTS)


def rate(trace: Trace) -> float | None:
    return trace.reported().ratio_of_sums


def counted(write: Callable[[int], str], mark: str = ";", counts: list[tuple[int, int]] = COUNTS) -> str:
    rows = (f"{n}{mark}{write(prompt)}{mark}{write(cached)}\n" for n, (prompt, cached) in enumerate(counts))
    return f"timestamp{mark}prompt_tokens{mark}cached_tokens\n" + "".join(rows)


@pytest.mark.parametrize("between", [".", ",", " ", "\u00a0", "\u202f", "'", "’"])
def test_a_mark_between_thousands_is_no_decimal_point(between: str) -> None:
    """1.000 of a German table was read as 1: 94 % for 23 %."""
    trace = read(counted(lambda n: f"{n:,}".replace(",", between)))
    assert rate(trace) == pytest.approx(RATE)
    assert notes(trace)["thousands"] == 2


def test_decimals_are_decimals() -> None:
    for write in (lambda n: f"{n}.0", lambda n: f"{n}.000", lambda n: f"{n},00", lambda n: f"{n}.000000"):
        trace = read(counted(write))
        assert rate(trace) == pytest.approx(RATE)
        assert "thousands" not in notes(trace)


def test_a_column_that_can_be_read_in_two_ways_is_named() -> None:
    error = error_of(counted(lambda n: f"{n // 1000}.000", counts=[(1000, 1000), (2000, 1000)]))
    assert (error.code, error.values["field"], error.values["line"]) == ("trace.numbers", "prompt_tokens", 2)
    assert rate(read(counted(lambda n: f"{n:,}", counts=[(1000, 0), (2000, 1000)]))) == pytest.approx(1 / 3)


@pytest.mark.parametrize("bad", ["1.54E+03", "1.2k", "76.8%", "0.5"])
def test_what_is_no_count_is_named(bad: str) -> None:
    error = error_of(f"timestamp,prompt_tokens,cached_tokens\n1,2000,{bad}\n2,2000,{bad}\n")
    assert (error.code, error.values["field"]) == ("trace.value", "cached_tokens")


@pytest.mark.parametrize("word", ["NaN", "NULL", "N/A", "None", r"\N", "-", ""])
def test_words_for_unknown_are_unknown(word: str) -> None:
    trace = read(f"timestamp,prompt_tokens,cached_tokens\n1,1000,0\n2,1000,{word}\n3,1000,500\n")
    assert [r.usage.cached_tokens for r in trace.requests if r.usage] == [0, None, 500]


# -- cut lines ------------------------------------------------------------------------------------------


def long_rows(rng: random.Random) -> list[dict[str, object]]:
    """The messages end long before the record does, or far behind the first cut."""
    rows = []
    for call in REQUESTS:
        rest = {"metadata": {"a": "x" * rng.randrange(3000), "list": [{"role": "x", "content": "y"}] * 9}}
        row = {"request_id": call.name, "timestamp": call.at, "messages": call.messages}
        rows.append(row | rest if rng.random() < 0.5 else {"request_id": call.name} | rest | row)
    return rows


@pytest.mark.parametrize("runtime", ["cri", "docker", "fluentd", "fluentbit"])
@pytest.mark.parametrize("size", [150, 700, 2500])
def test_parts_are_joined_whatever_they_hold(runtime: str, size: int) -> None:
    rng = random.Random(f"{runtime}/{size}")
    written = []
    for number, row in enumerate(long_rows(rng)):
        text = json.dumps(row)
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        for place, piece in enumerate(pieces):
            last = place == len(pieces) - 1
            stamp = f"2030-01-01T00:00:{number:02d}.{place:03d}Z"
            if runtime == "cri":
                written.append(f"{stamp} stdout {'F' if last else 'P'} {piece}")
            elif runtime == "docker":
                log = piece + "\n" * last
                written.append(json.dumps({"log": log, "stream": "stdout", "time": stamp}))
            elif runtime == "fluentbit":
                written.append(json.dumps({"time": stamp, "logtag": "F" if last else "P", "log": piece}))
            else:
                parts = {
                    "partial_message": "true",
                    "partial_id": str(number),
                    "partial_last": str(last).lower(),
                }
                written.append(
                    json.dumps({"log": piece, "time": stamp, **(parts if len(pieces) > 1 else {})})
                )
            if runtime == "cri" and rng.random() < 0.3:
                written.append(f"{stamp} stderr F listening")
    trace = read("\n".join(written) + "\n")
    assert [request.request_id for request in trace.requests] == [call.name for call in REQUESTS]
    assert [texts(request) for request in trace.requests] == PROMPTS


# -- times ----------------------------------------------------------------------------------------------

NAMES = (
    "@timestamp createdAt startTime start_time date datetime _time Timestamp TimeGenerated eventTime created "
    "time_local log_time requestTimestamp"
)


@pytest.mark.parametrize("name", [*NAMES.split(), "TimeGenerated [UTC]", "wann", "insertId_time"])
def test_newest_first_is_sorted_whatever_the_time_is_called(name: str) -> None:
    rows = [{"messages": call.messages, name: call.iso, "updatedAt": call.at} for call in REQUESTS]
    trace = read_rows(*reversed(rows))
    assert trace.order == "arrival"
    assert [texts(request) for request in trace.requests] == PROMPTS


def test_which_time_was_taken_is_said() -> None:
    rows = [{"messages": c.messages, "started_at": c.at, "inserted_at": 9e8 - c.at / 9} for c in REQUESTS]
    trace = read_rows(*rows)
    (note,) = [note for note in trace.notes if note.code == "time_taken"]
    assert (note.values["taken"], note.values["others"]) == ("started_at", "inserted_at")
    assert "sorted" not in notes(trace)
    assert notes(read_rows({"messages": REQUESTS[0].messages}, {"messages": REQUESTS[1].messages})) == {
        "untimed": 2
    }
    milliseconds = read_rows(*({"messages": REQUESTS[0].messages, "t_ms": n, "time_ms": n} for n in (0, 500)))
    assert milliseconds.requests[1].arrival_s == 0.5


# -- proposals ------------------------------------------------------------------------------------------


def test_a_part_of_a_list_is_never_proposed() -> None:
    rows = [{"at": c.iso, "talk": [{"said": {"text": text}} for _, text in c.turns]} for c in REQUESTS]
    assert not propose([Row(row, Place("log")) for row in rows]).field_map.prompt
    wrapped = [{"at": c.iso, "talk": [{"message": message} for message in c.messages]} for c in REQUESTS]
    trace = read_rows(*wrapped)
    assert trace.field_map is not None
    assert trace.field_map.prompt == ("talk",)
    assert [texts(request) for request in trace.requests] == PROMPTS


def test_cached_is_read_beside_a_length_or_refused() -> None:
    rows = [{"n": call.prompt, "hit": call.cached, "say": call.turns[-1][1]} for call in REQUESTS]
    trace = read_rows(*rows, field_map=parse_map("length=n,cached=hit"))
    assert rate(trace) == pytest.approx(sum(c.cached for c in REQUESTS) / sum(c.prompt for c in REQUESTS))
    assert error_of(jsonl(*rows), field_map=parse_map("prompt=say,cached=hit")).code == "trace.option"


# -- tables and lines -----------------------------------------------------------------------------------


def test_a_table_with_titles_twins_and_a_header_in_between() -> None:
    table = counted(str, ",").replace("cached_tokens", "cached_tokens,cached_tokens").splitlines()
    rows = [line if line.startswith("t") else line + ",7" for line in table]
    text = "Usage report,,,\n,,,\n" + "\n".join([*rows[:3], rows[0], *rows[3:]])
    trace = read(text)
    assert rate(trace) == pytest.approx(RATE)
    found = notes(trace)
    assert (found["titles"], found["columns_again"], found["other_rows"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("encoding", "name"), [("cp1252", "Größe Müller café"), ("gb18030", "汤底很好喝，谢谢")]
)
def test_tables_of_a_spreadsheet_in_its_own_encoding(encoding: str, name: str) -> None:
    text = f"user;{counted(str)}".replace("\n", f"\n{name};", len(COUNTS))
    trace = read(text.encode(encoding))
    assert {request.tenant for request in trace.requests} == {name}
    assert (rate(trace), notes(trace)["encoding"]) == (pytest.approx(RATE), 1)


def test_a_request_and_its_usage_on_one_line_are_one_record() -> None:
    usage = [
        {"prompt_tokens": c.prompt, "prompt_tokens_details": {"cached_tokens": c.cached}} for c in REQUESTS
    ]
    log = "".join(
        f"{c.iso} INFO req={json.dumps({'messages': c.messages})} usage={json.dumps(use)}\n"
        for c, use in zip(REQUESTS, usage, strict=True)
    )
    dump = "".join(
        f"{c.name}\t{json.dumps(c.messages)}\t{json.dumps({'id': c.name, 'choices': [], 'usage': use})}\n"
        for c, use in zip(REQUESTS, usage, strict=True)
    )
    for text in (log, dump):
        trace = read(text)
        assert [texts(r) for r in trace.requests] == PROMPTS
        assert [r.usage.cached_tokens for r in trace.requests if r.usage] == [c.cached for c in REQUESTS]


def test_logfmt_and_tables_with_their_columns_beside() -> None:
    pairs = "".join(
        f'ts={n} level=info msg="a call" prompt_tokens={p} cached_tokens={c}\n'
        for n, (p, c) in enumerate(COUNTS)
    )
    columns = [{"name": "TimeGenerated"}, {"name": "PromptTokens"}, {"name": "CachedTokens"}]
    tables = {
        "tables": [{"name": "t", "columns": columns, "rows": [[n, *one] for n, one in enumerate(COUNTS)]}]
    }
    insights = {
        "results": [
            [{"field": "@timestamp", "value": f"2030-01-01 00:00:0{n}"}, {"field": "@message", "value": text}]
            for n, text in enumerate(json.dumps({"prompt_tokens": p, "cached_tokens": c}) for p, c in COUNTS)
        ]
    }
    for text in (pairs, json.dumps(tables), json.dumps(insights)):
        assert rate(read(text)) == pytest.approx(RATE)


def test_sums_are_said_to_be_sums() -> None:
    buckets = [
        {
            "start_time": n,
            "results": [{"input_tokens": p, "input_cached_tokens": c, "num_model_requests": 10}],
        }
        for n, (p, c) in enumerate(COUNTS)
    ]
    trace = read(json.dumps({"object": "page", "data": buckets}))
    assert (rate(trace), notes(trace)["sums"]) == (pytest.approx(RATE), len(COUNTS))


def test_an_archive_goes_by_its_numbers() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as packed:
        for n in range(12):
            packed.writestr(f"part-{n}.jsonl", json.dumps({"prompt": f"question number {n}"}))
        packed.writestr("part-99.jsonl", "")
    trace = read(held.getvalue())
    assert [texts(request) for request in trace.requests] == [f"question number {n}" for n in range(12)]
    assert notes(trace)["empty_files"] == 1


def test_an_empty_file_beside_others_is_said() -> None:
    trace = read_trace(
        [TraceFile("a", ""), TraceFile("b", json.dumps({"prompt": "one"}))], options=ReadOptions()
    )
    assert notes(trace)["empty_files"] == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[]", "trace.empty"),
        ('{"data": []}', "trace.empty"),
        ('{"error": {"message": "bad key"}}', "trace.api_error"),
    ],
)
def test_answers_without_a_record_are_named(text: str, code: str) -> None:
    assert error_of(text).code == code
