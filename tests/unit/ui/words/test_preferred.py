"""One word for one thing: what the glossary says not to write stands in no text of ours.

Over the string tables, the lessons, the interview, the teacher's texts and the judge's, in both languages.
The glossary may use such a word to explain the one that is preferred. ``ALLOWED`` names the places where it
means something else, each with its reason; a place that no longer needs it is told too.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ui.words.i18n import LANGS, Lang, table

ASSETS = Path(__file__).resolve().parents[4] / "assets"
GLOSSARY = tomllib.loads((ASSETS / "glossary.toml").read_text("utf-8"))

MEMORY = "(?<!主机)(?<!虚拟)内存"
COMPUTER = "the memory of a computer, not of a GPU"
ALLOWED: dict[tuple[str, str], str] = {
    # (word as the glossary has it, place): why it may stand there
    (MEMORY, "error.backend.memory"): COMPUTER,
    (MEMORY, "traffic.gone"): COMPUTER,
    (MEMORY, "traffic.privacy"): COMPUTER,
    (MEMORY, "prefill.memory"): COMPUTER,
    (MEMORY, "held.where"): COMPUTER,
    (MEMORY, "teacher/stop.done.hear"): "how programs free theirs",
    (MEMORY, "teacher/text.class_hold_"): COMPUTER,
    (MEMORY, "lesson/ch05:preempt"): "KV is swapped to no other memory",
    (MEMORY, "lesson/ch08:overhead"): COMPUTER,
}


def rules(lang: Lang) -> list[tuple[str, str]]:
    """(what not to write, what instead)."""
    words = [(one, entry[lang]) for entry in GLOSSARY["term"] for one in entry.get(f"not_{lang}", ())]
    styles = [(one["avoid"], one["instead"]) for one in GLOSSARY["style"] if one["lang"] == lang]
    return words + styles


@cache
def texts(lang: Lang) -> tuple[tuple[str, str], ...]:
    """(place, text): a key; ``interview/…`` and ``teacher/…`` with the path inside; ``lesson/ch01:hook``."""
    found = list(table(lang).items())
    for name, path in (
        ("interview", ASSETS / "interview" / f"{lang}.toml"),
        ("teacher", ASSETS / "teacher" / f"{lang}.toml"),
        ("judge", ASSETS / "judge" / f"{lang}.toml"),
    ):
        found += [(f"{name}/{place}", text) for place, text in leaves(tomllib.loads(path.read_text("utf-8")))]
    for path in sorted((ASSETS / "lessons" / lang).glob("*.md")):
        for part in re.split(r"^## ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            title, _, text = part.partition("\n")
            found.append((f"lesson/{path.stem}:{title.strip()}", text))
    return tuple(found)


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from leaves(one, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from leaves(one, f"{place}.{number}")


def allowed(word: str, place: str) -> bool:
    return any(word == one and place.startswith(where) for one, where in ALLOWED)


@pytest.mark.parametrize("lang", LANGS)
def test_one_word_for_one_thing(lang: Lang) -> None:
    found = [
        f"{place}: {text[max(0, hit.start() - 12) : hit.end() + 12]!r} – write {instead}"
        for word, instead in rules(lang)
        for place, text in texts(lang)
        for hit in [re.search(word, text)]
        if hit and not allowed(word, place)
    ]
    assert found == []


def test_what_is_allowed_is_still_there() -> None:
    used = {
        (word, where)
        for word, where in ALLOWED
        for place, text in texts("zh")
        if place.startswith(where) and re.search(word, text)
    }
    assert set(ALLOWED) - used == set()


def test_the_lists_can_find_something() -> None:
    """A rule that is broken by the word it prefers would help nobody."""
    for lang in LANGS:
        assert len(rules(lang)) > 5
        for word, instead in rules(lang):
            assert not re.search(word, instead), (word, instead)
    assert (MEMORY, "显存") in rules("zh")
    assert re.search("[0-9}] %", "命中 100 %")


@pytest.mark.parametrize("lang", LANGS)
def test_the_glossary_calls_things_by_their_names(lang: Lang) -> None:
    """An explanation may quote the other word only in the entry that refuses it."""
    about = {MEMORY: {"offload tier"}, "fingerprint": {"hash tag"}}
    for entry in GLOSSARY["term"]:
        for word, instead in rules(lang):
            if entry["en"] not in about.get(word, set()):
                assert not re.search(word, entry[f"what_{lang}"]), (entry["en"], word, instead)
