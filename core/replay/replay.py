"""The door to replays: a log of prompts through one cache. The fast way where it equals the engine, else the
engine itself; the result says which one ran, and why.

The fast way (core/replay/runs.py) is for prompts only, served one after another by plain LRU. Whatever else
is asked for runs on the engine: requests that overlap, outputs, a cap, hot-prefix admission, a time to live
(an absolute one even lets a parent go before its child), another queue rule, a weak hash.

A log's answers are left out either way: of a ``TracedPrompt`` only the prompt is replayed. A ``Request`` that
brings outputs gets them.

Ticks: where the settings count them (``ttl``, ``admit_window``) and the log has arrival times, one tick is
one millisecond of the log. The log's times are the only clock: the engine waits for each arrival, its own
commands take no time, and a row that comes later in the log than its time says comes at once. A log without
times is replayed as before, a tick per command.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sized
from dataclasses import replace

import numpy as np

from core.engine.engine import Engine
from core.engine.events import BlockEvicted, Event, RequestAdmitted
from core.replay.block_chain import TracedPrompt
from core.replay.prefix_tree import TELL_EVERY, PrefixTreeBuilder, Progress, chain_of, ticks_of
from core.replay.runs import ReplayResult, replay_runs
from core.types import EngineConfig, Request

Prompts = Iterable[Request | TracedPrompt]
"""Walked once, or twice where a request late in the log turns out to need the engine."""


def replay(
    prompts: Prompts,
    config: EngineConfig,
    *,
    in_flight: int = 1,
    count_evicted: bool = True,
    progress: Progress | None = None,
) -> ReplayResult:
    """Replay a log through one cache of ``config.num_usable`` slots.

    ``in_flight`` > 1: so many requests keep their blocks at a time; the oldest finishes when the next one
    comes, earlier if it does not fit otherwise. ``count_evicted``: counting needs the engine's block
    events, which take about half of its time; switched off, its evictions read 0.

    Raises:
        RequestError, TraceError: a prompt that cannot be read.
    """
    again = list(prompts) if isinstance(prompts, Iterator) else prompts
    reasons = needs_engine(config, in_flight)
    if not reasons:
        result = _replay_fast(again, config, progress)
        if isinstance(result, ReplayResult):
            return result
        reasons = result
    timed = all(not isinstance(one, Request) and one.arrival_s is not None for one in again)
    return _EngineReplay(config, in_flight, count_evicted, timed).run(again, reasons, progress)


def needs_engine(config: EngineConfig, in_flight: int = 1) -> tuple[str, ...]:
    """Why these settings need the engine, as stable codes; empty if the fast way equals it."""
    found = {
        "in_flight": in_flight > 1,
        "caching_off": not config.enable_caching,
        "queue_rule": config.queue_rule != "vllm",
        "weak_hash": config.hash_name != "xxh3_128",
        "token_check": config.verify_tokens,
        "cap": config.cache_cap is not None,
        "admission": config.admit_after > 1,
        "ttl": config.ttl is not None,
    }
    return tuple(reason for reason, applies in found.items() if applies)


def _request_needs_engine(request: Request) -> tuple[str, ...]:
    return ("outputs",) * (len(request.outputs) > 0) + ("skip_read",) * request.skip_read


def _replay_fast(
    prompts: Prompts, config: EngineConfig, progress: Progress | None
) -> ReplayResult | tuple[str, ...]:
    """The result, or why a request in the log needs the engine."""
    builder = PrefixTreeBuilder(config.block_size)
    total = len(prompts) if isinstance(prompts, Sized) else None
    for done, prompt in enumerate(prompts):
        if isinstance(prompt, Request) and (reasons := _request_needs_engine(prompt)):
            return reasons
        builder.add(chain_of(prompt, config.block_size, config.version))
        if progress is not None and done % TELL_EVERY == 0:
            progress(done, total)
    return replay_runs(builder.finish(), config.num_usable)


class _EngineReplay:
    """Drives one engine through a log."""

    def __init__(self, config: EngineConfig, in_flight: int, count_evicted: bool, timed: bool) -> None:
        self._config = config
        counts_ticks = config.ttl is not None or config.admit_window is not None
        self._timed = counts_ticks and timed  # then the clock is the log's
        self._engine = Engine(config, self._note, block_events=count_evicted, own_clock=not self._timed)
        self._in_flight = in_flight
        self._held: deque[str] = deque()  # running requests, oldest first; only with in_flight > 1
        self._hit_tokens = self._num_evicted = 0  # of the request at hand

    def _note(self, event: Event) -> None:
        if isinstance(event, BlockEvicted):
            self._num_evicted += 1
        elif isinstance(event, RequestAdmitted) and not event.resumed:
            self._hit_tokens = event.hit_tokens

    def run(self, prompts: Prompts, reasons: tuple[str, ...], progress: Progress | None) -> ReplayResult:
        """Send every prompt; collect what happened to each."""
        rows: list[tuple[int, int, int, bool]] = []
        total = len(prompts) if isinstance(prompts, Sized) else None
        for done, prompt in enumerate(prompts):
            if self._timed and not isinstance(prompt, Request):
                self._wait_until(prompt.arrival_s or 0.0)
            request = prompt if isinstance(prompt, Request) else replace(prompt.request(), outputs=())
            self._hit_tokens = self._num_evicted = 0
            admitted = self._send(request)
            rows.append((len(request.token_ids), self._hit_tokens, self._num_evicted, admitted))
            if progress is not None and done % TELL_EVERY == 0:
                progress(done, total)
        columns = np.array(rows, np.int64).reshape(-1, 4).T
        return ReplayResult(
            "engine", reasons, columns[0], columns[1], columns[2], columns[3].astype(np.bool_)
        )

    def _wait_until(self, arrival_s: float) -> None:
        ticks = ticks_of(arrival_s) - self._engine.view.clock
        if ticks > 0:
            self._engine.wait(ticks)

    def _send(self, request: Request) -> bool:
        """Whether the request was admitted; one too large for the pool never is, and changes nothing."""
        size, num_slots = self._config.block_size, len(request.token_ids) + max(len(request.outputs) - 1, 0)
        if -(-num_slots // size) > self._config.num_usable:
            return False
        if self._in_flight > 1:
            self._start(request)
        else:
            self._engine.submit(request)
            self._engine.run()
        return True

    def _start(self, request: Request) -> None:
        """Admit a request beside those that hold their blocks; let go of the oldest as needed."""
        if len(self._held) >= self._in_flight:
            self._engine.free(self._held.popleft())
        while not self._engine.start(request).ok:
            self._engine.free(self._held.popleft())
        self._decode(request)
        self._held.append(request.request_id)

    def _decode(self, request: Request) -> None:
        """Take the outputs' blocks too; the last sampled token is never computed, so it needs no slot."""
        outputs = request.outputs[:-1]
        if len(outputs) and not self._engine.decode(request.request_id, outputs).ok:
            self._engine.free(self._held.popleft())
            while not self._engine.decode(request.request_id, ()).ok:  # its tokens stand there already
                self._engine.free(self._held.popleft())
