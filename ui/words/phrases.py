"""What core says inside an error (what was expected, the reason) in the reader's language.

Core writes such parts in English. The tables hold them as phrases with holes (``phrase.*``); a part is looked
up by its English form, and what stands in its holes may be a phrase again. A part that is no known phrase
stays as it is: names, values, the words of other programs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial

PREFIX = "phrase."
_HOLE = re.compile(r"\{(\w+)\}")
DEEPEST = 4
"""Phrases inside phrases."""


@cache
def _patterns(english: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    """A pattern for each phrase, those with the most text of their own first."""
    found = sorted(english, key=lambda item: -len(_HOLE.sub("", item[1])))
    return tuple((pattern_of(text), key) for key, text in found)


def pattern_of(text: str) -> re.Pattern[str]:
    """What a phrase matches; a hole takes anything that is not empty."""
    places = [match.span() for match in _HOLE.finditer(text)]
    parts, at = [], 0
    for begin, end in places:
        parts += [re.escape(text[at:begin]), f"(?P<{text[begin + 1 : end - 1]}>.+?)"]
        at = end
    return re.compile("".join([*parts, re.escape(text[at:])]), re.DOTALL)


def phrases(table: Mapping[str, str], prefix: str = PREFIX) -> tuple[tuple[str, str], ...]:
    """The phrases of one language, by key."""
    return tuple((key, text) for key, text in table.items() if key.startswith(prefix))


def translated(
    part: str, english: Mapping[str, str], own: Mapping[str, str], prefix: str = PREFIX, depth: int = 0
) -> str:
    """A part in the language of the table `own`, if it is one of the phrases under `prefix`."""
    if own is english or depth > DEEPEST:
        return part
    for pattern, key in _patterns(phrases(english, prefix)):
        match = pattern.fullmatch(part)
        if match is None:
            continue
        holes = match.groupdict()
        told = {name: translated(text, english, own, PREFIX, depth + 1) for name, text in holes.items()}
        return _HOLE.sub(partial(_filled, told), own[key])
    return part


def _filled(holes: Mapping[str, str], hole: re.Match[str]) -> str:
    return holes.get(hole[1], hole[0])
