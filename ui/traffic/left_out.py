"""What a reading left out, as sentences: for the page and for the report."""

from __future__ import annotations

from typing import Any

from core.errors import TraceError
from core.traces.model import Trace
from core.traffic.left_out import num_repeated
from ui.words.i18n import Lang, error_text, t
from ui.words.numbers import Count, percent

Json = dict[str, Any]
MOST_ALIKE = 3
"""Repeated records that are named; the others are counted."""
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
        *(t("traffic.repeated", lang, **one) for one in found["repeated"][:MOST_ALIKE]),
        *_more_repeated(found, lang),
    ]


def _more_repeated(found: Json, lang: Lang) -> list[str]:
    """The others like them, counted."""
    more = found["num_repeated"] - MOST_ALIKE
    return [t("traffic.repeated.more", lang, n=Count(more))] if more > 0 else []


def counted_out(trace: Trace, lang: Lang) -> list[str]:
    """How many records were left out of the count above, for the line that holds it."""
    found = []
    if trace.num_skipped:
        found.append(t("traffic.read.skipped", lang, n=Count(trace.num_skipped)))
    if repeated := num_repeated(trace):
        found.append(t("traffic.read.repeated", lang, n=Count(repeated)))
    return found


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
    """What was wrong, with file and line, and no remedy: it was left out already."""
    return error_text(TraceError(one["code"], one["reason"], **one["values"]), lang, remedy=False)
