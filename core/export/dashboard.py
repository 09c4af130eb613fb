"""A Grafana dashboard on vLLM's metrics: hit rate, first tokens, queue, memory, throughput, evictions.

It asks for nothing that ``openmetrics`` does not write, so it shows a load from here and a real server alike.
The data source, the model and the window of the rates are variables at the top.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
BY = "model_name, engine, cache"
LEGEND = "engine {{engine}} {{cache}}"
WINDOWS = ("1m", "2m", "5m", "15m")
WIDTH, HEIGHT = 12, 8
VARIABLES = ("datasource", "model", "window")
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
_SERIES = '{model_name=~"$model"}'


@dataclass(frozen=True, slots=True)
class Panel:
    """A chart: its words' key, unit, and per curve the PromQL and what its name has in front."""

    key: str
    unit: str
    curves: tuple[tuple[str, str], ...]
    legend: str = LEGEND
    top: float | None = None


def _rate(metric: str, by: str = BY) -> str:
    return f"sum by ({by}) (rate({metric}{_SERIES}[$window]))"


def _quantile(share: float, metric: str) -> str:
    return f"histogram_quantile({share}, {_rate(f'{metric}_bucket', f'le, {BY}')})"


_TTFT, _LATENCY = "vllm:time_to_first_token_seconds", "vllm:e2e_request_latency_seconds"
PANELS = (
    Panel(
        "hits",
        "percentunit",
        ((f"{_rate('vllm:prefix_cache_hits_total')} / {_rate('vllm:prefix_cache_queries_total')}", ""),),
        top=1,
    ),
    Panel("ttft", "s", ((_quantile(0.5, _TTFT), "p50"), (_quantile(0.95, _TTFT), "p95"))),
    Panel(
        "queue",
        "short",
        (
            (f"vllm:num_requests_waiting{_SERIES}", "waiting"),
            (f"vllm:num_requests_running{_SERIES}", "running"),
        ),
    ),
    Panel("usage", "percentunit", ((f"vllm:kv_cache_usage_perc{_SERIES}", ""),), top=1),
    Panel("finished", "reqps", ((_rate("vllm:request_success_total"), ""),)),
    Panel(
        "tokens",
        "short",
        ((_rate("vllm:prompt_tokens_total"), "prompt"), (_rate("vllm:generation_tokens_total"), "answer")),
    ),
    Panel(
        "evictions",
        "short",
        (
            (_rate("broth:evicted_blocks_total", f"{BY}, cause"), "evicted: {{cause}}"),
            (_rate("vllm:num_preemptions_total"), "preempted"),
        ),
    ),
    Panel("latency", "s", ((_quantile(0.5, _LATENCY), "p50"), (_quantile(0.95, _LATENCY), "p95"))),
)


def dashboard_json(
    words: Mapping[str, str], since: str = "now-1h", until: str = "now", window: str = WINDOWS[0]
) -> str:
    """The file that Grafana imports. ``words``: a ``title``, the names of the three variables and one text
    per panel. ``since`` and ``until``: the time it opens on, as Grafana writes times. ``window``: over which
    rates are taken at first."""
    board: Json = {
        "uid": "broth-prefix-cache",
        "title": words["title"],
        "tags": ["vllm", "prefix-cache"],
        "schemaVersion": 39,
        "editable": True,
        "graphTooltip": 1,
        "timezone": "utc",
        "refresh": "",
        "time": {"from": since, "to": until},
        "templating": {"list": _variables(words, window)},
        "annotations": {"list": []},
        "links": [],
        "panels": [_panel(place, panel, words[panel.key]) for place, panel in enumerate(PANELS)],
    }
    return json.dumps(board, indent=2, ensure_ascii=False) + "\n"


def window_for(bin_s: float) -> str:
    """The shortest window of a rate that holds at least three samples."""
    seconds = {"1m": 60, "2m": 120, "5m": 300, "15m": 900}
    return next((name for name in WINDOWS if seconds[name] >= 3 * bin_s), WINDOWS[-1])


def _variables(words: Mapping[str, str], chosen: str) -> list[Json]:
    source: Json = {"name": "datasource", "type": "datasource", "query": "prometheus"}
    model: Json = {
        "name": "model",
        "type": "query",
        "datasource": _SOURCE,
        "query": {"query": "label_values(vllm:num_requests_waiting, model_name)", "refId": "model"},
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
    }
    window: Json = {
        "name": "window",
        "type": "custom",
        "query": ",".join(WINDOWS),
        "options": [{"text": name, "value": name, "selected": name == chosen} for name in WINDOWS],
        "current": {"text": chosen, "value": chosen},
    }
    return [{**one, "label": words[str(one["name"])]} for one in (source, model, window)]


def _panel(place: int, panel: Panel, title: str) -> Json:
    limits: Json = {"min": 0} if panel.top is None else {"min": 0, "max": panel.top}
    return {
        "id": place + 1,
        "type": "timeseries",
        "title": title,
        "datasource": _SOURCE,
        "gridPos": {
            "x": WIDTH * (place % 2),
            "y": HEIGHT * (place // 2),
            "w": WIDTH,
            "h": HEIGHT,
        },
        "targets": [
            {
                "refId": "ABC"[number],
                "datasource": _SOURCE,
                "editorMode": "code",
                "range": True,
                "expr": query,
                "legendFormat": f"{panel.legend} {name}".strip(),
            }
            for number, (query, name) in enumerate(panel.curves)
        ],
        "fieldConfig": {
            "defaults": {"unit": panel.unit, "custom": {"lineWidth": 2, "showPoints": "never"}, **limits},
            "overrides": [],
        },
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
    }
