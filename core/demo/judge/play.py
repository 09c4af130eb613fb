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
from types import NoneType
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
        try:
            lines = answers.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            lines = []
    return _read(lines, asks, num_blocks)


_KINDS = ("no_class", "no_method", "not_written", "raised", "endless", "changed", "range")
_LOOKS: dict[str, tuple[type, ...]] = {
    "look_up": (list,),
    "store": (list, NoneType),
    "free": (NoneType,),
    "evict": (int, NoneType),
}


def _read(lines: Sequence[str], asks: Sequence[Ask], num_blocks: int) -> Played:
    """What stands in the file of answers. The visitor's code can reach it, so nothing in it is believed that
    has not the form of an answer, and all is well only with as many answers as asks."""
    answers: list[Any] = []
    loaded, printed = False, ""
    for line in lines:
        told = _line(line)
        if told is None:
            break  # the process died while it wrote, or something else wrote
        printed = str(told.get("printed", ""))
        if "wrong" in told:
            kind = told["wrong"]
            if kind not in _KINDS and kind not in [f"type_{method}" for method in _LOOKS]:
                break
            values = {name: told[name] for name in ("name", "line", "got") if name in told}
            return Played(tuple(answers), loaded, kind, values, printed)
        if told["place"] == -1 and not answers:
            loaded = True
        elif told["place"] != len(answers) or "answer" not in told:
            break
        elif len(answers) == len(asks):
            return Played(tuple(answers), loaded, printed=printed)
        elif _is_answer(asks[len(answers)].method, told["answer"], num_blocks):
            answers.append(told["answer"])
        else:
            break
    return Played(tuple(answers), loaded, "died", {"line": None, "name": ""}, printed)


def _line(line: str) -> dict[str, Any] | None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) and type(told.get("place")) is int else None


def _is_answer(method: str, answer: Any, num_blocks: int) -> bool:
    if type(answer) not in _LOOKS[method]:
        return False
    blocks = answer if isinstance(answer, list) else [] if answer is None else [answer]
    return all(type(block) is int and 1 <= block <= num_blocks for block in blocks)
