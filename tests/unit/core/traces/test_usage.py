"""Usage: two conventions, null is not 0, nothing above 100 %."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import TraceError
from core.traces.problems import Place
from core.traces.reported.reading import langfuse_usage, read_usage
from core.traces.rows import Row
from core.traces.usage import Usage, UsageTotals


def row(**fields: Any) -> Row:
    return Row(fields, Place("log", 1))


CASES: list[tuple[dict[str, Any], Usage | None]] = [
    # input excludes what was read and written
    (
        {
            "input_tokens": 12,
            "cache_read_input_tokens": 30,
            "cache_creation_input_tokens": 5,
            "output_tokens": 7,
        },
        Usage(47, 30, 5, 7),
    ),
    ({"input_tokens": 12, "cache_read_input_tokens": 30}, Usage(42, 30)),  # writes are part of the input
    ({"input_tokens": 12, "cache_read_input_tokens": None}, Usage(None, None)),
    ({"input_tokens": 12}, Usage(None, None)),
    ({"inputTokens": 3, "cacheReadInputTokens": 4, "cacheWriteInputTokens": 0}, Usage(7, 4, 0)),
    # input includes it
    ({"prompt_tokens": 50, "prompt_tokens_details": {"cached_tokens": 30}}, Usage(50, 30)),
    ({"prompt_tokens": 50, "prompt_tokens_details": {"cached_tokens": None}}, Usage(50, None)),
    ({"prompt_tokens": 50, "prompt_tokens_details": None}, Usage(50, None)),
    ({"prompt_tokens": 50}, Usage(50, None)),
    ({"prompt_tokens": 50, "cache_read_input_tokens": 20}, Usage(50, 20)),  # a proxy's second wording
    (
        {"input_tokens": 50, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1},
        Usage(50, 0, None, 1),
    ),
    ({"prompt_token_count": 9, "cached_content_token_count": 3}, Usage(9, 3)),
    # hits and misses
    ({"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36}, Usage(100, 64)),
    ({"prompt_tokens": 100, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36}, Usage(100, 64)),
    ({"prompt_cache_hit_tokens": 64}, Usage(None, 64)),
    ({}, None),
    ({"something": 1}, None),
]


@pytest.mark.parametrize(("fields", "expected"), CASES)
def test_conventions(fields: dict[str, Any], expected: Usage | None) -> None:
    assert read_usage(row(**fields)) == expected


LANGFUSE: list[tuple[dict[str, Any], Usage | None]] = [
    ({"input": 128, "input_cached_tokens": 1920, "output": 50, "total": 2098}, Usage(2048, 1920, None, 50)),
    ({"input": 2048, "input_cached_tokens": 1920, "output": 50, "total": 2098}, Usage(2048, 1920, None, 50)),
    ({"input": 10, "cache_read_input_tokens": 5, "output": 1}, Usage(15, 5, None, 1)),  # no total: the rest
    (
        {
            "input": 10,
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 3,
            "output": 1,
            "total": 19,
        },
        Usage(18, 5, 3, 1),
    ),
    ({"input": 10, "output": 1}, Usage(10, None, None, 1)),
    ({"input": None, "input_cached_tokens": 4}, Usage(None, 4)),
    ({}, None),
]


@pytest.mark.parametrize(("fields", "expected"), LANGFUSE)
def test_langfuse_tells_its_convention_by_the_total(fields: dict[str, Any], expected: Usage | None) -> None:
    assert langfuse_usage(row(**fields)) == expected


@pytest.mark.parametrize("value", [-1, 1.5, "three", "3.5", True, [], 2**60])
def test_counts_that_are_none(value: object) -> None:
    with pytest.raises(TraceError) as caught:
        read_usage(row(prompt_tokens=50, prompt_tokens_details={"cached_tokens": value}))
    assert caught.value.values["field"] == "prompt_tokens_details.cached_tokens"


def test_a_row_that_contradicts_itself_is_left_out_and_counted() -> None:
    """1,920 cached of 128: the count excluded what was cached, but was read as if it included it."""
    totals = UsageTotals.of([Usage(128, 1920), Usage(50, 50), Usage(50, 0), Usage(100, None), None])
    assert (totals.num_contradictory, totals.num_known, totals.num_unknown) == (1, 2, 2)
    assert totals.ratio_of_sums == totals.mean_of_ratios == 0.5


def test_nothing_known_has_no_rate() -> None:
    totals = UsageTotals.of([None, Usage(10, None), Usage(0, 0)])
    assert (totals.ratio_of_sums, totals.mean_of_ratios) == (None, None)
    assert Usage(0, 0).ratio is None


COUNTS = st.one_of(st.none(), st.integers(0, 10_000))


@given(st.lists(st.one_of(st.none(), st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS))))
def test_no_rate_ever_exceeds_one_and_every_row_is_counted_once(rows: list[Usage | None]) -> None:
    totals = UsageTotals.of(rows)
    assert totals.num_known + totals.num_unknown + totals.num_contradictory == len(rows)
    for rate in (totals.ratio_of_sums, totals.mean_of_ratios, *(r.ratio for r in rows if r is not None)):
        assert rate is None or 0 <= rate <= 1
