"""What every number of a log rests on, in words: tokenizer, template, block size, slots. No Streamlit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from core.traffic.bounds import Bound
from ui.traffic.tokenizers import tokenizer_title
from ui.words.i18n import Lang, t
from ui.words.numbers import digits, percent

_SIGNS = {"lower": "traffic.at_least", "upper": "traffic.at_most", "either": "traffic.about"}
Counted = tuple[str | None, str | None, int | None]
"""Tokenizer, template, the log's own block size: what of them there is."""

HEADINGS = ("first", "nothing_lost", "new", "by_setting", "unknown")
"""Requests that no finding accounts for, as the account names them."""


def identity_words(
    tokenizer: str | None, template: str | None, block_size: int | None, lang: Lang
) -> list[str]:
    """How a token is counted: by which tokenizer and template, or in block ids of the log's own."""
    if tokenizer is not None:
        shown = t(f"traffic.template.{template}", lang)
        return [t("traffic.read.tokens", lang, tokenizer=tokenizer_title(tokenizer, lang), template=shown)]
    return [] if block_size is None else [t("traffic.read.blocks", lang, size=block_size)]


def rate_words(rate: float | None, lower_bound: bool, lang: Lang, places: int = 1) -> str:
    """A hit rate as people read it: "–" where there is none, "≥" where the true one may be higher."""
    if rate is None:
        return "–"
    number = t("unit.percent", lang, n=percent(rate, places))
    return bounded(number, "lower" if lower_bound else None, lang)


def bounded(shown: str, bound: Bound | None, lang: Lang) -> str:
    """A number as people read it, with the sign of what is known of it: ≥, ≤, or ≈ where it may be either."""
    if bound == "lower" and shown.startswith("<"):
        shown = re.sub(r"\d", "0", shown[1:].strip())  # less than a cent, or more
    return shown if bound is None else t(_SIGNS[bound], lang, rate=shown)


def verdict_words(verdict: str, bound: Bound | None, lang: Lang) -> str:
    """Whether it is worth it; said to be by a lower bound where more may come again in truth."""
    words = t(f"traffic.verdict.{verdict}", lang)
    return words if bound is None else t("traffic.verdict.bound", lang, verdict=words)


def best_title(ttl_s: float | None, lang: Lang) -> str:
    """What the log itself allows: named so that it is true under the time to live that is set."""
    return t("traffic.best" if ttl_s is None else "traffic.best.no_ttl", lang)


def cuts(counted: Counted, size: int) -> bool:
    """Whether blocks of this size cut the log's own."""
    own = counted[2]
    return own is not None and size % own != 0


def bound_words(counted: Counted, size: int, lang: Lang) -> str:
    """That every rate is a lower bound, and why; empty where they are exact."""
    return t("traffic.lower_bound", lang, size=size, own=counted[2]) if cuts(counted, size) else ""


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
    if cuts(counted, size):
        found.append(t("traffic.basis.lower_bound", lang))
    return " · ".join(found)


def kind_words(kinds: Sequence[str], say: Callable[..., str]) -> str:
    """All that is in a changing span."""
    names = [say(f"traffic.kind.{kind}") for kind in kinds]
    if len(names) < 2:
        return "".join(names)
    words = say("traffic.finding.kinds", first=names[-2], last=names[-1])
    for name in reversed(names[:-2]):
        words = say("traffic.finding.kinds.more", first=name, rest=words)
    return words


def spread_words(told: Mapping[str, str], lang: Lang) -> str:
    """What a tenth, half and nine tenths of the requests have at most. ``told``: r10, r50, r90 (hit rates)
    and n10, n50, n90 (tokens) as they are read; where all three are the same it takes fewer words."""
    parts = []
    for name, letter in (("rates", "r"), ("lengths", "n")):
        same = ".same" if told[f"{letter}10"] == told[f"{letter}90"] else ""
        parts.append(t(f"traffic.spread.{name}{same}", lang, **told))
    return ("" if lang == "zh" else " ").join(parts)
