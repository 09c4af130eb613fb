"""A choice survives its link, and no link breaks the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import shown_texts
from ui.decision.axes import log_range, log_ticks, share_range, share_ticks, size_ticks
from ui.decision.setup import (
    MOST_MS,
    MOST_SIZES,
    SIZES_GIB,
    Choice,
    from_query,
    sheet_spec,
    times_the_load,
    to_query,
)
from ui.machine.machine import Machine
from ui.monitor.setup import LoadSetup

CHOICES = st.builds(
    Choice,
    level_ms=st.integers(10, MOST_MS),
    rate=st.none() | st.integers(1, 2000).map(lambda tenths: tenths / 10),
    clients=st.none() | st.integers(1, 1000),
    sizes_gib=st.sets(st.sampled_from(SIZES_GIB), max_size=MOST_SIZES).map(
        lambda found: tuple(sorted(found))
    ),
    size=st.none() | st.sampled_from(SIZES_GIB),
    gpus=st.none() | st.integers(1, 6),
)


@given(CHOICES)
def test_a_choice_comes_back_from_its_link(choice: Choice) -> None:
    assert from_query(to_query(choice)) == (choice, [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dl", "5"),
        ("dl", "x"),
        ("dn", "7"),
        ("dr", "nan"),
        ("dr", "0"),
        ("dz", "3~"),
        ("dz", "5"),
        ("ds", "-1"),
    ],
)
def test_what_cannot_be_used_is_told(name: str, text: str) -> None:
    assert from_query({name: text}) == (Choice(), [name])


@given(shown_texts)
def test_any_link_gives_a_sheet(text: str) -> None:
    choice, _ = from_query(dict.fromkeys(("dl", "dn", "dr", "dz", "ds", "dc"), text))
    assert sheet_spec(LoadSetup(), Machine(), choice).num_requests > 0


def test_level_and_price_are_no_part_of_what_is_computed() -> None:
    first = sheet_spec(LoadSetup(), Machine(), Choice(level_ms=150))
    assert first == sheet_spec(LoadSetup(), Machine(), Choice(level_ms=700, size=4.0))
    assert first != sheet_spec(LoadSetup(), Machine(), Choice(rate=99.0))


@pytest.mark.parametrize(
    ("setup", "choice", "times"),
    [
        (LoadSetup(), Choice(), 2),
        (LoadSetup(rate=4.0), Choice(rate=4.0), 1),
        (LoadSetup(rate=4.0), Choice(rate=14.0), 3.5),
        (LoadSetup(clients=4, rate=1.0), Choice(), 2),
        (LoadSetup(clients=4), Choice(clients=10, rate=99.0), 2.5),
    ],
)
def test_the_sheet_knows_how_many_times_the_monitors_load_it_is(
    setup: LoadSetup, choice: Choice, times: float
) -> None:
    assert times_the_load(setup, choice) == times


def test_clients_are_those_of_all_gpus_together() -> None:
    assert sheet_spec(LoadSetup(clients=5), Machine(), Choice()).load.clients == 10
    assert sheet_spec(LoadSetup(clients=5), Machine(), Choice(clients=7)).load.clients == 7


@given(st.floats(1e-3, 500), st.floats(1.0, 1e5))
def test_a_logarithmic_axis_holds_its_values(low: float, factor: float) -> None:
    first, last = log_range([low, low * factor])
    ticks = log_ticks(first, last)
    assert first <= low * 1.01
    assert last >= low * factor * 0.99
    assert all(first * 0.99 <= tick <= last * 1.01 for tick in ticks)
    assert 1 <= len(ticks) <= 10


@given(st.floats(0, 1), st.floats(0, 1))
def test_an_axis_of_shares_holds_its_values(one: float, other: float) -> None:
    low, high = share_range(min(one, other), max(one, other))
    assert 0 <= low <= min(one, other) + 0.021
    assert max(one, other) - 0.021 <= high <= 1
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in share_ticks(low, high))
    assert share_ticks(low, high)[-1] == round(high, 2)


def test_ticks_of_sizes_keep_apart_and_the_last_one() -> None:
    assert size_ticks((4, 8, 16, 32, 48)) == [4, 8, 16, 32, 48]
    assert size_ticks((1, 31, 32, 33)) == [1, 33]
