"""Sentences about usage, for page and report: what was reset and why, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ui.words.i18n import Lang, t
from ui.words.numbers import Count, digits, percent

Json = dict[str, Any]
CAUSES = ("ttl", "shrank", "tools", "model", "unexplained")
UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))
MOST_NAMES = 4
JOINT: Mapping[Lang, tuple[str, str]] = {"en": (", ", "; "), "zh": ("，", "；")}
"""Between parts of a list, and between lists."""


def fine_money(value: float, currency: str) -> str:
    """An amount with two digits that matter where it is small: $0.89, $0.117, $0.0042."""
    if value == 0:
        return f"{currency}0"
    size, sign = abs(value), "−" if value < 0 else ""
    if size < 0.0001:
        return f"{sign}< {currency}0.0001"
    places = 0 if size >= 1000 else 2 if size >= 1 else 3 if size >= 0.01 else 4
    return f"{sign}{currency}{size:,.{places}f}"


def pause_text(pause_s: float | None, lang: Lang) -> str:
    """A time in the unit that fits: 46 min, 1.5 h."""
    if pause_s is None:
        return t("usage.pause.unknown", lang)
    size, unit = next((one for one in UNITS if pause_s >= one[0]), UNITS[-1])
    value = pause_s / size
    number = f"{value:.0f}" if value >= 10 or unit == "min" else f"{value:.1f}".removesuffix(".0")
    return t(f"usage.pause.{unit}", lang, n=number)


def gathered(usage: Json) -> Json:
    """The same with all requests that stand alone as one list, last: nobody looks at them one by one."""
    alone = [one for one in usage["sessions"] if len(one["turns"]) == 1]
    if len(alone) < 2:
        return usage
    turns = [turn | {"n": place} for place, turn in enumerate((one["turns"][0] for one in alone), 1)]
    times = [turn["at_s"] for turn in turns if turn["at_s"] is not None]
    minutes = (max(times) - min(times)) / 60 if len(times) == len(turns) else None
    last = alone[0] | {"name": None, "alone": True, "minutes": minutes, "turns": turns}
    return usage | {"sessions": [*(one for one in usage["sessions"] if len(one["turns"]) > 1), last]}


def headline(usage: Json, unsaid: int, lang: Lang) -> str:
    """The finding as a sentence. ``unsaid``: rows that do not say what was read, if enough to matter."""
    number = sum(usage["resets"].values())
    if not number and (unsaid or not (known(usage) or _single(usage))):
        return t("usage.headline.unknown", lang)
    if not number:
        return t("usage.headline.none", lang)
    if len(usage["sessions"]) == 1:
        return t("usage.headline", lang, n=number)
    hit = sum(any(turn["reset"] for turn in one["turns"]) for one in usage["sessions"])
    words = {"k": Count(hit), "all": Count(len(usage["sessions"]))}
    return t("usage.headline.sessions", lang, n=Count(number), **words)


def known(usage: Json) -> bool:
    """Whether of any turn it is known what should have been readable."""
    return any(turn["expected"] is not None for one in usage["sessions"] for turn in one["turns"])


def _single(usage: Json) -> bool:
    return sum(len(one["turns"]) for one in usage["sessions"]) == 1


def resets_sentence(usage: Json, unsaid: int, lang: Lang) -> str:
    """How many of each cause, and how many nobody can tell."""
    counts = usage["resets"]
    found = [t(f"usage.count.{one}", lang, n=Count(counts[one])) for one in CAUSES if counts.get(one)]
    if not found and unsaid:
        return t("usage.unknown.unsaid", lang, n=Count(unsaid))
    if _single(usage):
        return t("usage.counts.single", lang)
    if not known(usage):
        return t("usage.unknown.why", lang)
    if not found:
        return t("usage.counts.none", lang)
    return t("usage.counts", lang, counts=JOINT[lang][0].join(found))


def cost_sentence(usage: Json, lang: Lang) -> str:
    """What the resets cost of the whole bill; "" where there were none."""
    extra = sum(turn["reset"]["extra_cost"] or 0.0 for turn in _resets(usage))
    row = next((one for one in usage["bill"]["rows"] if one["id"] == "as_it_was"), None)
    if row is None or not any(usage["resets"].values()):
        return ""
    currency = usage["bill"]["rules"]["currency"]
    words = {"extra": fine_money(extra, currency), "total": fine_money(row["cost"], currency)}
    return t("usage.cost", lang, **words)


def _resets(usage: Json) -> list[Json]:
    return [turn for one in usage["sessions"] for turn in one["turns"] if turn["reset"]]


def cause_title(turn: Json, session: Json, lang: Lang) -> str:
    """The cause in a few words."""
    reset = turn["reset"]
    if _leaves(turn):
        return t("usage.cause.shrank.leaves", lang)
    if reset["cause"] == "ttl":
        ttl = reset["values"].get("ttl_s") or session.get("ttl_s")
        return t("usage.cause.ttl", lang, ttl=pause_text(ttl, lang))
    return t(f"usage.cause.{reset['cause']}", lang)


def cause_why(turn: Json, lang: Lang) -> str:
    """The evidence, with the turn's own numbers; only what the log says."""
    told = [t(_why_key(turn), lang, **_numbers(turn, lang), **_evidence(turn, lang))]
    if also := turn["reset"]["values"].get("also"):
        names = JOINT[lang][0].join(t(f"usage.cause.{one}.short", lang) for one in also)
        told.append(t("usage.why.also", lang, causes=names))
    return run_on(told, lang)


def _why_key(turn: Json) -> str:
    cause = turn["reset"]["cause"]
    if cause == "unexplained" and turn["pause_s"] is None:
        return "usage.why.unexplained.untimed"
    return "usage.why.shrank.leaves" if _leaves(turn) else f"usage.why.{cause}"


def _numbers(turn: Json, lang: Lang) -> dict[str, str]:
    """What any cause's sentence may name."""
    counts = {name: digits(turn[name] or 0) for name in ("total", "read", "expected")}
    return counts | {"pause": pause_text(turn["pause_s"], lang)}


def _evidence(turn: Json, lang: Lang) -> dict[str, str]:
    """What only this cause's sentence names: `before` is a model, a number of tools or of tokens."""
    cause, values = turn["reset"]["cause"], turn["reset"]["values"]
    if cause == "model":
        return {"old": values["before"] or "?", "new": values["after"] or "?"}
    if cause == "tools":
        return {"told": _tools(values, lang)}
    if cause == "shrank":
        return {"before": digits(values["before"])}
    return {"ttl": pause_text(values.get("ttl_s"), lang)}


def _leaves(turn: Json) -> bool:
    """Whether the prompt did not get shorter but other: the same cause, another sentence."""
    before = turn["reset"]["values"].get("before")
    return bool(turn["reset"]["cause"] == "shrank" and before is not None and turn["total"] >= before)


def _tools(values: Mapping[str, Any], lang: Lang) -> str:
    """Which tools came and went, where the log has their names."""
    parts = []
    for kind in ("added", "removed"):
        names: Sequence[str] = values.get(kind) or ()
        if names:
            more = "…" if len(names) > MOST_NAMES else ""
            parts.append(t(f"usage.tools.{kind}", lang, names=", ".join(names[:MOST_NAMES]) + more))
    return JOINT[lang][1].join(parts) or t("usage.tools.other", lang)


def run_on(sentences: Sequence[str], lang: Lang) -> str:
    """Sentences one behind another; Chinese puts nothing between them."""
    return ("" if lang == "zh" else " ").join(one for one in sentences if one)


def session_name(session: Json, lang: Lang) -> str:
    """As the list of sessions shows it; the name is the log's own."""
    number = sum(1 for turn in session["turns"] if turn["reset"])
    alone = "usage.session.alone" if session.get("alone") else "usage.session.unnamed"
    name = session["name"] or t(alone, lang)
    return t("usage.session.line", lang, name=name, n=Count(len(session["turns"])), resets=number)


def percent_text(share: float, lang: Lang, places: int = 1) -> str:
    """A share with its sign, as the language writes it."""
    return t("unit.percent", lang, n=percent(share, places))
