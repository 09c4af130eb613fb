"""The settings of *Your traffic* in a link: all of them come back, what is damaged is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.backends.models import log_tokenizers
from core.traces.templates import TEMPLATES
from core.traffic import samples, settings
from tests.strategies import shown_texts
from ui.traffic import setup as traffic_setup
from ui.traffic.judge import LARGEST_MINIMUM, MOST_PRICE, Judge
from ui.traffic.rules import rule_names, rule_of
from ui.traffic.setup import WORDS, Side, TrafficSetup, Wanted, from_query, to_query
from ui.words.i18n import table

sides = st.builds(
    Side,
    st.none() | st.integers(1, 4096),
    st.none() | st.integers(1, 10**9),
    st.none() | st.floats(0, 1e8, allow_nan=False).map(lambda value: float(f"{value:.6f}")),
)
setups = st.builds(
    TrafficSetup,
    st.sampled_from(traffic_setup.SOURCES),
    st.sampled_from(traffic_setup.SAMPLES),
    st.builds(
        Wanted,
        st.none() | st.sampled_from(["mooncake", "openai_chat"]),
        st.sampled_from(traffic_setup.TEMPLATES),
        st.booleans(),
        st.none() | st.integers(1, 2**20),
        st.none() | st.sampled_from(["ceil", "floor"]),
        st.sampled_from(traffic_setup.TOKENIZERS),
    ),
    sides,
    st.none() | sides,
    st.sampled_from(traffic_setup.OTHERS),
    st.sampled_from(traffic_setup.VIEWS),
    st.sampled_from(traffic_setup.UNITS),
    st.builds(
        Judge,
        st.sampled_from(rule_names()),
        st.none() | st.integers(0, LARGEST_MINIMUM),
        *(st.none() | st.floats(0, MOST_PRICE).map(lambda price: round(price, 6)) for _ in range(2)),
    ),
)


@given(setup=setups)
def test_every_setting_comes_back(setup: TrafficSetup) -> None:
    back, lost = from_query(to_query(setup))
    assert lost == []
    for mine, theirs in ((setup.a, back.a), (setup.b, back.b)):
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None and mine.ttl_s is not None:
            assert theirs.ttl_s == pytest.approx(mine.ttl_s, rel=1e-9, abs=1e-9)
    same = {"wanted", "source", "sample", "view", "unit", "other_source", "judge"}
    assert [getattr(back, name) for name in same] == [getattr(setup, name) for name in same]
    assert (back.a.block_size, back.a.num_slots) == (setup.a.block_size, setup.a.num_slots)


def test_the_usual_page_adds_nothing_to_the_link() -> None:
    assert to_query(TrafficSetup()) == {}
    assert from_query({}) == (TrafficSetup(), [])


@given(query=st.dictionaries(st.sampled_from([*WORDS]), shown_texts))
def test_anything_may_stand_in_a_link(query: dict[str, str]) -> None:
    setup, lost = from_query(query)
    assert set(lost) <= set(query)
    again, none = from_query(to_query(setup))
    assert none == []
    assert again.wanted == setup.wanted


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ya", "16"), ("ya", "0~1~"), ("ya", "16~1e9~"), ("ya", "~~-1"), ("ya", "~~1e9"), ("yb", "~~inf"),
        ("ys", "sample "), ("yt", "gpt2"), ("yz", "1048577"), ("yq", "0"), ("yf", "../x"), ("yc", "auto"),
        ("yj", "anthropic_5m"), ("yj", "x~1.5~~"), ("yj", "x~1000001~~"), ("yj", "x~~-1~"), ("yj", "../x~~~"),
    ],
)  # fmt: skip
def test_what_is_damaged_is_named(name: str, value: str) -> None:
    assert from_query({name: value}) == (TrafficSetup(), [name])


def test_the_lists_are_those_of_the_engine() -> None:
    assert samples.SAMPLES == traffic_setup.SAMPLES
    assert tuple(TEMPLATES) == traffic_setup.TEMPLATES
    assert ("auto", *log_tokenizers.NAMES) == traffic_setup.TOKENIZERS
    assert (settings.LARGEST_BLOCK, settings.MOST_SLOTS) == (4096, 10**9)
    assert set(WORDS.values()) <= set(table("en"))
    for name in traffic_setup.TOKENIZERS:
        assert f"traffic.tokenizer.{name}" in table("zh")


def test_a_rule_that_nobody_knows_is_the_suggested_one() -> None:
    assert rule_of(Judge("no_such")) == rule_of(Judge()) == rule_of(Judge("own"))
    assert rule_of(Judge("no_such"), "deepseek") == rule_of(Judge("deepseek"))
    usual = rule_of(Judge("anthropic_5m"))
    assert (usual.rule_id, usual.minimum, usual.prices.write, usual.prices.read) == (
        "anthropic_5m",
        512,
        1.25,
        0.1,
    )
    assert usual.read_on
    own = rule_of(Judge("own", 7, None, 0.5))
    assert (own.minimum, own.prices.write, own.prices.read, own.read_on) == (7, 1.0, 0.5, "")
