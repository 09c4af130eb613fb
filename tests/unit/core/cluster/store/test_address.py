"""Which store an address means; a password in one is repeated nowhere."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.cluster.store.address import open_parts
from core.cluster.store.base import Layout
from core.cluster.store.in_sqlite import SqliteParts
from core.errors import StoreError


@pytest.mark.parametrize("address", ["", "  ", "sqlite://", "sqlite:///"])
def test_without_an_address_the_store_is_a_file_that_goes(address: str) -> None:
    parts = open_parts(address)
    assert isinstance(parts, SqliteParts)
    assert parts._own is not None
    folder = Path(parts._own.name)
    assert folder.exists()
    parts.close()
    assert not folder.exists()


def test_a_file_is_named_from_where_one_is_or_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    open_parts("sqlite:///a%20b.db").close()
    open_parts(f"sqlite:///{tmp_path}/c.db").close()
    assert {path.name for path in tmp_path.glob("*.db")} == {"a b.db", "c.db"}


@pytest.mark.parametrize(
    "address",
    [
        "store",
        "http://me:secret@host",
        "redis://",
        "redis://:secret@host:port",
        "sqlite://host/x",
        "redis:[::",
    ],
)
def test_what_is_no_address_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_parts(address)
    assert caught.value.code == "store.address"
    assert "secret" not in f"{caught.value} {caught.value.values}"


@pytest.mark.parametrize("setting", [{"capacity": 0}, {"ranks": 0}, {"ranks": 31}, {"lease_s": 0.0}])
def test_a_layout_that_makes_no_store_is_refused(setting: dict[str, int]) -> None:
    with pytest.raises(StoreError) as caught:
        open_parts("", replace(Layout(), **setting))
    assert caught.value.code == "store.setting"
    assert caught.value.values == {"name": next(iter(setting)), "value": next(iter(setting.values()))}


def test_nobody_at_that_address() -> None:
    pytest.importorskip("redis", reason="the client of servers is not installed")
    for scheme in ("redis", "valkey"):
        with pytest.raises(StoreError) as caught:
            open_parts(f"{scheme}://:secret@127.0.0.1:1/0", Layout(), 0.5)
        assert caught.value.code == "store.gone"
        assert "secret" not in str(caught.value)


def test_without_the_client_a_sentence_says_how_to_add_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(StoreError) as caught:
        open_parts("redis://127.0.0.1:1")
    assert caught.value.code == "store.package"
    assert "redis" in str(caught.value.values["command"])
    assert importlib.util.find_spec("core.cluster.store.on_server") is not None
