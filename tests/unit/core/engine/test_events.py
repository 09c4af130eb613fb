"""The events: frozen values, two levels, and which level an engine tells."""

from __future__ import annotations

import ast
from dataclasses import FrozenInstanceError, fields, is_dataclass
from pathlib import Path

import pytest

from core.engine.engine import Engine
from core.engine.events import BlockEvent, BlockHit, BlockReleased, ClockAdvanced, Event
from core.timeline.event_log import event_types
from core.types import EngineConfig, Request

ROOT = Path(__file__).resolve().parents[4]


def test_every_event_is_a_frozen_dataclass() -> None:
    assert len(event_types()) == 27
    for kind in event_types().values():
        assert is_dataclass(kind)
        assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
        assert kind.__doc__
    event = ClockAdvanced(1, False)
    with pytest.raises(FrozenInstanceError):
        event.clock = 2  # type: ignore[misc]
    assert ClockAdvanced(1, False) == event
    assert hash(event) == hash(ClockAdvanced(1, False))


def test_block_events_are_those_about_one_block() -> None:
    for name, kind in event_types().items():
        assert kind.is_block_event == issubclass(kind, BlockEvent) == name.startswith(("Block", "HashColl"))


def test_events_carry_the_value_after_the_change() -> None:
    """No field is called a difference: folding must be mere assignment."""
    names = {field.name for kind in event_types().values() for field in fields(kind)}
    assert not {name for name in names if name.startswith(("delta", "diff"))}
    assert {"ref_count", "num_computed", "num_tokens", "clock"} <= names


def told(block_events: bool) -> list[Event]:
    events: list[Event] = []
    engine = Engine(EngineConfig(block_size=2, num_blocks=8), events.append, block_events=block_events)
    engine.submit(Request("a", (1, 2, 3, 4, 5), (6, 7)))
    engine.run()
    engine.submit(Request("b", (1, 2, 3, 4, 9)))
    engine.run()
    engine.reset()
    return events


def test_without_block_events_only_these_are_left_out() -> None:
    everything, requests_only = told(True), told(False)
    assert [event for event in everything if not event.is_block_event] == requests_only
    assert {type(event) for event in everything} >= {BlockHit, BlockReleased}


def test_every_event_is_emitted_somewhere_in_the_write_side() -> None:
    """An event nobody tells would be dead weight in every reader."""
    made: set[str] = set()
    for path in (ROOT / "core" / "engine").glob("*.py"):
        if path.name not in ("stats.py", "kv_events.py", "events.py"):
            nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
            made |= {node.id for node in nodes if isinstance(node, ast.Name)}
            made |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    assert set(event_types()) <= made
