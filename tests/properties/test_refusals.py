"""What is refused leaves cache, queue, tables and statistics as they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given

from core.engine.engine import Engine
from core.engine.events import CacheReset, Event, GrowthFailed, RequestBlocked, RequestRefused
from core.errors import ConfigError, RequestError
from core.scenario.scenario import Command, Scenario, execute
from core.timeline.snapshot import take_snapshot
from core.types import Request
from tests.strategies import examples, scenarios

PROMPT = (1, 2, 3, 4, 5, 6, 7)


def wrong_commands(engine: Engine) -> Iterator[tuple[str, Callable[[], object]]]:
    """(expected code, command) for everything that cannot be carried out on this engine now."""
    usable = engine.config.num_usable
    giant = Request("giant", (1,) * (usable * engine.config.block_size + 1))
    thirsty = Request("giant", (1,), (2,) * (usable * engine.config.block_size + 1))
    yield "request.too_large", lambda: engine.submit(giant)
    yield "request.too_large", lambda: engine.submit(thirsty)
    for bad in ((1, -1), (2**32,), (0.5,), (True,), ("1",)):
        request = Request("new", bad)  # type: ignore[arg-type]
        yield "request.token", lambda request=request: engine.submit(request)
        yield "request.token", lambda request=request: engine.start(request)
        yield "request.token", lambda request=request: engine.lookup(request)
    yield "request.token", lambda: engine.submit(Request("new", (1,), (-1,)))
    for chunk in (0, -1, 1.5, True):
        yield "request.count", lambda chunk=chunk: engine.start(Request("new", (1,)), chunk=chunk)
    for ticks in (0, -1, 1.5, True, None):
        yield "request.ticks", lambda ticks=ticks: engine.wait(ticks)
    for block in (0, -1, usable + 1, True, "1", None):
        yield "request.block", lambda block=block: engine.evict((block,))
        yield "request.block", lambda block=block: engine.view.ref_count(block)
        yield "request.block", lambda block=block: engine.view.block_hash(block)
    yield "request.policy", lambda: engine.set_policy("block_size", 2)
    yield "config.ttl", lambda: engine.set_policy("ttl", -1)
    yield "config.ttl_kind", lambda: engine.set_policy("ttl_kind", None)
    yield "config.version", lambda: engine.set_version(None)  # type: ignore[arg-type]
    for name in ("abort", "free", "preempt", "resume"):
        yield "request.unknown", lambda name=name: getattr(engine, name)("nobody")
    for name in ("block_table", "computed", "num_tokens", "block_hashes"):
        yield "request.unknown", lambda name=name: getattr(engine.view, name)("nobody")
    yield "request.unknown", lambda: engine.prefill("nobody", 1)
    yield "request.unknown", lambda: engine.decode("nobody", (1,))
    yield "request.unknown", lambda: engine.append("nobody", (1,))
    for request_id, state in take_snapshot(engine)["reqs"].items():
        yield "request.duplicate", lambda request_id=request_id: engine.submit(Request(request_id, (1,)))
        yield "request.duplicate", lambda request_id=request_id: engine.start(Request(request_id, (1,)))
        yield "request.token", lambda request_id=request_id: engine.append(request_id, (1, -1))
        if state["status"] == "running":
            yield "request.token", lambda request_id=request_id: engine.decode(request_id, (1, 2**32))
            for count in (0, None):
                yield (
                    "request.count",
                    lambda request_id=request_id, count=count: engine.prefill(request_id, count),
                )
        else:
            yield "request.not_running", lambda request_id=request_id: engine.prefill(request_id, 1)
            yield "request.not_running", lambda request_id=request_id: engine.decode(request_id, (1,))
            yield "request.not_running", lambda request_id=request_id: engine.preempt(request_id)
        if state["status"] == "preempted":
            yield "request.count", lambda request_id=request_id: engine.resume(request_id, chunk=0)
        else:
            yield "request.not_preempted", lambda request_id=request_id: engine.resume(request_id)


@given(scenarios())
@examples(25)
def test_an_error_changes_nothing_and_tells_nothing(scenario: Scenario) -> None:
    events: list[Event] = []
    engine = Engine(scenario.config, events.append)
    for command in scenario.commands:
        execute(engine, command)
    before, told, config = take_snapshot(engine), len(events), engine.config
    for code, wrong in wrong_commands(engine):
        with pytest.raises((RequestError, ConfigError)) as caught:
            wrong()
        assert caught.value.code == code
        assert caught.value.message.endswith((".", "!"))
        assert take_snapshot(engine) == before
        assert (len(events), engine.config) == (told, config)
    engine.check()


def instead(command: Command, told: list[Event]) -> Callable[[Engine], Any] | None:
    """What should have the same effect as a command that was refused; None if it was not refused."""
    refusals = [event for event in told if isinstance(event, (RequestRefused, RequestBlocked, GrowthFailed))]
    if command.op == "reset" and any(isinstance(event, CacheReset) and not event.ok for event in told):
        return lambda engine: engine.wait(1)
    if command.op == "decode" and refusals:
        return lambda engine: engine.append(command.args["id"], command.output.ids)
    if command.op in ("start", "resume", "prefill") and refusals:
        return lambda engine: engine.wait(1)
    return None


@given(scenarios(max_commands=60))
@examples(40)
def test_a_command_that_finds_no_room_only_lets_time_pass(scenario: Scenario) -> None:
    """A twin lets one tick pass instead of each refused command (so that the same things expire); it stays
    equal to the end, so nothing hidden has changed either. A failed decode keeps its appended tokens."""
    told: list[Event] = []
    engine, twin = Engine(scenario.config, told.append), Engine(scenario.config)
    for command in scenario.commands:
        told.clear()
        execute(engine, command)
        other = instead(command, told)
        if other is None:
            execute(twin, command)
        else:
            other(twin)
        assert take_snapshot(engine) == take_snapshot(twin)


@given(scenarios())
@examples(25)
def test_a_step_that_admits_nobody_only_counts_itself(scenario: Scenario) -> None:
    engine, twin = Engine(scenario.config), Engine(scenario.config)
    for command in scenario.commands:
        execute(engine, command)
        execute(twin, command)
    outcome = engine.step()
    twin.wait(1)
    if not outcome.scheduled and not outcome.preempted:
        assert take_snapshot(engine) == {**take_snapshot(twin), "step": engine.num_steps}


@given(scenarios())
@examples(25)
def test_run_always_ends_and_leaves_nobody_who_could_go_on(scenario: Scenario) -> None:
    """Running again brings nothing: nobody gets through all its tokens."""
    engine = Engine(scenario.config)
    for command in scenario.commands:
        execute(engine, command)
    engine.run()
    before = take_snapshot(engine)
    engine.run()
    after = take_snapshot(engine)
    assert list(after["reqs"]) == list(before["reqs"])
    for name, request in before["reqs"].items():
        assert after["reqs"][name]["num_tokens"] == request["num_tokens"]
