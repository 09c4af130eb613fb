"""Two logs, or two reports, beside each other: both rates, the difference, which sources and causes
changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

from core.errors import TraceError
from ui.report.gate import EQUAL, Basis, Rate, apart, part_words, rate_words, rates_of, text_part
from ui.words.i18n import Lang, t
from ui.words.numbers import percent

Json = dict[str, Any]
Change = Literal["worse", "unsure", "same", "better"]
MOST_ROWS = 10
LEAST_SHOWN = 0.0005
"""A twentieth of a percentage point: less is not told as a change of a source."""


def compare(before: Json, after: Json, tolerance: float, files: tuple[str, str] | None = None) -> Json:
    """Plain values; rates and differences from 0 to 1. ``change`` is ``worse`` only beyond the tolerance, and
    ``unsure`` where a log leaves its rate so open that it may be. ``files``: what they are called where they
    came from.

    Raises:
        TraceError: one of the logs has no rate, or they have none of the same kind.
    """
    whole = [bool(one["runs"]) and text_part(one) is None for one in (before, after)]
    basis: Basis = "computed" if all(whole) else "reported"
    if any(whole) and not all(whole) and not all(map(_reports, (before, after))):
        raise _two_kinds(before["log"]["name"], after["log"]["name"])
    left, right = rates_of(before, basis)[0], rates_of(after, basis)[0]
    least, most = _differences(left, right)
    return {
        "broth": "traffic-comparison",
        "schema": 1,
        "basis": basis,
        "before": _side(before, left, files and files[0]),
        "after": _side(after, right, files and files[1]),
        "difference": least if least == most else None,
        "difference_bounds": None if least == most else [least, most],
        "tolerance": tolerance,
        "change": _change(least, most, tolerance),
        "differently": [name for name in ("tokenizer", "template") if _of_log(before, after, name)],
        "sources": _sources(before, after, basis),
        "causes": _causes(before, after) if basis == "computed" else {"new": [], "gone": [], "changed": []},
    }


def _differences(left: Rate, right: Rate) -> tuple[float, float]:
    """The least and the most that the second is above the first. Two ways to read are the same two in both
    logs, so that each is compared with its like."""
    pairs = (
        zip(left.cases, right.cases, strict=True)
        if len(left.cases) == len(right.cases)
        else product(left.cases, right.cases)
    )
    found = [(new[0] - old[1], new[1] - old[0]) for old, new in pairs]
    return min(least for least, _ in found), max(most for _, most in found)


def _change(least: float, most: float, tolerance: float) -> Change:
    limit = tolerance + EQUAL
    if most < -limit:
        return "worse"
    if least < -limit:
        return "unsure"
    return "better" if least > limit else "same"


def _reports(summary: Json) -> bool:
    log = summary["log"]
    return log["reported_rate"] is not None or log.get("reported_bounds") is not None


def _two_kinds(before: str, after: str) -> TraceError:
    message = (
        f"Of {before} and {after} one holds whole prompts and the other only reports its own rate: these are "
        "two quantities. Compare two logs with whole prompts, or two that report."
    )
    return TraceError("report.two_kinds", message, before=before, after=after)


def _of_log(before: Json, after: Json, name: str) -> bool:
    return bool(before["log"].get(name) != after["log"].get(name))


def _side(summary: Json, rate: Rate, file: str | None) -> Json:
    return {
        "name": file or summary["log"]["name"],
        "requests": summary["log"]["requests"],
        "rate": rate.low if rate.exact else None,
        "cases": [list(one) for one in rate.cases],
        "lower_bound": rate.lower_bound,
        "block_size": rate.block_size,
        "text_share": text_part(summary),
    }


def _sources(before: Json, after: Json, basis: Basis) -> Json:
    """Per kind of source: both rates where the name stands in both, largest change first; else None. What a
    log leaves open is none."""
    mine, theirs = _by_name(before, basis), _by_name(after, basis)
    found: Json = {}
    for key in mine.keys() & theirs.keys() - {"session", "hour"}:  # these are other ones in each log
        rows: list[Json] = []
        for name in mine[key].keys() | theirs[key].keys():
            old, new = mine[key].get(name), theirs[key].get(name)
            changed = None if old is None or new is None else new - old
            rows.append({"name": name, "before": old, "after": new, "difference": changed})
        rows.sort(key=lambda row: (-abs(row["difference"] or 0.0), str(row["name"])))
        found[key] = rows
    return dict(sorted(found.items()))


def _by_name(summary: Json, basis: Basis) -> dict[str, dict[str, float]]:
    sources = (
        summary["runs"][0]["sources"] if basis == "computed" else summary["log"].get("reported_sources", {})
    )
    return {
        key: {
            one["name"]: one["rate"]
            for one in found
            if one["rate"] is not None and not one.get("why") and not one.get("readings")
        }
        for key, found in sources.items()
    }


def _causes(before: Json, after: Json) -> Json:
    """What is new, gone, or concerns another number of requests."""
    mine, theirs = ({_cause_key(one): one for one in side["runs"][0]["causes"]} for side in (before, after))
    both = [(mine[key], theirs[key]) for key in mine if key in theirs]
    return {
        "new": [_cause(one) for key, one in theirs.items() if key not in mine],
        "gone": [_cause(one) for key, one in mine.items() if key not in theirs],
        "changed": [
            _cause(new) | {"before": old["num_requests"]}
            for old, new in both
            if old["num_requests"] != new["num_requests"]
        ],
    }


def _cause_key(one: Json) -> tuple[str, str | None]:
    return one["cause"], one["path"]


def _cause(one: Json) -> Json:
    return {"cause": one["cause"], "path": one["path"], "num_requests": one["num_requests"]}


# -- in words ------------------------------------------------------------------------------------------------


def in_words(found: Json, lang: Lang) -> str:
    """Lines for a terminal or a pipeline's log."""
    return "\n".join(_lines(found, lang))


def _lines(found: Json, lang: Lang) -> Iterator[str]:
    for side in ("before", "after"):
        one = found[side]
        cases = tuple((low, high) for low, high in one["cases"])
        rate = Rate(cases, found["basis"], one["lower_bound"], one["block_size"])
        yield t(f"report.compare.{side}", lang, name=one["name"], rate=rate_words(rate, lang))
        yield from part_words(one["name"], one["text_share"], lang)
    yield t(f"report.compare.{found['change']}", lang, **_numbers(found, lang))
    if found["differently"]:
        yield t("report.compare.differently", lang)
    for key, rows in found["sources"].items():
        shown = [row for row in rows if abs(row["difference"] or 0.0) >= LEAST_SHOWN][:MOST_ROWS]
        if shown:
            yield t("report.compare.by", lang, source=t(f"traffic.key.{key}", lang))
            yield from (f"  {_row(row, lang)}" for row in shown)
    for kind in ("new", "gone", "changed"):
        for one in found["causes"][kind]:
            place = f" · {one['path']}" if one["path"] else ""
            cause = t(f"traffic.cause.{one['cause']}", lang) + place
            told = {"cause": cause, "n": one["num_requests"], "before": one.get("before", 0)}
            yield t(f"report.compare.cause.{kind}", lang, **told)


def _numbers(found: Json, lang: Lang) -> dict[str, str]:
    """The difference, or between what it lies, so that it does not look like the tolerance."""
    ends = found["difference_bounds"] or [found["difference"]]
    places = max(apart(abs(one), found["tolerance"]) if one else 2 for one in ends)
    shown = [_points(one, places) for one in ends]
    points = t("report.compare.between", lang, low=shown[0], high=shown[-1]) if len(shown) > 1 else shown[0]
    return {"points": points, "tolerance": percent(found["tolerance"], places)}


def _row(row: Json, lang: Lang) -> str:
    name = row["name"] or t("traffic.unnamed", lang)
    rates = " → ".join(t("unit.percent", lang, n=percent(row[side], 2)) for side in ("before", "after"))
    return f"{name}: {rates} ({_points(row['difference'])})"


def _points(difference: float, places: int = 2) -> str:
    return f"{100 * difference:+.{places}f}".replace("-", "−")
