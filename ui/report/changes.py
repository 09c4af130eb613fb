"""Two logs, or two reports, beside each other: both rates, the difference, which sources and causes
changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from core.errors import TraceError
from ui.report.gate import Basis, Rate, rate_words, rates_of
from ui.words.i18n import Lang, t
from ui.words.numbers import percent

Json = dict[str, Any]
Change = Literal["worse", "same", "better"]
MOST_ROWS = 10
LEAST_SHOWN = 0.0005
"""A twentieth of a percentage point: less is not told as a change of a source."""


def compare(before: Json, after: Json, tolerance: float, files: tuple[str, str] | None = None) -> Json:
    """Plain values; rates and differences from 0 to 1. ``change`` is ``worse`` only beyond the tolerance.
    ``files``: what they are called where they came from.

    Raises:
        TraceError: one of the logs has no rate, or they have none of the same kind.
    """
    basis: Basis = "computed" if before["runs"] and after["runs"] else "reported"
    if bool(before["runs"]) != bool(after["runs"]) and not all(map(_reports, (before, after))):
        raise _two_kinds(before["log"]["name"], after["log"]["name"])
    left, right = rates_of(before, basis)[0], rates_of(after, basis)[0]
    difference = right.value - left.value
    change: Change = "same"
    if abs(difference) > tolerance + 1e-12:
        change = "worse" if difference < 0 else "better"
    return {
        "broth": "traffic-comparison",
        "schema": 1,
        "basis": basis,
        "before": _side(before, left, files and files[0]),
        "after": _side(after, right, files and files[1]),
        "difference": difference,
        "tolerance": tolerance,
        "change": change,
        "differently": [name for name in ("tokenizer", "template") if _of_log(before, after, name)],
        "sources": _sources(before, after, basis),
        "causes": _causes(before, after) if basis == "computed" else {"new": [], "gone": [], "changed": []},
    }


def _reports(summary: Json) -> bool:
    log = summary["log"]
    return log["reported_rate"] is not None or log.get("reported_bounds") is not None


def _two_kinds(before: str, after: str) -> TraceError:
    message = (
        f"Of {before} and {after} one holds prompts and the other only reports its own rate: these are two "
        "quantities. Compare two logs with prompts, or two that report."
    )
    return TraceError("report.two_kinds", message, before=before, after=after)


def _of_log(before: Json, after: Json, name: str) -> bool:
    return bool(before["log"].get(name) != after["log"].get(name))


def _side(summary: Json, rate: Rate, file: str | None) -> Json:
    return {
        "name": file or summary["log"]["name"],
        "requests": summary["log"]["requests"],
        "rate": rate.value,
        "lower_bound": rate.lower_bound,
        "block_size": rate.block_size,
    }


def _sources(before: Json, after: Json, basis: Basis) -> Json:
    """Per kind of source: both rates where the name stands in both, largest change first; else None."""
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
        key: {one["name"]: one["rate"] for one in found if one["rate"] is not None}
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
        rate = Rate(one["rate"], found["basis"], one["lower_bound"], one["block_size"])
        yield t(f"report.compare.{side}", lang, name=one["name"], rate=rate_words(rate, lang))
    numbers = {"points": _points(found["difference"]), "tolerance": percent(found["tolerance"], 2)}
    yield t(f"report.compare.{found['change']}", lang, **numbers)
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


def _row(row: Json, lang: Lang) -> str:
    name = row["name"] or t("traffic.unnamed", lang)
    rates = " → ".join(t("unit.percent", lang, n=percent(row[side], 2)) for side in ("before", "after"))
    return f"{name}: {rates} ({_points(row['difference'])})"


def _points(difference: float) -> str:
    return f"{100 * difference:+.2f}".replace("-", "−")
