"""Maps of fields: their text, their paths, and proposals for logs whose names nobody knows."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import TraceError
from core.traces.door.detect import head_of
from core.traces.field_map import LONGEST_PATH, ROLES, FieldMap, parse_map, row_at, value_at
from core.traces.mapping.propose import propose
from core.traces.mapping.tree import tree_of
from core.traces.model import Trace
from core.traces.packing.sources import TraceFile
from core.traces.problems import Place
from core.traces.rows import Row
from tests.unit.core.traces.logs import error_of, jsonl, notes, read, read_rows
from tests.unit.core.traces.test_forms import BASE, texts
from tests.unit.core.traces.written import FORMS, REQUESTS, SYSTEM

PATHS = st.text(min_size=1, max_size=12)
MAPS = st.dictionaries(st.sampled_from(ROLES), st.lists(PATHS, min_size=1, max_size=3).map(tuple), min_size=1)


@given(MAPS)
def test_a_map_is_read_as_it_is_written(roles: dict[Any, tuple[str, ...]]) -> None:
    field_map = FieldMap(**roles)
    assert parse_map(str(field_map)) == field_map


@given(st.text(alphabet="promtie=, |\\ab.[0]", max_size=30))
def test_any_text_is_a_map_or_an_error(text: str) -> None:
    with suppress(TraceError):
        found = parse_map(text)
        assert parse_map(str(found)) == found


@pytest.mark.parametrize("text", ["", "prompt", "prompt=", "no=a", "prompt=a,prompt=b", "prompt=a|", "=a"])
def test_a_map_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(TraceError) as caught:
        parse_map(text)
    assert caught.value.values["field"] == "map"


def test_a_path_beyond_measure_is_refused() -> None:
    with pytest.raises(TraceError):
        parse_map("prompt=" + "a" * (LONGEST_PATH + 1))


RECORD = {
    "a": {"b": [{"c": 1}, {"c": 2}]},
    "gen_ai.usage": {"x.y": 3},
    "packed": '{"inner": "{\\"deep\\": [4, 5]}"}',
    "attributes": [{"key": "k.l", "value": {"intValue": "6"}}, {"key": "s", "value": {"stringValue": "t"}}],
    "Request tokens": "7",
    "": 8,
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b[1].c", 2),
        ("gen_ai.usage.x.y", 3),
        ("packed.inner.deep[0]", 4),
        ("attributes.k.l", 6),
        ("attributes.s", "t"),
        ("Request tokens", "7"),
        ("a.b[2].c", None),
        ("a.b.c", None),
        ("a.x", None),
        ("a.b[1].c.d", None),
        ("", 8),
        (".", RECORD),
    ],
)
def test_what_stands_at_a_path(path: str, value: object) -> None:
    assert value_at(RECORD, path) == value


def test_a_place_is_named_in_full() -> None:
    row = Row(RECORD, Place("log", 3))
    found = row_at(row, "a.b[1].c")
    assert found is not None
    holder, name = found
    assert holder.name(name) == "a.b[1].c"
    assert "log, line 3: a.b[1].c" in str(holder.wrong(name, "a text").message)


def test_the_tree_names_every_field_with_its_share() -> None:
    rows = [Row({"q": {"text": "Hi"}, "t": 1}, Place("x")), Row({"q": {"text": "Ho", "n": None}}, Place("x"))]
    leaves = {leaf.path: (leaf.depth, leaf.kind, leaf.present_in) for leaf in tree_of(rows)}
    assert leaves == {
        "q": (0, "object", 1.0),
        "q.text": (1, "text", 1.0),
        "q.n": (1, "null", 0.0),
        "t": (0, "number", 0.5),
    }


# -- reading by a map -----------------------------------------------------------------------------------


def test_a_map_reads_what_no_format_knows() -> None:
    rows = [
        {"wann": call.iso, "wer": call.session, "x": {"gespraech": call.messages}, "n": {"in": call.prompt}}
        for call in REQUESTS
    ]
    trace = read_rows(*rows, field_map=parse_map("prompt=x.gespraech,time=wann,session=wer,usage=n.in"))
    assert [texts(request) for request in trace.requests] == [texts(request) for request in BASE.requests]
    assert [request.session for request in trace.requests] == [call.session for call in REQUESTS]
    assert [r.arrival_s for r in trace.requests] == [r.arrival_s for r in BASE.requests]
    assert [r.usage.prompt_tokens for r in trace.requests if r.usage] == [call.prompt for call in REQUESTS]
    assert trace.format == "field_map"
    assert trace.field_map == parse_map("prompt=x.gespraech,time=wann,session=wer,usage=n.in")
    assert notes(trace) == {}


def test_a_map_overrules_the_format() -> None:
    trace = read(FORMS["bodies"].text(), field_map=parse_map("prompt=request_id"))
    assert [texts(request) for request in trace.requests] == [call.name for call in REQUESTS]


def test_block_ids_under_any_name() -> None:
    rows = [{"ids": [1, 2, 3 + n], "n": 40, "at": n} for n in range(6)]
    trace = read_rows(*rows, field_map=parse_map("blocks=ids,length=n,time=at"), block_size=16)
    assert (trace.block_size, trace.facts) == (16, {"blocks"})
    assert [list(request.block_ids or ())[:2] for request in trace.requests] == [[0, 1]] * 6


def test_a_field_of_another_kind_names_its_path() -> None:
    rows = jsonl({"a": {"t": {}}, "p": "hello you"})
    error = error_of(rows, field_map=parse_map("prompt=p,time=a.t"))
    assert (error.values["field"], error.values["line"]) == ("a.t", 1)
    assert error_of(rows, field_map=parse_map("prompt=q")).values["field"] == "q"


def test_a_path_that_leads_nowhere_is_said() -> None:
    trace = read_rows({"p": "hello you"}, field_map=parse_map("prompt=p,time=nowhere|else,session=s"))
    (note,) = [note for note in trace.notes if note.code == "map_missed"]
    assert (note.count, note.values["paths"]) == (2, "nowhere|else, s")


def test_a_table_is_read_by_a_map() -> None:
    text = "wann,was\n2030-01-01 00:00:00,hello one\n2030-01-01 00:00:01,hello two\n"
    trace = read(text, field_map=parse_map("prompt=was,time=wann"))
    assert [request.arrival_s for request in trace.requests] == [0, 1]


# -- proposals ------------------------------------------------------------------------------------------

WORDS = "amber basil cedar delta ember fjord grove haven inlet joule karst lagoon mango nectar opal pearl"
ALWAYS_READ = ("messages", "packed")
KINDS = ("messages", "text", "tokens", "with_system", "two_chats", "whole_talk", "one_prompt_name", "packed")


def renamed_log(kind: str, rng: random.Random) -> tuple[list[dict[str, Any]], list[str] | None]:
    """Records whose names say nothing, in shuffled order, with decoys; and the prompts' texts (None: nobody
    could know them from the records alone)."""
    names = iter(rng.sample(WORDS.split(), 16))
    main, other, answer, when, until, who, number, outer = (next(names) for _ in range(8))
    decoys = {name: rng.random() < 0.5 for name in ("answer", "until", "who", "number")}
    nested = rng.random() < 0.5
    rows, truth = [], [texts(request) for request in BASE.requests]
    for place, call in enumerate(REQUESTS):
        prompt: dict[str, Any] = {main: call.messages}
        if kind == "text":
            prompt = {main: call.turns[-1][1] + " Please." * 4}
        elif kind == "one_prompt_name":
            prompt = {"prompt": truth[place]}
        elif kind == "tokens":
            prompt = {main: [rng.randrange(9000) for _ in range(20)]}
        elif kind == "with_system":
            prompt = {main: call.spoken, other: SYSTEM}
        elif kind == "two_chats":
            prompt = {main: call.messages, other: call.spoken[:1]}
        elif kind == "whole_talk":
            prompt = {main: [*call.messages, {"role": "assistant", "content": call.answer}]}
        elif kind == "packed":
            prompt = {main: json.dumps(call.messages)}
        row: dict[str, Any] = {outer: prompt} if nested else dict(prompt)
        row[when] = call.iso
        if decoys["answer"]:
            row[answer] = call.answer
        if decoys["until"]:
            row[until] = call.at + 100
        if decoys["who"]:
            row[who] = call.session
        if decoys["number"]:
            row[number] = rng.randrange(1000)
        rows.append(dict(rng.sample([*row.items()], len(row))))
    knowable = kind in (*ALWAYS_READ, "one_prompt_name")
    return rows, truth if knowable else None


def outcome(rows: list[dict[str, Any]]) -> Trace | TraceError:
    try:
        return read_rows(*rows)
    except TraceError as error:
        return error


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_fields_nobody_knows_are_read_rightly_or_asked_for(kind: str, seed: int) -> None:
    """A wrong map gives a rate that looks like any other."""
    rows, truth = renamed_log(kind, random.Random(f"{kind}/{seed}"))
    found = outcome(rows)
    if isinstance(found, TraceError):
        assert kind not in ALWAYS_READ
        assert found.code == "trace.unknown_fields"
        assert parse_map(str(found.values["map"])).says_what_is_asked
        return
    assert [texts(request) for request in found.requests] == truth
    if found.format == "field_map":
        assert [request.arrival_s for request in found.requests] == [r.arrival_s for r in BASE.requests]
        assert notes(found)["proposed"] == 1


def test_times_that_order_the_records_differently_are_asked_for() -> None:
    rows = [
        {"talk": call.messages, "amber": call.at, "basil": call.at + (n * 7919) % 5000}
        for n, call in enumerate(REQUESTS)
    ]
    error = outcome(rows)
    assert isinstance(error, TraceError)
    assert "prompt=talk,time=amber" in str(error.values["map"])


def test_the_maps_of_known_formats_are_what_would_be_proposed() -> None:
    """The proposals find by looks what the formats' own maps say by name."""
    for form, prompt in (
        ("bodies", "messages"),
        ("gemini, pairs", "request.contents"),
        ("anthropic batch", "params.messages"),
        ("litellm, spend logs", "messages"),
        ("stored completions", "input"),
    ):
        rows = head_of(TraceFile("log", FORMS[form].text()))
        assert propose(rows).field_map.prompt == (prompt,), form


def test_records_without_anything_to_read_have_no_proposal() -> None:
    error = error_of(jsonl({"a": 1}, {"a": 2}))
    assert error.code == "trace.unknown_format"
