"""The tree of a log's first records, what a choice in it does to the map, and the map in the shell."""

from __future__ import annotations

import json
import shlex

import pytest

from core.traces.field_map import FieldMap, parse_map
from core.traces.packing.sources import TraceFile
from ui.report.options import parser, read_options
from ui.traffic.field_rows import (
    Head,
    absent_paths,
    head_of_log,
    shell_text,
    tree_rows,
    with_picks,
    with_role,
)

ROWS = [
    {"a": {"b": json.dumps({"c": [{"role": "user", "content": "x"}]})}, "t": 1, "only_first": "one"},
    {"a": {"b": json.dumps({"c": [{"role": "user", "content": "y"}]})}, "t": 2, "only_second": "two"},
]


def head(*rows: object) -> Head:
    found = head_of_log(TraceFile("x.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))
    assert found is not None
    return found


def test_rows_say_where_a_field_stands_and_how_often() -> None:
    rows = {row["path"]: row for row in tree_rows(head(*ROWS), parse_map("prompt=a.b.c,id=t"))}
    assert rows["a.b.c"]["name"] == "c"
    assert (rows["a.b.c"]["depth"], rows["a.b.c"]["role"]) == (2, "prompt")
    assert rows["only_first"]["share"] == "50"
    assert rows["t"]["share"] == "100"
    assert rows["t"]["role"] == "id"
    assert rows["t"]["proposed"] is False, "a person said so"
    assert rows["a"]["sample"] == "{ … }"


def test_a_role_moves_and_two_fields_share_it_only_where_records_have_one_or_the_other() -> None:
    seen = head(*ROWS)
    chosen = with_role(seen, FieldMap(), "t", "time")
    assert with_role(seen, chosen, "a", "time") == FieldMap(time=("a",)), "both stand in every record"
    either = with_role(seen, FieldMap(prompt=("only_first",)), "only_second", "prompt")
    assert either == FieldMap(prompt=("only_first", "only_second"))
    assert with_role(seen, chosen, "t", "id") == FieldMap(id=("t",)), "a field is one thing"
    assert with_role(seen, chosen, "t", None) == FieldMap()


def test_choices_that_are_told_again_count_once_and_in_order() -> None:
    seen = head(*ROWS)
    first, heard = with_picks(seen, FieldMap(), [[7, "t", "time"], [9, "a.b.c", "prompt"]], 0)
    assert (str(first), heard) == ("prompt=a.b.c,time=t", 9)
    again = [[7, "t", "time"], [9, "a.b.c", "prompt"], [10, "t", "id"]]
    assert with_picks(seen, parse_map("prompt=a.b.c"), again, 9) == (parse_map("prompt=a.b.c,id=t"), 10)
    assert with_picks(seen, first, [[11, "t", ""]], 10) == (parse_map("prompt=a.b.c"), 11)


NO_CHOICES: list[object] = [
    None,
    {},
    "x",
    [[1]],
    [["1", "t", "id"]],
    [[5, "nowhere", "id"]],
    [[0, "t", "id"]],
]


@pytest.mark.parametrize("told", NO_CHOICES)
def test_what_is_no_choice_changes_nothing(told: object) -> None:
    assert with_picks(head(*ROWS), FieldMap(), told, 0)[0] == FieldMap()


def test_what_is_no_record_has_no_tree() -> None:
    for text in ("", "one\ntwo\n", "{broken"):
        assert head_of_log(TraceFile("x", text)) is None
    assert head_of_log(TraceFile("x.csv", "question,day\nhow so,monday\n")) is not None


def test_a_path_that_no_record_has_is_found() -> None:
    assert absent_paths(head(*ROWS), parse_map("prompt=a.b.c,time=T,id=a.b.c[3].id")) == ["T"]


@pytest.mark.parametrize("text", ["prompt=a.b", "prompt=it's|x y,time=t\\,u", "usage=$HOME"])
def test_the_shell_takes_what_can_be_copied(text: str) -> None:
    line = shell_text(["my log's.jsonl"], parse_map(text))
    words = shlex.split(line)
    assert words[:3] == ["python", "-m", "ui.report"]
    args = parser().parse_args(words[3:])
    assert args.trace == ["my log's.jsonl"]
    assert read_options(args).field_map == parse_map(text)
