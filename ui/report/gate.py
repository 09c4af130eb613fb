"""A log that has to pass: the least hit rate, and two logs beside each other, with exit codes for a pipeline.

0: it passes. 1: something could not be read, or there is no rate to compare. 2: under the least rate. 3:
worse than before by more than the tolerance.
"""

from __future__ import annotations

import argparse
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.errors import TraceError
from ui.words.i18n import Lang, t
from ui.words.numbers import percent

Json = dict[str, Any]
REPORT, HEAD_BYTES = "traffic-report", 200
OK, ERROR, UNDER, WORSE = range(4)
Basis = Literal["computed", "reported"]


@dataclass(frozen=True, slots=True)
class Rate:
    """A log's rate from 0 to 1, and what it rests on: computed from the prompts, or reported by the log.
    ``lower_bound``: the true one may be higher."""

    value: float
    basis: Basis
    lower_bound: bool = False
    block_size: int | None = None


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
    """What a report says: one rate for each block size, or the one that the log reports itself (the lower end
    where it only comes to bounds).

    Raises:
        TraceError: neither is known.
    """
    computed = [
        Rate(run["hit_rate"], "computed", run.get("lower_bound", False), run["settings"]["block_size"])
        for run in summary["runs"]
        if run["hit_rate"] is not None
    ]
    reported = summary["log"]["reported_rate"]
    if computed and basis != "reported":
        return computed
    if reported is not None and basis != "computed":
        return [Rate(reported, "reported")]
    bounds = summary["log"].get("reported_bounds")
    if bounds is not None and basis != "computed":
        return [Rate(bounds[0], "reported", lower_bound=True)]
    name = summary["log"]["name"]
    message = (
        f"{name} has no hit rate to judge: it holds no prompts that can be replayed, and its own reports do "
        "not come to one number. Use a log with prompts, block ids, or usage in every row."
    )
    raise TraceError("report.no_rate", message, name=name)


def under(summary: Json, least: float, lang: Lang) -> list[str]:
    """A sentence for each rate that is too low; none if the log passes."""
    return [
        t(
            "report.under",
            lang,
            name=summary["log"]["name"],
            rate=rate_words(one, lang),
            least=percent(least, 2),
        )
        for one in rates_of(summary)
        if one.value < least - 1e-12
    ]


def passed(summary: Json, least: float, lang: Lang) -> str:
    """That it is not too low."""
    rates = ", ".join(rate_words(one, lang) for one in rates_of(summary))
    return t("report.passed", lang, name=summary["log"]["name"], rate=rates, least=percent(least, 2))


def report_in(name: str) -> Json | None:
    """A report that ``--json`` printed; None if the file is anything else."""
    path = Path(name)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        if REPORT.encode() not in file.read(HEAD_BYTES):
            return None
    with suppress(ValueError):
        found = json.loads(path.read_text("utf-8"))
        if isinstance(found, dict) and found.get("broth") == REPORT and isinstance(found.get("runs"), list):
            return found
    return None


def rate_words(rate: Rate, lang: Lang) -> str:
    """A rate with its basis."""
    number = t("unit.percent", lang, n=percent(rate.value, 2))
    words = t("traffic.at_least", lang, rate=number) if rate.lower_bound else number
    if rate.block_size is None:
        return t("report.rate.reported", lang, rate=words)
    return t("report.rate.computed", lang, rate=words, size=rate.block_size)
