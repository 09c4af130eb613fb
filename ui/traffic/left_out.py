"""What a reading left out, as sentences: for the page and for the report."""

from __future__ import annotations

from typing import Any

from core.errors import TraceError
from ui.words.i18n import Lang, error_text, t
from ui.words.numbers import percent

Json = dict[str, Any]
MOST_LOUD = 3
"""Fields that are told above everything else; the others stand in the notes."""
LOUD_SHARE = 0.005


def warnings(found: Json, lang: Lang) -> list[str]:
    """Large fields that may belong to the prompt: every rate below rests on their not doing so."""
    return [_field(one, lang) for one in _loud(found)]


def details(found: Json, lang: Lang) -> list[str]:
    """Everything else that was left out, one line each."""
    loud = _loud(found)
    return [
        *(_field(one, lang) for one in found["unread"] if one not in loud),
        *(_skipped(one, lang) for one in found["skipped"]),
        *(t("traffic.repeated", lang, **one) for one in found["repeated"]),
    ]


def _loud(found: Json) -> list[Json]:
    large = [one for one in found["unread"] if one["may_belong_to_the_prompt"] and one["share"] >= LOUD_SHARE]
    return large[:MOST_LOUD]


def _field(one: Json, lang: Lang) -> str:
    share = t("unit.percent", lang, n=percent(one["share"]))
    if one["estimated"]:
        share = t("traffic.unread.about", lang, share=share)
    if one["may_belong_to_the_prompt"]:
        return t("traffic.unread", lang, path=one["path"], share=share, n=one["records"])
    return t("traffic.unread.parameters", lang, share=share, fields=one["fields"])


def _skipped(one: Json, lang: Lang) -> str:
    """The error in the reader's language; it names file and line."""
    return error_text(TraceError(one["code"], one["reason"], **one["values"]), lang)
