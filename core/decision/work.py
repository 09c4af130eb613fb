"""The runs behind a sheet: what one of them is and gives.

A run is one server with its part of the stream. Its first requests fill the cache and are not counted
(``WARM_SHARE``); all other requests are, from whatever moment they come.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.cost import StepWork
from core.decision.spec import UNLIMITED, SheetSpec
from core.engine.events import RequestAdmitted
from core.errors import ConfigError, RequestError
from core.load import KINDS, Arrival, Kind, LoadSpec
from core.load.records import Counts, Records, Times
from core.load.run import new_stream, with_window, without_cache
from core.load.server import Server
from core.load.summary import waits_so_far
from core.types import EngineConfig

LARGE = 200_000
"""A pool of more blocks is cut to what the run can bring, which changes nothing: it costs memory here."""

PIECE_S = 5.0
"""Modelled seconds between two looks whether a run may stop."""

PAUSE_S = 0.1
"""Modelled seconds after which a run can be left in the middle: a few steps of the engine."""

PAUSE_REQUESTS = 50
"""Requests that are made between two such places when only their lengths are asked for."""

MOST_BLOCKS = 4_000_000
"""The largest pool that is built, at some 110 bytes of this computer's memory a block."""


@dataclass(frozen=True, slots=True)
class Work:
    """One run: ``gpus`` share the load, each has ``gib`` of room (None: no cache; inf: never full)."""

    gpus: int
    gib: float | None
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the counted requests of one run met, in order of their numbers. Times in modelled seconds.

    ``too_small``: the blocks that a request needs which the pool does not have; then there is nothing else.
    ``stopped``: the run was left because its p95 is at least the ceiling. Then ``ttft_s`` are lower bounds:
    what is known, how long the others have waited so far, 0 for who had not come; so p50, p95 and shares
    over a level are "at least", and there is no hit rate, queue or throughput (nan).
    """

    work: Work
    blocks: int
    too_small: int | None
    stopped: bool
    kind: NDArray[np.int8]
    num_prompt: Counts
    hit: Counts
    ttft_s: Times
    queue: float
    throughput: float

    def quantile(self, share: float) -> float:
        """A quantile of the times to first token, between two values in proportion; nan without any."""
        return float(np.quantile(self.ttft_s, share)) if len(self.ttft_s) else float("nan")

    def over(self, slo_s: float) -> float:
        """Share of requests whose first token came later than that; nan without any."""
        return float(np.mean(self.ttft_s > slo_s)) if len(self.ttft_s) else float("nan")

    def holds(self, slo_s: float) -> bool:
        """Whether p95 is at or under the level."""
        return self.too_small is None and not self.stopped and self.quantile(0.95) <= slo_s

    @property
    def hit_rate(self) -> float:
        """Hit tokens / prompt tokens; nan where there is none to tell."""
        total = int(self.num_prompt.sum())
        return float("nan") if self.stopped or not total else int(self.hit.sum()) / total

    @property
    def drift(self) -> float:
        """Hit rate of the later half of the counted requests, less that of the earlier half."""
        half = len(self.num_prompt) // 2
        early, late = int(self.num_prompt[:half].sum()), int(self.num_prompt[half:].sum())
        if self.stopped or not early or not late:
            return float("nan")
        return float(self.hit[half:].sum() / late - self.hit[:half].sum() / early)

    def of(self, kind: Kind) -> Outcome:
        """The requests of one kind only. Queue and throughput are those of all."""
        mine = self.kind == KINDS.index(kind)
        parts = {name: getattr(self, name)[mine] for name in ("kind", "num_prompt", "hit", "ttft_s")}
        return replace(self, **parts)


def measure(spec: SheetSpec, work: Work) -> Outcome:
    """Run it. Pure: the same spec and work give the same outcome. Mostly half a second, with long prompts
    and answers ten; ``measuring`` does the same in pieces.

    Raises:
        ConfigError: the run needs a larger pool than ``MOST_BLOCKS``.
    """
    pieces = measuring(spec, work)
    while True:
        try:
            next(pieces)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def measuring(spec: SheetSpec, work: Work) -> Generator[None, None, Outcome]:
    """The same run in pieces of some milliseconds: whoever goes through them may stop at each and go on
    later, or never. Where one stops changes nothing of the outcome.

    Raises:
        ConfigError: as ``measure``.
    """
    stream = spec.share_of(work.gpus, work.seed)
    blocks, built = yield from _pool(spec, stream, work.gib)
    run = _Run(spec, stream, _config(spec.config, built, work.gib))
    try:
        yield from run.go(spec.ceiling_s)
    except RequestError as error:
        if error.code != "request.too_large":
            raise
        return _nothing(work, blocks, int(str(error.values["needed"])))
    finally:
        run.end()  # through, or left
    return run.outcome(work, blocks)


def _pool(spec: SheetSpec, stream: LoadSpec, gib: float | None) -> Generator[None, None, tuple[int, int]]:
    """The blocks of the pool, and how many of them are built: no more than all requests of the run can take
    together, for what lies beyond is never touched. Without a cache all the room of the largest size serves
    running requests; without limit the pool holds all that the run can bring."""
    blocks = None if gib == UNLIMITED else spec.blocks(spec.sizes[-1] if gib is None else gib)
    if blocks is not None and blocks <= LARGE:
        return blocks, blocks
    most = 0
    for place, request in enumerate(new_stream(stream, stream.max_tokens).by_number()):
        most += request.num_tokens // spec.config.block_size + 1
        if place % PAUSE_REQUESTS == 0:
            yield
    enough = int(most / (1 - spec.config.watermark)) + 1
    built = enough if blocks is None else min(blocks, enough)
    if built > MOST_BLOCKS:
        size = spec.config.block_size
        message = (
            f"Blocks of {size} tokens would make {built} blocks on one server; the sheet computes with at "
            f"most {MOST_BLOCKS}. Choose a larger block_size."
        )
        raise ConfigError(
            "sheet.blocks", message, field="block_size", size=size, blocks=built, most=MOST_BLOCKS
        )
    return (most if blocks is None else blocks), built


def _config(config: EngineConfig, blocks: int, gib: float | None) -> EngineConfig:
    """The engine of one run. A cap stays what it is; where the pool is smaller, that bounds. A cache without
    limit has neither cap nor time to live: it never forgets."""
    config = replace(config, num_blocks=blocks + 1)
    if gib is None:
        return without_cache(config)
    if gib == UNLIMITED:
        return with_window(replace(config, enable_caching=True, cache_cap=None, ttl=None))
    cap = None if config.cache_cap is None else min(config.cache_cap, blocks)
    return with_window(replace(config, enable_caching=True, cache_cap=cap))


class _Run:
    """One server to its end, or until its p95 is over a ceiling; writes down what each request meets."""

    def __init__(self, spec: SheetSpec, stream: LoadSpec, config: EngineConfig) -> None:
        self._num_warm = spec.num_warm
        self._server = Server(config, spec.cost, new_stream(stream, stream.max_tokens))
        self._server.listener = self
        self._stopped = False
        self._records = Records(stream.num_requests)
        self._side = self._records.cached
        self._last_ones = slice(-min(stream.clients or 1, stream.num_requests), None)

    def go(self, ceiling_s: float) -> Generator[None, None, None]:
        """Run, with places to be left at on the way."""
        server = self._server
        while server.has_work:
            look_s = server.now_s + PIECE_S
            while server.has_work and server.now_s < look_s:
                server.run_until(min(server.now_s + PAUSE_S, look_s))
                yield
            if server.has_work:
                self._stopped = bool(np.quantile(self._waits_so_far(), 0.95) > ceiling_s)
                if self._stopped:
                    return

    def end(self) -> None:
        """Nobody listens any more. Else run, server and engine would hold each other, and a large pool lie in
        memory until the next full collection."""
        self._server.listener = None
        self._server.engine.listen(None)

    def outcome(self, work: Work, blocks: int) -> Outcome:
        """What the counted requests met."""
        warm = self._num_warm
        return Outcome(
            work=work,
            blocks=blocks,
            too_small=None,
            stopped=self._stopped,
            kind=self._records.kind[warm:],
            num_prompt=self._records.num_prompt[warm:],
            hit=self._side.hit[warm:],
            ttft_s=self._waits_so_far(),
            queue=np.nan if self._stopped else self._queue(),
            throughput=np.nan if self._stopped else self._throughput(),
        )

    def _waits_so_far(self) -> Times:
        """Of the counted requests: time to first token, or since they came; 0 for who has not come."""
        return np.nan_to_num(waits_so_far(self._side, self._server), nan=0.0)[self._num_warm :]

    @property
    def _window(self) -> tuple[float, float]:
        """From the first counted request on while all send: until the last one comes, or the first client
        sends its last."""
        arrival_s = self._side.arrival_s
        return float(arrival_s[self._num_warm :].min()), float(arrival_s[self._last_ones].min())

    def _queue(self) -> float:
        """Requests that wait to be let in, mean over the window: all their waiting in it / its length."""
        start, end = self._window
        waited = np.minimum(self._side.admitted_s, end) - np.maximum(self._side.arrival_s, start)
        return float(np.maximum(waited, 0).sum()) / (end - start) if end > start else np.nan

    def _throughput(self) -> float:
        start, end = self._window
        finished_s = self._side.finished_s
        inside = (finished_s > start) & (finished_s <= end)
        return float(np.count_nonzero(inside)) / (end - start) if end > start else np.nan

    # -- what the server tells ------------------------------------------------------------------------------

    def submitted(self, arrival: Arrival, turn: int) -> None:
        """A request reaches the engine."""
        self._records.arrived(self._side, arrival)

    def admitted(self, number: int, at_s: float, event: RequestAdmitted) -> None:
        """The scheduler lets a request in; only the first time counts."""
        if not event.resumed:
            self._side.admitted_s[number], self._side.hit[number] = at_s, event.hit_tokens

    def answered(self, number: int, at_s: float) -> None:
        """A request has its first token."""
        self._side.first_s[number] = at_s

    def finished(self, number: int, at_s: float) -> None:
        """A request has its last token."""
        self._side.finished_s[number] = at_s

    def stepped(self, start_s: float, end_s: float, work: StepWork, server: Server) -> None:
        """A step is over."""


def _nothing(work: Work, blocks: int, needed: int) -> Outcome:
    none = np.zeros(0)
    kinds, tokens = none.astype(np.int8), none.astype(np.int32)
    return Outcome(work, blocks, needed, False, kinds, tokens, tokens, none, np.nan, np.nan)
