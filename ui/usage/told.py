"""Sentences about usage, for page and report: what was reset and why, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ui.words.i18n import Lang, run_on, t
from ui.words.numbers import Count, digits, percent

Json = dict[str, Any]
CAUSES = ("ttl", "probably_idle", "shrank", "tools", "model", "unexplained")
UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))
LIKELY = ("together", "behind_changed")
"""What an unexplained reset looks like, where the log has a trace of it."""
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


def span_money(low: float, high: float, currency: str) -> str:
    """One amount, or from which to which it is."""
    texts = [fine_money(one, currency) for one in (low, high)]
    return " – ".join(dict.fromkeys(texts))


def extra_text(reset: Json, currency: str) -> str:
    """What a reset cost: at least, and at most where a shortened prompt leaves that open."""
    return span_money(reset["extra_cost"], reset["extra_cost_most"], currency)


def pause_text(pause_s: float | None, lang: Lang) -> str:
    """A time in the unit that fits: 46 min, 1.5 h."""
    if pause_s is None:
        return t("usage.pause.unknown", lang)
    size, unit = next((one for one in UNITS if pause_s >= one[0]), UNITS[-1])
    value = pause_s / size
    number = f"{value:.0f}" if value >= 10 or unit == "min" else f"{value:.1f}".removesuffix(".0")
    return t(f"usage.pause.{unit}", lang, n=number)


def span_text(usual_s: Sequence[float], lang: Lang) -> str:
    """From when on an entry may be gone, and when it usually is: "5 to 10 min", or "at least 30 min"."""
    first, last = (f"{one / 60:g}" for one in usual_s)
    if first == last:
        return t("usage.span.least", lang, n=first)
    return t("usage.span", lang, **{"from": first, "to": last})


def gathered(usage: Json) -> Json:
    """The same with all requests that stand alone as one list, last: nobody looks at them one by one."""
    alone = [one for one in usage["sessions"] if len(one["turns"]) == 1]
    if len(alone) < 2:
        return usage
    turns = [turn | {"n": place} for place, turn in enumerate((one["turns"][0] for one in alone), 1)]
    times = [turn["at_s"] for turn in turns if turn["at_s"] is not None]
    minutes = (max(times) - min(times)) / 60 if len(times) == len(turns) else None
    sums = {name: sum(one[name] for one in alone) for name in ("unknown", "judged")}
    last = alone[0] | {"name": None, "alone": True, "minutes": minutes, "turns": turns} | sums
    return usage | {"sessions": [*(one for one in usage["sessions"] if len(one["turns"]) > 1), last]}


def headline(usage: Json, unsaid: int, lang: Lang) -> str:
    """The finding as a sentence. ``unsaid``: rows that do not say what was read, if enough to matter."""
    number, all_ = sum(usage["resets"].values()), len(usage["sessions"])
    if not number and (unsaid or not (known(usage) or _single(usage))):
        return t("usage.headline.unknown", lang)
    if not number:
        several = all_ > 1 and not any(one.get("alone") for one in usage["sessions"])
        return t("usage.headline.none.sessions" if several else "usage.headline.none", lang, n=Count(all_))
    least = ".least" if usage["left_out"] else ""
    if all_ == 1:
        return t(f"usage.headline{least}", lang, n=Count(number))
    hit = sum(any(turn["reset"] for turn in one["turns"]) for one in usage["sessions"])
    words = {"k": Count(hit), "all": Count(all_)}
    return t(f"usage.headline.sessions{least}", lang, n=Count(number), **words)


def known(usage: Json) -> bool:
    """Whether of any turn it is known what should have been readable."""
    return any(turn["expected"] is not None for one in usage["sessions"] for turn in one["turns"])


def _single(usage: Json) -> bool:
    return sum(len(one["turns"]) for one in usage["sessions"]) == 1


def resets_sentence(usage: Json, unsaid: int, lang: Lang) -> str:
    """How many of each cause, and how many nobody can tell."""
    counts = usage["resets"]
    found = [t(f"usage.count.{one}", lang, n=Count(counts[one])) for one in CAUSES if counts.get(one)]
    if found:
        return t("usage.counts", lang, counts=JOINT[lang][0].join(found))
    if unsaid:
        return t("usage.unknown.unsaid", lang, n=Count(unsaid))
    if _single(usage):
        return t("usage.counts.single", lang)
    if not known(usage):
        return t("usage.unknown.why", lang)
    return run_on([t("usage.counts.none", lang), _starts(usage, lang)], lang)


def _starts(usage: Json, lang: Lang) -> str:
    """What the first turns of several sessions computed: nothing says whether they had to."""
    talks = [one for one in usage["sessions"] if not one.get("alone")]
    if len(talks) < 2:
        return ""
    first = [one["turns"][0] for one in talks]
    tokens = digits(sum(turn["total"] - turn["read"] for turn in first))
    return t("usage.counts.starts", lang, n=Count(len(talks)), tokens=tokens)


def cost_sentence(usage: Json, lang: Lang) -> str:
    """What the resets cost of the whole bill; "" where there were none."""
    found = [turn["reset"] for turn in _resets(usage)]
    row = next((one for one in usage["bill"]["rows"] if one["id"] == "as_it_was"), None)
    if row is None or not any(usage["resets"].values()):
        return ""
    currency = usage["bill"]["rules"]["currency"]
    low, high = (sum(one[name] for one in found) for name in ("extra_cost", "extra_cost_most"))
    words: Json = {"extra": span_money(low, high, currency), "total": fine_money(row["cost"], currency)}
    if not usage["left_out"]:
        return t("usage.cost", lang, **words)
    told = sum(len(one["turns"]) for one in usage["sessions"])
    return t("usage.cost.rows", lang, n=digits(told), all=digits(told + usage["left_out"]), **words)


def _resets(usage: Json) -> list[Json]:
    return [turn for one in usage["sessions"] for turn in one["turns"] if turn["reset"]]


def cause_title(turn: Json, session: Json, lang: Lang) -> str:
    """The cause in a few words."""
    cause, values = turn["reset"]["cause"], turn["reset"]["values"]
    if _leaves(turn):
        return t("usage.cause.shrank.leaves", lang)
    if cause == "ttl":
        return t("usage.cause.ttl", lang, ttl=pause_text(values["ttl_s"] or session.get("ttl_s"), lang))
    likely = values.get("likely") if cause == "unexplained" else None
    return t(f"usage.cause.{likely or cause}", lang)


def cause_why(turn: Json, lang: Lang) -> str:
    """The evidence, with the turn's own numbers; only what the log says."""
    told = [t(_why_key(turn), lang, **_numbers(turn, lang), **_evidence(turn, lang))]
    if turn["reset"]["cause"] == "unexplained":
        told += _possible(turn["reset"]["values"], lang)
    if also := turn["reset"]["values"].get("also"):
        names = JOINT[lang][0].join(t(f"usage.cause.{one}.short", lang) for one in also)
        told.append(t("usage.why.also", lang, causes=names))
    return run_on(told, lang)


def _why_key(turn: Json) -> str:
    cause, values = turn["reset"]["cause"], turn["reset"]["values"]
    if cause == "unexplained" and turn["pause_s"] is None:
        return "usage.why.unexplained.untimed"
    if cause == "probably_idle" and not values["ttl_s"]:
        return "usage.why.probably_idle.open"
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
    usual = values.get("usual_s")
    words = {"usual": span_text(usual, lang)} if usual else {}
    return words | {"ttl": pause_text(values.get("ttl_s"), lang)}


def _possible(values: Mapping[str, Any], lang: Lang) -> list[str]:
    """What may be behind an unexplained reset: what the log hints at, else what would look the same."""
    likely = values["likely"]
    if likely == "together":
        return [t("usage.why.together", lang, gap=pause_text(values["gap_s"], lang))]
    if likely == "behind_changed":
        return [t("usage.why.behind_changed", lang, stop=values["stops_at"])]
    told = [t("usage.why.shown" if values["shows"] else "usage.why.hidden", lang)]
    told += [t("usage.why.marked", lang)] if values["marked"] else []
    return told + ([] if values["model_named"] else [t("usage.why.unnamed", lang)])


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


def session_name(session: Json, lang: Lang) -> str:
    """As the list of sessions shows it; the name is the log's own."""
    number = sum(1 for turn in session["turns"] if turn["reset"])
    alone = "usage.session.alone" if session.get("alone") else "usage.session.unnamed"
    name = session["name"] or t(alone, lang)
    way = ".least" if number and session["unknown"] else ""
    if not number and (session["unknown"] or not session["judged"]):
        way = ".unknown"
    words = {"n": Count(len(session["turns"])), "resets": Count(number)}
    return t(f"usage.session.line{way}", lang, name=name, **words)


def percent_text(share: float, lang: Lang, places: int = 1) -> str:
    """A share with its sign, as the language writes it."""
    return t("unit.percent", lang, n=percent(share, places))
