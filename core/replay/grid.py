"""One log at several capacities, on the engine, in processes: the curve where no single pass gives it.

With requests in flight a larger cache need not hold what a smaller one holds, so there is no stack distance;
only running it tells. Each capacity is a run of its own, in a fresh Python that imports the engine alone
(``multiprocessing`` would load the caller's main module too, which may be a whole web app).
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from core.errors import BrothError
from core.replay.block_chain import TracedPrompt
from core.replay.prefix_tree import Progress, part_of
from core.replay.replay import replay
from core.replay.runs import Way
from core.types import EngineConfig, Request

Prompts = Sequence[Request | TracedPrompt]
ROOT = Path(__file__).resolve().parents[2]
WORKER = "from core.replay.grid import work; work()"


@dataclass(frozen=True, slots=True)
class GridPoint:
    """What one capacity gave; ``way`` and ``reasons`` as in ``ReplayResult``."""

    num_usable: int
    hit_rate: float | None
    hit_tokens: int
    query_tokens: int
    num_refused: int
    way: Way
    reasons: tuple[str, ...]


def replay_grid(
    prompts: Prompts,
    config: EngineConfig,
    capacities: Sequence[int],
    *,
    in_flight: int = 1,
    max_processes: int | None = None,
    progress: Progress | None = None,
) -> list[GridPoint]:
    """Replay the log once per capacity (usable slots); ``config.num_blocks`` is replaced.

    ``progress`` hears of every finished capacity, in order; what it raises ends all processes. With one
    process (``max_processes=1``, or a single capacity) everything runs right here, and ``progress`` hears of
    every few requests.

    Raises:
        RequestError, TraceError: a prompt that cannot be read.
    """
    configs = [replace(config, num_blocks=capacity + 1) for capacity in capacities]
    num_processes = min(len(configs), max_processes or os.cpu_count() or 1)
    if num_processes <= 1:
        count = len(configs)
        return [
            _run(prompts, one, in_flight, part_of(progress, place, count))
            for place, one in enumerate(configs)
        ]
    with _Workers(num_processes, prompts, in_flight) as workers:
        return _collect(workers.map(configs), len(configs), progress)


def _collect(points: Iterable[GridPoint], total: int, progress: Progress | None) -> list[GridPoint]:
    found = []
    for point in points:
        found.append(point)
        if progress is not None:
            progress(len(found), total)
    return found


def _run(
    prompts: Prompts, config: EngineConfig, in_flight: int, progress: Progress | None = None
) -> GridPoint:
    result = replay(prompts, config, in_flight=in_flight, count_evicted=False, progress=progress)
    return GridPoint(
        config.num_usable,
        result.hit_rate,
        int(result.hit_tokens.sum()),
        result.query_tokens,
        result.num_refused,
        result.way,
        result.reasons,
    )


class _Workers:
    """A thread per process does nothing but wait for it. Leaving the ``with`` ends whatever still runs."""

    def __init__(self, num_processes: int, prompts: Prompts, in_flight: int) -> None:
        self._threads = ThreadPoolExecutor(num_processes)
        self._payload = pickle.dumps(prompts)
        self._in_flight = in_flight
        self._processes: list[subprocess.Popen[bytes]] = []
        self._closed = False

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()  # one that has ended does not mind
        self._threads.shutdown()

    def map(self, configs: Sequence[EngineConfig]) -> Iterable[GridPoint]:
        """The points, in the order of the settings."""
        return self._threads.map(self._ask, configs)

    def _ask(self, config: EngineConfig) -> GridPoint:
        command = [sys.executable, "-c", WORKER]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            self._processes.append(process)
            if self._closed:
                process.kill()
            answer, _ = process.communicate(pickle.dumps((config, self._in_flight)) + self._payload)
        if process.returncode:
            raise RuntimeError(f"a replay process ended with status {process.returncode}")
        found = pickle.loads(answer)
        if isinstance(found, GridPoint):
            return found
        kind, code, message, values = found
        raise kind(code, message, **values)


def work(source: BinaryIO | None = None, target: BinaryIO | None = None) -> None:
    """What a worker process does: settings and log in, one point (or one of our errors) out."""
    source, target = source or sys.stdin.buffer, target or sys.stdout.buffer
    config, in_flight = pickle.load(source)
    prompts = pickle.load(source)
    try:
        found: object = _run(prompts, config, in_flight)
    except BrothError as error:
        found = (type(error), error.code, error.message, error.values)
    target.write(pickle.dumps(found))
