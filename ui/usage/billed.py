"""The rows of the bill in words, by which prices they are, and how they are computed. No Streamlit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ui.usage.told import Json, fine_money, pause_text, percent_text, span_money, span_text
from ui.words.i18n import Lang, run_on, t
from ui.words.numbers import Count, digits

MOST_MODELS = 4
"""Models whose price is written out beside the bill; the others are one line."""


def two_lives(rules: Json) -> bool:
    """Whether the provider sells two times to live, at two prices of writing."""
    return rules["write_1h"] is not None


def row_name(row: Json, lang: Lang) -> str:
    """What the row assumes."""
    if row["id"] == "other_ttl":
        return t(f"usage.bill.other_ttl.{'1h' if row['written_1h'] else '5m'}", lang)
    return t(f"usage.bill.{row['id']}", lang)


def cost_text(row: Json, currency: str) -> str:
    """The amount, or from which to which it is."""
    if row["cost_bounds"]:
        low, high = row["cost_bounds"]
        return span_money(low, high, currency)
    return fine_money(row["cost"], currency)


def row_note(row: Json, first: Json, usage: Json, lang: Lang) -> str:
    """Its share read, its writes, how far it is from what was paid, and what it cannot be sure of."""
    parts = (
        [t("usage.bill.full_price", lang, n=digits(int(row["new"] or 0)))] if row["id"] == "no_cache" else []
    )
    if row["id"] != "no_cache":
        parts.append(_read(row, lang))
    if row["id"] == "as_it_was":
        parts.append(_writes(row, lang))
    else:
        parts.append(_off(row, first, usage["bill"]["rules"]["currency"], lang))
    if row["id"] == "engine":
        parts.append(t("usage.bill.same_prices", lang))
        parts.append(_below("usage.bill.below", usage["engine"], lang))
    parts += [t(f"usage.bill.unsure.{one}", lang, n=Count(n)) for one, n in row["unsure"].items() if n]
    return " · ".join(part for part in parts if part)


def _read(row: Json, lang: Lang) -> str:
    if row["rate_bounds"]:
        low, high = (percent_text(one, lang) for one in row["rate_bounds"])
        return t("usage.bill.read.bounds", lang, low=low, high=high)
    return "" if row["rate"] is None else t("usage.bill.read", lang, share=percent_text(row["rate"], lang))


def _off(row: Json, first: Json, currency: str, lang: Lang) -> str:
    if row["cost_bounds"]:
        low, high = (one - first["cost"] for one in row["cost_bounds"])
        signed = [f"{'+' if one > 0 else ''}{fine_money(one, currency)}" for one in (low, high)]
        return t("usage.bill.off", lang, low=signed[0], high=signed[1])
    off = row["cost"] - first["cost"]
    key = "same" if abs(off) < 5e-5 else "more" if off > 0 else "less"
    return t(f"usage.bill.{key}", lang, money=fine_money(abs(off), currency))


def _writes(row: Json, lang: Lang) -> str:
    short, long = row["written_5m"] or 0, row["written_1h"] or 0
    if not short and not long:
        return t("usage.bill.no_writes", lang)
    return t("usage.bill.writes", lang, short=digits(int(short)), long=digits(int(long)))


def engine_words(engine: Json, lang: Lang) -> str:
    """Both rates over the requests whose prompts the log holds; the provider's minimum, if it matters."""
    reported, rate = (percent_text(engine[name], lang) for name in ("reported_rate", "rate"))
    told = t("usage.engine", lang, n=Count(engine["requests"]), rate=rate, reported=reported)
    return run_on([told, _below("usage.engine.below", engine, lang)], lang)


def _below(key: str, engine: Json, lang: Lang) -> str:
    if not engine["below"]:
        return ""
    ends = dict.fromkeys(digits(one) for one in (engine["minimums"][0], engine["minimums"][-1]))
    return t(key, lang, n=Count(engine["below"]), minimum=" – ".join(ends))


def price_lines(usage: Json, lang: Lang) -> list[str]:
    """By which prices, whose, and when they were read; each model's own where there are several."""
    bill = usage["bill"]
    rules, models = bill["rules"], bill["models"]
    if len(models) == 1:
        way, words = _prices(rules)
        return [
            t(f"usage.prices.{way}", lang, provider=models[0]["provider"], date=rules["read_on"], **words)
        ]
    lines = [t("usage.prices.several", lang, date=rules["read_on"])]
    for one in models[:MOST_MODELS]:
        way, words = _prices(one["rules"])
        cost = fine_money(one["cost"], rules["currency"])
        words |= {"n": Count(one["turns"]), "cost": cost, "model": _model(one, lang)}
        lines.append(t(f"usage.prices.each.{way}", lang, **words))
    if more := models[MOST_MODELS:]:
        cost = fine_money(sum(one["cost"] for one in more), rules["currency"])
        lines.append(t("usage.prices.each.more", lang, n=Count(len(more)), cost=cost))
    return lines


def _prices(rules: Json) -> tuple[str, dict[str, Any]]:
    """Which sentence, and its numbers."""
    words = {"read": f"{rules['read']:g}", "write": f"{rules['write_5m']:g}", "price": _price(rules)}
    if two_lives(rules):
        return "two", words | {"long": f"{rules['write_1h']:g}"}
    return ("one" if rules["write_5m"] != 1 else "free"), words


def _price(rules: Json) -> str:
    return f"{rules['currency']}{rules['per_million']:,.4g}"


def _model(entry: Json, lang: Lang) -> str:
    return entry["model"] or t("usage.prices.unnamed", lang)


def rows_line(usage: Json, lang: Lang) -> str:
    """Over how many rows the bill is, where some do not say what was read; else ""."""
    number = sum(len(one["turns"]) for one in usage["sessions"])
    if not usage["left_out"]:
        return ""
    return t("usage.bill.rows", lang, n=digits(number), all=digits(number + usage["left_out"]))


def remarks(usage: Json, lang: Lang) -> list[str]:
    """What is not sure of the prices: each model without a list price, dearer tiers and hours."""
    found = [line for one in usage["bill"]["models"] for line in _remarks(one, lang)]
    return [*found, t("usage.prices.edited", lang)] if usage["bill"].get("edited") else found


def _remarks(entry: Json, lang: Lang) -> list[str]:
    words = {"model": _model(entry, lang), "provider": entry["provider"], "price": _price(entry["rules"])}
    found = []
    if entry["guessed"]:
        key = "usage.prices.guessed" if entry["model"] else "usage.prices.guessed.unnamed"
        found.append(t(key, lang, **words))
    elif not entry["model"]:
        found.append(t("usage.prices.no_model", lang, n=Count(entry["turns"]), **words))
    elif not entry["listed"]:
        found.append(t("usage.prices.unlisted", lang, **words))
    elif not entry["source"]:
        found.append(t("usage.prices.memory", lang, **words))
    long = entry["long"]
    if long is not None and long["turns"]:
        price = f"{entry['rules']['currency']}{long['per_million']:,.4g}"
        above = {"above": digits(long["above"]), "n": Count(long["turns"]), "price": price}
        found.append(t("usage.prices.long", lang, **words | above))
    if entry["peak"]:
        found.append(t("usage.prices.peak", lang, **words))
    return found


def how_lines(usage: Json, lang: Lang) -> list[str]:
    """The formulas, the rules behind them, and where they were read."""
    rules = usage["bill"]["rules"]
    lines = [t("usage.how.cost", lang), t("usage.how.reset", lang), t("usage.how.expected", lang)]
    if any(row["id"] in ("other_ttl", "tools_kept") for row in usage["bill"]["rows"]):
        lines.append(t("usage.how.other", lang))
    lines += _each(usage, _minimum, lang) + _each(usage, _life, lang)
    sources = [one for one in usage["bill"]["models"] if one["listed"] and one["source"]]
    named = [t("usage.how.of", lang, model=one["model"], told=one["source"]) for one in sources]
    if named:
        lines.append(run_on([t("usage.how.sources", lang, date=rules["read_on"]), "; ".join(named)], lang))
    return lines


def _each(usage: Json, told: Callable[[Json, Lang], str], lang: Lang) -> list[str]:
    """A sentence about a model's rules: once if it is the same for all, else with the model's name."""
    found = [(one, told(one["rules"], lang)) for one in usage["bill"]["models"][:MOST_MODELS]]
    lines = {line for _, line in found}
    if len(lines) == 1:
        return [line for line in lines if line]
    return [t("usage.how.of", lang, model=_model(one, lang), told=line) for one, line in found if line]


def _minimum(rules: Json, lang: Lang) -> str:
    return t("usage.how.minimum", lang, n=digits(rules["minimum"])) if rules["minimum"] else ""


def _life(rules: Json, lang: Lang) -> str:
    ttl, usual = rules["ttl_s"], rules["usual_s"]
    if usual:
        key = "usage.how.ttl.usual" if ttl else "usage.how.ttl.open"
        return t(key, lang, usual=span_text(usual, lang), ttl=pause_text(ttl, lang))
    return t("usage.how.ttl", lang, ttl=pause_text(ttl, lang)) if ttl else t("usage.how.no_ttl", lang)
