"""Listening may be switched on and off at any moment: nobody's state changes, and a log that begins late
folds onto the frame of that moment. The engine's own counts agree with the frame."""

from __future__ import annotations

from dataclasses import astuple

from hypothesis import given
from hypothesis import strategies as st

from core.engine.engine import Engine
from core.engine.events import BlockEvicted, Event
from core.scenario.scenario import Scenario, execute
from core.timeline.fold import fold_all
from core.timeline.frame import Frame, initial_frame
from core.timeline.snapshot import slot_letters, take_frame, take_levels, take_snapshot
from tests.strategies import examples, scenarios


def told_later(frame: Frame) -> Frame:
    """Of a folded frame, what is still known to somebody who began to listen late; and not the fill of
    cached content, which preemption can leave unwritten."""
    live = {name: request for name, request in frame["reqs"].items() if request["status"] != "finished"}
    slots = {
        name: {**slot, "fill": slot["fill"] if slot["hash"] is None else 0}
        for name, slot in frame["slots"].items()
    }
    reqs = {name: {**request, "look": {}} for name, request in live.items()}
    return {**frame, "slots": slots, "reqs": reqs}  # type: ignore[typeddict-item]


@given(scenarios(), st.integers(0, 30), st.integers(1, 30))
@examples(60)
def test_listening_late_changes_nothing_and_misses_nothing(
    scenario: Scenario, start: int, length: int
) -> None:
    whole: list[Event] = []
    late: list[Event] = []
    before = 0  # events told before the second engine's listener came
    engine, other = Engine(scenario.config, whole.append), Engine(scenario.config)
    first = take_frame(other)
    for number, command in enumerate(scenario.commands):
        if number == start:
            first, before = take_frame(other), len(whole)
            other.listen(late.append)
        if number == start + length:
            other.listen(None)
        execute(engine, command)
        execute(other, command)
        assert take_snapshot(engine) == take_snapshot(other)
        if start <= number < start + length:
            assert late == whole[before:]
            frame = fold_all(initial_frame(scenario.config), whole)
            assert told_later(fold_all(first, late)) == told_later(frame) == told_later(take_frame(other))


@given(scenarios())
@examples(60)
def test_the_counts_agree_with_the_frame(scenario: Scenario) -> None:
    events: list[Event] = []
    engine, counted = Engine(scenario.config, events.append), Engine(scenario.config)
    for command in scenario.commands:
        execute(engine, command)
        execute(counted, command)
    frame = fold_all(initial_frame(scenario.config), events)
    size = scenario.config.block_size
    letters = "".join(
        letter(slot["ref"], slot["hash"], slot["fill"], size) for slot in frame["slots"].values()
    )
    assert slot_letters(counted) == letters
    levels = take_levels(counted)
    assert astuple(levels) == tuple(letters.count(state) for state in "ucpke")
    causes = [event.cause for event in events if isinstance(event, BlockEvicted)]
    assert dict(counted.view.num_evicted) == {
        cause: causes.count(cause) for cause in ("reused", "cap", "ttl", "forced")
    }
    counted.check()


def letter(ref: int, digest: str | None, fill: int, size: int) -> str:
    if ref:
        assert fill  # behind a step no block is held and empty
        return "u"
    if digest is not None:
        return "c"
    return "e" if not fill else "p" if fill < size else "k"
