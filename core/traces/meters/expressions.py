"""What a PromQL expression is about, where the answer no longer says: `sum(…)` drops the series' name.

Only a counter by itself and its sum are read. A rate is per second over a window of its own and cannot be
turned back into counts; and a quotient has lost both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.traces.meters.metric_names import Known, known_metric

_LABELS = r"(?:by|without)\s*\([^()]*\)"
_SELECTOR = r"(?P<name>[A-Za-z_:][\w:]*)\s*(?:\{[^{}]*\})?"
_ALONE = re.compile(rf"\s*{_SELECTOR}\s*", re.ASCII)
_SUM = re.compile(
    rf"\s*sum\s*(?:{_LABELS})?\s*\(\s*{_SELECTOR}\s*\)\s*(?:{_LABELS})?\s*", re.ASCII | re.IGNORECASE
)


_NAMES = re.compile(r"[A-Za-z_:][\w:]*", re.ASCII)
_USUAL = ("vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total")


@dataclass(frozen=True, slots=True)
class Asked:
    """A counter that was asked for. `is_sum`: over engines, so that a restart hides in it."""

    metric: str
    known: Known
    is_sum: bool


def asked_for(expression: str) -> Asked | None:
    """The counter, if its numbers are those of the answer; None for any other expression."""
    for form in (_ALONE, _SUM):
        found = form.fullmatch(expression)
        known = known_metric(found["name"]) if found is not None else None
        if found is not None and known is not None and not known.gauge:
            return Asked(found["name"], known, form is _SUM)
    return None


def counters_in(expression: object) -> str:
    """The counters that an expression is made of, as text; vLLM's where it has none."""
    names = _NAMES.findall(expression) if isinstance(expression, str) else []
    found = [name for name in names if (known := known_metric(name)) is not None and not known.gauge]
    return ", ".join(dict.fromkeys(found or _USUAL))
