"""A server for the tests of the shared store: the first package that can be had, and no machine of others."""

from __future__ import annotations

import pytest

from tests import kv_server


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], set[str]]:
    """What is asked of apt-get, and which packages it has."""
    asked: list[str] = []
    has: set[str] = set()

    def install(packages: list[str], _missing: str) -> str | None:
        asked.extend(packages)
        return None if has & set(packages) else "apt-get install ended with status 100"

    monkeypatch.setattr(kv_server, "programs", lambda: [f"/bin/{name}" for name in asked if name in has])
    monkeypatch.setattr(kv_server, "apt_obstacle", lambda: None)
    monkeypatch.setattr(kv_server, "apt_install", install)
    return asked, has


@pytest.mark.parametrize("name", ["valkey-server", "redis-server"])
def test_valkey_comes_first_and_redis_where_there_is_none(
    machine: tuple[list[str], set[str]], name: str
) -> None:
    asked, has = machine
    has.add(name)
    assert kv_server.set_up() == f"tests of the shared store use /bin/{name}"
    assert asked == (["valkey-server"] if name == "valkey-server" else ["valkey-server", "redis-server"])


def test_without_either_the_tests_are_left_out_with_the_reason(machine: tuple[list[str], set[str]]) -> None:
    said = kv_server.set_up()
    assert said.startswith(
        "SKIPPED tests of the shared store on a server: apt-get install ended with status 100"
    )
    assert machine[0] == ["valkey-server", "redis-server"]


def test_without_being_root_nothing_is_installed(
    machine: tuple[list[str], set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kv_server, "apt_obstacle", lambda: "apt-get needs root")
    assert "apt-get needs root" in kv_server.set_up()
    assert machine[0] == []
