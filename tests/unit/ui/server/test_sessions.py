"""Sessions end by a timer; the names of Streamlit's that it leans on are there."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any, cast

import pytest
from streamlit.runtime import Runtime
from streamlit.runtime.session_manager import SessionManager
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from ui.server.sessions import Doorkeeper


class House:
    """A runtime with visitors: who is here, who has left; closing is written down."""

    def __init__(self) -> None:
        self.here: set[str] = set()
        self.left: set[str] = set()
        self.closed: list[str] = []
        self._session_mgr = self

    def list_active_sessions(self) -> list[Any]:
        return [SimpleNamespace(session=SimpleNamespace(id=name)) for name in self.here]

    def list_sessions(self) -> list[Any]:
        return [SimpleNamespace(session=SimpleNamespace(id=name)) for name in self.here | self.left]

    def close_session(self, name: str) -> None:
        self.left.remove(name)
        self.closed.append(name)


def test_who_has_left_is_forgotten_and_who_is_here_is_not() -> None:
    house = House()
    house.here, house.left = {"ann"}, {"bob"}
    door = Doorkeeper(cast(Runtime, house), grace_s=100)
    assert [door.look(now) for now in (0, 50, 99.9, 100, 200)] == [0, 0, 0, 1, 0]
    assert house.closed == ["bob"]
    assert house.here == {"ann"}


def test_who_comes_back_in_time_begins_anew() -> None:
    """A bad line: gone for 90 s, here again, gone again."""
    house = House()
    house.left = {"ann"}
    door = Doorkeeper(cast(Runtime, house), grace_s=100)
    door.look(0)
    door.look(90)
    house.left, house.here = set(), {"ann"}
    door.look(95)
    house.left, house.here = {"ann"}, set()
    assert [door.look(now) for now in (96, 190, 195.9, 196)] == [0, 0, 0, 1]


def test_another_streamlit_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    door = Doorkeeper(cast(Runtime, SimpleNamespace()), grace_s=1)
    with caplog.at_level(logging.WARNING):
        assert door.look(0) == 0
    assert "other names" in caplog.text


def test_the_names_are_there_in_the_pinned_version() -> None:
    assert "_session_mgr" in Runtime.__init__.__code__.co_names
    for manager in (SessionManager, WebsocketSessionManager):
        assert callable(manager.list_sessions)
        assert callable(manager.list_active_sessions)
    assert callable(Runtime.close_session)
