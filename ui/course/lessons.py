"""The course's text: one Markdown file per chapter and language, cut into named parts, numbers filled in.

    ## hook
    One broth recipe, boiled {times} times.

A part begins with ``## name`` and ends before the next one. ``{name}`` holes are filled with numbers that a
page computes, so no figure stands in the text by hand; ``{n:token|tokens}`` picks a plural as in the string
tables. Both languages have the same parts with the same holes; a test holds them together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import streamlit as st

from ui.frame.session import lang_mode
from ui.words.i18n import Lang, TextError, fill, languages

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "lessons"
# A line break inside a Chinese paragraph would be drawn as a blank: between two characters, also where one of
# them is bold, and beside a full-width mark, which brings its own room.
_WIDE, _MARK = r"[\u3400-\u9fff]", r"[\u3000-\u303f\uff00-\uffef]"
_SOFT_BREAK = re.compile(
    rf"(?<={_MARK})\n(?!\n)|(?<!\n)\n(?={_MARK})|(?<={_WIDE})(\*{{0,2}})\n(\*{{0,2}})(?={_WIDE})"
)
_HEADING = re.compile(r"^## +([a-z0-9_]+) *$", re.MULTILINE)


def chapter_names() -> tuple[str, ...]:
    """All chapters, in order."""
    return tuple(sorted(path.stem for path in (FOLDER / "en").glob("*.md")))


@cache
def parts(chapter: str, lang: Lang) -> Mapping[str, str]:
    """The named parts of a chapter, in order of the file."""
    text = (FOLDER / lang / f"{chapter}.md").read_text(encoding="utf-8")
    pieces = _HEADING.split(text)
    bodies = (_SOFT_BREAK.sub(r"\1\2", body.strip()) for body in pieces[2::2])
    return MappingProxyType(dict(zip(pieces[1::2], bodies, strict=True)))


def part(chapter: str, name: str, lang: Lang, **numbers: object) -> str:
    """One part with its holes filled.

    Raises:
        TextError: no such part, or a number is missing.
    """
    text = parts(chapter, lang).get(name)
    if text is None:
        raise TextError(
            "text.unknown_part", f"Chapter {chapter} ({lang}) has no part {name!r}.", key=f"{chapter}.{name}"
        )
    return fill(text, numbers, f"{chapter}.{name}")


def show_part(chapter: str, name: str, **numbers: object) -> None:
    """Draw a part in the visitor's language; in both languages one under the other."""
    for lang in languages(lang_mode()):
        st.markdown(part(chapter, name, lang, **numbers))
