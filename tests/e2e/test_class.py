"""A class on one server: what an answer costs it, and what a visitor leaves in its memory.

Seconds of the server's own CPU, so that a busy machine disturbs little. Forty visitors who wish for something
every five seconds are eight answers a second: nobody waits while those fit into one second of Python.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.stage_load import Load, run_load
from benchmarks.stage_server import Server, running

VISITORS, SECONDS = 12, 6.0
ANSWERS_A_SECOND = 40 / 5
MEMORY_MIB = 8


def cpu_seconds(server: Server) -> float:
    ticks = Path("/proc", str(server.process_id), "stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def visited_by(server: Server, num_sessions: int, seconds: float) -> Load:
    """In a thread of its own, for Playwright keeps a loop running in the test's."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(run_load, server, num_sessions, seconds).result()


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="this system has no /proc to read CPU time from"
)
def test_forty_visitors_fit_into_one_process() -> None:
    with running() as server:
        visited_by(server, 1, 1.0)  # the first visitor pays for the imports
        before = cpu_seconds(server)
        load = visited_by(server, VISITORS, SECONDS)
        spent = cpu_seconds(server) - before
    answers = len(load.first_s) + len(load.answers_s)
    assert answers > VISITORS
    assert spent / answers * ANSWERS_A_SECOND < 0.8
    assert load.memory_mib is not None
    assert load.memory_mib / VISITORS < MEMORY_MIB
