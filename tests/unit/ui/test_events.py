"""What components tell Python. A state is heard only when it differs from before: what happens twice in the
same words would be heard once. So they tell events only, each of which somebody hears."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = sorted((ROOT / "assets").rglob("*.js"))
PAGES = [path for room in ("ui", "pages") for path in sorted((ROOT / room).rglob("*.py"))]
TOLD = re.compile(r"setTriggerValue(?:\?\.)?\(\s*\"(\w+)\"")
HEARD = re.compile(r"\bon_(\w+)_change=")
MOUNTED = re.compile(r"^(\w+) = component\(", re.MULTILINE)


def texts(paths: list[Path]) -> dict[str, str]:
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


@pytest.mark.parametrize("name", sorted(texts([*SCRIPTS, *PAGES])))
def test_nothing_is_told_as_a_state(name: str) -> None:
    assert "setStateValue" not in (ROOT / name).read_text("utf-8")


def test_every_event_has_a_name_that_can_be_read_here() -> None:
    """A name that is put together would slip through the next test."""
    for name, text in texts(SCRIPTS).items():
        handed = len(re.findall(r"setTriggerValue(?:\?\.)?\(", text))
        assert handed == len(TOLD.findall(text)), name


def test_every_event_is_heard_and_every_listener_has_an_event() -> None:
    told = {event for text in texts(SCRIPTS).values() for event in TOLD.findall(text)}
    mounts = {name: text for name, text in texts(PAGES).items() if MOUNTED.search(text)}
    assert len(mounts) >= 7
    assert told == {event for text in mounts.values() for event in HEARD.findall(text)}
