"""What travels to the usage figure: the turns of one session, its resets in words, the bill. Pure."""

from __future__ import annotations

from typing import Any

from core.traffic.usage.rules import FIVE_MINUTES, ONE_HOUR
from ui.usage.billed import (
    cost_text,
    how_lines,
    price_lines,
    remarks,
    row_name,
    row_note,
    rows_line,
    two_lives,
)
from ui.usage.told import Json, cause_title, cause_why, extra_text, pause_text, span_text
from ui.words.i18n import Lang, LangMode, languages, run_on, t
from ui.words.palette import PALETTE

COLUMNS = ("read", "written", "new", "total")


def usage_payload(usage: Json, place: int, name: str, reading: str, mode: LangMode) -> Json:
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
        "band": band_of(session, usage, mode),
        "stored": stored,
        "timed": any(turn["at_s"] is not None for turn in turns),
        "several": len(usage["sessions"]) > 1,
        "bill": _bill(usage, reading, mode),
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


def band_of(session: Json, usage: Json, mode: LangMode) -> Json | None:
    """Where an entry may be gone and usually is, short of where it surely is: in seconds and in words."""
    rules = usage["bill"]["rules"]
    if session["ttl_s"] or not rules["usual_s"] or two_lives(rules):
        return None
    lead = languages(mode)[0]
    first, last = rules["usual_s"]
    key = "usage.above.usual" if rules["ttl_s"] else "usage.above.open"
    usual = span_text(rules["usual_s"], lead)
    said = t(key, lead, usual=usual, ttl=pause_text(rules["ttl_s"], lead))
    return {"from": first, "to": last, "short": _minutes(first, last), "said": said}


def _minutes(first: float, last: float) -> str:
    """As the axis has room for it: "5–10", without a unit."""
    return f"{first / 60:g}" if first == last else f"{first / 60:g}–{last / 60:g}"


def _mark(session: Json, at: int, usage: Json, mode: LangMode) -> Json:
    turn = session["turns"][at]
    reset, currency = turn["reset"], usage["bill"]["rules"]["currency"]
    return {
        "at": at,
        "cause": reset["cause"],
        "tokens": reset["extra_tokens"] or 0,
        "cost": extra_text(reset, currency),
        "title": [cause_title(turn, session, lang) for lang in languages(mode)],
        "why": [cause_why(turn, lang) for lang in languages(mode)],
    }


def _bill(usage: Json, reading: str, mode: LangMode) -> Json:
    rows = usage["bill"]["rows"]
    lead = languages(mode)[0]
    chips = ["usage.chip.tokens", "usage.chip.prices", "usage.chip.what_ifs"]
    return {
        "title": t("usage.bill", lead),
        "basis": [_basis(usage, lang) for lang in languages(mode)],
        "rows": [_row(row, rows[0], usage, mode) for row in rows],
        "chips": [*(t(one, lead) for one in chips), *([reading] if reading else [])],
        "how": {
            "title": t("usage.how", lead),
            "lines": [line for lang in languages(mode) for line in how_lines(usage, lang)],
        },
    }


def _basis(usage: Json, lang: Lang) -> list[str]:
    """What the bill is about and by which prices, then what is not sure of them: a paragraph each."""
    first, *each = price_lines(usage, lang)
    told = [run_on([first, rows_line(usage, lang)], lang), *each]
    return told + [f"⚠ {one}" for one in remarks(usage, lang)]


def _row(row: Json, first: Json, usage: Json, mode: LangMode) -> Json:
    currency = usage["bill"]["rules"]["currency"]
    return {
        "id": row["id"],
        "on": row["id"] == "as_it_was",
        "name": [row_name(row, lang) for lang in languages(mode)],
        "note": [row_note(row, first, usage, lang) for lang in languages(mode)],
        "cost": cost_text(row, currency),
        "basis": [t(f"basis.{row['basis']}", lang) for lang in languages(mode)],
        "parts": _parts(row),
    }


def _parts(row: Json) -> dict[str, float]:
    """Where nothing is written, what was computed is drawn like a write; without a cache it is neither."""
    parts: dict[str, float] = row["paid"]
    if row["id"] != "no_cache" and not parts["written"]:
        return parts | {"written": parts["new"], "new": 0.0}
    return parts
