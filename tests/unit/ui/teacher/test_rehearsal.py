"""How many visitors follow from a rehearsal, and what is made of a kept file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ui.teacher.rehearsal import PageRow, Rehearsal, keep, last

FOUND = Rehearsal(
    "2026-11-30", 10, 0.5, 5.0, 60, 0.1, 0.5, cpu_s=0.1, mib=4.0, free_mib=400.0,
    pages=(PageRow("ch01", 0.4, 0.2, 0.1, 3.0), PageRow("ch02", None, None, None, None)),
)  # fmt: skip


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "r.json"
    keep(replace(FOUND, visitors=3), path)
    keep(FOUND, path)
    assert last(path) == FOUND


@pytest.mark.parametrize(
    ("changes", "carries"),
    [
        ({}, 35),  # 0.7 x 5.1 / 0.1
        ({"mib": 40.0}, 20),  # ten are there, 400 MiB hold ten more
        ({"visitors": 50}, 50),  # computed 35, but fifty were answered in time
        ({"visitors": 50, "p95_s": 2.1}, 35),
        ({"visitors": 20, "p95_s": 2.1}, 19),
        ({"visitors": 1, "p95_s": 2.1}, 0),
        ({"cpu_s": None, "mib": None}, 10),
        ({"cpu_s": None, "mib": None, "p95_s": 9.0}, 9),
        ({"mib": 0.0}, 35),
        ({"cpu_s": 10.0, "p95_s": 9.0}, 1),
    ],
)
def test_how_many_it_carries(changes: dict[str, float | None], carries: int) -> None:
    assert replace(FOUND, **changes).carries == carries  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"day": "yesterday"}, {"day": 3}, {"visitors": 0}, {"visitors": "40"}, {"visitors": None},
        {"p95_s": float("nan")}, {"cpu_s": 0}, {"mib": -1.0}, {"pages": None}, {"pages": [{}]}, {"new": 1},
    ],
)  # fmt: skip
def test_a_file_of_another_form_is_no_rehearsal(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "r.json"
    keep(FOUND, path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    assert last(path) is None


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"null", b"{}"])
def test_a_damaged_file_is_no_rehearsal(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(content)
    assert last(path) is None
    assert last(tmp_path / "none.json") is None
