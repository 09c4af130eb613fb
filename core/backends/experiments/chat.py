"""Type a prompt, get an answer from a real model, see what the cache saved. One ``Chat`` per visitor."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from core.backends.base import Difference, PrefillResult, compare
from core.backends.decoders.loader import Model
from core.backends.plan import Plan, PlanReader
from core.backends.progress import Cancelled, never_cancelled
from core.engine.engine import Engine
from core.errors import BackendError
from core.types import EngineConfig, Request

OnText = Callable[[str], None]
"""Told the whole answer so far, after each token."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """One answer. ``first`` is the prefill, whose time is the TTFT; ``plan`` is what the engine decided.

    ``finished`` is False if the answer was cut: by its length, by the pool or by the reader. ``pieces`` are
    the prompt's tokens as text.
    """

    text: str
    pieces: tuple[str, ...]
    plan: Plan
    first: PrefillResult
    token_ms: float | None
    num_tokens: int
    finished: bool

    @property
    def num_prompt(self) -> int:
        """Tokens of the whole prompt, marks included."""
        return len(self.plan.token_ids)

    @property
    def hit_tokens(self) -> int:
        """Tokens whose K/V stood in the cache."""
        return self.plan.num_cached


@dataclass(frozen=True, slots=True, eq=False)
class Without:
    """The same prompt without any cache: its time, and how far its logits lie from the answer's."""

    first: PrefillResult
    difference: Difference


class Chat:
    """A model behind the engine: prompts of one visitor share blocks, as requests to a server would."""

    def __init__(
        self, model: Model, *, num_blocks: int = 129, block_size: int = 16, threads: int = 1
    ) -> None:
        """Takes memory for the pool.

        Raises:
            BackendError: the model cannot read text, or there is too little memory.
        """
        self.model = model
        self._tokenizer = model.readable()
        self._backend = model.backend(threads)
        self._backend.reserve(num_blocks, block_size)
        self._reader = PlanReader()
        self.engine = Engine(EngineConfig(block_size=block_size, num_blocks=num_blocks), self._reader)
        self._num_requests = 0

    def ask(
        self,
        system: str,
        user: str,
        *,
        max_tokens: int = 48,
        use_cache: bool = True,
        on_text: OnText | None = None,
        cancelled: Cancelled = never_cancelled,
    ) -> Answer:
        """Answer greedily: the same prompt gives the same text, with and without the cache.

        Raises:
            BackendError: the prompt is longer than the model or the pool takes.
        """
        prompt = self.model.chat_format.prompt(system, user)
        request_id, plan = self._admit(tuple(self._tokenizer.encode(prompt)), use_cache)
        try:
            first = self._backend.prefill(plan)
            ids, times, finished = self._decode(request_id, plan, first, max_tokens, on_text, cancelled)
        except BaseException:
            # The engine caches what it schedules; what was not computed after all must not be found again.
            self._finish(request_id)
            self.engine.reset()
            raise
        self._finish(request_id)
        return Answer(
            text=self._tokenizer.decode(ids),
            pieces=tuple(self._tokenizer.texts(plan.token_ids)),
            plan=plan,
            first=first,
            token_ms=statistics.median(times) * 1e3 if times else None,
            num_tokens=len(ids),
            finished=finished,
        )

    def without_cache(self, answer: Answer) -> Without:
        """Compute the answer's prompt again from its first token, in blocks of its own."""
        first = self._backend.recompute(answer.plan.token_ids)
        assert first.logits is not None
        assert answer.first.logits is not None
        return Without(first, compare(first.logits, answer.first.logits))

    def _finish(self, request_id: str) -> None:
        self.engine.free(request_id)
        self._reader.take()

    def _admit(self, tokens: tuple[int, ...], use_cache: bool) -> tuple[str, Plan]:
        self._num_requests += 1
        request_id = f"question {self._num_requests}"
        limit = min(
            self.engine.config.num_usable * self.engine.config.block_size, self.model.spec.max_positions
        )
        if len(tokens) >= limit:
            raise BackendError(
                "backend.too_long",
                f"{len(tokens)} tokens are more than fit here ({limit - 1}). Shorten the prompt.",
                count=len(tokens),
                limit=limit - 1,
            )
        self.engine.start(Request(request_id, tokens, skip_read=not use_cache))
        (plan,) = self._reader.take()  # nobody else holds blocks, so it fits
        return request_id, plan

    def _decode(
        self,
        request_id: str,
        plan: Plan,
        first: PrefillResult,
        max_tokens: int,
        on_text: OnText | None,
        cancelled: Cancelled,
    ) -> tuple[list[int], list[float], bool]:
        """Tokens, seconds each, and whether the model itself came to an end."""
        ids: list[int] = []
        times: list[float] = []
        logits, position = first.logits, len(plan.token_ids)
        while len(ids) < max_tokens and position < self.model.spec.max_positions and not cancelled():
            assert logits is not None
            token = int(logits.argmax())
            if token in self.model.stop_ids:
                return ids, times, True
            ids.append(token)
            if on_text is not None:
                on_text(self._tokenizer.decode(ids))
            if not self.engine.decode(request_id, (token,)).ok:
                break
            (step,) = self._reader.take()
            result = self._backend.decode(token, position, step.block_table)
            times.append(result.wall_s)
            logits, position = result.logits, position + 1
        return ids, times, False
