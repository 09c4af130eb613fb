"""Rules of providers and of metrics that people trip over, with the figures of the collected cases."""

from __future__ import annotations

import pytest

from core.engine.events import ClockAdvanced
from core.engine.stats import Statistics
from core.traffic.analysis import analyse
from core.traffic.providers import WritePrices, with_minimum
from core.traffic.settings import Settings
from tests.unit.core.engine.test_stats import admitted
from tests.unit.core.traces.logs import read_rows


def in_blocks(shared: int, block_size: int) -> int:
    """What whole blocks leave of a shared beginning."""
    return shared // block_size * block_size


def identical_prompts(num_tokens: int, block_size: int, uses: int) -> float:
    """The hit rate of the same prompt sent so often: the first is cold, the last token always computed."""
    return (uses - 1) / uses * in_blocks(num_tokens - 1, block_size) / num_tokens


def rounds(length: int, count: int, block_size: int) -> tuple[int, ...]:
    """Hit tokens per round where each round sends all before it and ``length`` new tokens."""
    return tuple(in_blocks(min(r * length, (r + 1) * length - 1), block_size) for r in range(count))


def test_a_ceiling_for_identical_prompts() -> None:
    """KV-052: k prompts of 33 tokens in blocks of 16; the first is cold, the last token always computed."""
    assert [round(identical_prompts(33, 16, k), 4) for k in (1, 2, 3, 15)] == [0.0, 0.4848, 0.6465, 0.9051]
    for k in (1, 2, 3, 15):
        analysis = analyse(read_rows(*({"token_ids": list(range(33))},) * k), Settings(16))
        assert analysis.hit_rate == pytest.approx(identical_prompts(33, 16, k))
        assert round(float((analysis.hits > 0).mean()), 4) == round((k - 1) / k, 4)


def test_rounds_that_grow_look_like_warming() -> None:
    """KV-053: round r holds r times 8,192 tokens; its rate is (r - 1) / r, which is geometry alone."""
    hits = rounds(8192, 9, 16)
    rates = [hit / (8192 * (place + 1)) for place, hit in enumerate(hits)]
    assert [round(rate, 4) for rate in rates] == pytest.approx(
        [0.0, 0.5, 0.6667, 0.75, 0.8, 0.8333, 0.8571, 0.875, 0.8889], abs=1e-4
    )
    assert sum(hits) / sum(8192 * r for r in range(1, 10)) == pytest.approx(0.8)
    small = [{"token_ids": list(range(64 * r))} for r in range(1, 6)]
    assert analyse(read_rows(*small), Settings(16)).hits.tolist() == list(rounds(64, 5, 16))


def test_what_blocks_leave_of_a_common_beginning() -> None:
    """KV-059: 71,320 common tokens; four template tokens cost nothing, or 1,688."""
    assert [in_blocks(71320, size) for size in (1, 16, 256, 2048)] == [71320, 71312, 71168, 69632]


def test_a_minimum_and_steps() -> None:
    """KV-068: nothing below 1,024 tokens, then steps of 128."""
    shared = (1023, 1024, 1151, 1152, 2006, 2048)
    assert [with_minimum(one) for one in shared] == [0, 1024, 1024, 1152, 1920, 2048]


def test_when_writing_pays() -> None:
    """KV-070: a write at 1.25, a read at 0.1: dearer once, cheaper from the second use on."""
    prices = WritePrices(1.25, 0.1)
    assert [round(prices.cost(k), 6) for k in (1, 2, 10)] == [1.25, 1.35, 2.15]
    assert WritePrices(2.0, 0.1).cost(2) > 2 > WritePrices(1.0, 0.1).cost(2)
    assert prices.share_paid(0.0) == 1.25
    assert prices.share_paid(1.0) == 0.1
    assert (prices.share_paid(0.21), prices.share_paid(0.22)) == pytest.approx((1.0085, 0.997))


def test_a_window_and_a_total_are_two_numbers() -> None:
    """KV-047: four cold and four warm requests; the last four are at 90 %, all together at 45 %."""
    statistics = Statistics(4)
    for hit in (0, 0, 0, 0, 90, 90, 90, 90):
        statistics.add(admitted(100, hit))
        statistics.add(ClockAdvanced(1, False))
    _, queries, hits = statistics.window
    assert (hits / queries, statistics.hit_rate) == (0.9, 0.45)
