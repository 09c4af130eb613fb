"""One tree of errors, each with a stable code, values and a message that helps."""

from __future__ import annotations

import inspect

import pytest

from core import errors
from core.errors import BrothError, ConfigError, EventLogError, ScenarioError
from core.scenario.reader import load_scenario
from core.timeline.event_log import load_jsonl
from core.types import EngineConfig


def tree() -> list[type[BrothError]]:
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    return [kind for kind in kinds if issubclass(kind, BrothError)]


def test_every_error_belongs_to_one_tree_and_is_drawn_in_the_docstring() -> None:
    assert errors.__doc__ is not None
    for kind in tree():
        assert kind.__name__ in errors.__doc__
        assert kind is BrothError or kind.__mro__[1] is BrothError


@pytest.mark.parametrize("kind", tree())
def test_an_error_keeps_code_values_and_message(kind: type[BrothError]) -> None:
    error = kind("some.code", "What happened. What was expected. What to do.", field="x", value=3)
    assert error.code == "some.code"
    assert error.values == {"field": "x", "value": 3}
    assert str(error) == error.message == "What happened. What was expected. What to do."


def test_nothing_else_is_caught_with_the_tree() -> None:
    assert not issubclass(ConfigError, (ValueError, TypeError, OSError))
    assert issubclass(BrothError, Exception)


@pytest.mark.parametrize("name", ["admit_after", "block_size", "ttl", "max_num_batched_tokens"])
def test_a_setting_of_absurd_size_is_refused_before_anything_runs(name: str) -> None:
    with pytest.raises(ConfigError, match="whole number from"):
        EngineConfig(**{name: 2**63})


def test_json_nested_without_end_is_our_error() -> None:
    with pytest.raises(ScenarioError):
        load_scenario("[" * 100_000)
    with pytest.raises(EventLogError):
        load_jsonl("[" * 100_000)
