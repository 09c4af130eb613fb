"""Where the time of a client goes that waits for its answers, and how much a cache can change of it.

A client thinks, waits in the queue, waits for its first token, reads the rest of the answer, and begins
again. So many clients, each once per cycle: throughput = clients / cycle (Little's law). A cache shortens the
prefill, and with it the queue and the decoding of those who stand behind it; it shortens neither thinking nor
the steps of the answer itself. What is left if all but a prompt's last token were reused and nobody else was
there bounds what any cache can gain.

Both servers get the same pauses. While the run is young mostly short ones are over, and in a rush hour the
faster server has more of its requests inside it. So the pause that counts is one for both: all time that
clients have paused so far, pauses that go on included, over the pauses that are over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.cost import StepWork, TimeModel
from core.load.records import Counts, Records, Side
from core.load.spec import LoadSpec

KNOWN_AFTER = 2
"""Requests a client, on average, that both servers have answered before anything is told."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Means over the requests that both servers have answered, as one of them did, seconds.

    think_s before a request is sent (in an agent's task: the tool's time), the same for both servers;
    queue_s until it was admitted; prefill_s until its first token; decode_s until its last. ``least_s``: a
    prefill of the prompt's last token behind all others, then a decode step a token, with the GPU to itself;
    ``alone_s`` is the decoding in it.
    """

    num_clients: int
    think_s: float
    queue_s: float
    prefill_s: float
    decode_s: float
    alone_s: float
    least_s: float

    @property
    def held_s(self) -> float:
        """Of ``decode_s``: while the GPU did others' work as well, their prefill above all."""
        return max(self.decode_s - self.alone_s, 0.0)

    @property
    def answer_s(self) -> float:
        """From sending to the last token."""
        return self.queue_s + self.prefill_s + self.decode_s

    @property
    def total_s(self) -> float:
        """The whole cycle."""
        return self.think_s + self.answer_s

    @property
    def per_s(self) -> float:
        """Requests per second while all clients are there: each sends one per cycle."""
        return self.num_clients / self.total_s

    @property
    def inside(self) -> float:
        """Requests in flight, on average."""
        return self.per_s * self.answer_s


@dataclass(frozen=True, slots=True)
class Loop:
    """The same clients at both servers."""

    num_answered: int
    with_cache: Cycle
    without_cache: Cycle

    @property
    def gain(self) -> float:
        """How many times the requests per second that the cache brings: cycle without / cycle with."""
        return self.with_cache.per_s / self.without_cache.per_s

    @property
    def floor_s(self) -> float:
        """Thinking and the answer's own steps alone: no cache makes a cycle shorter than this."""
        return self.without_cache.think_s + self.without_cache.least_s

    @property
    def ceiling(self) -> float:
        """How many times the requests per second no cache can exceed: cycle without / ``floor_s``."""
        return self.without_cache.total_s / self.floor_s


def compare(
    spec: LoadSpec, paused: Sequence[tuple[float, int]], records: Records, time_model: TimeModel
) -> Loop | None:
    """Both cycles so far, O(requests); ``paused`` are the seconds that clients have paused at each server,
    and how many pauses are over. None before both have answered ``KNOWN_AFTER`` requests a client. What only
    the faster one has answered does not count: the means would differ by chance."""
    answered = ~np.isnan(records.cached.finished_s) & ~np.isnan(records.plain.finished_s)
    done, num_clients = np.flatnonzero(answered), spec.num_clients
    if len(done) < min(KNOWN_AFTER * num_clients, spec.num_requests):
        return None
    think_s = sum(pause_s for pause_s, _ in paused) / sum(num_over for _, num_over in paused)
    prompt, output = records.num_prompt[done], records.num_output[done]
    alone_s = _decode_alone_s(time_model, prompt, output)
    least_s = alone_s + _first_s(time_model, prompt)
    sides = (records.cached, records.plain)
    cycles = (_cycle(num_clients, think_s, side, done, alone_s, least_s) for side in sides)
    return Loop(len(done), *cycles)


def _cycle(
    num_clients: int, think_s: float, side: Side, done: NDArray[np.int64], alone_s: float, least_s: float
) -> Cycle:
    sent, first, last = side.arrival_s[done], side.first_s[done], side.finished_s[done]
    admitted = side.admitted_s[done]
    return Cycle(
        num_clients=num_clients,
        think_s=think_s,
        queue_s=float((admitted - sent).mean()),
        prefill_s=float((first - admitted).mean()),
        decode_s=float((last - first).mean()),
        alone_s=alone_s,
        least_s=least_s,
    )


def _first_s(time_model: TimeModel, prompt: Counts) -> float:
    """The least time of a first token whatever the cache has, on average. More work never makes a step
    shorter (``CostModel.step_s``), so nobody else is there; computing a token again is dearer than reading
    it, so all but the last one is read. A preempted request gets a token back by such a prefill instead of a
    decode step, but has lost a step besides. A step's time grows evenly with its context, so the mean
    contexts do."""
    step = StepWork()
    step.add_prefill(1, int(prompt.mean()) - 1)
    return time_model.step_s(step)


def _decode_alone_s(time_model: TimeModel, prompt: Counts, output: Counts) -> float:
    """The decode steps of an answer with nobody else there, on average."""
    steps = output.astype(np.float64) - 1
    if not steps.any():
        return 0.0
    step = StepWork()
    step.add_decode(int((steps * prompt + steps * (steps - 1) / 2).sum() / steps.sum()))
    return float(steps.mean()) * time_model.step_s(step)
