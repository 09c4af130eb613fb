"""What is written into the page: between the markers, again and again, and never more than was seen."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from run import ROOT
from tests.fidelity.branches import Part, Untaken
from tests.fidelity.document import BEGIN, END, Run, text_of, write


def made_run(**more: object) -> Run:
    run = Run("0.33.0", "2026-11-30", seed=7, asked=400, num_scenarios=400, num_operations=19_482)
    run.cases = Counter({"preemption, priority": 1234})
    run.parts = [
        Part("one step", 10, 7, [Untaken("f", 1, "self.connector", "connectors"), Untaken("g", 2, "x", "")])
    ]
    run.earlier = [Part("one step", 10, 5)]
    for name, value in more.items():
        setattr(run, name, value)
    return run


def test_what_was_seen_is_said() -> None:
    text = text_of(made_run())
    assert "Equal to vLLM 0.33.0 on 400 new scenarios, 19,482 operations (seed 7), 2026-11-30." in text
    assert "`python -m tests.fidelity --vllm 0.33.0 --scenarios 400 --seed 7`" in text
    assert "| one step | 10 | 1 | 5 | 7 | 2 |" in text  # left: 10 - 1 - 7
    assert "| **all** | 10 | 1 | 5 | 7 | 2 |" in text
    assert "connectors 1" in text
    assert "- `g`: `x`" in text  # ours to reach, and not reached
    assert "preemption, priority 1,234" in text


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"different": ["a", "b"]}, "2 differ, 0 could not be recorded"),
        ({"refused": ["a"]}, "0 differ, 1 could not be recorded"),
        ({"num_scenarios": 0}, "of 0 new scenarios"),
    ],
)
def test_what_is_not_equal_is_not_called_so(more: dict[str, object], words: str) -> None:
    run = made_run(**more)
    assert not run.is_equal
    assert run.verdict().startswith("Not equal to vLLM 0.33.0")
    assert words in run.verdict()


def test_only_what_stands_between_the_markers_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n", "utf-8")
    write(page, "first")
    write(page, "second")
    assert page.read_text("utf-8") == f"before\n\n{BEGIN}\nsecond\n{END}\n\nafter\n"


@pytest.mark.parametrize("page", ["", BEGIN, f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_a_page_without_a_place_is_not_touched(page: str, tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    target.write_text(page, "utf-8")
    with pytest.raises(ValueError, match="has no place for it"):
        write(target, "text")
    assert target.read_text("utf-8") == page


def test_the_papers_of_the_project_say_the_same_and_say_equal() -> None:
    page, readme = (
        (ROOT / name).read_text("utf-8").split(BEGIN)[1].split(END)[0]
        for name in ("docs/fidelity.md", "README.md")
    )
    assert readme.strip() == page.strip().splitlines()[0]
    assert re.match(
        r"\*\*Equal to vLLM [\d.]+ on [\d,]{3,} new scenarios, [\d,]{5,} operations", readme.strip()
    )
