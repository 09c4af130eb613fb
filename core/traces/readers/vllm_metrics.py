"""vLLM's /metrics page: what a running engine counted since it started.

Source rule: `vllm:prefix_cache_queries_total` and `vllm:prefix_cache_hits_total` are *tokens*, cumulative;
scraped names carry `_total` (the client library adds it), some dumps do not. `vllm:kv_cache_usage_perc` is a
fraction of 1. Nothing here speaks of single requests: the page gives the engine's own rate and nothing that
could be replayed. A missing counter is unknown, not 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.engine_facts import EngineCounters
from core.traces.rows import LARGEST, Row

_SAMPLE = re.compile(r"vllm:([a-z_0-9]+)(?:\{([^{}]*)\})?\s+(\S+)(?:\s+-?[0-9]+)?", re.ASCII)
_NAMES = {
    "prefix_cache_queries": "queries",
    "prefix_cache_hits": "hits",
    "kv_cache_usage_perc": "kv_usage",
}
_MOST_ENGINES = 10_000


class _Metrics:
    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._found: dict[str, dict[str, float]] = {}

    def add(self, row: Row) -> None:
        line = row.text("line").strip()
        if not line.startswith("vllm:"):
            return
        match = _SAMPLE.fullmatch(line)
        if match is None:
            raise row.place.wrong("the line", "name{labels} value", line)
        name = _NAMES.get(match[1].removesuffix("_total"))
        if name is None:
            return
        try:
            value = float(match[3])
        except ValueError:
            value = -1.0
        if not 0 <= value <= LARGEST:
            raise row.place.wrong(match[1], "a number from 0 up", match[3])
        labels = match[2] or ""
        if labels not in self._found and len(self._found) >= _MOST_ENGINES:
            raise row.place.wrong(match[1], f"at most {_MOST_ENGINES} engines", labels)
        self._found.setdefault(labels, {})[name] = value

    def finish(self) -> None:
        for labels, values in self._found.items():
            counters = EngineCounters(
                labels, _whole(values.get("queries")), _whole(values.get("hits")), values.get("kv_usage")
            )
            self._builder.counters.append(counters)
        if self._found:
            self._builder.note("no_requests")


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _claims(data: Mapping[str, Any]) -> bool:
    line = str(data["line"]).strip()
    return line.startswith(("vllm:", "# TYPE vllm:", "# HELP vllm:"))


VLLM_METRICS = Format("vllm_metrics", "vLLM /metrics", "lines", frozenset({"counters"}), _claims, _Metrics)
