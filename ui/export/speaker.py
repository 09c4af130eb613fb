"""Sentences of the tables as HTML, in one language or in two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from ui.words.i18n import Lang, t

Say = Callable[..., str]


def speaker(spoken: Sequence[Lang]) -> Say:
    """Sentences as HTML: the leading language, the other one small behind it."""

    def say(key: str, **args: object) -> str:
        texts = [escape(t(key, lang, **args)) for lang in spoken]
        return texts[0] + "".join(f' <span class="second" lang="en">{text}</span>' for text in texts[1:])

    return say
