"""Counts under names of a table's own: headers for people, and the columns of providers' usage reports.

Sources (read there, put in our words): OpenAI's usage API (`input_tokens` includes `input_cached_tokens`) and
the exports of its dashboard, Anthropic's usage report and console (input without what was cached),
OpenRouter's activity. The rows of reports are sums over several requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from core.errors import TraceError
from core.traces.field_map import value_at
from core.traces.mapping.shapes import usage_of
from core.traces.names import plain_name
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
_BUCKETS = ("uncached_input_tokens", "usage_input_tokens_no_cache", "usage_date_utc")
"""Fields of reports that say nothing about how many requests a row stands for, and always sum up."""


@lru_cache(maxsize=256)
def _usual(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """(name, usual name) of those columns of which the usual name is another one and not there."""
    found = []
    for name in names:
        plain = plain_name(name)
        usual = _SAME.get(plain, plain)
        if usual not in names and (plain in _LIVES or usual.endswith("_tokens")):
            found.append((name, usual))
    return tuple(found)


def with_usual_names(row: Row) -> Row:
    """The record with its counts under the names that providers use as well, where its own are others."""
    others = _usual(tuple(row.value))
    if not others:
        return row
    if usage_of(row.value) is not None and not any(plain_name(name) in _SAME for name, _ in others):
        return row
    lives = {_LIVES[usual]: row.get(name) for name, usual in others if usual in _LIVES}
    found = {usual: row.get(name) for name, usual in others if usual not in _LIVES}
    return Row(row.value | found | ({"cache_creation": lives} if lives else {}), row.place, row.path)


def is_usage(data: Mapping[str, Any], paths: tuple[str, ...]) -> bool:
    """Whether a record counts tokens, in names that are known; also where a count cannot be read: then the
    error about that column says more than any other."""
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


@lru_cache(maxsize=256)
def is_bucket(names: tuple[str, ...]) -> bool:
    """Whether columns are those of a report whose rows sum up without saying how many requests."""
    return any(plain_name(name) in _BUCKETS for name in names)
