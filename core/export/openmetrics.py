"""A load as a vLLM server would have told it: its metrics (metrics.py), one sample a time bin.

The text is OpenMetrics with timestamps, which ``promtool tsdb create-blocks-from openmetrics`` takes into
Prometheus. The server with the cache is engine 0, the one without is engine 1; a label ``cache``, which vLLM
does not have, says the same in words.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from core.export.metrics import LATENCY_BUCKETS, METRICS, TTFT_BUCKETS, Series
from core.export.snapshot import MAIN, OTHER, Snapshot

_ENGINES = ((MAIN, 'engine="0",cache="on"'), (OTHER, 'engine="1",cache="off"'))
_BYTES_A_SAMPLE = 118
_SAMPLES_A_BIN = 2 * (len(TTFT_BUCKETS) + len(LATENCY_BUCKETS) + 6 + 8)


def openmetrics(taken: Snapshot, model: str, start_s: float) -> str:
    """The whole run; its modelled second 0 is ``start_s`` (seconds since 1970)."""
    return "".join(_lines(taken, model, start_s))


def openmetrics_bytes(num_bins: int) -> int:
    """About how large that will be."""
    return (num_bins + 1) * _SAMPLES_A_BIN * _BYTES_A_SAMPLE


def _lines(taken: Snapshot, model: str, start_s: float) -> Iterator[str]:
    name = model.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    for metric in METRICS:
        yield f"# TYPE {metric.name} {metric.kind}\n# HELP {metric.name} {metric.about}\n"
        for side, engine in _ENGINES:
            labels = f'model_name="{name}",{engine}'
            series = metric.read(taken, side)
            if metric.kind == "histogram":
                yield from _by_moment(metric.name, labels, series, start_s)
            else:
                yield from chain(*(_by_moment(metric.name, labels, [one], start_s) for one in series))
    yield "# EOF\n"


def _by_moment(name: str, labels: str, series: list[Series], start_s: float) -> Iterator[str]:
    """Samples of one metric with one set of labels: all that is said of a moment stands together."""
    heads = [f"{name}{one.suffix}{{{labels}{one.labels}}}" for one in series]
    for moment in zip(*(one.points for one in series), strict=True):
        for head, (at_s, value) in zip(heads, moment, strict=True):
            yield f"{head} {value:.12g} {start_s + at_s:.3f}\n"
