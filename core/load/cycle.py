"""Where the time of a client goes that waits for its answers, and how much a cache can change of it.

A client thinks, waits in the queue, waits for its first token, reads the rest of the answer, and begins
again. So many clients, each once per cycle: throughput = clients / cycle (Little's law). A cache shortens the
prefill, and with it the queue and the decoding of those who stand behind it; it shortens neither thinking nor
the decode steps themselves. What is left if prefill, queue and neighbours took no time at all bounds what any
cache can gain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.cost import StepWork, TimeModel
from core.load.records import Counts, Records, Side
from core.load.spec import LoadSpec


@dataclass(frozen=True, slots=True)
class Cycle:
    """Means over the requests that both servers have answered, as one of them did, seconds.

    think_s before the request was sent (in an agent's task: the tool's time), the same for both servers, as a
    cache changes no pause; queue_s until it was admitted;
    prefill_s until its first token; decode_s until its last, of which ``alone_s`` would be its own steps with
    the GPU to itself. ``least_s``: these and the cheapest step that can give the first token.
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
        """Thinking and the decode steps alone: no cache makes a cycle shorter than this."""
        return self.without_cache.think_s + self.without_cache.least_s

    @property
    def ceiling(self) -> float:
        """How many times the requests per second no cache can exceed: cycle without / ``floor_s``."""
        return self.without_cache.total_s / self.floor_s


def compare(spec: LoadSpec, records: Records, time_model: TimeModel, now_s: float) -> Loop | None:
    """Both cycles so far, O(requests). None without clients, or before both servers have answered the same
    request. What only the faster one has answered does not count: the means would differ by chance."""
    answered = ~np.isnan(records.cached.finished_s) & ~np.isnan(records.plain.finished_s)
    done = np.flatnonzero(answered)
    if spec.clients is None or not len(done):
        return None
    prompt, output = records.num_prompt[done], records.num_output[done]
    alone_s = _steps_s(time_model, prompt, output - 1)
    least_s = alone_s + _first_s(time_model, prompt)
    sides = (records.cached, records.plain)
    think_s = _pause_s(spec.clients, sides, now_s)
    cycles = (_cycle(spec, side, done, think_s, alone_s, least_s) for side in sides)
    return Loop(len(done), *cycles)


def _cycle(
    spec: LoadSpec, side: Side, done: NDArray[np.int64], think_s: float, alone_s: float, least_s: float
) -> Cycle:
    assert spec.clients is not None
    sent, first, last = side.arrival_s[done], side.first_s[done], side.finished_s[done]
    # Sent again to a fresh engine: it had its first token.
    admitted = np.minimum(side.admitted_s[done], first)
    return Cycle(
        num_clients=min(spec.clients, spec.num_requests),
        think_s=think_s,
        queue_s=float((admitted - sent).mean()),
        prefill_s=float((first - admitted).mean()),
        decode_s=float((last - first).mean()),
        alone_s=alone_s,
        least_s=least_s,
    )


def _pause_s(num_clients: int, sides: Iterable[Side], now_s: float) -> float:
    """Time paused at all servers, pauses that go on included, for each pause that is over: the mean of those
    alone would be too short, as the short ones end first."""
    paused_s, num_over = 0.0, 0
    for side in sides:
        began = np.concatenate([np.zeros(num_clients), side.finished_s])[: len(side.arrival_s)]
        over = ~np.isnan(side.arrival_s)
        lasted = np.where(over, side.arrival_s, np.maximum(began, now_s)) - began
        paused_s += float(np.nansum(lasted))  # nan: has not begun
        num_over += int(over.sum())
    return paused_s / num_over


def _first_s(time_model: TimeModel, prompt: Counts) -> float:
    """The step that gives the first token where all but the last token of the prompt was cached, on average.
    It counts as prefill, and is cheaper than a decode step or not, as the machine is."""
    context = int(prompt.mean()) - 1
    prefill, decode = StepWork(), StepWork()
    prefill.add_prefill(1, context)
    decode.add_decode(context)
    return min(time_model.step_s(prefill), time_model.step_s(decode))


def _steps_s(time_model: TimeModel, context: Counts, num_steps: Counts) -> float:
    """So many decode steps each, the first one over this context, with nobody else there, on average over the
    requests: a step's time grows evenly with its context, so the mean context of all steps gives the mean
    step."""
    steps = num_steps.astype(np.float64)
    if not steps.sum():
        return 0.0
    contexts = steps * context + steps * (steps - 1) / 2
    step = StepWork()
    step.add_decode(int(contexts.sum() / steps.sum()))
    return float(steps.mean()) * time_model.step_s(step)
