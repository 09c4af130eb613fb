"""The server's folder of logs: what lies in it, and nothing that only seems to."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.traces.packing.sources import TraceFile, files_within
from core.traces.packing.text import lines

OUR_TEXT = "a line of the log"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Beside the folder lies a file that nobody offered; a way to it is named in many ways."""
    (tmp_path / "secret.txt").write_text("a password\n")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "day.jsonl").write_text(f"{OUR_TEXT}\n")
    (tmp_path / "logs" / "sub").mkdir()
    (tmp_path / "logs" / "sub" / "night.jsonl").write_text("another\n")
    return tmp_path / "logs"


@pytest.mark.parametrize("target", ["../secret.txt", "sub/../../secret.txt", "outside", "nowhere", "loop"])
def test_a_link_does_not_lead_out(folder: Path, target: str) -> None:
    (folder / "outside").symlink_to(folder.parent)
    (folder / "link.jsonl").symlink_to(folder / target if target != "loop" else folder / "link.jsonl")
    (folder / "chain.jsonl").symlink_to("link.jsonl")
    assert list(files_within(folder)) == ["day.jsonl"]


def test_a_link_inside_is_a_file_like_any(folder: Path) -> None:
    (folder / "again.jsonl").symlink_to("day.jsonl")
    (folder / "night.jsonl").symlink_to("sub/night.jsonl")
    found = files_within(folder)
    assert list(found) == ["again.jsonl", "day.jsonl", "night.jsonl"]
    assert [text for _, text in lines(TraceFile("again.jsonl", found["again.jsonl"]))] == [OUR_TEXT]


def test_the_folder_itself_may_be_a_link(folder: Path) -> None:
    (folder.parent / "way").symlink_to(folder)
    assert list(files_within(folder.parent / "way")) == ["day.jsonl"]


def test_a_link_that_changes_after_the_look_is_not_followed(folder: Path) -> None:
    """What is opened is where the content lay when we looked, not what the link says by now."""
    link = folder / "again.jsonl"
    link.symlink_to("day.jsonl")
    found = files_within(folder)
    link.unlink()
    link.symlink_to("../secret.txt")
    assert [text for _, text in lines(TraceFile("again.jsonl", found["again.jsonl"]))] == [OUR_TEXT]
