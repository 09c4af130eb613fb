"""What engines counted themselves, in words: keys and values, alike for page and report. No Streamlit."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from ui.words.i18n import Lang, t
from ui.words.numbers import Count, digits, percent, seconds

Json = dict[str, Any]
Sentence = tuple[str, dict[str, object]]
"""A key of assets/i18n/ and what it needs; names of engines and files among it are other people's text."""

TITLES = MappingProxyType(
    {
        "vllm": "vLLM",
        "sglang": "SGLang",
        "lmcache": "LMCache",
        "llamacpp": "llama.cpp",
        "trtllm": "TensorRT-LLM",
        "dynamo": "Dynamo",
        "tgi": "TGI",
        "ollama": "Ollama",
    }
)
COLUMNS = ("engine", "asked", "local", "external", "any", "said", "restarts")
MOST_REMARKS = 12
MOST_UNEVEN = 1.25
"""Engines that were watched so many times as long as others weigh more in a sum than a reader expects."""
STORE, ANY = "#009E73", "#6E7FD9"
"""Colours that stand on light and on dark ground."""
_OWN_WORDS = ("llamacpp", "tgi")


def read_words(name: str, counters: Json) -> Sentence:
    """What was read, of a log without requests: scrapes or lines, of how many engines."""
    numbers = {"n": Count(counters["num_moments"]), "engines": Count(len(counters["engines"]))}
    return f"traffic.counters.read.{counters['source']}", {"name": name, **numbers}


def told(counters: Json) -> list[Sentence]:
    """First what the engines say for the whole log, and over which time."""
    fleet, period = counters["fleet"], counters["period"]
    found: list[Sentence] = []
    if period in ("run", "since_start", "lines"):
        found += _counted(counters, fleet, period)
    found += [one for engine in counters["engines"] for one in _said(engine)]
    if not found:
        found.append(("traffic.counters.nothing", {}))
    return found


def _counted(counters: Json, fleet: Json, period: str) -> Iterator[Sentence]:
    several = fleet["num_engines"] > 1
    values: dict[str, object] = {"n": Count(counters["num_moments"]), "engines": Count(fleet["num_engines"])}
    values["queries"] = digits(fleet["queries"] or 0)
    if fleet["local_rate"] is not None:
        values |= {"rate": percent(fleet["local_rate"], 2), "hits": digits(fleet["hits"])}
        yield f"traffic.counters.{period}", values
    elif fleet["any_rate"] is not None:
        values |= {"rate": percent(fleet["any_rate"], 2), "hits": digits(fleet["all_hits"])}
        yield f"traffic.counters.{period}.any", values
    else:
        yield f"traffic.counters.why.{fleet['why'] or 'no_hits'}", {}
    if fleet["any_rate"] is not None or fleet["local_rate"] is not None:
        yield from _how_counted(counters, fleet, period)
        if several:
            yield "traffic.counters.several", values
    unit = _unit(counters)
    if unit != "tokens":
        yield f"traffic.counters.unit.{unit}", {}
    if fleet["any_rate"] is not None and fleet["local_rate"] is not None:
        external = fleet["external_rate"]
        yield (
            "traffic.counters.with_store" if external is not None else "traffic.counters.with_store.plain",
            {"rate": percent(fleet["any_rate"], 2), "external": percent(external or 0.0, 2)},
        )
    yield from _if_new(fleet)


def _how_counted(counters: Json, fleet: Json, period: str) -> Iterator[Sentence]:
    """What was subtracted from what."""
    every, shown = counters["num_moments"], fleet["num_shown"]
    values: dict[str, object] = {
        "n": Count(shown),
        "all": Count(every),
        "engines": Count(fleet["num_engines"]),
    }
    if period == "since_start":
        yield f"traffic.counters.from.one{'' if every == 1 else '.each'}", values
    if period != "run":
        return
    if fleet["is_difference"]:
        yield f"traffic.counters.from.ends{'' if shown == every else '.some'}", values
        return
    if not fleet["same_span"]:
        yield "traffic.counters.from.spans", values
    if fleet["num_restarts"]:
        yield "traffic.counters.from.steps", {"restarts": Count(fleet["num_restarts"])}
    if fleet["num_from_zero"]:
        yield "traffic.counters.from.zero", {"n": Count(fleet["num_from_zero"])}
    watched = fleet["watched_s"]
    if watched is not None and watched[1] > MOST_UNEVEN * watched[0]:
        yield "traffic.counters.watched", {"least": seconds(watched[0]), "most": seconds(watched[1])}


def _if_new(fleet: Json) -> Iterator[Sentence]:
    """The other reading of engines that are first seen in the middle."""
    other = fleet["if_new"]
    rate = None if other is None else other["any_rate" if fleet["local_rate"] is None else "local_rate"]
    if rate is None:
        return
    hits = other["all_hits" if fleet["local_rate"] is None else "hits"]
    values = {"rate": percent(rate, 2), "hits": digits(hits), "queries": digits(other["queries"])}
    yield "traffic.counters.if_new", {"n": Count(fleet["num_unproved"]), **values}


def _unit(counters: Json) -> str:
    units = {engine["counts"] for engine in counters["engines"] if engine["in_fleet"]}
    return units.pop() if len(units) == 1 else "tokens"


def _said(engine: Json) -> Iterator[Sentence]:
    said = engine["said"]
    if said is None or engine["period"] != "said":
        return
    names = ("first", "last", "least", "most")
    values: dict[str, object] = {"engine": name_of(engine), "n": Count(said["num"])}
    values["requests"] = Count(said["window_requests"] or 0)
    if said["last"] is not None:
        values |= {name: percent(said[name], 1) for name in names}
        once = ".once" if said["num"] == 1 else ""
        yield f"traffic.counters.said.{said['window']}{once}", values
    if said["external_last"] is not None:
        own = {name: percent(said[f"external_{name}"], 1) for name in names}
        yield "traffic.counters.said.external", {**values, **own}


def way_on(counters: Json) -> str:
    """A key: how to learn why, which no counter says. vLLM writes prompts where it is asked to."""
    families = {engine["family"] for engine in counters["engines"]}
    return f"traffic.counters.next.{'vllm' if families == {'vllm'} else 'other'}"


def remarks(counters: Json) -> list[Sentence]:
    """What a reader has to know beside the numbers: beginnings, ends, gaps in what is known."""
    found: list[Sentence] = []
    for engine in counters["engines"]:
        name: dict[str, object] = {"engine": name_of(engine)}
        for place in engine["restarts"]:
            found.append(("traffic.counters.restart", name | _place(place)))
        if engine["appeared"] is not None:
            found.append((f"traffic.counters.appeared.{engine['birth']}", name | _place(engine["appeared"])))
        if engine["missing"]:
            count = {"n": Count(engine["num_missing"])}
            found.append(("traffic.counters.missing", name | count | _place(engine["missing"][0])))
        if engine["vanished"] is not None and engine["in_fleet"]:
            found.append(("traffic.counters.vanished", name | _place(engine["vanished"])))
        found += _limits(counters, engine, name)
    if counters["order"] == "name":
        found.append(("traffic.counters.by_name", {}))
    several_files = counters["source"] == "scrapes" and counters["num_moments"] > 1
    if counters["order"] == "file" and several_files:
        found.append(("traffic.counters.by_file", {}))
    left_out = len(found) - MOST_REMARKS
    if left_out <= 1:
        return found
    return [*found[:MOST_REMARKS], ("traffic.counters.more", {"n": Count(left_out)})]


def _limits(counters: Json, engine: Json, name: dict[str, object]) -> Iterator[Sentence]:
    """Why an engine has no rate, or is not in the sum."""
    if engine["period"] == "nothing":
        own = engine["family"] in _OWN_WORDS
        yield f"traffic.counters.why.no_hits.{engine['family'] if own else 'other'}", name
    elif engine["why"] == "contradictory":
        values = {"hits": digits(engine["hits"] or 0), "queries": digits(engine["queries"] or 0)}
        yield "traffic.counters.why.contradictory", name | values
    elif engine["period"] == "since_start" and counters["period"] == "run" and engine["role"] == "engine":
        if engine["appeared"] is None:
            yield "traffic.counters.one_scrape", name
    elif engine["role"] != "engine" and not engine["in_fleet"]:
        yield f"traffic.counters.beside.{engine['role']}", name


def _place(place: Json) -> dict[str, object]:
    at = "" if place["at_s"] is None else f" · +{seconds(place['at_s'])}"
    return {"at": Count(place["at"]), "file": place["file"], "line": Count(place["line"]), "when": at}


def name_of(engine: Json) -> str:
    """An engine among the others: what it is, and the labels in which it differs."""
    title = TITLES.get(engine["family"], engine["family"])
    return f"{title}, {engine['short']}" if engine["short"] else title


def table(counters: Json, lang: Lang) -> tuple[list[str], list[list[str]]]:
    """Titles, and one row an engine and one for all where there are several; empty columns are left out."""
    fleet = counters["fleet"]
    rows = [_row(_name_in(fleet, engine, lang), engine, lang) for engine in counters["engines"]]
    if fleet["num_engines"] > 1:
        restarts = [place for one in counters["engines"] if one["in_fleet"] for place in one["restarts"]]
        every = {**fleet, "restarts": restarts, "said": None}
        rows.append(_row(name_of_all(counters, lang), every, lang))
    kept = [place for place, name in enumerate(COLUMNS) if _is_told(place, rows) or name == "engine"]
    titles = [t(f"traffic.counters.column.{COLUMNS[place]}", lang) for place in kept]
    return titles, [[row[place] for place in kept] for row in rows]


def name_of_all(counters: Json, lang: Lang) -> str:
    """The engines of the sum: all of them, or how many."""
    fleet = counters["fleet"]
    key = "traffic.counters.sum" if fleet["num_left_out"] else "traffic.counters.all"
    return t(key, lang, n=Count(fleet["num_engines"]))


def _name_in(fleet: Json, engine: Json, lang: Lang) -> str:
    left_out = fleet["num_engines"] and not engine["in_fleet"] and engine["queries"] is not None
    return t("traffic.counters.outside", lang, engine=name_of(engine)) if left_out else name_of(engine)


def _is_told(place: int, rows: list[list[str]]) -> bool:
    return any(row[place] not in ("–", "0") for row in rows)


def _row(name: str, one: Json, lang: Lang) -> list[str]:
    said = one["said"]
    return [
        name,
        "–" if one["queries"] is None or one["why"] == "no_hits" else digits(one["queries"]),
        _rate(one["local_rate"], lang),
        _rate(one["external_rate"], lang),
        _rate(one["any_rate"], lang),
        "–" if said is None else _rate(said["last"], lang),
        f"{len(one['restarts'])}",
    ]


def _rate(rate: float | None, lang: Lang) -> str:
    return "–" if rate is None else t("unit.percent", lang, n=percent(rate, 2))


def curves(counters: Json, one: Json, lang: Lang) -> dict[str, list[tuple[float, float]]]:
    """Rates from step to step, of an engine or (``counters`` itself) of all; x as `axis` says."""
    timed = counters["seconds"] is not None
    names = {"local_rate": "local", "external_rate": "external", "any_rate": "any"}
    found: dict[str, list[tuple[float, float]]] = {}
    for field, word in names.items():
        steps = [step for step in one["intervals"] if step[field] is not None]
        points = [(_x(step["ends_s"], step["ends"], timed), step[field]) for step in steps]
        found[t(f"traffic.counters.column.{word}", lang)] = points
    said = one.get("said") or {"points": []}
    for field, word in (("rate", "said"), ("external", "said_external")):
        told_at = [point for point in said["points"] if point[field] is not None]
        points = [(_x(point["at_s"], point["at"], timed), point[field]) for point in told_at]
        found[t(f"traffic.counters.column.{word}", lang)] = points
    return {name: points for name, points in found.items() if len(points) > 1}


def _x(at_s: float | None, at: int, timed: bool) -> float:
    return (at_s or 0.0) / 60 if timed else float(at)


def colours(lang: Lang) -> dict[str, str]:
    """Of the curves beside the own cache's: amber, the usual second colour, stands for what is computed."""
    others = {"external": STORE, "any": ANY, "said_external": STORE}
    return {t(f"traffic.counters.column.{word}", lang): colour for word, colour in others.items()}


def axis(counters: Json, lang: Lang) -> str:
    """What x counts: minutes, scrapes or lines."""
    kind = "minutes" if counters["seconds"] is not None else counters["source"]
    return t(f"traffic.counters.axis.{kind}", lang)


def restart_marks(counters: Json, one: Json) -> list[float]:
    """Where something began anew, in the chart's x."""
    timed = counters["seconds"] is not None
    return sorted({_x(place["at_s"], place["at"], timed) for place in one["restarts"]})
