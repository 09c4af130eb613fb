"""Three lessons of 10, 25 and 40 minutes: their stops, what is said of each, and the numbers in it.

The words lie in ``assets/teacher/{en,zh}.toml``; where a stop opens, in ``places.py``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ui.teacher.figures import figures
from ui.words.i18n import Lang, TextError, fill

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "teacher"

SCRIPTS: Mapping[int, tuple[tuple[str, int], ...]] = MappingProxyType(
    {
        10: (("bet", 1), ("same", 3), ("stamp", 3), ("stamp_end", 2), ("saved", 1)),
        25: (
            *(("bet", 2), ("counter", 2), ("chain", 3), ("partial", 4)),
            *(("touch", 3), ("evict", 4), ("stamp", 4), ("saved", 3)),
        ),
        40: (
            *(("before", 6), ("counter", 2), ("chain", 3), ("partial", 4), ("touch", 3), ("done", 2)),
            *(("evict", 4), ("stamp", 3), ("full", 2), ("cliff", 3), ("decode", 2), ("after", 6)),
        ),
    }
)
"""Length in minutes -> (stop, its minutes) in order."""

WORDS = ("title", "see", "ask", "know", "hear", "true", "point")
"""What is said of a stop: its name, the scene, the question, its answer in a sentence, usual answers, how it
is, what to point at."""
KNOW_EMPTY = "know_empty"
"""What a bet says in place of ``know`` where no hands were counted."""
OPTIONS = "options"
"""What hands are counted for, at most four."""

BETS: Mapping[str, str] = MappingProxyType({"saved": "bet", "after": "before"})
"""A stop that shows the hands of an earlier one again, and which. No answer is told at the earlier one."""

OPTIONAL = frozenset(["counter", "touch", "done", "stamp_end", "full", "decode"])
"""Stops that a lesson which runs late can leave out: nothing behind them needs what they tell."""

RIGHT: Mapping[str, int] = MappingProxyType(
    {
        "same": 1,
        "stamp": 2,
        "stamp_end": 1,
        "counter": 2,
        "chain": 1,
        "partial": 1,
        "touch": 1,
        "done": 2,
        "evict": 0,
        "full": 2,
        "cliff": 2,
        "decode": 1,
        "after": 2,
    }
)
"""The option that is right. Each is held against its run in tests/unit/ui/lecture/test_keys.py."""

RIGHT_ALONE: Mapping[str, int] = MappingProxyType({"bet": 2})
"""The right option of a bet whose answer does not follow, as in a sequence of somebody's own."""

_BREAK = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef”])\n(?=[\u3000-\u9fff\uff00-\uffef“])")


@cache
def _table(lang: Lang) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    return MappingProxyType(tomllib.loads((FOLDER / f"{lang}.toml").read_text("utf-8")))


def entries(kind: str, lang: Lang) -> Mapping[str, Any]:
    """Everything of one kind in one language: ``stop``, ``note``, ``lead`` or ``text``."""
    return _table(lang)[kind]


@cache
def words(name: str, key: str, lang: Lang) -> str:
    """One text of a stop, its numbers filled in.

    Raises:
        TextError: no such stop or text, or a number is missing.
    """
    return _filled(entries("stop", lang).get(name, {}).get(key), figures(name), f"{name}.{key}")


def know_empty(name: str, lang: Lang) -> str:
    """What a bet says where no hands were counted; nothing at another stop.

    Raises:
        TextError: a bet has no such text.
    """
    return words(name, KNOW_EMPTY, lang) if name in BETS.values() else ""


@cache
def options(name: str, lang: Lang) -> tuple[str, ...]:
    """What can be answered; nothing where no hands are counted.

    Raises:
        TextError: no such stop, or a number is missing.
    """
    given = entries("stop", lang).get(name, {}).get(OPTIONS, ())
    return tuple(_filled(one, figures(name), f"{name}.{OPTIONS}") for one in given)


def text(name: str, lang: Lang, **args: object) -> str:
    """One of the page's longer texts.

    Raises:
        TextError: no such text, or a number is missing.
    """
    return _filled(entries("text", lang).get(name), args, name)


def note(name: str, lang: Lang, **args: object) -> str:
    """A word or two in a picture of the lecture.

    Raises:
        TextError: no such note, or a number is missing.
    """
    return _filled(entries("note", lang).get(name), args, f"note.{name}")


def lead(name: str, lang: Lang, **args: object) -> str:
    """The sentence that leads to a question of the stage: what one looks at, and nothing of the answer.

    Raises:
        TextError: no such sentence, or a number is missing.
    """
    return _filled(entries("lead", lang).get(name), args, f"lead.{name}")


def _filled(template: object, args: Mapping[str, object], key: str) -> str:
    if not isinstance(template, str):
        raise TextError("text.unknown_part", f"The teacher's texts have no {key}.", key=key)
    return fill(_BREAK.sub("", template.strip()), args, key)
