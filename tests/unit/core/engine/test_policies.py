"""Policies beyond vLLM: one set of laws that each must keep, then each one's own numbers.

``PolicyLaws`` is inherited by one class per policy; a class says how its policy is switched on, and with
which settings it has nothing to do (``idle``).
"""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine.engine import Engine
from core.engine.events import BlockEvicted, BlockNotStored, Event, HashCollision
from core.engine.policy_cache import PolicyCache
from core.errors import RequestError
from core.scenario.scenario import Command, Scenario, execute
from core.timeline.event_log import EventLog
from core.timeline.fold import fold, fold_all
from core.timeline.frame import engine_part, initial_frame
from core.timeline.snapshot import take_snapshot
from core.types import EngineConfig, Request
from tests.strategies import STEP_OPS, VERB_OPS, WORLD_OPS, examples, plain_configs, scenarios

Settings = dict[str, Any]
OPS = STEP_OPS + VERB_OPS + WORLD_OPS
plain_scenarios = scenarios(plain_configs(enable_caching=True), OPS)


def with_settings(scenario: Scenario, settings: Settings) -> Scenario:
    return replace(scenario, config=replace(scenario.config, **settings))


def attempt(engine: Engine, command: Command) -> None:
    """Carry out a command drawn for a plain engine. Under a policy somebody may not fit who did there, so
    that a later command about them makes no sense and is refused."""
    with suppress(RequestError):
        execute(engine, command)


def history(scenario: Scenario) -> EventLog:
    events: list[Event] = []
    engine = Engine(scenario.config, events.append)
    for command in scenario.commands:
        attempt(engine, command)
    return EventLog(scenario.config, tuple(events))


def shape(events: tuple[Event, ...]) -> list[tuple[object, ...]]:
    """Events with hashes replaced by numbers in order of appearance, and without versions: what happened,
    whatever the digests are."""
    numbers: dict[bytes, int] = {}

    def plain(name: str, value: object) -> object:
        if isinstance(value, bytes):
            return numbers.setdefault(value, len(numbers))
        return None if name == "version" else value

    return [
        (type(event).__name__, *(plain(field.name, getattr(event, field.name)) for field in fields(event)))
        for event in events
    ]


def switch(engine: Engine, settings: Settings) -> None:
    """Change the settings of a living engine, one command each."""
    for name, value in settings.items():
        if name == "version":
            engine.set_version(value)
        else:
            engine.set_policy(name, value)


class PolicyLaws:
    """What every policy must keep. Subclasses set ``on`` (settings) and ``idle`` (those without effect)."""

    on: ClassVar[list[Settings]]
    idle: ClassVar[list[Settings]]

    def test_off_by_default(self) -> None:
        default = EngineConfig()
        assert all(
            any(getattr(default, name) != value for name, value in settings.items()) for settings in self.on
        )

    @given(plain_scenarios, st.data())
    @examples(10)
    def test_with_nothing_to_do_it_changes_nothing(self, scenario: Scenario, data: st.DataObject) -> None:
        settings = data.draw(st.sampled_from(self.idle))
        assert shape(history(with_settings(scenario, settings)).events) == shape(history(scenario).events)

    @given(plain_scenarios, st.data())
    @examples(10)
    def test_state_log_and_invariants_agree(self, scenario: Scenario, data: st.DataObject) -> None:
        scenario = with_settings(scenario, data.draw(st.sampled_from(self.on)))
        events: list[Event] = []
        engine = Engine(scenario.config, events.append)
        frame = initial_frame(scenario.config)
        for command in scenario.commands:
            attempt(engine, command)
            engine.check()
            frame = fold_all(frame, events)
            events.clear()
            assert engine_part(frame) == take_snapshot(engine)

    @given(plain_scenarios, st.data())
    @examples(10)
    def test_a_held_block_never_loses_its_content(self, scenario: Scenario, data: st.DataObject) -> None:
        scenario = with_settings(scenario, data.draw(st.sampled_from(self.on)))
        frame = initial_frame(scenario.config)
        for event in history(scenario).events:
            if isinstance(event, BlockEvicted) and event.cause != "forced":
                assert frame["slots"][str(event.block_id)]["ref"] == 0
            frame = fold(frame, event)

    @given(plain_scenarios, st.data())
    @examples(8)
    def test_the_same_run_twice_gives_the_same_bytes(self, scenario: Scenario, data: st.DataObject) -> None:
        scenario = with_settings(scenario, data.draw(st.sampled_from(self.on)))
        assert history(scenario).to_jsonl() == history(scenario).to_jsonl()

    @given(plain_scenarios, st.data())
    @examples(10)
    def test_switched_on_at_the_start_it_is_as_if_made_so(
        self, scenario: Scenario, data: st.DataObject
    ) -> None:
        settings = data.draw(st.sampled_from(self.on))
        switched, made = Engine(scenario.config), Engine(replace(scenario.config, **settings))
        switch(switched, settings)
        made.wait(len(settings))  # each change is a command, so a tick
        assert switched.config == made.config
        for command in scenario.commands:
            attempt(switched, command)
            attempt(made, command)
            assert take_snapshot(switched) == take_snapshot(made)

    @given(plain_scenarios, st.data())
    @examples(10)
    def test_switched_on_and_off_in_the_middle(self, scenario: Scenario, data: st.DataObject) -> None:
        """Everything still adds up; once it is off again the engine is plain: same settings as before."""
        settings = data.draw(st.sampled_from(self.on))
        off = {name: getattr(EngineConfig(), name) for name in settings}
        third = len(scenario.commands) // 3
        events: list[Event] = []
        engine = Engine(scenario.config, events.append)
        for number, command in enumerate(scenario.commands):
            if number == third:
                switch(engine, settings)
            if number == 2 * third:
                switch(engine, off)
            attempt(engine, command)
            engine.check()
        frame = fold_all(initial_frame(scenario.config), events)
        assert engine_part(frame) == take_snapshot(engine)
        switch(engine, off)
        assert engine.config == scenario.config


# -- a counter at which customers are served one at a time ---------------------------------------------


class Counter:
    """An engine of block size 4 unless said; ``serve`` submits a prompt and runs it to its end."""

    def __init__(self, slots: int = 40, **settings: Any) -> None:
        self.events: list[Event] = []
        config = EngineConfig(**{"block_size": 4, "num_blocks": slots + 1, **settings})
        self.engine = Engine(config, self.events.append)
        self._number = 0

    def serve(self, *tokens: int, outputs: int = 0, **extra: Any) -> int:
        """Hit in tokens."""
        self._number += 1
        hits_before = take_snapshot(self.engine)["totals"]["hits"]
        self.engine.submit(Request(f"R{self._number}", tokens, (9,) * outputs, **extra))
        self.engine.run()
        return take_snapshot(self.engine)["totals"]["hits"] - hits_before

    def told(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def cached(self) -> int:
        return sum(slot["hash"] is not None for slot in take_snapshot(self.engine)["slots"].values())


def text(number: int, length: int) -> tuple[int, ...]:
    return tuple(range(1000 * number, 1000 * number + length))


class TestCapacityCap(PolicyLaws):
    on: ClassVar = [{"cache_cap": cap} for cap in (0, 1, 3, 6)]
    idle: ClassVar = [{"cache_cap": cap} for cap in (18, 1000)]

    @given(plain_scenarios, st.sampled_from([0, 1, 2, 4]))
    @examples(10)
    def test_never_more_than_the_cap(self, scenario: Scenario, cap: int) -> None:
        scenario = with_settings(scenario, {"cache_cap": cap})
        frame = initial_frame(scenario.config)
        for event in history(scenario).events:
            frame = fold(frame, event)
            assert sum(slot["hash"] is not None for slot in frame["slots"].values()) <= cap

    def test_the_least_recently_used_idle_content_goes_and_its_block_is_next(self) -> None:
        shop = Counter(slots=10, cache_cap=3)
        shop.serve(*text(1, 9))  # two blocks cached: 1, 2
        shop.serve(*text(2, 9))  # one more fits; then the tail of the first (2) goes for the second
        assert [(e.block_id, e.cause, e.to_front) for e in shop.told(BlockEvicted)] == [(2, "cap", True)]
        assert shop.cached() == 3
        assert shop.engine.lookup(Request("x", text(1, 9))).hit == 4
        assert shop.engine.lookup(Request("x", text(2, 9))).hit == 8

    def test_when_everything_cached_is_held_new_content_stays_out(self) -> None:
        shop = Counter(cache_cap=2)
        shop.engine.start(Request("a", text(1, 8)))
        shop.engine.start(Request("b", text(2, 8)))
        kept_out = shop.told(BlockNotStored)
        assert [(e.request_id, e.index, e.cause) for e in kept_out] == [("b", 0, "cap"), ("b", 1, "cap")]
        assert shop.told(BlockEvicted) == []

    def test_whoever_was_kept_out_starts_anew_after_letting_go(self) -> None:
        """The same request after a preemption, and another one under the same id."""
        shop = Counter(cache_cap=2)
        shop.engine.start(Request("full", text(1, 8)))
        shop.engine.start(Request("a", text(2, 8)))
        shop.engine.preempt("a")
        shop.engine.free("full")
        shop.engine.resume("a")
        assert shop.engine.lookup(Request("x", text(2, 9))).hit == 8
        shop.engine.start(Request("b", text(3, 4)))
        shop.engine.free("b")
        shop.engine.free("a")
        shop.engine.start(Request("b", text(4, 4)))
        assert shop.engine.lookup(Request("x", text(4, 5))).hit == 4

    def test_a_cap_of_nothing_caches_nothing_and_evicts_nothing(self) -> None:
        shop = Counter(cache_cap=0)
        assert [shop.serve(*text(1, 9)) for _ in range(3)] == [0, 0, 0]
        assert (shop.cached(), shop.told(BlockEvicted)) == (0, [])

    def test_lowering_the_cap_drops_idle_content_now_and_held_content_when_it_is_freed(self) -> None:
        shop = Counter(slots=12)
        shop.serve(*text(1, 9))
        shop.engine.start(Request("held", text(2, 13)))
        assert shop.cached() == 5
        shop.engine.set_policy("cache_cap", 1)
        assert shop.cached() == 3  # the three held ones
        shop.engine.free("held")
        assert shop.cached() == 1
        assert shop.engine.lookup(Request("x", text(2, 13))).hit == 4  # tail first: the head is left

    def test_behind_a_block_forced_out_by_hand_storing_goes_on_as_without_a_cap(self) -> None:
        for settings in ({}, {"cache_cap": 20}):
            shop = Counter(**settings)
            shop.engine.start(Request("a", text(1, 4)))
            shop.engine.evict((1,))
            shop.engine.decode("a", (1, 2, 3, 4))
            assert shop.cached() == 1

    def test_a_raised_cap_takes_effect_with_the_next_block(self) -> None:
        shop = Counter(cache_cap=1)
        shop.serve(*text(1, 9))
        shop.engine.set_policy("cache_cap", None)
        shop.serve(*text(1, 9))
        assert shop.cached() == 2


class TestHotPrefixAdmission(PolicyLaws):
    on: ClassVar = [
        {"admit_after": 2},
        {"admit_after": 3, "admit_window": 9},
        {"admit_after": 2, "admit_window": 2},
    ]
    idle: ClassVar = [{"admit_window": 1}, {"admit_window": 20}]

    def test_a_prompt_of_four_blocks_is_admitted_whole_at_its_second_offer(self) -> None:
        """Offers count, not look-ups: a look-up stops at the first miss, so that way it would take nine."""
        shop = Counter(admit_after=2)
        hits = [shop.serve(*text(1, 17)) // 4 for _ in range(10)]
        assert hits == [0, 0, 4, 4, 4, 4, 4, 4, 4, 4]

    def test_one_time_guests_do_not_flush_a_hot_prefix(self) -> None:
        """A 2-block prefix seen twice, then ten 2-block prompts that never return; room for 4 blocks."""

        def flood(**settings: Any) -> tuple[int, int]:
            shop = Counter(cache_cap=4, **settings)
            shop.serve(*text(0, 9))
            shop.serve(*text(0, 9))
            for number in range(1, 11):
                shop.serve(*text(number, 9))
            return shop.serve(*text(0, 9)) // 4, len(shop.told(BlockEvicted))

        assert flood()[0] == 0
        assert flood(admit_after=2) == (2, 0)

    def test_the_flood_under_plain_lru_costs_eighteen_evictions(self) -> None:
        shop = Counter(cache_cap=4)
        for number in (0, 0, *range(1, 11)):
            shop.serve(*text(number, 9))
        assert len(shop.told(BlockEvicted)) == 18

    def test_the_refusal_says_how_often_it_was_seen(self) -> None:
        shop = Counter(admit_after=3)
        for _ in range(3):
            shop.serve(*text(1, 4))
        told = [(e.cause, e.num_sightings, e.threshold) for e in shop.told(BlockNotStored)]
        assert told == [("sightings", 1, 3), ("sightings", 2, 3)]
        assert shop.cached() == 1

    @pytest.mark.parametrize(("pause", "cached"), [(1, 1), (2, 0)])
    def test_only_sightings_inside_the_window_count(self, pause: int, cached: int) -> None:
        shop = Counter(admit_after=2, admit_window=4)  # submit, step, pause, submit, step
        shop.serve(*text(1, 4))
        shop.engine.wait(pause)
        shop.serve(*text(1, 4))  # 2 + pause ticks after the first sighting
        assert shop.cached() == cached

    def test_chunks_and_a_preemption_are_one_sighting(self) -> None:
        shop = Counter(admit_after=2)
        shop.engine.start(Request("a", text(1, 8)), chunk=3)
        shop.engine.prefill("a", 3)
        shop.engine.prefill("a", 2)
        shop.engine.preempt("a")
        shop.engine.resume("a", chunk=3)
        shop.engine.prefill("a", 5)
        assert shop.cached() == 0
        assert {e.num_sightings for e in shop.told(BlockNotStored)} == {1}

    def test_a_refused_start_and_a_look_up_are_no_sightings(self) -> None:
        shop = Counter(slots=2, admit_after=2)
        shop.engine.lookup(Request("x", text(1, 4)))
        assert not shop.engine.start(Request("a", text(1, 12))).ok
        shop.serve(*text(1, 4))
        assert shop.cached() == 0

    def test_nothing_is_stored_behind_a_block_that_was_kept_out(self) -> None:
        """With a window, a later block can have more sightings than the one before it."""
        shop = Counter(admit_after=2, admit_window=6)
        shop.engine.start(Request("a", text(1, 8)), chunk=4)  # tick 1: block 0 seen
        shop.engine.wait(4)
        shop.engine.prefill("a", 4)  # tick 6: block 1 seen
        shop.engine.start(Request("b", text(1, 8)))  # tick 7: block 0 seen for the 1st time in 6 ticks
        assert [(e.request_id, e.index) for e in shop.told(BlockNotStored)] == [
            ("a", 0),
            ("a", 1),
            ("b", 0),
            ("b", 1),
        ]

    def test_no_room_is_made_for_a_block_that_stays_out_anyway(self) -> None:
        """As above, with a cap of one block that an idle content fills: it must not go for nothing."""
        shop = Counter(admit_after=2, admit_window=6, cache_cap=1)
        shop.serve(*text(2, 4))
        shop.serve(*text(2, 4))  # tick 4: stored
        shop.engine.start(Request("a", text(1, 8)), chunk=4)
        shop.engine.wait(4)
        shop.engine.prefill("a", 4)
        shop.engine.start(Request("b", text(1, 8)))
        assert [(e.index, e.cause) for e in shop.told(BlockNotStored)][-2:] == [(0, "sightings"), (1, "cap")]
        assert (shop.cached(), shop.told(BlockEvicted)) == (1, [])

    def test_a_changed_threshold_keeps_what_was_counted(self) -> None:
        shop = Counter(admit_after=3)
        shop.serve(*text(1, 4))
        shop.engine.set_policy("admit_after", 2)
        shop.serve(*text(1, 4))
        assert shop.cached() == 1


class TimeToLiveLaws(PolicyLaws):
    """Shared by both kinds of age."""

    kind: ClassVar[str]

    def test_a_held_block_outlives_its_time(self) -> None:
        shop = Counter(ttl=3, ttl_kind=self.kind)
        shop.engine.start(Request("a", text(1, 8)))
        shop.engine.wait(50)
        assert shop.engine.lookup(Request("b", text(1, 9))).hit == 8
        assert shop.told(BlockEvicted) == []

    def test_expired_blocks_go_to_the_front_the_oldest_first(self) -> None:
        shop = Counter(slots=6, ttl=5, ttl_kind=self.kind)
        shop.serve(*text(1, 4))  # tick 2, block 1
        shop.serve(*text(2, 4))  # tick 4, block 2
        assert shop.engine.view.free_queue() == (3, 4, 5, 6, 1, 2)
        shop.engine.wait(20)
        assert [(e.block_id, e.cause, e.to_front) for e in shop.told(BlockEvicted)] == [
            (1, "ttl", True),
            (2, "ttl", True),
        ]
        assert shop.engine.view.free_queue() == (2, 1, 3, 4, 5, 6)

    def test_the_age_may_equal_the_time_to_live_but_not_exceed_it(self) -> None:
        for pause, hit in ((2, 8), (3, 0)):  # served at tick 2; the next step is at 2 + pause + 2
            shop = Counter(ttl=4, ttl_kind=self.kind)
            shop.serve(*text(1, 9))
            shop.engine.wait(pause)
            assert shop.serve(*text(1, 9)) == hit

    def test_with_a_time_of_nothing_content_lives_for_its_own_command_only(self) -> None:
        shop = Counter(ttl=0, ttl_kind=self.kind)
        assert [shop.serve(*text(1, 9)) for _ in range(3)] == [0, 0, 0]

    def test_the_five_visits(self) -> None:
        """Time to live 300, visits at these times; nine tokens, so that two whole blocks can hit."""
        shop = Counter(ttl=300, ttl_kind=self.kind)
        hits = []
        for time in (0, 240, 480, 720, 1021):
            if shop.engine.view.clock < 10 + time - 2:
                shop.engine.wait(10 + time - 2 - shop.engine.view.clock)
            hits.append(shop.serve(*text(1, 9)))  # submitted one tick before, served and freed at `time`
            assert shop.engine.view.clock == 10 + time
        assert hits == {"idle": [0, 8, 8, 8, 0], "absolute": [0, 8, 0, 8, 0]}[self.kind]


class TestIdleTimeToLive(TimeToLiveLaws):
    kind: ClassVar = "idle"
    on: ClassVar = [{"ttl": 0}, {"ttl": 2}, {"ttl_kind": "idle", "ttl": 7}]
    idle: ClassVar = [{"ttl": 10**6}, {"ttl_kind": "absolute"}]

    def test_a_hit_renews_and_a_look_up_does_not(self) -> None:
        shop = Counter(ttl=6)
        shop.serve(*text(1, 9))
        shop.engine.wait(3)
        shop.engine.lookup(Request("x", text(1, 9)))
        assert shop.serve(*text(1, 9)) == 8
        shop.engine.wait(4)
        assert shop.serve(*text(1, 9)) == 8


class TestAbsoluteTimeToLive(TimeToLiveLaws):
    kind: ClassVar = "absolute"
    on: ClassVar = [{"ttl_kind": "absolute", "ttl": ttl} for ttl in (0, 2, 7)]
    idle: ClassVar = [{"ttl": 10**6, "ttl_kind": "absolute"}]

    def test_a_hit_does_not_renew(self) -> None:
        shop = Counter(ttl=6, ttl_kind="absolute")
        shop.serve(*text(1, 9))  # stored at tick 2
        assert shop.serve(*text(1, 9)) == 8
        shop.engine.wait(3)
        assert shop.serve(*text(1, 9)) == 0

    def test_changing_the_kind_keeps_the_ages(self) -> None:
        shop = Counter(ttl=100, ttl_kind="absolute")
        shop.serve(*text(1, 9))
        shop.engine.wait(50)
        shop.engine.set_policy("ttl", 10)
        assert shop.cached() == 2  # expiry happens at the start of the next command
        shop.engine.wait(1)
        assert shop.cached() == 0

    def test_blocks_cached_before_it_was_switched_on_count_as_stored_then(self) -> None:
        shop = Counter(ttl_kind="absolute")
        shop.serve(*text(1, 9))
        shop.engine.wait(50)
        shop.engine.set_policy("ttl", 10)
        shop.engine.wait(10)
        assert shop.cached() == 2
        shop.engine.wait(1)
        assert shop.cached() == 0


class TestVersionNamespace(PolicyLaws):
    on: ClassVar = [{"version": "v1"}, {"version": "v2"}]
    idle: ClassVar = [{"version": "v1"}]  # alone in its world it changes nothing but the digests

    def test_nothing_of_another_version_matches_and_the_old_blocks_drain(self) -> None:
        shop = Counter(slots=6)
        shop.serve(*text(1, 9))
        shop.engine.set_version("v2")
        assert shop.serve(*text(1, 9)) == 0
        assert shop.cached() == 4  # both versions side by side
        assert shop.serve(*text(1, 9)) == 8
        shop.engine.set_version("")
        assert shop.serve(*text(1, 9)) == 8  # still there: nobody drops them at once
        shop.engine.set_version("v2")
        for number in range(2, 5):
            shop.serve(*text(number, 9))
        shop.engine.set_version("")
        assert shop.engine.lookup(Request("x", text(1, 9))).hit == 0  # drained by pressure

    def test_a_running_request_keeps_its_version_to_its_end(self) -> None:
        shop = Counter()
        shop.engine.start(Request("a", text(1, 4)))
        shop.engine.set_version("v2")
        shop.engine.decode("a", text(1, 8)[4:])
        assert shop.engine.lookup(Request("x", text(1, 9))).hit == 0
        shop.engine.preempt("a")
        assert shop.engine.resume("a").hit == 4  # the last token is always computed
        shop.engine.set_version("")
        assert shop.engine.lookup(Request("x", text(1, 9))).hit == 8

    def test_whoever_waits_or_was_preempted_moves_to_the_new_version(self) -> None:
        shop = Counter()
        shop.engine.submit(Request("waits", text(1, 9)))
        shop.engine.start(Request("back", text(2, 9)))
        shop.engine.preempt("back")
        shop.engine.set_version("v2")
        states = take_snapshot(shop.engine)["reqs"]
        assert {name: state["version"] for name, state in states.items()} == {"waits": "v2", "back": "v2"}
        assert shop.engine.resume("back").hit == 0

    def test_under_a_new_version_a_request_is_a_new_sighting(self) -> None:
        shop = Counter(admit_after=2)
        shop.engine.start(Request("a", text(1, 4)))
        shop.engine.preempt("a")
        shop.engine.set_version("v2")
        shop.engine.resume("a")
        assert shop.cached() == 0
        shop.serve(*text(1, 4))
        assert shop.cached() == 1

    def test_an_equal_version_is_an_equal_world(self) -> None:
        shop = Counter(version="v1")
        shop.serve(*text(1, 9))
        shop.engine.set_version("v2")
        shop.engine.set_version("v1")
        assert shop.serve(*text(1, 9)) == 8


# -- a hash that collides, with and without the token check --------------------------------------------

COLLIDING = [
    (1, 2, 3, 4, 0),
    (4, 3, 2, 1, 0),
]  # sums of 10: both first blocks have the weak hash 10 mod 8 = 2


def test_trusting_a_weak_hash_serves_foreign_content() -> None:
    shop = Counter(hash_name="weak")
    assert [shop.serve(*tokens) for tokens in COLLIDING] == [0, 4]
    assert shop.told(HashCollision) == []


def test_the_token_check_makes_the_collision_a_miss() -> None:
    shop = Counter(hash_name="weak", verify_tokens=True)
    assert [shop.serve(*tokens) for tokens in COLLIDING] == [0, 0]
    assert [(e.request_id, e.index, e.block_id) for e in shop.told(HashCollision)] == [("R2", 0, 1)]
    assert [shop.serve(*tokens) for tokens in COLLIDING] == [4, 4]  # each now finds its own copy


def test_the_token_check_looks_at_everything_before_the_block_too() -> None:
    """Equal weak hash, equal tokens, another parent: 1 and 9 are equal mod 8."""
    shop = Counter(hash_name="weak", verify_tokens=True, block_size=1)
    shop.serve(1, 5, 0)
    shop.serve(9, 0)
    assert shop.serve(9, 5, 0) == 1


def test_the_token_check_changes_nothing_for_a_sound_hash() -> None:
    for verify in (False, True):
        shop = Counter(verify_tokens=verify)
        assert [shop.serve(*text(1, 9)), shop.serve(*text(1, 9)), shop.serve(*text(2, 9))] == [0, 8, 0]


# -- where policies stand ----------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"version": "v1"}, {"admit_window": 3}, {"ttl_kind": "absolute"}])
def test_an_engine_without_a_policy_runs_the_plain_cache(settings: Settings) -> None:
    engine = Engine(EngineConfig(**settings))
    assert engine._scheduler._cache is engine._cache is engine._controller
    engine.set_policy("admit_window", 5)
    assert engine._scheduler._cache is engine._controller
    engine.set_policy("ttl", 5)
    assert isinstance(engine._scheduler._cache, PolicyCache)


def test_a_copy_of_an_engine_asks_its_own_cache() -> None:
    shop = Counter(ttl=50)
    shop.serve(*text(1, 9))
    twin = deepcopy(shop.engine)
    twin.reset()
    assert twin.lookup(Request("x", text(1, 9))).hit == 0
    assert shop.engine.lookup(Request("x", text(1, 9))).hit == 8


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cache: cache._idle.pop(2),  # an idle block is not known
        lambda cache: cache._idle.move_to_end(2),  # known in another order
        lambda cache: cache._idle.update({2: 0}),  # since another time
        lambda cache: cache._cache._ref_count.__setitem__(1, 1),  # the cache itself is damaged
    ],
)
def test_the_check_finds_damage_under_policies(spoil: Any) -> None:
    shop = Counter(ttl=50)
    shop.serve(*text(1, 9))
    shop.engine.check()
    spoil(shop.engine._cache)
    with pytest.raises(AssertionError):
        shop.engine.check()
