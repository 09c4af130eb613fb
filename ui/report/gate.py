"""A log that has to pass: the least hit rate, and two logs beside each other, with exit codes for a pipeline.

0: it passes. 1: something could not be read, or there is no rate to compare. 2: under the least rate. 3:
worse than before by more than the tolerance. Where the log leaves its rate open, only what is sure passes.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import TraceError
from ui.words.i18n import Lang, t
from ui.words.numbers import percent

Json = dict[str, Any]
OK, ERROR, UNDER, WORSE = range(4)
EQUAL = 1e-12
"""Rates that differ by less are the same: sums of floats."""
Basis = Literal["computed", "reported"]


@dataclass(frozen=True, slots=True)
class Rate:
    """A log's rate from 0 to 1, and what it rests on: computed from the prompts, or reported by the log.

    ``cases``: between what it lies, one pair for each way to read the log's own counts. ``lower_bound``: the
    true one may be higher than all of them.
    """

    cases: tuple[tuple[float, float], ...]
    basis: Basis
    lower_bound: bool = False
    block_size: int | None = None

    @property
    def low(self) -> float:
        """At least this, however the log is read: by this it is judged."""
        return min(low for low, _ in self.cases)

    @property
    def high(self) -> float:
        """At most this, as far as the log tells."""
        return max(high for _, high in self.cases)

    @property
    def exact(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high


def share(text: str) -> float:
    """``0.35`` or ``35%``, from the shell; a bare 35 could mean either and is refused."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(%?)", text.strip(), re.ASCII)
    value = float(found[1]) / (100 if found[2] else 1) if found else -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no rate; expected 0.35, or 35%")
    return value


def points(text: str) -> float:
    """Percentage points, from the shell."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:%|pp)?", text.strip(), re.ASCII)
    if not found or float(found[1]) > 100:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of percentage points; expected 0.5")
    return float(found[1]) / 100


def rates_of(summary: Json, basis: Basis | None = None) -> list[Rate]:
    """What a report says: one rate for each block size, or the one that the log reports itself: bounds where
    rows leave it open, and both where its counts can be read in two ways and nobody has chosen one. A text
    that is only a part of the prompts gives no rate.

    Raises:
        TraceError: neither is known.
    """
    computed = (
        []
        if text_part(summary) is not None
        else [
            Rate(((rate, rate),), "computed", run.get("lower_bound", False), run["settings"]["block_size"])
            for run in summary["runs"]
            if (rate := run["hit_rate"]) is not None
        ]
    )
    if computed and basis != "reported":
        return computed
    cases = _reported(summary["log"])
    if not cases and text_part(summary) is not None:
        cases = ((0.0, 1.0),)  # whole prompts are missing, and so is what was cached of them
    if cases and basis != "computed":
        return [Rate(cases, "reported")]
    name = summary["log"]["name"]
    message = (
        f"{name} has no hit rate to judge: it holds no prompts that can be replayed, and its own reports do "
        "not come to one number. Use a log with prompts, block ids, or usage in every row."
    )
    raise TraceError("report.no_rate", message, name=name)


def text_part(summary: Json) -> float | None:
    """How much of the reported prompt tokens the log's text is, where it is far too little to compute from;
    else None. Reports of earlier versions do not say."""
    return summary["log"].get("text_share") if summary["runs"] else None


def _reported(log: Json) -> tuple[tuple[float, float], ...]:
    """The reading that was taken, then the other one where it is open."""
    rate = log["reported_rate"]
    low, high = log.get("reported_bounds") or (rate, rate)
    if low is None:
        return ()
    readings = (log.get("reported_readings") or {}).values() if log.get("reported_reading") is None else ()
    others = [one for one in readings if one is not None and one != rate]
    return ((low, high), *((one, one) for one in others))


def under(summary: Json, least: float, lang: Lang) -> list[str]:
    """A sentence for each rate that is too low, or not sure to be high enough; none if the log passes."""
    name, found = summary["log"]["name"], []
    for one in rates_of(summary):
        if one.low < least - EQUAL:
            key = "report.under" if one.high < least - EQUAL else "report.unsure"
            places = apart(one.low, least)
            numbers = {"rate": rate_words(one, lang, places), "least": percent(least, places)}
            found.append(t(key, lang, name=name, **numbers))
    return found and [*found, *part_words(name, text_part(summary), lang)]


def passed(summary: Json, least: float, lang: Lang) -> str:
    """That it is not too low."""
    rates = ", ".join(rate_words(one, lang) for one in rates_of(summary))
    name = summary["log"]["name"]
    told = t("report.passed", lang, name=name, rate=rates, least=percent(least, 2))
    return "\n".join([told, *part_words(name, text_part(summary), lang)])


def part_words(name: str, part: float | None, lang: Lang) -> list[str]:
    """Why a log with text is judged by what it reports; nothing for others."""
    if part is None:
        return []
    return [t("report.part", lang, name=name, share=t("unit.percent", lang, n=f"{100 * part:.2g}"))]


def apart(value: float, other: float) -> int:
    """Decimal places of percent with which two different numbers look different."""
    return next((places for places in range(2, 9) if percent(value, places) != percent(other, places)), 9)


def rate_words(rate: Rate, lang: Lang, places: int = 2) -> str:
    """A rate with its basis."""
    low, high = (t("unit.percent", lang, n=percent(one, places)) for one in (rate.low, rate.high))
    if rate.block_size is not None:
        words = t("traffic.at_least", lang, rate=low) if rate.lower_bound else low
        return t("report.rate.computed", lang, rate=words, size=rate.block_size)
    key = "reported" if rate.exact else "some_unknown"
    if len(rate.cases) > 1 and all(least == most for least, most in rate.cases):
        key = "two_readings"
    return t(f"report.rate.{key}", lang, rate=low, low=low, high=high)
