"""A log that has to pass: floors and comparisons, exit codes, and the recipe of the manual as it stands."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ui.report.__main__ import main
from ui.report.gate import points, share
from ui.words.i18n import LANGS, Lang

ROOT = Path(__file__).resolve().parents[4]
SHARED = "You are a careful assistant of a shop that sells soup. " * 30


def write(path: Path, *, stamped: bool = False, count: int = 24) -> Path:
    """Conversations of two tenants behind one system prompt, with or without a time in front of it."""
    rows = []
    for number in range(count):
        stamp = f"Now it is 2026-05-01 12:{number:02}:07. " if stamped else ""
        talk = [
            {"role": "system", "content": stamp + SHARED},
            {"role": "user", "content": f"question {number} about {number * 7}"},
        ]
        rows.append({"messages": talk, "tenant": "ab"[number % 2], "timestamp": 60 * number})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def write_usage(path: Path, cached: Sequence[int]) -> Path:
    rows = [
        {
            "id": f"r{number}",
            "model": f"m{number % 2}",
            "usage": {
                "prompt_tokens": 2000,
                "completion_tokens": 9,
                "prompt_tokens_details": {"cached_tokens": one},
            },
        }
        for number, one in enumerate(cached)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return status, out, err


# -- a floor -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "value"), [("0.35", 0.35), ("35%", 0.35), ("100 %", 1.0), ("0", 0.0)])
def test_a_rate_in_the_shell(text: str, value: float) -> None:
    assert share(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["35", "1.2", "101%", "-1%", "nan", "", "½"])
def test_what_is_no_rate_ends_with_the_status_of_an_error(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """argparse ends with 2, which means that a log is under its floor."""
    with pytest.raises(SystemExit) as ended:
        main([str(write(tmp_path / "a.jsonl")), f"--fail-under={text}"])
    assert ended.value.code == 1
    assert "expected 0.35, or 35%" in capsys.readouterr().err


def test_points_in_the_shell() -> None:
    assert [points(one) for one in ("0.5", "2 pp", "1%")] == pytest.approx([0.005, 0.02, 0.01])


@pytest.mark.parametrize("lang", LANGS)
def test_a_floor(lang: Lang, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = write(tmp_path / "good.jsonl"), write(tmp_path / "bad.jsonl", stamped=True)
    status, out, err = told(capsys, good, "--fail-under", "80%", "--lang", lang)
    assert (status, out) == (0, "")
    assert "good.jsonl" in err
    status, out, err = told(capsys, bad, "--fail-under", "0.8", "--lang", lang)
    assert (status, out) == (2, "")
    assert "bad.jsonl" in err
    assert "80.00" in err
    status, out, _ = told(capsys, bad, "--fail-under", "0.8", "--json")
    assert status == 2
    assert json.loads(out)["runs"][0]["hit_rate"] < 0.8


def test_every_block_size_has_to_pass_and_a_lower_bound_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"timestamp": 0, "input_length": 1100, "output_length": 1, "hash_ids": [1, 2, 3]},
        {"timestamp": 1, "input_length": 1100, "output_length": 1, "hash_ids": [1, 2, 4]},
    ]
    log = tmp_path / "blocks.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    status, _, err = told(capsys, log, "--blocks", 16, 512, 2048, "--fail-under", "40%")
    assert status == 2
    assert err.count("blocks.jsonl") == 1
    assert "0.00 % (counted, blocks of 2048)" in err
    _, _, err = told(capsys, log, "--blocks", 16, "--fail-under", "90%")
    assert "≥ 46.55 % (counted, blocks of 16)" in err


def write_part(path: Path, cached: Sequence[int | None], prompt: int = 8000) -> Path:
    """The same short text in every row, beside a long reported prompt; None: what was cached is not said."""
    rows = []
    for one in cached:
        told = {} if one is None else {"prompt_tokens_details": {"cached_tokens": one}}
        talk = [{"role": "user", "content": SHARED}]
        usage = {"prompt_tokens": prompt, "completion_tokens": 9, **told}
        rows.append({"messages": talk, "response": {"usage": usage}})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("lang", LANGS)
def test_a_part_of_the_text_is_judged_by_what_is_reported(
    lang: Lang, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_part(tmp_path / "part.jsonl", [0] * 30)
    status, _, err = told(capsys, log, "--fail-under", "60%", "--lang", lang)
    assert status == 2
    assert {"en": "0.00 % (as the log reports)", "zh": "0.00%"}[lang] in err
    assert {"en": "its text is only", "zh": "文本只相当于"}[lang] in err
    whole = write_part(tmp_path / "whole.jsonl", [0] * 30, prompt=400)
    status, _, err = told(capsys, whole, "--fail-under", "60%", "--lang", lang)
    assert status == 0
    assert {"en": "its text is only", "zh": "文本只相当于"}[lang] not in err


def test_a_part_of_the_text_passes_by_the_lower_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A miss that is written as nothing: a fifth of the rows read 6,400 of 8,000 tokens, so 16 to 80 %."""
    log = write_part(tmp_path / "null.jsonl", ([6400] + [None] * 4) * 6)
    status, _, err = told(capsys, log, "--fail-under", "10%")
    assert status == 0
    assert "between 16.00 % and 80.00 %" in err
    assert told(capsys, log, "--fail-under", "17%")[0] == 2
    silent = write_part(tmp_path / "silent.jsonl", [None] * 30)
    status, _, err = told(capsys, silent, "--fail-under", "1%")
    assert status == 2
    assert "between 0.00 % and 100.00 %" in err


def test_a_part_of_the_text_is_compared_by_what_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write_part(tmp_path / "before.jsonl", [4000] * 30)
    after = write_part(tmp_path / "after.jsonl", [0] * 30)
    status, out, _ = told(capsys, "--compare", before, after)
    assert status == 3
    assert "50.00 % (as the log reports)" in out
    assert out.count("its text is only") == 2
    saved = tmp_path / "before.json"
    saved.write_text(told(capsys, before, "--json")[1], "utf-8")
    status, out, _ = told(capsys, "--compare", saved, after, "--json")
    assert (status, json.loads(out)["basis"]) == (3, "reported")
    whole = write(tmp_path / "whole.jsonl")
    status, _, err = told(capsys, "--compare", whole, after)
    assert status == 1
    assert "one holds whole prompts" in err


def test_usage_is_judged_by_what_it_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write_usage(tmp_path / "usage.jsonl", [0, 1000, 1000, 0])
    assert told(capsys, log, "--fail-under", "25%")[0] == 0
    assert told(capsys, log, "--fail-under", "26%")[0] == 2


def test_lengths_have_no_rate_to_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "azure.csv"
    log.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6,374,44\n", "utf-8")
    status, _, err = told(capsys, log, "--fail-under", "1%")
    assert status == 1
    assert "azure.csv" in err


# -- two logs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_a_worse_log_ends_with_three_and_says_what_changed(
    lang: Lang, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = write(tmp_path / "before.jsonl"), write(tmp_path / "after.jsonl", stamped=True)
    status, out, _ = told(capsys, "--compare", before, after, "--lang", lang)
    assert status == 3
    assert str(before) in out
    assert "messages[0].content" in out
    assert " b: " in out
    assert told(capsys, "--compare", before, after, "--tolerance", 99)[0] == 0
    assert told(capsys, "--compare", after, before)[0] == 0
    assert told(capsys, "--compare", before, after, "--fail-under", "50%")[0] == 2


def test_the_tolerance_is_a_limit_that_may_be_reached(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = (write_usage(tmp_path / name, [0, cached]) for name, cached in (("a", 1000), ("b", 960)))
    assert told(capsys, "--compare", before, after, "--tolerance", 1)[0] == 0
    assert told(capsys, "--compare", before, after, "--tolerance", 0.99)[0] == 3


def test_reports_are_compared_as_logs_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = write(tmp_path / "before.jsonl"), write(tmp_path / "after.jsonl", stamped=True)
    files = []
    for log in (before, after):
        file = log.with_suffix(".json")
        file.write_text(told(capsys, log, "--json")[1], "utf-8")
        files.append(file)
    status, of_reports, _ = told(capsys, "--compare", *files, "--json")
    assert status == 3
    found: dict[str, Any] = json.loads(of_reports)
    same = json.loads(told(capsys, "--compare", before, after, "--json")[1])
    for one in (found, same):
        one["before"].pop("name"), one["after"].pop("name")
    assert found == same
    assert (found["broth"], found["basis"], found["change"]) == ("traffic-comparison", "computed", "worse")
    assert [row["name"] for row in found["sources"]["tenant"]] in (["a", "b"], ["b", "a"])
    assert found["causes"]["new"][0]["path"] == "messages[0].content"


def test_what_is_computed_and_what_is_reported_are_two_quantities(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = write(tmp_path / "before.jsonl"), write_usage(tmp_path / "after.jsonl", [0, 1000])
    status, _, err = told(capsys, "--compare", before, after)
    assert status == 1
    assert "two quantities" in err


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = told(capsys, "--compare", write(tmp_path / "a.jsonl"), tmp_path / "none.jsonl")
    assert status == 1
    assert "none.jsonl" in err


def write_open(path: Path, rates: Sequence[float | None]) -> Path:
    """Prompts of 1,000 tokens; None: the row does not say what was cached."""
    rows = []
    for number, rate in enumerate(rates):
        details = {} if rate is None else {"prompt_tokens_details": {"cached_tokens": round(1000 * rate)}}
        usage = {"prompt_tokens": 1000, "completion_tokens": 9, **details}
        rows.append({"id": f"r{number}", "model": "m", "usage": usage})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_what_a_log_leaves_open_passes_only_where_it_is_sure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rate of the rows that say so passed the floor (90 %), though it lies between 72 and 92 %."""
    log = write_open(tmp_path / "some.jsonl", [0.0, *[1.0] * 9 * 4, *[None] * 9, *[1.0] * 4])
    low, high = 40 / 50, 49 / 50
    assert told(capsys, log, "--fail-under", low)[0] == 0
    status, _, err = told(capsys, log, "--fail-under", low + 0.01)
    assert status == 2
    assert "between 80.00 % and 98.00 %" in err
    assert "it may be under 81.00 %" in err
    assert "is under 99.00 %" in told(capsys, log, "--fail-under", high + 0.01)[2]
    page = tmp_path / "report.html"
    told(capsys, log, "--out", page)
    assert "The log itself reports" not in page.read_text("utf-8")
    exact = write_open(tmp_path / "all.jsonl", [0.0, *[1.0] * 9])
    told(capsys, exact, "--out", page)
    assert "The log itself reports 90.00 % cached, over 10 rows" in page.read_text("utf-8")
    status, out, _ = told(capsys, "--compare", exact, log)
    assert (status, "It may be worse: between −10.00 and +8.00" in out) == (3, True)
    assert told(capsys, "--compare", exact, log, "--tolerance", 10)[0] == 0
    found = json.loads(told(capsys, "--compare", log, exact, "--json")[1])
    assert (found["change"], found["difference"], found["before"]["rate"]) == ("unsure", None, None)
    assert found["difference_bounds"] == pytest.approx([0.9 - high, 0.9 - low])


def test_counts_with_two_meanings_pass_only_under_both_unless_one_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Langfuse's input may or may not hold what was cached: 99.52 or 49.88 %."""
    usage = {"input": 17_903, "input_cached_tokens": 17_817, "output": 100, "total": 35_820}
    head = {"type": "GENERATION", "model": "m", "input": None, "usageDetails": usage}
    log = tmp_path / "langfuse.jsonl"
    log.write_text("".join(json.dumps({"id": f"o{n}", "traceId": f"t{n}", **head}) + "\n" for n in range(3)))
    status, _, err = told(capsys, log, "--fail-under", "60%")
    assert status == 2
    assert "49.88 % or 99.52 %" in err
    assert "--usage-reading" in err
    assert told(capsys, log, "--fail-under", "60%", "--usage-reading", "usual")[0] == 0
    assert told(capsys, log, "--fail-under", "60%", "--usage-reading", "other")[0] == 2
    assert told(capsys, "--compare", log, log)[0] == 0  # each reading beside its like


def test_two_numbers_that_differ_look_different(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It said "72.11 % is under 72.11 %"."""
    log = write_usage(tmp_path / "usage.jsonl", [0, 1000, 1000])
    assert (
        "33.333 % (as the log reports) is under 33.334 %" in told(capsys, log, "--fail-under", "33.334%")[2]
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"broth": "traffic-report", "schema": 99, "log": {}, "runs": []}',
        '{"broth": "traffic-report", "schema": 1, "log": {}, "runs": []}',
        '{"broth": "traffic-report", "schema": 1, "log": [], "runs": {"a": 1}}',
        '{"broth": "traffic-report", "schema": 1, "log": {"name": "a", "requests": 1, "reported_rate": "x"}, '
        '"runs": []}',
    ],
)
def test_a_report_that_cannot_be_compared_is_named(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ended in a traceback."""
    bad = tmp_path / "bad.json"
    bad.write_text(text, "utf-8")
    status, _, err = told(capsys, "--compare", write(tmp_path / "a.jsonl"), bad)
    assert status == 1
    assert "bad.json is no report that this version can compare" in err


def test_a_logs_own_text_does_not_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"
    row = {"timestamp": "\x1b[31mEVIL\u202e", "messages": [{"role": "user", "content": "x"}]}
    log.write_text(json.dumps(row) + "\n", "utf-8")
    _, _, err = told(capsys, log)
    assert "\\u001b[31mEVIL\\u202e" in err
    assert not {"\x1b", "\u202e"} & set(err)


# -- tables --------------------------------------------------------------------------------------------------


def test_a_table_beside_or_instead_of_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, table = write(tmp_path / "log.jsonl"), tmp_path / "log.csv"
    status, out, _ = told(capsys, log, "--csv", table)
    assert (status, out.strip()) == (0, str(table))
    lines = table.read_bytes().decode("utf-8-sig").split("\r\n")
    assert lines[0].startswith("by,name,requests,")
    assert [line.split(",")[0] for line in lines[1:4]] == ["log", "tenant", "tenant"]


# -- the recipe ----------------------------------------------------------------------------------------------


def recipe() -> tuple[dict[str, str], list[str]]:
    """The environment and the commands of the manual's workflow."""
    text = (ROOT / "docs" / "traffic.md").read_text("utf-8")
    (workflow,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    variables = dict(re.findall(r"^      ([A-Z]+): (\S+)$", workflow, re.MULTILINE))
    return variables, re.findall(r"^      - run: (.+)$", workflow, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(("stamped", "statuses"), [(False, [0, 0]), (True, [2, 3])])
def test_the_recipe_runs_as_it_stands(tmp_path: Path, stamped: bool, statuses: list[int]) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "broth").symlink_to(ROOT, target_is_directory=True)
    write(tmp_path / "logs" / "before.jsonl")
    write(tmp_path / "logs" / "after.jsonl", stamped=stamped)
    variables, commands = recipe()
    assert len(commands) == 3
    assert (ROOT / shlex.split(commands[0])[-1].removeprefix("broth/")).is_file()
    found = []
    for command in commands[1:]:
        words = shlex.split(command)
        assert words[0] == "python"
        run = subprocess.run(
            [sys.executable, *words[1:]],
            cwd=tmp_path,
            env={**os.environ, **variables},
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in run.stderr
        found.append(run.returncode)
    assert found == statuses
    assert (tmp_path / "report.html").stat().st_size > 10_000
