"""Real processes on one store, killed with SIGKILL on their way: whole acts, and each one split."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from benchmarks import store as benchmark
from benchmarks.store_server import Server
from core.cluster.store.base import Acts
from tests.unit.core.cluster.store.conftest import SERVERS, servers

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are killed as on POSIX")
__all__ = ["servers"]
WORKERS = 4
SPLIT_REQUESTS = 1_600
SHOWS: dict[str, Callable[[benchmark.Tally], int]] = {
    "put_once": lambda tally: tally.counts["replaced"],
    "pin_with_look_up": lambda tally: tally.stale,
    "shards_together": lambda tally: tally.counts["torn"],
    "unpin_once": lambda tally: tally.stale,
    "unlink_first": lambda tally: tally.stale,
    "leases": lambda tally: tally.audit.stuck if tally.audit else 0,
    "fenced": lambda tally: tally.stale,
}
"""What of a crowd's tally is not 0 once the act is split."""


@pytest.fixture(params=["file", "server"])
def address(request: pytest.FixtureRequest, tmp_path: Path, servers: Callable[[str], Server]) -> str:
    """The file, and one kind of server: minutes each. The acts of the others are tested one by one."""
    if request.param == "file":
        return f"sqlite:///{tmp_path}/store"
    return servers(next(iter(SERVERS), "valkey-server")).address


def test_ten_thousand_requests_of_workers_that_are_killed_read_nothing_stale(address: str) -> None:
    tally = benchmark.crowd(benchmark.job_for("", address, 10_000, 7), WORKERS)
    assert tally.requests == 10_000
    assert tally.killed > 10
    assert tally.failed < 100, "nobody waits in vain, but for a machine that stands still"
    assert tally.counts["read"] > 10_000, "a store that is used"
    assert (tally.stale, tally.counts["wrong"], tally.counts["replaced"]) == (0, 0, 0)
    assert tally.audit is not None
    assert tally.audit.sound
    assert tally.audit.unreachable == 0


@pytest.mark.parametrize("fault", SHOWS)
def test_with_one_act_split_it_goes_wrong_and_nothing_wrong_is_delivered(fault: str, address: str) -> None:
    job = benchmark.job_for(fault, address, SPLIT_REQUESTS, 7)
    tally = benchmark.crowd(job, WORKERS)
    assert SHOWS[fault](tally) > 0
    assert tally.counts["wrong"] == 0, "each value carries its key and a checksum"


def test_there_is_a_crowd_for_every_switch() -> None:
    assert list(SHOWS) == [one.name for one in fields(Acts)] == list(benchmark.FAULTS[1:])


def test_a_server_s_own_eviction_leaves_what_nobody_can_reach(
    servers: Callable[[str], Server], capsys: pytest.CaptureFixture[str]
) -> None:
    server = servers(next(iter(SERVERS), "valkey-server"))
    benchmark.beside_lru(server.program, 1_500, 7)
    own, plain, aware = capsys.readouterr().out.splitlines()[-3:]
    assert "unreachable 0 " not in own
    assert "unreachable 0 " in aware
    assert plain.startswith("our store, plain LRU")
