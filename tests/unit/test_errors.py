"""One tree of errors, each with a stable code, values and a message that helps."""

from __future__ import annotations

import inspect

import pytest

from core import errors
from core.errors import BrothError, ConfigError


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
