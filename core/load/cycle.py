"""Where the time of a client goes that waits for its answers, and how much a cache can change of it.

A client thinks, waits in the queue, waits for its first token, reads the rest of the answer, and begins
again. So many clients, each once per cycle: throughput = clients / cycle (Little's law). A cache shortens the
prefill, and with it the queue and the decoding of those who stand behind it; it shortens neither thinking nor
the decode steps themselves. What is left if prefill, queue and neighbours took no time at all bounds what any
cache can gain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.cost import StepWork, TimeModel
from core.load.records import Counts, Records, Side
from core.load.spec import LoadSpec


@dataclass(frozen=True, slots=True)
class Cycle:
    """Means over the ``num`` requests that one server has answered, seconds.

    think_s before the request was sent (in an agent's task: the tool's time); queue_s until it was admitted;
    prefill_s until its first token; decode_s until its last. ``per_s``: requests answered per second.
    ``least_s``: one step for the first token and a step for each other one, with the GPU to itself.
    """

    num: int
    think_s: float
    queue_s: float
    prefill_s: float
    decode_s: float
    per_s: float
    least_s: float

    @property
    def answer_s(self) -> float:
        """From sending to the last token."""
        return self.queue_s + self.prefill_s + self.decode_s

    @property
    def total_s(self) -> float:
        """The whole cycle."""
        return self.think_s + self.answer_s

    @property
    def inside(self) -> float:
        """Requests in flight, on average."""
        return self.per_s * self.answer_s


@dataclass(frozen=True, slots=True)
class Loop:
    """The same clients at both servers."""

    num_clients: int
    with_cache: Cycle
    without_cache: Cycle

    @property
    def gain(self) -> float:
        """How many times the requests per second that the cache brings."""
        return self.with_cache.per_s / self.without_cache.per_s

    @property
    def ceiling(self) -> float:
        """What no cache can exceed: cycle without / (thinking + decode steps alone)."""
        return self.without_cache.total_s / (self.without_cache.think_s + self.without_cache.least_s)


def compare(spec: LoadSpec, records: Records, time_model: TimeModel, now_s: float) -> Loop | None:
    """Both cycles so far, O(requests). None without clients, or before both servers have answered one."""
    if spec.clients is None:
        return None
    found = [
        _cycle(spec.clients, records, side, time_model, now_s) for side in (records.cached, records.plain)
    ]
    with_cache, without_cache = found
    if with_cache is None or without_cache is None:
        return None
    return Loop(min(spec.clients, spec.num_requests), with_cache, without_cache)


def _cycle(clients: int, records: Records, side: Side, time_model: TimeModel, now_s: float) -> Cycle | None:
    done = np.flatnonzero(~np.isnan(side.finished_s))
    if not len(done):
        return None
    before = np.zeros(len(done))  # when each one's client was last answered; the first ones begin at 0
    later = done >= clients
    before[later] = side.finished_s[done[later] - clients]
    sent, first, last = side.arrival_s[done], side.first_s[done], side.finished_s[done]
    admitted = np.minimum(
        side.admitted_s[done], first
    )  # sent again to a fresh engine: it had its first token
    until = float(last.max()) if len(done) == len(side.finished_s) else now_s
    return Cycle(
        num=len(done),
        think_s=float((sent - before).mean()),
        queue_s=float((admitted - sent).mean()),
        prefill_s=float((first - admitted).mean()),
        decode_s=float((last - first).mean()),
        per_s=len(done) / until,
        least_s=_least_s(time_model, records.num_prompt[done], records.num_output[done]),
    )


def _least_s(time_model: TimeModel, prompt: Counts, output: Counts) -> float:
    """An answer with the prompt wholly cached and nobody else there, on average: a step's time grows evenly
    with its context, so the mean context of all steps gives the mean step."""
    steps = output.astype(np.float64)
    contexts = steps * (prompt - 1) + steps * (steps - 1) / 2
    step = StepWork()
    step.add_decode(int(contexts.sum() / steps.sum()))
    return float(steps.mean()) * time_model.step_s(step)
