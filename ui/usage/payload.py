"""What travels to the usage figure: the turns of one session, its resets in words, the bill. Pure."""

from __future__ import annotations

from typing import Any

from core.traffic.usage.rules import FIVE_MINUTES, ONE_HOUR
from ui.usage.billed import (
    basis_key,
    how_lines,
    money_parts,
    price_line,
    row_name,
    row_note,
    rows_line,
    two_lives,
)
from ui.usage.prices import Priced
from ui.usage.told import Json, cause_title, cause_why, fine_money, run_on
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
    stored = any(columns["written"])
    if not stored:  # writes are not reported: all that was computed stands where writes stand
        columns |= {"written": columns["new"], "new": columns["written"]}
    return {
        "key": f"{name}/{place}/{len(turns)}",
        "lang": mode,
        "palette": PALETTE,
        "turns": columns,
        "marks": [_mark(session, at, usage, mode) for at, turn in enumerate(turns) if turn["reset"]],
        "ttls": ttl_lines(session, usage),
        "stored": stored,
        "alone": session.get("alone", False),
        "several": len(usage["sessions"]) > 1,
        "bill": _bill(usage, priced, reading, mode),
    }


def ttl_lines(session: Json, usage: Json) -> list[float]:
    """The times to live that are drawn: the session's own first, then the other one that is sold."""
    rules = usage["bill"]["rules"]
    own = session["ttl_s"] or rules.get("ttl_s")
    if not own:
        return []
    if not two_lives(rules):
        return [float(own)]
    if session["ttl_s"] is None and any(turn["written_1h"] for turn in session["turns"]):
        return [
            float(ONE_HOUR),
            float(FIVE_MINUTES),
        ]  # both were written: the longer one is sure to end all
    return [float(own), *(float(one) for one in (FIVE_MINUTES, ONE_HOUR) if one != own)]


def _mark(session: Json, at: int, usage: Json, mode: LangMode) -> Json:
    turn = session["turns"][at]
    reset, currency = turn["reset"], usage["bill"]["rules"]["currency"]
    cost = reset["extra_cost"]
    return {
        "at": at,
        "cause": reset["cause"],
        "tokens": reset["extra_tokens"] or 0,
        "cost": None if cost is None else fine_money(cost, currency),
        "title": [cause_title(turn, session, lang) for lang in languages(mode)],
        "why": [cause_why(turn, lang) for lang in languages(mode)],
    }


def _bill(usage: Json, priced: Priced, reading: str, mode: LangMode) -> Json:
    rules, rows = usage["bill"]["rules"], usage["bill"]["rows"]
    lead = languages(mode)[0]
    reads = [(price_line(rules, lang), rows_line(usage, lang)) for lang in languages(mode)]
    chips = ["usage.chip.tokens", "usage.chip.prices", "usage.chip.what_ifs"]
    return {
        "title": t("usage.bill", lead),
        "basis": [run_on(parts, lang) for lang, parts in zip(languages(mode), reads, strict=True)],
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
        "basis": [t(basis_key(row), lang) for lang in languages(mode)],
        "parts": _parts(row, usage["bill"]["rules"]),
    }


def _parts(row: Json, rules: Json) -> dict[str, float]:
    """Where nothing is written, what was computed is drawn like a write; without a cache it is neither."""
    parts = money_parts(row, rules)
    if row["id"] != "no_cache" and not parts["written"]:
        return parts | {"written": parts["new"], "new": 0.0}
    return parts
