"""What travels to the usage figure: the turns of one session, its resets in words, the bill. Pure."""

from __future__ import annotations

from typing import Any

from ui.usage.billed import how_lines, money_parts, price_line, row_name, row_note, two_lives
from ui.usage.prices import Priced
from ui.usage.told import Json, cause_title, cause_why, fine_money
from ui.words.i18n import LangMode, languages, t
from ui.words.palette import PALETTE

COLUMNS = ("read", "written", "new", "total")


def usage_payload(usage: Json, place: int, priced: Priced, name: str, reading: str, mode: LangMode) -> Json:
    """The component's whole ``data``. ``place``: which session; ``reading``: how ambiguous rows were read, ""
    where none is."""
    session = usage["sessions"][place]
    turns = session["turns"]
    columns: dict[str, Any] = {one: [turn[one] or 0 for turn in turns] for one in COLUMNS}
    columns |= {"n": [turn["n"] for turn in turns], "pause": [turn["pause_s"] for turn in turns]}
    columns["expected"] = [turn["expected"] for turn in turns]
    columns["known"] = [turn["read"] is not None for turn in turns]
    return {
        "key": f"{name}/{place}/{len(turns)}",
        "lang": mode,
        "palette": PALETTE,
        "turns": columns,
        "marks": [_mark(session, at, usage, mode) for at, turn in enumerate(turns) if turn["reset"]],
        "ttls": ttl_lines(session, usage),
        "stored": any(columns["written"]),
        "bill": _bill(usage, priced, reading, mode),
    }


def ttl_lines(session: Json, usage: Json) -> list[float]:
    """The times to live that are drawn: the session's own first, then the other one that is sold."""
    rules = usage["bill"]["rules"]
    own = session["ttl_s"] or rules.get("ttl_s")
    if not own:
        return []
    both = (300.0, 3600.0) if two_lives(rules) else ()
    return [float(own), *(one for one in both if one != own)]


def _mark(session: Json, at: int, usage: Json, mode: LangMode) -> Json:
    turn = session["turns"][at]
    reset, currency = turn["reset"], usage["bill"]["rules"]["currency"]
    cost = reset["extra_cost"]
    return {
        "at": at,
        "cause": reset["cause"],
        "tokens": reset["extra_tokens"] or 0,
        "cost": None if cost is None else fine_money(cost, currency),
        "title": [cause_title(reset, session, lang) for lang in languages(mode)],
        "why": [cause_why(turn, lang) for lang in languages(mode)],
    }


def _bill(usage: Json, priced: Priced, reading: str, mode: LangMode) -> Json:
    rules, rows = usage["bill"]["rules"], usage["bill"]["rows"]
    lead = languages(mode)[0]
    chips = ["usage.chip.tokens", "usage.chip.prices", "usage.chip.what_ifs"]
    return {
        "title": t("usage.bill", lead),
        "basis": [price_line(rules, priced, lang) for lang in languages(mode)],
        "rows": [_row(row, rows[0], usage, mode) for row in rows],
        "chips": [*(t(one, lead) for one in chips), *([reading] if reading else [])],
        "how": {
            "title": t("usage.how", lead),
            "lines": [line for lang in languages(mode) for line in how_lines(usage, priced, lang)],
        },
    }


def _row(row: Json, first: Json, usage: Json, mode: LangMode) -> Json:
    currency = usage["bill"]["rules"]["currency"]
    return {
        "id": row["id"],
        "on": row["id"] == "as_it_was",
        "name": [row_name(row, lang) for lang in languages(mode)],
        "note": [row_note(row, first, usage, lang) for lang in languages(mode)],
        "cost": "–" if row["cost"] is None else fine_money(row["cost"], currency),
        "basis": [t(f"basis.{row['basis']}", lang) for lang in languages(mode)],
        "parts": money_parts(row, usage["bill"]["rules"]),
    }
