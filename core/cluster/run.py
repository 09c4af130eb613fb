"""ClusterRun: a stream of requests through a router to N engines, each exactly the one we have, in modelled
time.

    run = ClusterRun(stream_jobs(LoadSpec(seed=7), config), config, cost, RoundRobin(), num_workers=4)
    run.finish()
    run.rates().captured

Every worker has a clock of its own, as on ``core.load``'s server. A request is routed when it arrives:
every step that begins earlier has begun by then, and what ends later nobody knows yet. Deciding and sending
take no time. A worker that dies (``deaths``: seconds, place) takes what it was computing with it; its
requests are sent again at that moment, those that had come earlier first. Same jobs, settings, router and
seed: same run."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import cast

import numpy as np

from core.cluster.card import Card, Notice
from core.cluster.jobs import Job
from core.cluster.rates import Rates, WorkerCount, rates_of
from core.cluster.records import Floats, Rows
from core.cluster.router import Ask, Choice, Router, Worker
from core.cluster.truth import DIFFERENCES, Available, difference, held_blocks
from core.cost import TimeModel
from core.engine.events import RequestAdmitted
from core.engine.hash_chain import hash_chain
from core.errors import ConfigError
from core.types import BlockHash, EngineConfig


class ClusterRun:
    """A run; ``finish`` goes to its end, ``send`` one request on.

    ``choices``: what the router said, for the rows in ``keep`` only (None: for none of them) — rows always
    keep every candidate's value and belief.

    Raises:
        ConfigError: no workers, or settings whose block identities the run could not compute itself.
    """

    def __init__(
        self,
        jobs: Iterable[Job],
        config: EngineConfig,
        time_model: TimeModel,
        router: Router,
        num_workers: int,
        *,
        deaths: Sequence[tuple[float, int]] = (),
        keep: Iterable[int] = (),
    ) -> None:
        _check(config, num_workers, deaths)
        self.config = config
        self.time_model = time_model
        self.router = router
        self.jobs = list(jobs)
        self.rows = Rows(len(self.jobs), num_workers)
        self.choices: dict[int, Choice] = {}
        self.now_s = 0.0
        self._keep = frozenset(keep)
        self._row_of = {job.arrival.number: row for row, job in enumerate(self.jobs)}
        self._notices: list[tuple[float, int, Notice]] = []
        self._counter = count()
        self._deaths = sorted(deaths)
        self._inside: dict[int, Job] = {}  # by number, in the order of sending
        self._available = Available(config.block_size)
        self.cards = [
            Card(place, config, time_model, self._notify, self._admitted, tell_kv=router.wants_kv)
            for place in range(num_workers)
        ]
        self.workers = [
            Worker(f"W{place + 1}", config.num_usable, config.block_size) for place in range(num_workers)
        ]

    # -- going on -----------------------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Whether every request has been sent."""
        return self.rows.num == len(self.jobs)

    def finish(self) -> ClusterRun:
        """Send all that is left and wait for every answer."""
        while not self.done:
            self.send()
        self._advance(float("inf"))
        return self

    def send(self) -> int:
        """Route the next request; its row."""
        job = self.jobs[self.rows.num]
        self._advance(job.arrival.at_s)
        row = self.rows.num
        self.rows.num += 1
        self.rows.at_s[row] = job.arrival.at_s
        self.rows.num_tokens[row] = job.arrival.num_prompt
        self._route(row, job)
        return row

    def _advance(self, to_s: float) -> None:
        """Everything up to a moment: steps that begin before it, deaths, what is known by then."""
        while self._deaths and self._deaths[0][0] <= to_s:
            at_s, place = self._deaths.pop(0)
            self._step_to(at_s)
            self._die(place, at_s)
        self._step_to(to_s)

    def _step_to(self, to_s: float) -> None:
        for card in self.cards:
            card.run_before(to_s)
        while self._notices and self._notices[0][0] <= to_s:
            self._tell(heapq.heappop(self._notices)[2])
        if to_s != float("inf"):
            self.now_s = to_s

    # -- routing ------------------------------------------------------------------------------------------

    def _route(self, row: int, job: Job) -> None:
        arrival = job.arrival
        ask = Ask(arrival.number, self.now_s, arrival.request(), job.session, job.text)
        chain = ask.chain(self.config.block_size)
        self._look()
        choice = self.router.choose(ask, self.workers)
        worker = self.workers[choice.worker]
        assert worker.healthy, f"{self.router.name} chose {worker.name}, which is dead"
        self._write(row, ask, chain, choice)
        if row in self._keep:
            self.choices[row] = choice
        worker.load += 1
        worker.processed += 1
        self._inside[arrival.number] = job
        self.cards[choice.worker].feed.line.append(replace(arrival, at_s=self.now_s))

    def _look(self) -> None:
        """What workers report, as of their last step begun."""
        for worker, card in zip(self.workers, self.cards, strict=True):
            view = card.server.engine.view
            worker.waiting = card.server.num_waiting + len(card.feed.line)
            worker.running = len(view.running_ids())
            worker.kv_usage = card.kv_usage()
        if self.router.sees_caches:
            clocks = [max(card.server.now_s, self.now_s) for card in self.cards]
            self.router.look_into([card.server.engine for card in self.cards], clocks)

    def _write(self, row: int, ask: Ask, chain: tuple[BlockHash, ...], choice: Choice) -> None:
        rows, size = self.rows, self.config.block_size
        rows.worker[row] = choice.worker
        rows.available[row] = self._available.tokens(chain, ask.num_tokens)
        self._available.add(chain)
        if len(answer := self._answer_chain(ask, chain)):
            self._available.add(answer)
        for place, score in enumerate(choice.scores):
            held = held_blocks(self.cards[place].server.engine, chain, ask.num_tokens) * size
            rows.held[row, place] = held
            if score.value is not None:
                rows.value[row, place] = score.value
            believed = None if score.believed is None else self._in_blocks(score.believed, ask.num_tokens)
            if believed is not None:
                rows.believed[row, place] = believed
            total = self.router.believed_total(place)
            kind = difference(believed, held, score.mark, total, self.config.num_usable * size)
            rows.kind[row, place] = DIFFERENCES.index(kind)

    def _in_blocks(self, believed: int, num_tokens: int) -> int:
        """A belief in whole blocks that a prompt could hit: the engine has no smaller ones."""
        size = self.config.block_size
        return min(believed // size, (num_tokens - 1) // size) * size

    def _answer_chain(self, ask: Ask, chain: tuple[BlockHash, ...]) -> Sequence[BlockHash]:
        """Blocks that the answer fills, its last token never being computed (rule 34)."""
        size, computed = self.config.block_size, np.asarray(ask.request.outputs[:-1], np.uint32)
        if (ask.num_tokens + len(computed)) // size == len(chain):
            return ()
        return hash_chain(cast(Sequence[int], np.concatenate([ask.tokens, computed])), size)[len(chain) :]

    # -- news ---------------------------------------------------------------------------------------------

    def _notify(self, notice: Notice) -> None:
        heapq.heappush(self._notices, (notice.at_s, next(self._counter), notice))

    def _admitted(self, place: int, number: int, at_s: float, event: RequestAdmitted) -> None:
        row = self._row_of[number]
        if not event.resumed and self.rows.first_s[row] != self.rows.first_s[row]:
            self.rows.admitted_s[row] = at_s
            self.rows.hit[row] = event.hit_tokens

    def _tell(self, notice: Notice) -> None:
        rows, at_s, place = self.rows, notice.at_s, notice.card
        if notice.kind == "kv":
            assert notice.event is not None
            self.router.kv(place, notice.event, at_s)
            return
        row = self._row_of[notice.number]
        if notice.kind == "first":
            if rows.first_s[row] != rows.first_s[row]:
                rows.first_s[row] = at_s
            self.router.first_token(notice.number, place, at_s)
        else:
            rows.finished_s[row] = at_s
            del self._inside[notice.number]
            self.workers[place].load -= 1
            self.router.finished(notice.number, place, at_s)

    def _die(self, place: int, at_s: float) -> None:
        """What it would have told later is never told; whom it had is sent again."""
        self.cards[place].alive = False
        worker = self.workers[place]
        worker.healthy, worker.load = False, 0
        self._notices = [item for item in self._notices if item[2].card != place]
        heapq.heapify(self._notices)
        lost = [
            job for number, job in self._inside.items() if self.rows.worker[self._row_of[number]] == place
        ]
        for job in lost:
            del self._inside[job.arrival.number]
            self.router.finished(job.arrival.number, place, at_s)
        self.router.removed(place, at_s)
        for job in lost:
            row = self._row_of[job.arrival.number]
            answered = self.rows.first_s[row] == self.rows.first_s[row]
            available = self.rows.available[row]
            self.rows.resent[row] += 1
            self._route(row, job)
            if answered:  # its first token and its hit came from the dead one
                self.rows.available[row] = available

    # -- looking ------------------------------------------------------------------------------------------

    def counts(self) -> tuple[WorkerCount, ...]:
        """Each worker so far; a request counts where it was sent last."""
        rows, found = self.rows, []
        for place, card in enumerate(self.cards):
            own = (rows.worker[: rows.num] == place) & (rows.hit[: rows.num] >= 0)
            evicted = sum(card.server.engine.view.num_evicted.values())
            found.append(
                WorkerCount(
                    self.workers[place].name,
                    card.alive,
                    int(own.sum()),
                    int(rows.num_tokens[: rows.num][own].sum()),
                    int(rows.hit[: rows.num][own].sum()),
                    card.busy_s,
                    evicted,
                )
            )
        return tuple(found)

    def rates(self, plain_s: Floats | None = None) -> Rates:
        """The run so far in numbers; ``plain_s`` from ``routers.catalogue.plain_ttft`` of the same jobs."""
        return rates_of(self.rows, self.counts(), self.time_model, self.config, plain_s)


def _check(config: EngineConfig, num_workers: int, deaths: Sequence[tuple[float, int]]) -> None:
    places = {place for _, place in deaths}
    if num_workers < 1 or not places < set(range(num_workers)):
        message = f"{num_workers} workers of which {len(places)} die; expected at least one that lives."
        raise ConfigError("cluster.workers", message, workers=num_workers, dead=len(places))
    if config.version or config.hash_name != "xxh3_128":
        message = "A cluster's engines have no version and the usual hash. Leave both settings as they are."
        raise ConfigError("cluster.identity", message, field="version, hash_name")
