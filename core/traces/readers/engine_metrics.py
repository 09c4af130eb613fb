"""Metrics of a running engine: pages of /metrics, one or many, or an answer of Prometheus' API.

Which metric says what: core/traces/meters/families.py. Every line that says nothing about a cache is passed
over and counted; only a broken line of a metric that is read is an error. Nothing here speaks of single
requests: what comes out are readings per engine, and nothing that could be replayed. A missing counter is
unknown, not 0.

Source rule of the API (`/api/v1/query`, `/query_range`): `data.result` lists series, each with its labels
in `metric` (its name is `__name__`) and `value` or `values`: pairs of a time in seconds and a number as
text. An expression's result has no name; if the query is kept beside it (`query`, `expr`) and is a sum of a
counter, it is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from core.errors import TraceError
from core.traces import problems
from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.meters.exposition import Sample, name_of, sample_of, seconds
from core.traces.meters.expressions import asked_for, counters_in
from core.traces.meters.gather import Gather
from core.traces.meters.metric_names import family_of, known_metric
from core.traces.meters.stamps import stamp_of
from core.traces.model import Fact
from core.traces.rows import Row

_QUERIES = ("query", "expr")
_COMMENT = re.compile(r"#\s*(?:TYPE|HELP|UNIT)\s+(\S+)")


class _Gathering:
    """Samples in; at the end the engines go to the builder."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._gather = Gather()

    def finish(self) -> None:
        meters = self._gather.finish()
        if meters.engines:
            self._builder.add_meters(meters)
            self._builder.note("no_requests")
            if meters.order == "name":
                self._builder.note("scrapes_by_name")


class _Pages(_Gathering):
    """Lines of pages, one after the other."""

    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        super().__init__(builder)

    def add(self, row: Row) -> None:
        line = row.text("line").strip()
        if not line:
            return
        if line.startswith("#") and line[1:].strip() == "EOF":
            self._gather.end_scrape()
            return
        name = name_of(line)
        known = known_metric(name) if name else None
        if known is not None:
            sample = sample_of(line, name)
            if sample is None:
                raise row.place.wrong("the line", "name{labels} value", line)
            self._gather.sample(row.place, name, known, sample)
            return
        at = stamp_of(line)
        if at is not None:
            self._gather.end_scrape(at)
        elif not line.startswith("#"):
            self._builder.note("other_lines")


class _Answers(_Gathering):
    """Answers of Prometheus' API, each a JSON object."""

    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        super().__init__(builder)

    def add(self, row: Row) -> None:
        data = row.object("data")
        query = next((one.get(name) for one in (row, data) for name in _QUERIES if name in one), None)
        if data.get("resultType") in ("scalar", "string"):
            raise problems.expression(row.place, query, counters_in(query))
        for series in data.objects("result"):
            self._series(row, series, query)

    def _series(self, row: Row, series: Row, query: object) -> None:
        labels = series.object("metric").value
        name, known, is_sum = str(labels.get("__name__", "")), None, False
        if name:
            known = known_metric(name)
        else:
            asked = asked_for(query) if isinstance(query, str) else None
            if asked is None:
                raise problems.expression(row.place, query, counters_in(query))
            name, known, is_sum = asked.metric, asked.known, asked.is_sum
        if known is None:
            self._builder.note("other_lines")
            return
        own = tuple(sorted((key, str(value)) for key, value in labels.items() if key != "__name__"))
        pairs = series.items("values") if "values" in series else [series.get("value")]
        points = [_pair(series, pair) for pair in pairs]
        if is_sum and any(later < earlier for (_, earlier), (_, later) in pairwise(points)):
            raise problems.expression(
                row.place, query, counters_in(query)
            )  # an engine began anew: how much it had is not known
        for at, value in points:
            self._gather.sample(row.place, name, known, Sample(own, value, seconds(at)))


def _pair(series: Row, pair: object) -> tuple[float, float]:
    error: TraceError = series.wrong("values", "pairs of a time and a number", pair)
    if not isinstance(pair, list) or len(pair) != 2:
        raise error
    try:
        at, value = float(pair[0]), float(pair[1])
    except (TypeError, ValueError, OverflowError):
        raise error from None
    if seconds(at) is None:
        raise error
    return at, value


def _claims_line(data: Mapping[str, Any]) -> bool:
    line = str(data["line"]).strip()
    comment = _COMMENT.match(line)
    if comment is not None:
        return family_of(comment[1]) is not None
    name = name_of(line)
    return known_metric(name) is not None or (
        family_of(name) is not None and sample_of(line, name) is not None
    )


def _claims_answer(data: Mapping[str, Any]) -> bool:
    inside = data.get("data")
    result = inside.get("result") if isinstance(inside, dict) else None
    if not isinstance(inside, dict) or not isinstance(result, list):
        return False
    if inside.get("resultType") in ("scalar", "string"):
        return True
    names = [one["metric"].get("__name__") for one in result if _has_labels(one)]
    if names and all(name is None for name in names) and "resultType" in inside:
        return True
    return any(isinstance(name, str) and family_of(name) is not None for name in names)


def _has_labels(one: object) -> bool:
    return isinstance(one, dict) and isinstance(one.get("metric"), dict)


_GIVES: frozenset[Fact] = frozenset({"counters"})
ENGINE_METRICS = Format("engine_metrics", "Metrics pages of engines", "lines", _GIVES, _claims_line, _Pages)
PROMETHEUS_API = Format(
    "prometheus_api",
    "Answer of Prometheus' API",
    "json",
    _GIVES,
    _claims_answer,
    _Answers,
)
