"""How logs are packed: lines, arrays, printed-out objects, tables; encodings; progress; memory."""

from __future__ import annotations

import io
import json
import math
import tracemalloc
from pathlib import Path

import pytest

from core.errors import TraceError
from core.traces.door.read import read_trace
from core.traces.packing import scanner, sources
from core.traces.packing import text as text_module
from core.traces.packing.csv_rows import csv_rows
from core.traces.packing.json_rows import json_rows
from core.traces.packing.sources import TraceFile
from core.traces.rows import Row
from tests.unit.core.traces.logs import error_of, jsonl, notes, read, read_rows

CHATS = [{"id": f"c{i}", "conversations": [{"from": "human", "value": f"Hello {i} é汤"}]} for i in range(40)]


def records(text: str | bytes) -> list[tuple[int, object]]:
    found = json_rows(TraceFile("log", text))
    return [(row.place.line, row.value) if isinstance(row, Row) else (0, row.code) for row in found]


@pytest.mark.parametrize(
    "text",
    [
        jsonl(*CHATS),
        json.dumps(CHATS),
        json.dumps(CHATS, indent=2),
        json.dumps(CHATS, ensure_ascii=False, indent=1).replace("\n", "\r\n"),
        "\n\n" + jsonl(*CHATS).replace("\n", "\n\n"),
        "\n".join(json.dumps(chat, indent=4) for chat in CHATS),
        "\ufeff" + jsonl(*CHATS),
        jsonl(*CHATS).rstrip("\n"),
    ],
    ids=[
        "lines",
        "array",
        "printed array",
        "CRLF",
        "blank lines",
        "printed objects",
        "byte order mark",
        "no end",
    ],
)
def test_the_packing_makes_no_difference(text: str) -> None:
    assert [data for _, data in records(text)] == CHATS
    assert len(read(text).requests) == 40


def test_values_longer_than_a_piece_and_pieces_cut_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "_CHUNK", 7)
    text = json.dumps(CHATS, ensure_ascii=False, indent=2)
    assert [data for _, data in records(text)] == CHATS


def test_lines_are_counted_in_arrays_too() -> None:
    assert [line for line, _ in records('[\n {"a": 1},\n\n {"a":\n 2}, {"a": 3}\n]')] == [2, 4, 5]


@pytest.mark.parametrize(
    ("text", "line", "num_read"),
    [
        ('[{"a": 1}, {"a": tru}]', 1, 1),
        ('[\n{"a": 1},\n{"a": 1 "b": 2},\n' + '{"a": 1},\n' * 30 + "{}]", 3, 32),
        ('[{"a": 1}, {"a": "no end}, {"a": 3}, {"a": 4}]', 1, 3),
        ('[{"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b" 1}, {"b": 2}]}, {"a": 3}]', 1, 2),
        ('[\n{"a": "unfinished', 2, 0),
        ('[{"a": ' + "1" * 5000 + "}]", 1, 0),
        ("[" + '{"a": ' * 100_000, 1, 0),
    ],
)
def test_a_broken_element_is_named_and_the_next_ones_are_read(text: str, line: int, num_read: int) -> None:
    found = list(json_rows(TraceFile("log", text)))
    (error,) = [row for row in found if isinstance(row, TraceError)]
    assert (error.code, error.values["line"]) == ("trace.json", line)
    assert len(found) == num_read + 1


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1}\n{"a": 2}]',
        '[{"a": 1},\n{"a": 2}',
        '[{"a": 1}]\n[{"a": 2}]',
        '{"a": 1},\n{"a": 2},\n]',
        '{"a": 1}\n,{"a": 2}',
        '{"a": 1}{"a": 2}',
        '\x1e{"a": 1}\n\x1e{"a": 2}\n',
        '[{"a": 1},{"a": 2},]',
    ],
)
def test_remains_of_arrays_change_nothing_about_the_elements(text: str) -> None:
    assert [data for _, data in records(text)] == [{"a": 1}, {"a": 2}]


def test_a_byte_that_is_not_utf8_costs_its_element() -> None:
    data = b'[\n {"a": 1},\n {"a": "\xff"},\n {"a": 3}\n]'
    found = [row if isinstance(row, TraceError) else row.value for row in json_rows(TraceFile("log", data))]
    assert found[::2] == [{"a": 1}, {"a": 3}]
    assert isinstance(found[1], TraceError)
    assert (found[1].code, found[1].values["line"]) == ("trace.encoding", 3)


def test_nan_is_read_where_nobody_looks() -> None:
    (row,) = json_rows(TraceFile("log", '{"a": NaN, "b": -Infinity, "c": 1}'))
    assert isinstance(row, Row)
    assert (row.whole("c"), math.isnan(row.get("a"))) == (1, True)
    for name in "ab":
        with pytest.raises(TraceError) as caught:
            row.whole(name)
        assert caught.value.values["field"] == name


def test_a_broken_line_is_named_and_the_next_ones_are_read() -> None:
    text = '{"a": 1}\n{"a": \n{"a": 00}\n[1]\n"x"\n{"a": 1} {"a": 2}\n{"a": 3}\n'
    assert records(text) == [
        (1, {"a": 1}),
        (0, "trace.json"),
        (0, "trace.json"),
        (0, "trace.value"),
        (0, "trace.value"),
        (0, "trace.json"),
        (7, {"a": 3}),
    ]


def test_only_the_person_lets_broken_lines_be_skipped() -> None:
    text = '{"prompt": "a b"}\n{"prompt": \n{"prompt": 5}\n{}\n{"prompt": "c"}\n'
    error = error_of(text)
    assert (error.code, error.values["file"], error.values["line"]) == ("trace.json", "log", 2)
    trace = read(text, skip_broken=True)
    assert (len(trace.requests), trace.num_skipped) == (2, 3)
    assert [line.line for line in trace.skipped] == [2, 3, 4]
    assert "line 3: prompt is '5'" in trace.skipped[1].reason


def test_skipped_lines_are_all_counted_and_the_first_are_kept() -> None:
    trace = read(jsonl({"prompt": "a"}) + "{\n" * 500, skip_broken=True)
    assert (trace.num_skipped, len(trace.skipped)) == (500, 20)


def test_a_log_in_which_everything_is_broken_is_empty() -> None:
    assert error_of('{"prompt": 3}\n{"prompt": 4}\n', "prompts", skip_broken=True).code == "trace.empty"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xfe{\x00\x00", "UTF-16"),
        (b'{"prompt": "\xe9"}', "byte 13"),
        (b'[{"prompt": "\xe9"}]', "byte"),
    ],
)
def test_bytes_that_are_not_utf8(data: bytes, reason: str) -> None:
    error = error_of(data)
    assert error.code == "trace.encoding"
    assert reason in error.message


def test_a_line_that_is_not_utf8_can_be_skipped() -> None:
    trace = read(b'{"prompt": "a"}\n{"prompt": "\xff"}\n{"prompt": "b"}\n', skip_broken=True)
    assert (len(trace.requests), trace.num_skipped) == (2, 1)


@pytest.mark.parametrize("text", ["", "\n \n", "[]"])
def test_nothing_in_it(text: str) -> None:
    assert error_of(text).code in ("trace.empty", "trace.unknown_format")


@pytest.mark.parametrize("text", ["hello", '{"who": "knows"}', "a,b\n1,2\n", '[{"x": 1}]', "[1, 2]"])
def test_an_unknown_format_lists_the_known_ones(text: str) -> None:
    error = error_of(text)
    assert error.code == ("trace.value" if text == "[1, 2]" else "trace.unknown_format")


def test_a_line_beyond_all_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "LONGEST_LINE", 50)
    assert error_of(jsonl({"prompt": "x" * 100})).code == "trace.too_long"


def test_an_array_may_be_one_line_longer_than_any_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """ShareGPT is distributed as one array; only its elements must fit in memory."""
    monkeypatch.setattr(text_module, "LONGEST_LINE", 500)
    monkeypatch.setattr(text_module, "_LONG", 400)
    monkeypatch.setattr(scanner, "LONGEST_LINE", 500)
    text = json.dumps(CHATS)
    assert len(text) > 2000
    assert len(read(text).requests) == 40
    long = [*CHATS, {"id": "x", "conversations": [{"from": "human", "value": "x" * 600_000}]}]
    assert error_of(json.dumps(long), "sharegpt").code == "trace.too_long"


# -- tables -------------------------------------------------------------------------------------------


def cells(text: str) -> list[object]:
    found = csv_rows(TraceFile("log", text))
    return [(row.place.line, row.value) if isinstance(row, Row) else row.code for row in found]


def test_quotes_commas_and_line_ends_inside_cells() -> None:
    text = 'a,"b ""c"""\r\n1,"x, ""y""\nz"\r\n\r\n,\r\n"3",""\r\n'
    assert cells(text) == [
        (2, {"a": "1", 'b "c"': 'x, "y"\nz'}),
        (5, {"a": "", 'b "c"': ""}),
        (6, {"a": "3", 'b "c"': ""}),
    ]


def test_broken_rows_of_a_table() -> None:
    assert cells('a,b\n1\n1,2,3\n1,"2"x\n1,2\n1,"2\n3,4\n') == [
        "trace.csv",
        "trace.csv",
        "trace.csv",
        (5, {"a": "1", "b": "2"}),
        "trace.csv",
    ]


def test_a_cell_may_be_long_and_a_stray_quote_is_told() -> None:
    long = "x" * 200_000  # longer than Python's own readers of tables allow
    assert cells(f'a,b\n1,"{long}"\n2,x"y\n3,z"\n4,4\n') == [
        (2, {"a": "1", "b": long}),
        "trace.csv",  # line 3 and 4: a line end where no quoted field runs on
        (5, {"a": "4", "b": "4"}),
    ]


def test_a_table_with_a_header_only_is_empty() -> None:
    assert error_of("TIMESTAMP,ContextTokens,GeneratedTokens\n").code == "trace.empty"


# -- files --------------------------------------------------------------------------------------------


def test_an_upload_a_file_and_a_text_are_read_alike(tmp_path: Path) -> None:
    text = jsonl({"prompt": "one two"}, {"prompt": "one three"})
    path = tmp_path / "log"
    path.write_text(text, "utf-8")
    upload = io.BytesIO(text.encode())
    upload.read()  # wherever it stands
    traces = [read_trace(TraceFile("log", data)) for data in (text, text.encode(), path, upload)]
    assert all(trace == traces[0] for trace in traces)
    assert read_trace(path) == traces[0]
    assert not upload.closed


def test_a_pasted_path_is_a_text_and_no_path(tmp_path: Path) -> None:
    path = tmp_path / "secret.jsonl"
    path.write_text(jsonl({"prompt": "secret"}), "utf-8")
    assert error_of(str(path)).code == "trace.unknown_format"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TraceError) as caught:
        read_trace(tmp_path / "nothing.jsonl")
    assert caught.value.code == "trace.unreadable"
    with pytest.raises(TraceError):
        read_trace([])


def test_several_files_are_one_log() -> None:
    parts = [TraceFile(f"part{i}", jsonl({"prompt": f"a {i}"})) for i in range(3)]
    trace = read_trace(parts)
    assert trace.name == "part0 and 2 more"
    assert [request.request_id for request in trace.requests] == ["r1", "r2", "r3"]
    assert error_of_files([*parts, TraceFile("bad", "{")]).values["file"] == "bad"


def error_of_files(files: list[TraceFile]) -> TraceError:
    with pytest.raises(TraceError) as caught:
        read_trace(files)
    return caught.value


def test_progress_is_told_and_cancels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "REPORT_EVERY", 100)
    text = jsonl(*({"prompt": f"number {i}"} for i in range(100)))
    told: list[tuple[int, int]] = []
    read_trace(TraceFile("log", text), progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (len(text), len(text))
    assert len(told) > 10

    def stop(done: int, _total: int) -> None:
        if done > 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_trace(TraceFile("log", text), progress=stop)


def test_memory_grows_with_what_is_new_and_not_with_the_text() -> None:
    """2,000 requests over one long system prompt: the prompt is held once, its tokens are held once."""
    system = "word " * 2000
    rows = [
        {"messages": [{"role": "system", "content": system}, {"role": "user", "content": f"question {i}"}]}
        for i in range(2000)
    ]
    data = jsonl(*rows).encode()
    assert len(data) > 20_000_000
    tracemalloc.start()
    try:
        trace = read(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(trace.requests) == 2000
    assert peak < 8_000_000
    assert all(request.num_tokens > 2000 for request in trace.requests)


# -- names and order ----------------------------------------------------------------------------------


def test_requests_are_sorted_by_arrival_if_all_have_one() -> None:
    trace = read_rows(*({"prompt": f"p{t}", "timestamp": t} for t in (5, 3, 3, 9)))
    assert [r.segments[0].text for r in trace.requests] == ["p3", "p3", "p5", "p9"]
    assert [r.request_id for r in trace.requests] == ["r2", "r3", "r1", "r4"]
    assert [r.arrival_s for r in trace.requests] == [0, 0, 2, 6]
    assert (trace.order, trace.start_s, notes(trace)) == ("arrival", 3, {"sorted": 1, "equal_rows": 1})


def test_the_files_order_stands_if_some_have_none() -> None:
    trace = read_rows({"prompt": "a", "timestamp": 5}, {"prompt": "b"}, {"prompt": "c", "timestamp": 1})
    assert [r.segments[0].text for r in trace.requests] == ["a", "b", "c"]
    assert (trace.order, notes(trace)) == ("file", {"partly_timed": 1})


def test_names_are_made_unique() -> None:
    rows = [{"prompt": f"{place}", "request_id": name} for place, name in enumerate(("a", "a", "a#2", "a"))]
    trace = read_rows(*rows)
    names = [request.request_id for request in trace.requests]
    assert len(set(names)) == 4
    assert names[:2] == ["a", "a#2"]
    assert notes(trace) == {"renamed": 3, "untimed": 4}


def test_models_adapters_and_salts_share_nothing() -> None:
    rows = [{"token_ids": [1, 2, 3], **more} for more in (
        {"model": "m"}, {"model": "m"}, {"model": "n"}, {}, {"model": "m", "cache_salt": "s"},
        {"model": "m", "lora_name": "l"},
    )]  # fmt: skip
    trace = read_rows(*rows)
    scopes = [request.scope for request in trace.requests]
    assert scopes[0] == scopes[1]
    assert len(set(scopes)) == 5
    assert notes(trace) == {"models": 2, "model_missing": 1, "untimed": 6}
    together = read_rows(*rows[:4], split_by_model=False)
    assert {request.scope for request in together.requests} == {""}


def test_one_model_needs_no_scope() -> None:
    trace = read_rows({"token_ids": [1], "model": "m"}, {"token_ids": [1]})
    assert {request.scope for request in trace.requests} == {""}
    assert trace.requests[0].request().salt is None


def test_users_and_sessions_share_by_content() -> None:
    rows = [{"prompt": "same words", "user": user, "session_id": user} for user in "ab"]
    one, other = read_rows(*rows).requests
    assert (one.tenant, other.tenant, one.scope, other.scope) == ("a", "b", "", "")
    assert one.segments == other.segments
