"""Whatever a store does, an engine gets a shorter hit: no error, no wrong block, no long wait."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from benchmarks.store_server import Server, serving
from core.cluster.store.address import open_parts
from core.cluster.store.base import Layout, Parts
from core.cluster.store.recorded import payload
from core.cluster.store.store import Store
from core.cluster.store.tier import MOST_SKIPPED, SharedTier
from core.engine.hash_chain import hash_chain
from core.errors import StoreError
from tests.unit.core.cluster.store.conftest import SERVERS, why_no_server

KEYS = hash_chain([1, 2, 3], 1)
LAYOUT = Layout("tier", 8, 2)
DEADLINE_S = 0.2
PATIENCE_S = 20.0
"""Far above any deadline, far below for ever."""


def tier_on(parts: Parts) -> SharedTier:
    return SharedTier(Store(parts, "tier"))


def fill(tier: SharedTier) -> list[bool]:
    return [
        tier.keep(key, KEYS[place - 1] if place else None, [payload(key, 0), payload(key, 1)])
        for place, key in enumerate(KEYS)
    ]


def hit(tier: SharedTier) -> int:
    """Blocks found; what is found is right."""
    found = tier.begin(KEYS)
    assert list(found.shards) == [(payload(key, 0), payload(key, 1)) for key in KEYS[: len(found.shards)]]
    tier.end(found)
    return len(found.shards)


@contextmanager
def soon() -> Iterator[None]:
    began = monotonic()
    yield
    assert monotonic() - began < PATIENCE_S


@pytest.fixture(params=["valkey-server", "redis-server"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """One of its own: it will be stopped."""
    if why := why_no_server(request.param):
        pytest.skip(why)
    with serving(SERVERS[request.param]) as one:
        yield one


def test_what_is_kept_is_found_and_let_go_of(opened: Callable[..., Parts]) -> None:
    parts = opened(LAYOUT)
    tier = tier_on(parts)
    assert hit(tier) == 0
    assert fill(tier) == [True] * 3
    assert fill(tier) == [True] * 3, "it is there"
    assert hit(tier) == 3
    assert not any(slot.pins for slot in parts.snapshot().slots.values())
    assert (tier.counters.asked, tier.counters.hit, tier.counters.failed) == (6, 3, 0)


def test_without_a_store_all_is_a_miss() -> None:
    tier = SharedTier(None)
    assert (hit(tier), fill(tier)) == (0, [False] * 3)
    assert tier.counters.codes == {}


def test_a_file_that_somebody_holds_is_a_miss_after_the_deadline(tmp_path: Path) -> None:
    path = tmp_path / "s"
    parts = open_parts(f"sqlite:///{path}", LAYOUT, DEADLINE_S)
    tier = tier_on(parts)
    fill(tier)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with soon():
        assert hit(tier) == 0
    assert tier.counters.codes == {"store.slow": 1}
    holder.execute("ROLLBACK")
    assert (hit(tier), hit(tier)) == (0, 3), "one call is not made, then it is asked again"
    holder.close()
    parts.close()


def test_a_full_disk_is_a_miss(tmp_path: Path) -> None:
    parts = open_parts(f"sqlite:///{tmp_path}/s", LAYOUT, DEADLINE_S)
    tier = tier_on(parts)
    assert tier.keep(KEYS[0], None, [payload(KEYS[0], 0), payload(KEYS[0], 1)])
    parts._sql.execute("PRAGMA max_page_count = 1")  # type: ignore[attr-defined]
    assert not tier.keep(KEYS[1], KEYS[0], [bytes(100_000)] * 2)
    assert tier.counters.codes == {"store.refused": 1}
    hit(tier)
    assert hit(tier) == 1
    parts.close()


def test_a_file_that_is_none_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(b"no store at all, but long enough to be looked at" * 100)
    for address, code in ((f"{tmp_path}/s", "store.refused"), (f"{tmp_path}/no/s", "store.gone")):
        with pytest.raises(StoreError) as caught:
            open_parts(f"sqlite:///{address}", LAYOUT, DEADLINE_S)
        assert caught.value.code == code


@pytest.mark.parametrize("spoil", ["UPDATE memory SET frame = x'00' WHERE slot = 2 AND rank = 1",
                                   "DELETE FROM memory WHERE slot = 2",
                                   "UPDATE links SET slot = 3 WHERE slot = 2"])  # fmt: skip
def test_a_damaged_store_gives_a_shorter_hit(tmp_path: Path, spoil: str) -> None:
    parts = open_parts(f"sqlite:///{tmp_path}/s", LAYOUT)
    tier = tier_on(parts)
    fill(tier)
    other = sqlite3.connect(tmp_path / "s")
    with other:
        other.execute(spoil)
    other.close()
    assert hit(tier) == 1
    assert tier.counters.wrong == 1
    parts.close()


def test_a_server_that_stops_is_a_miss_and_one_that_starts_again_is_empty(server: Server) -> None:
    parts = open_parts(server.address, LAYOUT, DEADLINE_S)
    tier = tier_on(parts)
    fill(tier)
    held = tier.begin(KEYS)
    assert len(held.shards) == 3
    server.kill()
    with soon():
        assert [hit(tier) for _ in range(4)] == [0] * 4
    assert set(tier.counters.codes) == {"store.gone"}
    server.start()
    tier = tier_on(parts)
    assert hit(tier) == 0, "empty, and its scripts are gone: both are put there again"
    tier.end(held)
    assert fill(tier) == [True] * 3
    assert hit(tier) == 3
    assert tier.counters.failed == 0
    parts.close()


def test_a_server_that_does_not_answer_is_a_miss_after_the_deadline(server: Server) -> None:
    parts = open_parts(server.address, LAYOUT, DEADLINE_S)
    tier = tier_on(parts)
    fill(tier)
    assert server.process is not None
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        with soon():
            assert hit(tier) == 0
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    assert tier.counters.codes == {"store.slow": 1}
    assert (hit(tier), hit(tier)) == (0, 3)
    parts.close()


def test_no_call_waits_longer_than_its_deadline_or_is_made_again(server: Server) -> None:
    parts = open_parts(server.address, LAYOUT, DEADLINE_S)
    asked = parts._client.connection_pool.connection_kwargs  # type: ignore[attr-defined]
    assert (asked["socket_timeout"], asked["socket_connect_timeout"]) == (DEADLINE_S, DEADLINE_S)
    assert asked["retry"]._retries == 0
    parts.close()


def test_a_full_server_keeps_what_it_has(server: Server) -> None:
    import redis

    parts = open_parts(server.address, LAYOUT, DEADLINE_S)
    tier = tier_on(parts)
    fill(tier)
    admin = redis.Redis(port=server.port)
    admin.config_set("maxmemory", "1")
    assert not tier.keep(b"n" * 16, None, [b"", b""])
    assert tier.counters.codes == {"store.refused": 1}
    admin.config_set("maxmemory", "0")
    assert (hit(tier), hit(tier)) == (0, 3)
    admin.close()
    parts.close()


def test_a_server_that_evicts_by_itself_is_refused(server: Server) -> None:
    import redis

    with redis.Redis(port=server.port) as admin:
        admin.config_set("maxmemory", "100mb")
        admin.config_set("maxmemory-policy", "allkeys-lru")
    with pytest.raises(StoreError) as caught:
        open_parts(server.address, LAYOUT, DEADLINE_S)
    assert (caught.value.code, caught.value.values) == ("store.evicts", {"policy": "allkeys-lru"})


def test_a_store_that_is_gone_is_asked_ever_more_seldom() -> None:
    class Gone:
        layout = LAYOUT
        calls = 0

        def look_and_pin(self, *_: object) -> list[int]:
            self.calls += 1
            raise StoreError("store.gone", "gone")

    gone = Gone()
    tier = tier_on(gone)  # type: ignore[arg-type]
    assert [hit(tier) for _ in range(1000)] == [0] * 1000
    assert gone.calls == tier.counters.failed == 7 + (1000 - 7 - 127) // (MOST_SKIPPED + 1) + 1
    assert tier.counters.skipped == 1000 - gone.calls
