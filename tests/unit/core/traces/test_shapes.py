"""Whatever the files look like in which a log arrives, it is the same log; or it is refused with a reason."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from importlib.util import find_spec

import pytest

from core.errors import TraceError
from core.traces.door.detect import detect, head_of
from core.traces.door.read import read_trace
from core.traces.field_map import parse_map
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traces.packing import archives, layers, tables
from core.traces.packing.sources import TraceFile
from tests.unit.core.traces.logs import SAMPLES, error_of, jsonl, notes, read
from tests.unit.core.traces.shapes import BASE, SHAPES, TIMES, gateway, lines, paper, zipped

STEPS = [row["timestamp"] - BASE[0]["timestamp"] for row in sorted(BASE, key=lambda row: row["timestamp"])]


def rate(trace: Trace, block: int = 16) -> float:
    """The share of prompt tokens in full blocks with which an earlier prompt began; never the last token."""
    seen: set[tuple[int, ...]] = set()
    hits = total = 0
    for request in trace.requests:
        tokens = tuple(request.tokens().tolist())
        total += len(tokens)
        reused = 0
        while reused + block < len(tokens) and tokens[: reused + block] in seen:
            reused += block
        hits += reused
        seen.update(tokens[:end] for end in range(block, len(tokens) + 1, block))
    return hits / total


def prompts(trace: Trace) -> list[list[str]]:
    return [[segment.text or "" for segment in request.segments] for request in trace.requests]


PLAIN = read_trace(TraceFile("plain", lines(BASE)))
RATE = rate(PLAIN)


def test_the_log_itself() -> None:
    assert len(PLAIN.requests) == 12
    assert 0.5 < RATE < 0.9
    assert [request.arrival_s for request in PLAIN.requests] == STEPS


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape(name: str) -> None:
    shape = SHAPES[name]
    if shape.code is not None:
        with pytest.raises(TraceError) as caught:
            read_trace(TraceFile(shape.name, shape.data))
        assert caught.value.code == shape.code
        return
    trace = read_trace(TraceFile(shape.name, shape.data))
    assert trace.format == shape.format
    assert prompts(trace) == prompts(PLAIN)
    assert rate(trace) == RATE
    assert set(shape.notes) <= set(notes(trace))
    if shape.timed:
        assert [request.arrival_s for request in trace.requests] == pytest.approx(STEPS, abs=0.01)


def test_the_paper_has_this_table() -> None:
    """On a difference put `print(paper())` of shapes.py in its place."""
    assert paper() in (SAMPLES.parents[2] / "docs" / "formats.md").read_text("utf-8")


# -- files that are larger than they look -------------------------------------------------------------------


def test_what_unpacks_to_far_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "MOST_UNPACKED", 100_000)
    monkeypatch.setattr(archives, "MOST_UNPACKED", 100_000)
    many = jsonl(*({"prompt": f"number {n}"} for n in range(10_000))).encode()
    for data in (
        gzip.compress(many),
        zipped({"log": many}),
        zipped({f"{n}": many[:30_000] for n in range(9)}),
    ):
        error = error_of(data)
        assert (error.code, error.values["file"]) == ("trace.too_much", "log")


@pytest.mark.parametrize("what", [b"\n", b"\0", b"a"])
def test_a_bomb_goes_off_quickly_and_in_little_memory(what: bytes) -> None:
    data = gzip.compress(what * 20_000_000, 1)
    tracemalloc.start()
    try:
        error_of(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 400_000_000


def test_memory_does_not_grow_with_what_a_file_unpacks_to() -> None:
    system = "word " * 4000
    rows = [{"messages": [{"role": "user", "content": system + str(n)}]} for n in range(2)] * 500
    plain = jsonl({"data": rows}).encode()
    for data in (gzip.compress(jsonl(*rows).encode()), gzip.compress(plain)):
        tracemalloc.start()
        try:
            trace = read(data)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert len(trace.requests) == 1000
        assert peak < 12_000_000 < len(plain)


def test_what_came_before_the_break_is_read_on_request() -> None:
    rows = jsonl(*({"prompt": f"number {n}"} for n in range(9_000))).encode()
    trace = read(gzip.compress(rows)[:-2000], skip_broken=True)
    assert trace.num_skipped == 1
    assert 4_000 < len(trace.requests) < 9_000
    assert trace.skipped[0].code == "trace.damaged"


def test_a_locked_archive_says_so() -> None:
    data = bytearray(zipped({"log.jsonl": lines(BASE)}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert error_of(bytes(data)).code == "trace.locked"


# -- Excel ---------------------------------------------------------------------------------------------------


def test_excel_is_read_where_openpyxl_is_installed() -> None:
    if find_spec("openpyxl") is None:
        pytest.skip(f"openpyxl is not installed: {tables.EXCEL_COMMAND}")
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["Report of March"])
    sheet = book.create_sheet("calls")
    rows = gateway()
    sheet.append(list(rows[0]))
    for row, at in zip(rows, TIMES, strict=True):
        sheet.append([at.replace(tzinfo=None), *list(row.values())[1:]])
    out = io.BytesIO()
    book.save(out)
    trace = read(out.getvalue())
    assert prompts(trace) == prompts(PLAIN)
    assert "sheet" in notes(trace)
    assert [request.arrival_s for request in trace.requests] == pytest.approx(STEPS)


def test_excel_without_openpyxl_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "find_spec", lambda _name: None)
    error = error_of(zipped({"xl/workbook.xml": b"<workbook/>"}))
    assert (error.code, error.values["command"]) == ("trace.no_package", tables.EXCEL_COMMAND)


# -- who claims what ---------------------------------------------------------------------------------


def test_a_reader_claims_only_what_it_can_read() -> None:
    """Names that fit by chance make no format: another one that can read the record is asked."""
    fitting = {"call_type": "x", "startTime": "soon", "messages": "none", "prompt": "hello"}
    assert detect(TraceFile("log", jsonl(fitting))).format.name == "prompts"
    broken = {"prompt": "hello", "timestamp": "soon"}
    assert error_of(jsonl(broken)).values["field"] == "timestamp"


def test_a_server_log_that_begins_with_a_bracket_is_no_json() -> None:
    for text in ("[2026-01-01 00:00:00] loading\n[2026-01-01 00:00:01] ready\n", "[INFO] starting\n" * 30):
        assert error_of(text).code == "trace.unknown_format"


def test_requests_may_stand_behind_a_long_start() -> None:
    noise = "".join(f"2026-03-14 09:00:00 INFO loading part {n} of the model\n" for n in range(5000))
    text = noise + "".join(f"2026-03-14 09:00:00 INFO {line}\n" for line in lines(BASE).decode().splitlines())
    trace = read(text)
    assert prompts(trace) == prompts(PLAIN)
    assert notes(trace)["other_rows"] == 5000


def test_a_record_that_breaks_off_inside_a_shippers_field_costs_itself() -> None:
    rows = [
        {"log": json_text[: len(json_text) // (1 + (n == 5))] + "\n"}
        for n, json_text in enumerate(lines(BASE).decode().splitlines())
    ]
    error = error_of(jsonl(*rows))
    assert (error.code, error.values["line"]) == ("trace.json", 6)
    trace = read(jsonl(*rows), skip_broken=True)
    assert (len(trace.requests), trace.num_skipped) == (11, 1)


def test_an_envelope_with_more_than_labels_is_left_to_the_person() -> None:
    """A guide beside the messages may be a part of the prompt, and who asked would be lost."""
    rows = [
        {"when": row["timestamp"], "who": {"id": "a"}, "guide": "x" * 500, "raw": json.dumps(row)}
        for row in BASE
    ]
    assert error_of(jsonl(*rows)).code == "trace.unknown_fields"


def test_records_of_no_known_format_are_found_in_a_list_too() -> None:
    rows = [{"at": row["timestamp"], "asked": {"chat": row["messages"]}} for row in BASE]
    chosen = ReadOptions(field_map=parse_map("prompt=asked.chat,time=at"))
    for data in (jsonl(*rows), json.dumps({"found": rows})):
        trace = read_trace(TraceFile("log", data), options=chosen)
        assert prompts(trace) == prompts(PLAIN)


def test_the_tree_shows_what_lies_inside() -> None:
    for name in ("Docker", "zip", "Parquet", "Elasticsearch", "messages by semicolon", "noise first"):
        rows = head_of(TraceFile("log", SHAPES[name].data))
        assert [row.get("request_id") for row in rows][:2] == ["q0-0", "q1-0"], name


def test_times_that_nobody_can_read_are_ignored_on_request() -> None:
    trace = read_trace(TraceFile("log", SHAPES["not a time"].data), options=ReadOptions(ignore_times=True))
    assert prompts(trace) == prompts(PLAIN)
    assert (trace.order, notes(trace)) == ("file", {"times_unread": 12})
