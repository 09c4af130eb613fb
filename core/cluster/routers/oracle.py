"""Oracles: they look into the caches themselves. No product can; they show how much routing alone could do.

``Oracle`` sends a prompt where most of it lies, of equals to the least loaded. It is greedy and knows no
future, so it is no upper bound. ``TimeOracle`` sends it where its first token would come first: the rest of
the step that runs, the prompts that are ahead there, then its own without its hit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from core.cluster.rates import alone_s
from core.cluster.router import Ask, Choice, Router, Score, Worker, healthy
from core.cluster.truth import held_blocks
from core.cost import TimeModel
from core.engine.engine import Engine


class Oracle(Router):
    """Most of the prompt."""

    name: ClassVar[str] = "oracle"
    sees_caches: ClassVar[bool] = True

    def __init__(self) -> None:
        self._engines: Sequence[Engine] = ()
        self._ahead_s: Sequence[float] = ()

    def look_into(self, engines: Sequence[Engine], now_s: Sequence[float]) -> None:
        """The engines, and how far each one's clock is."""
        self._engines, self._ahead_s = engines, now_s

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """The longest prefix held, then the least load."""
        held = self._held(ask)
        scores = tuple(
            Score(tokens if workers[at].healthy else None, tokens) for at, tokens in enumerate(held)
        )
        best = max(healthy(workers), key=lambda place: (held[place], -workers[place].load))
        return Choice(best, scores, "held")

    def _held(self, ask: Ask) -> list[int]:
        size = self._engines[0].config.block_size
        chain = ask.chain(size)
        return [held_blocks(engine, chain, ask.num_tokens) * size for engine in self._engines]


class TimeOracle(Oracle):
    """The soonest first token."""

    name: ClassVar[str] = "oracle_time"
    lowest_wins: ClassVar[bool] = True

    def __init__(self, time_model: TimeModel) -> None:
        super().__init__()
        self._time_model = time_model
        self._queued: dict[int, tuple[int, float]] = {}  # prefills sent and not over: worker, seconds

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Least of: until the step is over, prefills ahead, its own."""
        held = self._held(ask)
        budget = self._engines[0].config.max_num_batched_tokens
        own = [alone_s(self._time_model, ask.num_tokens, tokens, budget) for tokens in held]
        ahead = [0.0] * len(workers)
        for worker, seconds in self._queued.values():
            ahead[worker] += seconds
        costs = [max(ahead[at], self._ahead_s[at] - ask.at_s) + own[at] for at in range(len(workers))]
        best = min(healthy(workers), key=lambda place: (costs[place], workers[place].load))
        self._queued[ask.number] = (best, own[best])
        scores = tuple(
            Score(costs[at] if workers[at].healthy else None, held[at], parts=(("own", own[at]),))
            for at in range(len(workers))
        )
        return Choice(best, scores, "soonest")

    def first_token(self, number: int, worker: int, at_s: float) -> None:
        """It is no longer ahead of anybody."""
        self._queued.pop(number, None)

    def finished(self, number: int, worker: int, at_s: float) -> None:
        """Lost or over."""
        self._queued.pop(number, None)
