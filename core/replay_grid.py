"""One log at several capacities, on the engine, in processes: the curve where no single pass gives it.

With requests in flight a larger cache need not hold what a smaller one holds, so there is no stack distance;
only running it tells. Each capacity is a run of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context

from core.block_chain import TracedPrompt
from core.prefix_tree import Progress
from core.replay import replay
from core.replay_runs import Way
from core.types import EngineConfig, Request

Prompts = Sequence[Request | TracedPrompt]


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

    ``progress`` hears of every finished capacity; what it raises stops all processes. With one process
    (``max_processes=1``, or a single capacity) everything runs right here.

    Raises:
        RequestError, TraceError: a prompt that cannot be read.
    """
    tasks = [(prompts, replace(config, num_blocks=capacity + 1), in_flight) for capacity in capacities]
    num_processes = min(len(tasks), max_processes or os.cpu_count() or 1)
    if num_processes <= 1:
        return _collect(map(_run, tasks), len(tasks), progress)
    # Fresh processes, not forks: the caller may be a server with many threads.
    with get_context("spawn").Pool(num_processes) as pool:
        points = _collect(pool.imap(_run, tasks), len(tasks), progress)
        pool.close()
        pool.join()
    return points


def _collect(points: Iterable[GridPoint], total: int, progress: Progress | None) -> list[GridPoint]:
    found = []
    for point in points:
        found.append(point)
        if progress is not None:
            progress(len(found), total)
    return found


def _run(task: tuple[Prompts, EngineConfig, int]) -> GridPoint:
    prompts, config, in_flight = task
    result = replay(prompts, config, in_flight=in_flight, count_evicted=False)
    return GridPoint(
        config.num_usable,
        result.hit_rate,
        int(result.hit_tokens.sum()),
        result.query_tokens,
        result.num_refused,
        result.way,
        result.reasons,
    )
