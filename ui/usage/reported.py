"""What a log reports in all: one rate, or bounds where no single one is true, or two readings of which one is
chosen; and the sentences for them. No Streamlit."""

from __future__ import annotations

from core.traces.model import Trace
from core.traces.usage import Reading, Usage, UsageTotals
from ui.usage.told import percent_text
from ui.words.i18n import Lang, t
from ui.words.numbers import Count, digits

PLACES = 1


def rate_text(totals: UsageTotals, lang: Lang) -> str:
    """The big number: a rate, or "16 – 80 %"; "–" where nothing is known."""
    if totals.bounds is not None:
        low, high = totals.bounds
        return f"{percent_text(low, lang, 0)} – {percent_text(high, lang, 0)}"
    return "–" if totals.ratio_of_sums is None else percent_text(totals.ratio_of_sums, lang, PLACES)


def rate_sentences(totals: UsageTotals, lang: Lang) -> list[str]:
    """What the number rests on, and what was left out of it."""
    found = []
    if totals.bounds is not None and totals.why is not None:
        low, high = (percent_text(one, lang, 0) for one in totals.bounds)
        found.append(t(f"usage.rate.{totals.why}", lang, low=low, high=high, n=Count(totals.num_unknown)))
    elif totals.ratio_of_sums is not None:
        words = {"cached": digits(totals.cached_tokens), "prompt": digits(totals.prompt_tokens)}
        found.append(t("usage.rate.known", lang, known=Count(totals.num_known), **words))
        missing = totals.num_unknown + totals.num_contradictory
        if missing:
            found.append(t("usage.rate.left_out", lang, n=Count(missing)))
    if totals.deciding_line is not None:
        found.append(t("usage.readings.line", lang, line=totals.deciding_line))
    return found


def unsaid(trace: Trace) -> int:
    """Rows that do not say what was read, where there are enough of them to change what is true; else 0."""
    totals = trace.reported()
    return totals.num_unknown if totals.bounds is not None else 0


def reading_words(row: Usage, name: Reading, lang: Lang) -> str:
    """What one of the two readings of the row takes the prompt count for."""
    return t(f"usage.reading.words.{row.read_as(name).convention}", lang)


def reading_name(row: Usage, name: Reading, lang: Lang) -> str:
    """The same in two or three words."""
    return t(f"usage.reading.name.{row.read_as(name).convention}", lang)


def reading_chip(trace: Trace, lang: Lang) -> str:
    """How ambiguous rows were read, to stand beside numbers; "" where there are none."""
    row = trace.ambiguous()
    return "" if row is None else t("usage.readings.chip", lang, how=reading_words(row, row.reading, lang))
