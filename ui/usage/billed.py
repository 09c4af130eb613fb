"""The rows of the bill in words and shares of money, and how they are computed. No Streamlit."""

from __future__ import annotations

from typing import Any

from ui.usage.prices import Priced, priced_as
from ui.usage.told import Json, fine_money, pause_text, percent_text
from ui.words.i18n import Lang, t
from ui.words.numbers import digits


def two_lives(rules: Json) -> bool:
    """Whether the provider sells two times to live, at two prices of writing."""
    return rules["write_1h"] is not None


def money_parts(row: Json, rules: Json) -> dict[str, float]:
    """What a row pays for reads, for writes, and for tokens that were neither."""
    each = rules["per_million"] / 1e6
    long = rules["write_5m"] if rules["write_1h"] is None else rules["write_1h"]
    written = (row["written_5m"] or 0) * rules["write_5m"] + (row["written_1h"] or 0) * long
    return {
        "read": (row["read"] or 0) * rules["read"] * each,
        "written": written * each,
        "new": (row["new"] or 0) * each,
    }


def row_name(row: Json, lang: Lang) -> str:
    """What the row assumes."""
    if row["id"] == "other_ttl":
        return t(f"usage.bill.other_ttl.{'1h' if row['written_1h'] else '5m'}", lang)
    return t(f"usage.bill.{row['id']}", lang)


def basis_key(row: Json) -> str:
    """What the row's tokens rest on: its money is assumed in any case."""
    return "usage.reported" if row["basis"] == "reported" else f"basis.{row['basis']}"


def row_note(row: Json, first: Json, usage: Json, lang: Lang) -> str:
    """Its share read, its writes, and how far it is from what was paid."""
    rules = usage["bill"]["rules"]
    parts = []
    if row["id"] == "no_cache":
        parts.append(t("usage.bill.full_price", lang, n=digits(int(row["new"] or 0))))
    elif row["rate"] is not None:
        parts.append(t("usage.bill.read", lang, share=percent_text(row["rate"], lang)))
    if row["id"] == "as_it_was":
        parts.append(_writes(row, lang))
    elif row["cost"] is not None and first["cost"] is not None:
        off = row["cost"] - first["cost"]
        key = "same" if abs(off) < 5e-5 else "more" if off > 0 else "less"
        parts.append(t(f"usage.bill.{key}", lang, money=fine_money(abs(off), rules["currency"])))
    return " · ".join(parts)


def _writes(row: Json, lang: Lang) -> str:
    short, long = row["written_5m"] or 0, row["written_1h"] or 0
    if not short and not long:
        return t("usage.bill.no_writes", lang)
    return t("usage.bill.writes", lang, short=digits(int(short)), long=digits(int(long)))


def price_line(rules: Json, lang: Lang) -> str:
    """By which prices, whose, and when they were read."""
    words: dict[str, Any] = {
        "provider": priced_as(rules["id"]).provider,
        "date": rules["read_on"],
        "price": f"{rules['currency']}{rules['per_million']:,.4g}",
        "read": f"{rules['read']:g}",
        "write": f"{rules['write_5m']:g}",
    }
    if two_lives(rules):
        return t("usage.prices.two", lang, long=f"{rules['write_1h']:g}", **words)
    return t("usage.prices.one" if rules["write_5m"] != 1 else "usage.prices.free", lang, **words)


def rows_line(usage: Json, lang: Lang) -> str:
    """Over how many rows the bill is, where some do not say what was read; else ""."""
    number = sum(len(one["turns"]) for one in usage["sessions"])
    if not usage["left_out"]:
        return ""
    return t("usage.bill.rows", lang, n=digits(number), all=digits(number + usage["left_out"]))


def model_line(priced: Priced, lang: Lang) -> str:
    """Why just these prices: the log's model, or a guess."""
    if priced.guessed:
        return t("usage.prices.guessed", lang, provider=priced.provider)
    if not priced.model:
        return t("usage.prices.no_model", lang, provider=priced.provider)
    key = "usage.prices.model" if priced.listed else "usage.prices.unlisted"
    line = t(key, lang, model=priced.model, provider=priced.provider)
    return line if priced.num_models < 2 else f"{line} {t('usage.prices.models', lang, n=priced.num_models)}"


def how_lines(usage: Json, priced: Priced, lang: Lang) -> list[str]:
    """The formulas, the rules behind them, and where they were read."""
    rules = usage["bill"]["rules"]
    lines = [t("usage.how.cost", lang), t("usage.how.reset", lang), t("usage.how.expected", lang)]
    if any(row["id"] in ("other_ttl", "tools_kept") for row in usage["bill"]["rows"]):
        lines.append(t("usage.how.other", lang))
    if rules["minimum"]:
        lines.append(t("usage.how.minimum", lang, n=digits(rules["minimum"])))
    ttl = rules.get("ttl_s")
    lines.append(t("usage.how.ttl", lang, ttl=pause_text(ttl, lang)) if ttl else t("usage.how.no_ttl", lang))
    if priced.num_rows:
        lines.append(model_line(priced, lang))
    lines.append(t("usage.how.source", lang, source=priced.source, date=rules["read_on"]))
    return lines
