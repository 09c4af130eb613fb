"""Asks a visitor's cache, in a process of its own with a time limit, and brings back what it answered."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.demo.judge.script import Ask

CHILD = Path(__file__).resolve().with_name("child.py")
LIMIT = 10.0
"""Seconds that all calls of one scenario may take together."""


@dataclass(frozen=True, slots=True)
class Played:
    """``answers`` to the first calls, as far as they came; then ``wrong`` says why no more came ("" if all
    did), with ``values``. ``loaded``: the file and its class could be used."""

    answers: tuple[Any, ...]
    loaded: bool
    wrong: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    printed: str = ""


def play(file: Path, block_size: int, num_blocks: int, asks: Sequence[Ask], limit: float = LIMIT) -> Played:
    """Run the visitor's file once, on an empty cache, through these calls. ``num_blocks``: usable ones."""
    task = {
        "file": str(file.resolve()),
        "block_size": block_size,
        "num_blocks": num_blocks,
        "limit": limit,
        "calls": [(ask.method, ask.request, list(ask.tokens)) for ask in asks],
    }
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        given, answers = Path(folder) / "task.json", Path(folder) / "answers.jsonl"
        given.write_text(json.dumps(task), encoding="utf-8")
        # Past the limit the child ends by itself and says where; a loop inside C does not let it.
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [sys.executable, "-X", "utf8", str(CHILD), str(given), str(answers)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=limit + 5,
                check=False,
            )
        lines = answers.read_text(encoding="utf-8").splitlines() if answers.exists() else []
    return _read(lines, len(asks))


def _read(lines: Sequence[str], num_calls: int) -> Played:
    answers: list[Any] = []
    loaded, printed = False, ""
    for line in lines:
        try:
            told = json.loads(line)
        except ValueError:
            break  # the process died while it wrote
        printed = told.pop("printed")
        if "wrong" in told:
            return Played(tuple(answers), loaded, told.pop("wrong"), told, printed)
        if told["place"] < 0:
            loaded = True
        elif told["place"] < num_calls:
            answers.append(told["answer"])
        else:
            return Played(tuple(answers), loaded, printed=printed)
    return Played(tuple(answers), loaded, "died", {"line": None, "name": ""}, printed)
