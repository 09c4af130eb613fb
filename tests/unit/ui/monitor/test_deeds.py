"""What was done to a load, in a link: short, and enough to have the very same run again."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.links import LINK_PARTS
from tests.strategies import examples
from ui.machine.machine import Machine
from ui.moment.link import OF_A_LOG, MomentLink, of_load
from ui.moment.link import from_query as moment_from_query
from ui.moment.link import to_query as moment_to_query
from ui.monitor.deeds import MAX_LINK, Deed, LoadPlan, from_query, to_query
from ui.monitor.run import LoadSession, follow
from ui.monitor.setup import SPEEDS, LoadSetup
from ui.teacher.address import read_address

SMALL = LoadSetup(pool=256, rate=6.0)
CLOSED = LoadSetup(pool=256, mix="agents", clients=20, think_s=3)
ONCE = Machine()


def still() -> float:
    """A watch that stands: a tick always has time."""
    return 0.0


@cache
def by_hand(setup: LoadSetup = SMALL) -> LoadSession:
    """Somebody plays with a load: every knob, two bursts, a new block size, at several speeds."""
    load = follow(LoadPlan(setup), ONCE)
    script = {
        0: {"cache_cap": 120},
        2: {"admit_after": 2},
        3: {"ttl_s": 9, "cache_cap": None},
        5: {"block_size": 8},
        6: {"cache_cap": 200, "admit_after": 1},
        8: {"ttl_s": None},
    }
    for round_ in range(10):
        load.speed = SPEEDS[round_ % 3]
        load.tick(watch=still)
        if round_ in script:
            assert load.turn(replace(load.setup, **script[round_]), ONCE) is load  # type: ignore[arg-type]
        if round_ in (4, 6):
            load.burst()
    return load


def assert_same_run(one: LoadSession, other: LoadSession) -> None:
    """Request for request, curve for curve, flag for flag."""
    a, b = one.run, other.run
    for name in ("kind", "prefix", "num_prompt", "num_output"):
        np.testing.assert_array_equal(getattr(a.records, name), getattr(b.records, name))
    for name in ("arrival_s", "turn", "hit", "admitted_s", "first_s", "finished_s"):
        np.testing.assert_array_equal(getattr(a.records.cached, name), getattr(b.records.cached, name))
        np.testing.assert_array_equal(getattr(a.records.plain, name), getattr(b.records.plain, name))
    assert (a.now_s, a.knobs, a.bursts, a.flags) == (b.now_s, b.knobs, b.bursts, b.flags)
    assert a.summary() == b.summary()
    assert a.samples() == b.samples()
    assert a.slot_map() == b.slot_map()


@pytest.mark.parametrize(("speed", "setup"), [(1, SMALL), (64, SMALL), (64, CLOSED)])
def test_the_run_of_a_link_is_the_very_run_in_which_knobs_were_turned_by_hand(
    speed: int, setup: LoadSetup
) -> None:
    load = by_hand(setup)
    plan, lost = from_query(to_query(load.plan()))
    assert (plan, lost) == (load.plan(), [])
    again = follow(replace(plan, speed=speed), ONCE)
    while again.run.now_s < load.run.now_s:
        again.speed = int(min(speed, load.run.now_s - again.run.now_s))
        again.tick(watch=still)
    assert_same_run(load, again)
    assert (again.setup, again.pending, again.plan().deeds) == (load.setup, (), plan.deeds)


def test_without_its_deeds_it_would_be_another_run() -> None:
    load = by_hand()
    other = follow(LoadPlan(load.first), ONCE)
    other.repeat(load.run.now_s, 1.0, watch=still)
    assert other.run.samples() != load.run.samples()


def test_repeating_at_one_go_is_the_same_run_too() -> None:
    load = by_hand()
    again = follow(load.plan(), ONCE)
    assert again.repeat(load.run.now_s, 1.0, watch=still)
    assert not again.playing
    assert_same_run(load, again)


def test_knobs_turned_after_the_end_are_done_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.monitor.setup.NUM_REQUESTS", 60)
    load = follow(LoadPlan(SMALL), ONCE)
    load.speed = 64
    load.tick(watch=still)
    assert load.run.done
    load.turn(replace(load.setup, cache_cap=10), ONCE)
    again = follow(from_query(to_query(load.plan()))[0], ONCE)
    again.tick(watch=still)
    again.tick(watch=still)
    assert_same_run(load, again)


def test_a_cap_follows_the_block_size() -> None:
    """The same room in blocks half as large is twice as many: what the widget shows is what holds."""
    load = follow(LoadPlan(replace(SMALL, cache_cap=100)), ONCE)
    load.turn(replace(load.setup, block_size=8), ONCE)
    assert load.setup.cache_cap == load.run.config.cache_cap == 200


def test_who_turns_a_knob_takes_over() -> None:
    load = follow(LoadPlan(SMALL, (Deed(2, "cache_cap", 50), Deed(9, "burst")), num_lost=3), ONCE)
    load.tick(watch=still)
    assert load.setup.cache_cap == 50
    load.shown = load.setup
    load.turn(replace(load.setup, ttl_s=5), ONCE)
    assert load.plan() == LoadPlan(SMALL, (Deed(2, "cache_cap", 50), Deed(4, "ttl_s", 5)))


def test_a_knob_of_the_link_turned_meanwhile_is_not_turned_back() -> None:
    """The page still showed what held before the tick: only what a person changed against that counts."""
    load = follow(LoadPlan(SMALL, (Deed(2, "cache_cap", 50),)), ONCE)
    load.tick(watch=still)
    load.turn(replace(SMALL, ttl_s=5), ONCE)
    assert (load.setup.cache_cap, load.setup.ttl_s) == (50, 5)


def test_what_the_engine_refuses_is_left_out() -> None:
    """In blocks of 100 the pool has 40 of them, and the longest request needs 41."""
    load = follow(LoadPlan(SMALL, (Deed(1, "block_size", 100), Deed(2, "burst"))), ONCE)
    load.tick(watch=still)
    assert load.deeds == [Deed(2, "burst")]
    assert load.setup == SMALL


# -- the link's text ----------------------------------------------------------------------------------

deeds = st.lists(
    st.one_of(
        st.tuples(st.just("burst"), st.none()),
        st.tuples(st.just("cache_cap"), st.none() | st.integers(0, 4096)),
        st.tuples(st.just("ttl_s"), st.none() | st.integers(1, 999)),
        st.tuples(st.just("admit_after"), st.integers(1, 9)),
        st.tuples(st.just("block_size"), st.sampled_from((4, 8, 16, 32, 64))),
    ),
    max_size=400,
)


@examples(40)
@given(deeds, st.lists(st.integers(0, 3000), min_size=400, max_size=400))
def test_the_first_deeds_come_back_exactly_and_the_rest_are_counted(
    done: list[tuple[str, int | None]], gaps: list[int]
) -> None:
    moments = np.cumsum(gaps).tolist()
    plan = LoadPlan(SMALL, tuple(Deed(at, *one) for at, one in zip(moments, done, strict=False)))
    query = to_query(plan)
    assert len(query.get("ld", "")) <= MAX_LINK
    back, lost = from_query(query)
    assert lost == []
    assert back.deeds == plan.deeds[: len(back.deeds)]
    assert back.num_lost == plan.num_left_out == len(plan.deeds) - len(back.deeds)
    assert to_query(back) == query


def test_a_hundred_changes_fit() -> None:
    plan = LoadPlan(SMALL, tuple(Deed(20 * k, "cache_cap", 100 + k) for k in range(100)))
    assert plan.num_left_out == 0


def test_a_short_text() -> None:
    plan = LoadPlan(LoadSetup(), (Deed(5, "cache_cap", 100), Deed(5, "ttl_s"), Deed(41, "burst")), speed=64)
    assert to_query(plan) == {"lv": "64", "ld": "5C2s.T.10R"}
    assert to_query(LoadPlan()) == {}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("5R.5X.5R", 1),
        ("5R.3B", 1),
        ("5R.3B0", 1),
        ("5R.1A9.1Aa", 2),
        ("5R.5Rx", 1),
        ("5R..5R", 1),
        ("5R.~0", 0),
        ("5R.~x", 0),
        ("zzzzzzR", 0),
        ("٣R", 0),
        ("R." * 2_000, 0),
    ],
)
def test_what_cannot_be_read_is_named_and_ends_the_list(text: str, kept: int) -> None:
    plan, lost = from_query({"ld": text})
    assert lost == ["ld"]
    assert len(plan.deeds) == kept


@pytest.mark.parametrize(
    "link", [None, OF_A_LOG, MomentLink("R0", 0.0, 1), of_load("R19999", 1234.125, 3333.2)]
)
def test_the_request_on_the_stage_comes_back_from_a_link(link: MomentLink | None) -> None:
    assert moment_from_query(moment_to_query(link)) == (link, [])


@pytest.mark.parametrize(
    "text", ["", "R1", "R1~2", "R1~-2~3", "R1~nan~3", "X1~2~3", "R1~2~9999999", "R٣~1~1"]
)
def test_a_request_that_cannot_be_read_is_named(text: str) -> None:
    assert moment_from_query({"lq": text}) == (None, ["lq"])


def test_a_stop_of_a_lesson_keeps_the_load_and_the_request() -> None:
    text = "execute?v=1&s=P0&lp=256&lv=64&ld=5C2s.3R&lq=R30~5~20"
    assert dict(parse_qsl(read_address(text, LINK_PARTS).query)) == dict(parse_qsl(text.partition("?")[2]))
