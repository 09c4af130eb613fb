"""A cache and the answers that are being written want the same blocks: one seeded load through one server.

Two houses are compared. *One pool*: what nobody holds is handed out when a running request needs it, whatever
it holds (vLLM). *Kept apart*: the cache has at most so many blocks, and new requests leave as many alone (the
engine's watermark); only answers that grow may take them then.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.cost import StepWork, TimeModel
from core.engine.events import RequestAdmitted
from core.errors import ConfigError
from core.load.prompts import Arrival
from core.load.server import Server
from core.load.spec import LoadSpec
from core.load.stream import RequestStream
from core.timeline.snapshot import take_levels
from core.types import EngineConfig

SLOTS_A_STEP = 200
"""Looking at all blocks takes time in proportion to their number, so there is a look every so many slots'
worth of steps; the means over time rest on these looks."""


@dataclass(frozen=True, slots=True)
class House:
    """How the blocks of one pool are shared out. ``cap``: most blocks that may carry content, None: all.
    ``apart``: new requests leave as many blocks alone as the cap has."""

    num_slots: int
    cap: int | None = None
    apart: bool = False
    block_size: int = 16

    def config(self) -> EngineConfig:
        """The engine's settings.

        Raises:
            ConfigError: kept apart without a cap, or a cap that leaves no block for requests.
        """
        if not self.apart:
            return EngineConfig(self.block_size, self.num_slots + 1, cache_cap=self.cap)
        if self.cap is None or not 0 <= self.cap < self.num_slots:
            expected = f"a whole number from 0 to {self.num_slots - 1}"
            message = f"The cap is {self.cap!r}; expected {expected}. Change it and try again."
            raise ConfigError("config.cache_cap", message, value=self.cap)
        share = self.cap / (self.num_slots + 1)
        return EngineConfig(self.block_size, self.num_slots + 1, cache_cap=self.cap, watermark=share)


@dataclass(frozen=True, slots=True)
class Served:
    """One load, all of it served. Counted: tokens, preemptions, evictions. Over modelled time: the means of
    requests that a step serves, and of blocks in each state. ``computed_tokens``: of prompts and answers,
    those computed again after a preemption included. ``ttft_…_s``, ``seconds``: modelled.
    """

    prompt_tokens: int
    hit_tokens: int
    computed_tokens: int
    num_preempted: int
    num_evicted: int
    mean_running: float
    most_running: int
    in_use: float
    idle_cached: float
    unused: float
    ttft_p50_s: float
    ttft_p95_s: float
    seconds: float

    @property
    def hit_rate(self) -> float:
        """Hit tokens / prompt tokens of first admissions."""
        return self.hit_tokens / max(self.prompt_tokens, 1)


def serve(spec: LoadSpec, house: House, time_model: TimeModel) -> Served:
    """Serve the whole stream. The same arguments give the same answer. About a millisecond a request.

    Raises:
        ConfigError: the pool is too small for the stream's requests.
    """
    config = house.config()
    room = (house.num_slots - (house.cap or 0) * house.apart) * house.block_size
    if room < spec.longest_common:
        message = f"Requests of this stream need {spec.longest_common} tokens; there is room for {room}."
        raise ConfigError("load.pool", message, needed=spec.longest_common, room=room, max=spec.max_tokens)
    server = Server(config, time_model, RequestStream(spec, min(spec.max_tokens, room)))
    found = _Found(house.num_slots)
    server.listener = found
    while server.has_work:
        server.turn()
    return found.served(server)


@dataclass(slots=True)
class _Found:
    """The listener. Sums over time are in block seconds and request seconds."""

    num_slots: int
    arrived_s: dict[int, float] = field(default_factory=dict)
    waits_s: list[float] = field(default_factory=list)
    prompt: int = 0
    hit: int = 0
    computed: int = 0
    preempted: int = 0
    running: float = 0.0
    most: int = 0
    seconds: float = 0.0
    steps: int = 0
    looked: float = 0.0
    since: float = 0.0
    levels: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])

    def submitted(self, arrival: Arrival, turn: int) -> None:
        self.arrived_s[arrival.number] = arrival.at_s

    def admitted(self, number: int, at_s: float, event: RequestAdmitted) -> None:
        if event.resumed:
            self.preempted += 1
        else:
            self.prompt += event.num_tokens
            self.hit += event.hit_tokens

    def answered(self, number: int, at_s: float) -> None:
        self.waits_s.append(at_s - self.arrived_s[number])

    def finished(self, number: int, at_s: float) -> None:
        """Nothing to note."""

    def stepped(self, start_s: float, end_s: float, work: StepWork, server: Server) -> None:
        took, running = end_s - start_s, work.num_prefills + work.num_decodes
        self.seconds += took
        self.since += took
        self.computed += work.num_tokens
        self.running += running * took
        self.most = max(self.most, running)
        self.steps += 1
        if self.steps % max(self.num_slots // SLOTS_A_STEP, 4) == 0:
            self._look(server)

    def _look(self, server: Server) -> None:
        now = take_levels(server.engine)
        for place, count in enumerate((now.in_use, now.cached, now.partial + now.kept_out + now.empty)):
            self.levels[place] += count * self.since
        self.looked += self.since
        self.since = 0.0

    def served(self, server: Server) -> Served:
        if self.since:
            self._look(server)
        total = max(self.looked, 1e-12)
        in_use, cached, unused = (level / total for level in self.levels)
        p50, p95 = np.quantile(self.waits_s, [0.5, 0.95]).tolist() if self.waits_s else (0.0, 0.0)
        return Served(
            prompt_tokens=self.prompt,
            hit_tokens=self.hit,
            computed_tokens=self.computed,
            num_preempted=self.preempted,
            num_evicted=sum(server.engine.view.num_evicted.values()),
            mean_running=self.running / max(self.seconds, 1e-12),
            most_running=self.most,
            in_use=in_use,
            idle_cached=cached,
            unused=unused,
            ttft_p50_s=p50,
            ttft_p95_s=p95,
            seconds=server.now_s,
        )
