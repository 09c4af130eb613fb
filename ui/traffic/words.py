"""What every number of a log rests on, in words: tokenizer, template, block size, slots. No Streamlit."""

from __future__ import annotations

from ui.traffic.tokenizers import tokenizer_title
from ui.words.i18n import Lang, t
from ui.words.numbers import digits

Counted = tuple[str | None, str | None, int | None]
"""Tokenizer, template, the log's own block size: what of them there is."""


def identity_words(
    tokenizer: str | None, template: str | None, block_size: int | None, lang: Lang
) -> list[str]:
    """How a token is counted: by which tokenizer and template, or in block ids of the log's own."""
    if tokenizer is not None:
        shown = t(f"traffic.template.{template}", lang)
        return [t("traffic.read.tokens", lang, tokenizer=tokenizer_title(tokenizer, lang), template=shown)]
    return [] if block_size is None else [t("traffic.read.blocks", lang, size=block_size)]


def basis_words(counted: Counted, size: int, slots: int | None, ttl_s: float | None, lang: Lang) -> str:
    """One line to stand beside numbers."""
    found = identity_words(*counted, lang) or [t("traffic.basis.ids", lang)]
    found.append(t("traffic.basis.size", lang, size=size))
    if slots is None:
        found.append(t("traffic.room_for_all", lang))
    else:
        found.append(t("traffic.basis.slots", lang, slots=digits(slots)))
    if ttl_s is not None:
        found.append(t("traffic.basis.ttl", lang, seconds=f"{ttl_s:g}"))
    return " · ".join(found)
