"""A tiny rehearsal against a real server; what its table says and what it keeps."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import rehearse
from benchmarks.cpu_clock import HAS_CLOCK
from ui.teacher.rehearsal import PageRow, Rehearsal, last

FOUND = Rehearsal(
    "2026-11-30", 10, 0.5, 5.0, 60, 0.1, 0.5, cpu_s=0.1, mib=4.0, free_mib=400.0,
    pages=(PageRow("ch01", 0.4, 0.2, 0.1, 3.0), PageRow("ch02", None, None, None, None)),
)  # fmt: skip


def main(monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    monkeypatch.setattr(sys, "argv", ["rehearse", *options])
    return rehearse.main()


@pytest.mark.e2e
@pytest.mark.slow
def test_two_visitors_rehearse_two_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "r.json"
    options = ("--visitors", "2", "--minutes", "0.2", "--pages", "ch12", "monitor", "--keep", str(kept))
    assert main(monkeypatch, *options) == 0
    found, said = last(kept), capsys.readouterr().out
    assert found is not None
    assert (found.visitors, [row.page for row in found.pages]) == (2, ["ch12", "monitor"])
    assert found.num_answers >= 2
    assert 0 < found.p50_s <= found.p95_s < 60
    if HAS_CLOCK:
        assert found.cpu_s is not None
        assert 0.001 < found.cpu_s < 5
        assert found.mib is not None
        for row in found.pages:
            assert row.first_cpu_s is not None
            assert row.first_cpu_s > 0.001
    assert f"carries about {found.carries} visitors" in said


def test_a_rehearsal_that_fails_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broke(*_: object) -> Rehearsal:
        raise rehearse.RehearsalError("pages broke:\nch01: KeyError")

    monkeypatch.setattr(rehearse, "rehearse", broke)
    assert main(monkeypatch, "--keep", str(tmp_path / "r.json")) == 1
    assert "ch01: KeyError" in capsys.readouterr().out
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize("options", [["--visitors", "0"], ["--minutes", "0"], ["--pages", "nowhere"]])
def test_a_crowd_that_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch, options: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(monkeypatch, *options)


def test_the_table_has_a_row_for_each_page_and_a_gap_for_what_is_unknown() -> None:
    assert rehearse.table(FOUND).splitlines()[2:] == [
        "| ch01 | 0.40 | 0.200 | 0.100 | 3.0 |",
        "| ch02 | – | – | – | – |",
    ]


def test_the_summary_shows_how_the_number_is_made() -> None:
    said = rehearse.summary(FOUND)
    assert "35 by CPU = 0.7 x (5 + 0.100) s / 0.100 s" in said
    assert "110 by memory" in said
    assert said.endswith("about 35 visitors (the least that was computed, or this crowd if more).")


def test_percentiles_are_values_that_were_seen() -> None:
    values = [float(number) for number in range(20, 0, -1)]
    assert [rehearse.percentile(values, percent) for percent in (50, 95, 100)] == [10, 19, 20]
    assert rehearse.percentile([3.0], 95) == 3
