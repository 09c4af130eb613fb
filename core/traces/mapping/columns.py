"""Counts under names of a table's own: headers for people, and the columns of provider's usage reports.

Sources (read there, put in our words): OpenAI's usage API (`input_tokens` includes `input_cached_tokens`) and the
exports of its dashboard, Anthropic's usage report and console (input without what was cached), OpenRouter's
activity. Their rows may be sums over several requests; then a column says over how many.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from core.errors import TraceError
from core.traces.field_map import value_at
from core.traces.mapping.shapes import usage_of
from core.traces.names import plain_name
from core.traces.numbers import whole_of
from core.traces.problems import Place
from core.traces.reported.reading import read_usage
from core.traces.rows import Row

_SAME: Mapping[str, str] = MappingProxyType(
    {
        "tokens_prompt": "prompt_tokens",
        "tokens_completion": "completion_tokens",
        "tokens_cached": "cached_tokens",
        "input_cached_tokens": "cached_input_tokens",
        "uncached_input_tokens": "input_tokens",
        "usage_input_tokens_no_cache": "input_tokens",
        "usage_input_tokens_cache_read": "cache_read_input_tokens",
        "usage_output_tokens": "output_tokens",
        "prompt_cache_read_tokens": "cached_tokens",
        "cached_prompt_tokens": "cached_tokens",
        "n_context_tokens_total": "input_tokens",
        "n_cached_context_tokens_total": "cached_input_tokens",
        "n_generated_tokens_total": "output_tokens",
        "cached": "cached_tokens",
    }
)
_LIVES: Mapping[str, str] = MappingProxyType(
    {
        "usage_input_tokens_cache_write_5m": "ephemeral_5m_input_tokens",
        "usage_input_tokens_cache_write_1h": "ephemeral_1h_input_tokens",
    }
)
_HOW_MANY = (
    *("num_model_requests", "num_requests", "n_requests", "requests", "request_count", "num_calls", "calls"),
    *("model_requests", "total_requests", "count_requests"),
)
_BUCKETS = ("uncached_input_tokens", "usage_input_tokens_no_cache", "usage_date_utc")
"""Fields of reports that say nothing about how many requests a row stands for, and always sum up."""


def with_usual_names(row: Row) -> Row:
    """The record with its counts under the names that providers use as well, where its own are others."""
    if usage_of(row.value) is not None and not any(name in row for name in _SAME):
        return row
    found: dict[str, Any] = {}
    lives: dict[str, Any] = {}
    for name, value in row.value.items():
        plain = plain_name(name)
        if plain in _LIVES:
            lives[_LIVES[plain]] = value
        else:
            found.setdefault(_SAME.get(plain, plain), value)
    if lives:
        found["cache_creation"] = lives
    added = {name: value for name, value in found.items() if name not in row}
    return Row(row.value | added, row.place, row.path) if added else row


def is_usage(data: Mapping[str, Any], paths: tuple[str, ...]) -> bool:
    """Whether a record counts tokens, in names that are known; also where a count cannot be read: then the error
    about that column says more than any other."""
    plain = with_usual_names(Row(dict(data), Place("")))
    for value in (plain.value, *(value_at(data, path) for path in paths)):
        if usage_of(value) is not None:
            return True
        try:
            if isinstance(value, dict):
                read_usage(Row(value, Place("")))
        except TraceError:
            return True
    return False


def num_summed(row: Row) -> int | None:
    """Over how many requests a row sums up; 0 where it does not say; None where it is a request."""
    names = {plain_name(name): value for name, value in row.value.items()}
    for name in _HOW_MANY:
        value = names.get(name)
        count = whole_of(value) if isinstance(value, str) else value
        if type(count) in (int, float) and count != 1:
            return int(count)  # type: ignore[arg-type]
    return 0 if any(name in names for name in _BUCKETS) else None
