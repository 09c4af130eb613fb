"""The command: what it prints, what it returns, and what it says about input it cannot use."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from core.conformance.__main__ import main

ROOT = Path(__file__).parent.parent.parent

CACHE: dict[str, Any] = {
    "name": "two_requests",
    "kind": "hand",
    "config": {"block_size": 2, "num_blocks": 4},
    "ops": [
        {
            "op": "start",
            "id": "a",
            "tokens": [1, 2, 3],
            "out": {
                "hit": 0,
                "ok": True,
                "computed": 3,
                "table": [1, 2],
                "refs": [1, 1],
                "new": [1, 2],
                "evicted": [],
                "cached": [[1, 0]],
                "need": [2, 2],
                "free": 1,
                "queue": [3],
                "events": [["stored", [0], None, 2]],
                "win": [1, 3, 0],
                "ctr": [3, 0],
            },
        },
        {
            "op": "start",
            "id": "b",
            "tokens": [7, 8, 9],
            "out": {"hit": 0, "ok": False, "free": 1, "queue": [3], "win": [1, 3, 0], "ctr": [3, 0]},
        },
        {
            "op": "lookup",
            "tokens": [1, 2, 9],
            "out": {
                "ok": True,
                "hit": 2,
                "hit_blocks": [1],
                "free": 1,
                "queue": [3],
                "win": [1, 3, 0],
                "ctr": [3, 0],
            },
        },
    ],
    "contents": [[None, [1, 2], []]],
    "final": {"cached": {"0": [1]}, "blocks": [[1, 1, 0], [2, 1, None], [3, 0, None]], "usage": [2, 3]},
}
STATE = {"waiting": [], "running": [], "computed": {}, "queue": [3, 2, 1]}
SCHED: dict[str, Any] = {
    "name": "one_step",
    "config": {"block_size": 2, "num_blocks": 4, "max_num_seqs": 1, "max_num_batched_tokens": 8},
    "ops": [
        {
            "op": "add",
            "id": "a",
            "tokens": [1, 2, 3],
            "outputs": [4],
            "out": {"running": [], "waiting": ["a"], "computed": {"a": 0}, "queue": [1, 2, 3]},
        },
        {
            "op": "step",
            "out": {
                "scheduled": [["a", 3]],
                "admitted": [["a", 0]],
                "tables": {"a": [1, 2]},
                "finished": ["a"],
                "events": [["stored", [0], None, 2]],
                "win": [1, 3, 0],
                "ctr": [3, 0],
                **STATE,
                "queue": [2, 3, 1],
            },
        },
    ],
    "contents": [[None, [1, 2], []]],
}
CASE: dict[str, Any] = {
    "id": "KV-X",
    "input": {
        "kind": "ops",
        "block_size": 4,
        "capacity_blocks": 4,
        "ops": [
            {"op": "serve", "id": "a", "tokens": "S[0:9]"},
            {"op": "probe", "id": "p", "tokens": "S[0:8] 5"},
        ],
    },
    "expected": {"hits": {"a": 0, "p": 8}},
}
OTHER_CASE = {"id": "KV-Y", "input": {"kind": "price"}, "expected": {}}

Run = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Write values one a line into a file and run the command on it."""

    def run(*lines: Any) -> tuple[int, list[str], str]:
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        (tmp_path / "lines.jsonl").write_text("\n".join(texts), encoding="utf-8")
        status = main([str(tmp_path / "lines.jsonl")])
        captured = capsys.readouterr()
        return status, captured.out.splitlines(), captured.err

    return run


def changed(base: dict[str, Any], *path: str | int, value: Any) -> dict[str, Any]:
    """A copy of a line with one value changed or added."""
    copy: Any = deepcopy(base)
    node = copy
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return copy  # type: ignore[no-any-return]


def without(base: dict[str, Any], *path: str | int) -> dict[str, Any]:
    copy: Any = deepcopy(base)
    node = copy
    for key in path[:-1]:
        node = node[key]
    del node[path[-1]]
    return copy  # type: ignore[no-any-return]


def test_formats_are_told_apart_line_by_line(run: Run) -> None:
    status, out, err = run(CASE, SCHED, "", CACHE, OTHER_CASE)
    skipped, closing = out
    assert (status, closing, err) == (0, "3 scenarios, 7 operations, 0 mismatches, 1 skipped", "")
    assert skipped.endswith(":5 KV-Y skipped: kind price is no run of this engine")


def test_as_a_command_on_a_directory(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(CACHE), encoding="utf-8")
    with gzip.open(tmp_path / "b.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(changed(CACHE, "ops", 0, "out", "hit", value=2)) + "\n")
    (tmp_path / "notes.txt").write_text("not looked at", encoding="utf-8")
    command = [sys.executable, "-m", "core.conformance", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    mismatch, closing = done.stdout.splitlines()
    assert mismatch == f"{tmp_path / 'b.jsonl.gz'}:1 two_requests op 0 start a hit: expected 2 got 0"
    assert closing == "2 scenarios, 6 operations, 1 mismatches, 0 skipped"
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (changed(CACHE, "ops", 0, "out", "queue", value=[]), "op 0 start a queue: expected [] got [3]"),
        (
            changed(CACHE, "ops", 0, "out", "colour", value=1),
            "op 0 start a colour: expected 1 got (unknown field)",
        ),
        (changed(CACHE, "ops", 0, "out", "hit_blocks", value=[1]), "hit_blocks: expected [1] got (absent)"),
        (
            changed(CACHE, "ops", 1, "fits", value=True),
            "op 1 start b fits: expected true got (unknown field)",
        ),
        (changed(CACHE, "config", "max_len", value=9), "config max_len: expected 9 got (unknown field)"),
        (changed(CACHE, "extra", value=9), "scenario extra: expected 9 got (unknown field)"),
        (changed(CACHE, "contents", 0, 1, value=[1, 3]), 'cached: expected [[1, 0]] got [[1, "unrecorded'),
        (changed(CACHE, "final", "usage", value=[1, 3]), "final usage: expected [1, 3] got [2, 3]"),
        (without(CACHE, "ops", 0, "out", "refs"), "op 0 start a refs: expected (absent) got [1, 1]"),
        (without(CACHE, "ops", 0, "out", "events"), 'events: expected [] got [["stored", [0], null, 2]]'),
        (changed(SCHED, "ops", 1, "out", "finished", value=[]), 'op 1 step finished: expected [] got ["a"]'),
        (changed(SCHED, "ops", 1, "out", "preempted", value=["b"]), 'preempted: expected ["b"] got []'),
        (changed(CASE, "expected", "hits", "p", value=4), "hits p: expected 4 got 8"),
        (changed(CASE, "expected", "hits", "q", value=None), "hits q: expected null got (absent)"),
        (changed(CASE, "expected", "colour", value=1), "expected colour: expected 1 got (unknown field)"),
        (
            changed(CASE, "input", "ops", 0, "colour", value=1),
            "op 0 serve colour: expected 1 got (unknown field)",
        ),
    ],
)
def test_each_difference_is_one_line(run: Run, line: dict[str, Any], expected: str) -> None:
    status, out, err = run(line)
    assert (status, err) == (1, "")
    assert any(expected in text for text in out[:-1]), out


@pytest.mark.parametrize(
    "line",
    [
        without(CACHE, "ops", 0, "out", "need"),
        changed(CACHE, "ops", 1, "out", "need", value=[99]),
        changed(CACHE, "ops", 1, "out", "events", value=[]),
        changed(CACHE, "rule", value="explains"),
        changed(CASE, "expected", "old_policy", value={"p": 0}),
        changed(CASE, "expected", "buggy_stats", value={"hits": 9}),
        changed(CASE, "input", "note", value="explains"),
    ],
)
def test_what_only_explains_is_not_compared(run: Run, line: dict[str, Any]) -> None:
    assert run(line)[0] == 0


def test_a_name_that_is_no_utf_8_is_told(tmp_path: Path) -> None:
    half = changed(changed(CACHE, "name", value="\ud83c"), "extra", value="\udf5c")
    (tmp_path / "lines.jsonl").write_text(json.dumps(half), "utf-8")
    command = [sys.executable, "-m", "core.conformance", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert b'\\ud83c scenario extra: expected "\\udf5c" got (unknown field)' in done.stdout


def test_long_values_are_cut(run: Run) -> None:
    _, out, _ = run(changed(CACHE, "ops", 0, "out", "queue", value=list(range(1000))))
    assert max(len(line.rpartition("queue: ")[2]) for line in out) < 300


def test_when_engine_and_recording_part_the_scenario_ends(run: Run) -> None:
    line = changed(CACHE, "ops", 1, "out", "ok", value=True)
    line["ops"].append({"op": "decode", "id": "b", "token": 4, "out": {}})
    status, out, _ = run(line)
    assert status == 1
    assert any("op 3 decode b replay: expected" in text for text in out), out


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "is no JSON"),
        ("[1]", "expected one JSON object a line, got [1]"),
        ({"a": 1}, "no known format"),
        (without(CACHE, "contents"), "contents: missing; expected a list"),
        (without(CACHE, "final"), "final: missing"),
        (without(CACHE, "ops", 0, "out"), "ops[0].out: missing"),
        (without(CACHE, "ops", 2, "tokens"), "ops[2].tokens: missing"),
        (
            changed(CACHE, "ops", 2, "op", value="jump"),
            "ops[2].op: unknown operation 'jump'; known are start",
        ),
        (changed(CACHE, "ops", 2, "tokens", value=[]), "ops[2]: Request look-up has an empty prompt"),
        (changed(CACHE, "ops", 0, "tokens", value=[-1]), "ops[0].tokens: expected a list of whole numbers"),
        (changed(CACHE, "ops", 0, "tokens", value=[2**32]), "ops[0].tokens: expected token ids up to"),
        (changed(CACHE, "ops", 0, "lora", value="x"), "ops[0].lora: expected [name, path]"),
        (changed(CACHE, "ops", 0, "mm", value=["x"]), "ops[0].mm[0]: expected an id"),
        (changed(CACHE, "ops", 1, "id", value="a"), "ops[1].id: request 'a' is running or preempted already"),
        (changed(CACHE, "ops", 2, value={"op": "free", "id": "b", "out": {}}), "request 'b' does not exist"),
        (
            changed(CACHE, "config", "block_size", value=0),
            "config.block_size: expected a whole number from 1",
        ),
        (changed(CACHE, "config", "watermark", value=2), "config: Setting watermark is 2.0"),
        (changed(CACHE, "contents", 0, 0, value=0), "contents[0]: the parents run in a circle"),
        (changed(CACHE, "contents", 0, 0, value=5), "contents[0]: parent 5 is no row"),
        (changed(CACHE, "contents", 0, 1, value=[1]), "contents[0]: expected 2 token ids"),
        (changed(CACHE, "contents", 0, 2, value=[["hat", 1]]), "contents[0]: expected extras of kind"),
        (changed(CACHE, "contents", 0, value=7), "contents[0]: expected [parent or null, tokens, extras]"),
        (changed(SCHED, "ops", 1, value={"op": "abort", "id": "z", "out": {}}), "'z' was never added"),
        (changed(SCHED, "config", "policy", value="best"), "Setting policy is 'best'"),
        (changed(CASE, "input", "ops", 0, "tokens", value="S(0)"), "ops[0].tokens: token part 'S(0)'"),
        (changed(CASE, "input", "ops", 1, value={"op": "finish", "id": "z"}), "'z' was never begun"),
        (without(CASE, "expected"), "expected: missing; expected an object"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_is_replayed(run: Run, line: Any, expected: str) -> None:
    status, out, err = run(CACHE, line, SCHED)
    assert status == 2
    assert expected in err
    assert "lines.jsonl:2" in err
    assert out == ["2 scenarios, 5 operations, 0 mismatches, 0 skipped"]


def test_files_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    (tmp_path / "latin.jsonl").write_bytes(b'{"name": "\xe9"}')
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b"{}")[:-6])
    (tmp_path / "nothing").mkdir()
    (tmp_path / "good.jsonl").write_text(json.dumps(CASE), encoding="utf-8")
    paths = [str(tmp_path), str(tmp_path / "nothing"), str(tmp_path / "missing")]
    assert main(paths) == 2
    captured = capsys.readouterr()
    for message in (
        f"{tmp_path / 'empty.jsonl'}: the file is empty",
        f"{tmp_path / 'latin.jsonl'}: is no UTF-8 text",
        f"{tmp_path / 'cut.jsonl.gz'}: cannot be read",
        f"{tmp_path / 'nothing'}: the directory holds no *.jsonl file",
        f"{tmp_path / 'missing'}: no such file or directory",
    ):
        assert message in captured.err
    assert captured.out.splitlines() == ["1 scenarios, 2 operations, 0 mismatches, 0 skipped"]


def test_no_path_at_all() -> None:
    with pytest.raises(SystemExit) as raised:
        main([])
    assert raised.value.code == 2


def test_a_number_of_thousands_of_digits_is_a_bad_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text('{"name":"x","config":{"block_size":' + "9" * 5000 + "}}\n")
    assert main([str(path)]) == 2
    assert "too long" in capsys.readouterr().err
