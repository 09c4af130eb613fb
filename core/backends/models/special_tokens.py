"""Special tokens: names that are one token wherever they stand, such as the marks of a chat."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping


class SpecialTokens:
    """Names and ids of a tokenizer's special tokens. ``later``: those that are looked for only in what the
    others leave, after it has been normalised."""

    def __init__(self, ids: Mapping[str, int], later: Collection[str] = ()) -> None:
        self._ids = dict(ids)
        self._names = {token_id: name for name, token_id in ids.items()}
        self._early = _pattern(name for name in ids if name not in later)
        self._late = _pattern(name for name in ids if name in later)

    def id(self, name: str) -> int | None:
        """The token of this name, if there is one."""
        return self._ids.get(name)

    def name(self, token_id: int) -> str | None:
        """The name of this token, if it is special."""
        return self._names.get(token_id)

    def split(self, text: str) -> Iterator[tuple[str, int | None]]:
        """Parts of the text in order: (name, id) of a special token, (text, None) of what lies between."""
        yield from self._split(text, self._early)

    def split_later(self, text: str) -> Iterator[tuple[str, int | None]]:
        """The same for the names that are looked for later."""
        yield from self._split(text, self._late)

    def _split(self, text: str, pattern: re.Pattern[str] | None) -> Iterator[tuple[str, int | None]]:
        end = 0
        for match in pattern.finditer(text) if pattern else ():
            if match.start() > end:
                yield text[end : match.start()], None
            yield match.group(), self._ids[match.group()]
            end = match.end()
        if end < len(text):
            yield text[end:], None


def _pattern(names: Iterator[str]) -> re.Pattern[str] | None:
    longest_first = sorted(filter(None, names), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
