"""LoadRun: one seeded stream of requests through two servers, with and without the cache, bit by bit.

    cost = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
    run = LoadRun(LoadSpec(seed=7), EngineConfig(num_blocks=1025), cost)
    while run.advance(requests=50):
        draw(run.samples(), run.slot_map())
        if rush_hour:
            run.burst(seconds=30, factor=5)

Both servers get the same requests. In an open stream they come to both at the same moments, whether earlier
ones have been answered or not; with ``LoadSpec.clients`` each client waits for its answer, so a faster server
is asked sooner. Nothing here reads a clock: a page calls ``advance`` as often as it likes, and the same calls
give the same run.

Memory is bounded whatever the length: 93 bytes a request, a fixed number of bins, a fixed number of marks
(copies of the server with the cache, from which ``scenario_around`` sets out instead of from the
beginning).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.cost import TimeModel
from core.errors import ConfigError, RequestError
from core.load.clients import ClientStream
from core.load.cycle import Loop, compare
from core.load.meter import Meter, bins_for
from core.load.prompts import Arrival
from core.load.records import Records
from core.load.samples import Flag, HotPrefix, Samples, SlotMap, hottest, take_samples, take_slot_map
from core.load.server import Server, with_block_size
from core.load.spec import TICKS_PER_S, Burst, LoadSpec
from core.load.stream import RequestStream, Stream
from core.load.summary import KindSummary, Summary, by_kind, summarize
from core.types import POLICY_FIELDS, EngineConfig

DEFAULT_WINDOW_TICKS = 60 * TICKS_PER_S
"""The admission window when somebody asks for several sightings and names none: without a window the
engine would have to remember every content it ever saw."""
MOST_MARKS = 32
FIRST_MARK_EVERY = 500


@dataclass(frozen=True, slots=True)
class Knob:
    """A change, and the server's turn before which it was made."""

    turn: int
    at_s: float
    name: str
    value: int | str | None


class LoadRun:
    """A run that goes on as far as it is asked to.

    Raises:
        ConfigError: the pool (or ``max_tokens``) is too small for the stream's common parts.
    """

    def __init__(
        self,
        spec: LoadSpec,
        config: EngineConfig,
        time_model: TimeModel,
        *,
        bin_s: float = 1.0,
        most_bins: int = 600,
    ) -> None:
        config = with_window(config)
        self.spec = spec
        self.first_config = config
        self.time_model = time_model
        self.max_tokens = max_tokens_for(spec, config)
        self.records = Records(spec.num_requests)
        self.flags: list[Flag] = [Flag(burst.start_s, "burst", burst.factor) for burst in spec.bursts]
        self.knobs: list[Knob] = []
        self.bursts: list[Burst] = []
        self.bins = bins_for(bin_s, most_bins)
        self.cached = self.new_server()
        self.plain = Server(without_cache(config), time_model, self.new_stream())
        self.cached_meter = Meter("cached", self.records, self.records.cached, self.bins, time_model)
        self.plain_meter = Meter("plain", self.records, self.records.plain, self.bins, time_model)
        self.cached.listener, self.plain.listener = self.cached_meter, self.plain_meter
        self.marks: list[Server] = []
        self._mark_every = FIRST_MARK_EVERY
        self.now_s = 0.0

    def new_server(self) -> Server:
        """The server with the cache as it was at the very beginning."""
        return Server(self.first_config, self.time_model, self.new_stream())

    def new_stream(self) -> Stream:
        """The requests from the very beginning."""
        return new_stream(self.spec, self.max_tokens)

    def contents(self) -> Iterator[Arrival]:
        """What all requests of the stream are made of, by number; no server runs. ``at_s`` means nothing."""
        stream = self.new_stream()
        for burst in self.bursts:
            stream.burst(burst)  # in an open stream they decide which chat goes on
        return stream.by_number()

    # -- going on -------------------------------------------------------------------------------------------

    @property
    def config(self) -> EngineConfig:
        """The settings that hold now."""
        return self.cached.engine.config

    @property
    def done(self) -> bool:
        """Whether every request of the stream has been answered by both servers."""
        return not self.cached.has_work and not self.plain.has_work

    def advance(self, *, requests: int | None = None, seconds: float | None = None) -> bool:
        """Go on until so many more requests have come, or for so many modelled seconds. When no more come,
        ``requests`` means the time in which so many would have come. Returns whether anything is left to
        do."""
        horizon = self.now_s + (seconds or 0.0)
        if requests is not None and seconds is None:
            horizon = self._until_arrived(requests)
        self.cached.run_until(horizon)
        self.plain.run_until(horizon)
        self.now_s = max(horizon, self.now_s) if not self.done else max(self.cached.now_s, self.plain.now_s)
        for server, meter in ((self.cached, self.cached_meter), (self.plain, self.plain_meter)):
            meter.rested(min(server.now_s, self.now_s) if server.has_work else self.now_s)
            if self.done:
                meter.closed(self.num_bins)
        self._mark()
        return not self.done

    def _until_arrived(self, requests: int) -> float:
        """Let the first server run until so many more have come to it; the moment it has reached."""
        server = self.cached
        target = server.num_taken + requests
        while server.num_taken < target and not server.stream.ended:
            server.turn()
        if server.num_taken < target:
            pace = self.spec.rate if self.spec.clients is None else server.num_taken / server.now_s
            return self.now_s + requests / pace
        return max(server.now_s, self.now_s)

    def _mark(self) -> None:
        """Now and then keep a copy of the server, at most ``MOST_MARKS``, evenly spread."""
        last = self.marks[-1].num_taken if self.marks else 0
        if self.cached.num_taken < last + self._mark_every or not self.cached.has_work:
            return
        self.marks.append(copy_server(self.cached))
        if len(self.marks) > MOST_MARKS:
            self.marks = self.marks[1::2]
            self._mark_every *= 2

    # -- knobs ----------------------------------------------------------------------------------------------

    def set_policy(self, name: str, value: int | str | None) -> None:
        """Change a policy of the cache from the next request on; times in ticks (``TICKS_PER_S`` a second).

        Raises:
            RequestError: no policy of that name. ConfigError: a value outside its range.
        """
        if name not in POLICY_FIELDS:
            allowed = ", ".join(POLICY_FIELDS)
            message = f"Setting {name} cannot change while the run goes on; these can: {allowed}."
            raise RequestError("request.policy", message, field=name, allowed=allowed)
        replace(self.config, **{name: value})  # type: ignore[arg-type]  # refuse it before anything changes
        if name == "admit_after" and self.config.admit_window is None and value != 1:
            self.set_policy("admit_window", DEFAULT_WINDOW_TICKS)
        knob = Knob(self.cached.num_turns, max(self.cached.now_s, self.now_s), name, value)
        apply_knob(self.cached, knob)
        self.cached_meter.count_evictions(knob.at_s, self.cached)
        self._turned(knob)

    def restart(self, block_size: int) -> None:
        """Go on with blocks of another size: same room, empty cache, requests inside sent again.

        Raises:
            ConfigError: the size is no positive whole number, or requests would no longer fit.
        """
        config = with_block_size(self.config, block_size)
        if config.num_usable < -(-self.max_tokens // block_size):
            message = (
                f"With blocks of {block_size} the pool has {config.num_usable} of them; a request of "
                f"{self.max_tokens} tokens needs {-(-self.max_tokens // block_size)}. Choose a smaller block."
            )
            raise ConfigError("load.block_size", message, value=block_size, usable=config.num_usable)
        knob = Knob(self.cached.num_turns, max(self.cached.now_s, self.now_s), "block_size", block_size)
        self.cached_meter.count_evictions(knob.at_s, self.cached)
        apply_knob(self.cached, knob)
        self.cached_meter.forget_evictions()
        self.plain.restart(without_cache(config))
        self._turned(knob)

    def _turned(self, knob: Knob) -> None:
        self.knobs.append(knob)
        self.flags.append(Flag(knob.at_s, knob.name, knob.value))

    def burst(self, *, seconds: float, factor: float) -> Burst:
        """Rush hour from now on: requests come ``factor`` times as often, clients pause as much shorter.

        Raises:
            ConfigError: a length or a factor that is not above 0.
        """
        # Open streams have already drawn their next arrival: the burst begins just behind the later one.
        # Clients' pauses can still get shorter, but not in what a server has behind it.
        is_open = self.spec.clients is None
        fixed = [s.next_arrival_s() if is_open else s.now_s for s in (self.cached, self.plain)]
        start = max([self.now_s, *(at_s for at_s in fixed if at_s is not None)]) + 1e-3
        burst = Burst(start, seconds, factor)
        self.cached.stream.burst(burst)
        self.plain.stream.burst(burst)
        self.bursts.append(burst)
        self.flags.append(Flag(start, "burst", factor))
        return burst

    # -- looking ----------------------------------------------------------------------------------------

    @property
    def num_bins(self) -> int:
        """Bins that both servers have left behind; at the end the last, unfinished one too."""
        if self.done:
            return self.bins.index(max(self.now_s, self.bins.width_s)) + 1
        working = [server.now_s for server in (self.cached, self.plain) if server.has_work]
        return int(min([*working, self.now_s]) / self.bins.width_s)

    def samples(self, since: int = 0) -> Samples:
        """The curves of all complete bins from number ``since`` on. O(requests + bins)."""
        return take_samples(self.records, self.bins, self.num_bins, since, tuple(self.flags))

    def slot_map(self) -> SlotMap:
        """The pool of the server with the cache, now."""
        return take_slot_map(self.cached.engine)

    def hottest(self, top: int = 10) -> list[HotPrefix]:
        """The most popular beginnings so far, with their requests per bin."""
        size = self.config.block_size
        return hottest(self.records, self.cached.stream, self.bins, self.num_bins, size, top)

    def loop(self) -> Loop | None:
        """The cycle of one client on both servers; None without clients, or before much is known."""
        servers = (self.cached, self.plain)
        paused = [one.stream.paused(one.now_s) for one in servers if isinstance(one.stream, ClientStream)]
        return compare(self.spec, paused, self.records, self.time_model) if paused else None

    def summary(self) -> Summary:
        """The run so far in numbers."""
        come = self.cached.num_taken
        return summarize(self.records, self.cached_meter, self.plain_meter, self.now_s, come)

    def by_kind(self, slo_s: float) -> tuple[KindSummary, ...]:
        """The run so far against a service level, all requests first, then kind by kind."""
        return by_kind(self.records, self.cached, self.plain, slo_s)


def new_stream(spec: LoadSpec, max_tokens: int) -> Stream:
    """The requests of a spec, open or of clients who wait."""
    return (RequestStream if spec.clients is None else ClientStream)(spec, max_tokens)


def apply_knob(server: Server, knob: Knob) -> None:
    """Make a change on a server, now or when a run is repeated."""
    server.now_s = max(server.now_s, knob.at_s)
    if knob.name == "block_size":
        assert isinstance(knob.value, int)
        server.restart(with_block_size(server.engine.config, knob.value))
    else:
        server.set_policy(knob.name, knob.value)


def copy_server(server: Server) -> Server:
    """An independent copy that nobody listens to."""
    listener, server.listener = server.listener, None
    twin = copy.deepcopy(server, {id(server.time_model): server.time_model})
    server.listener = listener
    return twin


def with_window(config: EngineConfig) -> EngineConfig:
    """The same settings; several sightings count within a window, ours if they name none."""
    if config.admit_after > 1 and config.admit_window is None:
        return replace(config, admit_window=DEFAULT_WINDOW_TICKS)
    return config


def without_cache(config: EngineConfig) -> EngineConfig:
    """The same engine with caching off: policies of the cache mean nothing there."""
    return replace(config, enable_caching=False, cache_cap=None, ttl=None, admit_after=1, admit_window=None)


def max_tokens_for(spec: LoadSpec, config: EngineConfig) -> int:
    """The longest request, output included: what the spec says, at most what the pool holds."""
    room = config.num_usable * config.block_size
    limit = min(spec.max_tokens, room)
    if limit < spec.longest_common:
        message = (
            f"Requests of this stream need {spec.longest_common} tokens; the pool holds {room}, max_tokens "
            f"is {spec.max_tokens}. Make the pool larger or the prompts shorter (fitted_to does)."
        )
        raise ConfigError("load.pool", message, needed=spec.longest_common, room=room, max=spec.max_tokens)
    return limit
