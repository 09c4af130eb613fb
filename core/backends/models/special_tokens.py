"""Special tokens: names that are one token wherever they stand, such as the marks of a chat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping


class SpecialTokens:
    """Names and ids of a tokenizer's special tokens."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = dict(ids)
        self._names = {token_id: name for name, token_id in ids.items()}
        longest_first = sorted((name for name in ids if name), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def id(self, name: str) -> int | None:
        """The token of this name, if there is one."""
        return self._ids.get(name)

    def name(self, token_id: int) -> str | None:
        """The name of this token, if it is special."""
        return self._names.get(token_id)

    def split(self, text: str) -> Iterator[tuple[str, int | None]]:
        """Parts of the text in order: (name, id) of a special token, (text, None) of what lies between."""
        end = 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            if match.start() > end:
                yield text[end : match.start()], None
            yield match.group(), self._ids[match.group()]
            end = match.end()
        if end < len(text):
            yield text[end:], None
