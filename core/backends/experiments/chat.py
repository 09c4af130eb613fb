"""A conversation with a real model, and what the cache saves in each turn. One ``Chat`` per visitor."""

from __future__ import annotations

from collections.abc import Callable

from core.backends.base import Floats, PrefillResult, compare
from core.backends.decoders.loader import Model
from core.backends.experiments.answer import Answer, Clock, Ended
from core.backends.experiments.hit_end import Held, HitEnd, hit_end
from core.backends.experiments.measure import take_turns
from core.backends.experiments.runs import settle
from core.backends.models.chat_template import Messages
from core.backends.plan import Plan, PlanReader
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress
from core.engine.engine import Engine
from core.errors import BackendError
from core.types import EngineConfig, Request

OnText = Callable[[str], None]  # told the whole answer so far, after each token
_WARM_UPS, _ROUNDS = 1, 3


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
        self.block_size = block_size
        self._tokenizer = model.readable()
        self._backend = model.backend(threads)
        self._backend.reserve(num_blocks, block_size)
        self._reader = PlanReader()
        self.engine = Engine(EngineConfig(block_size=block_size, num_blocks=num_blocks), self._reader)
        self._num_requests = 0
        self._held: list[Held] = []
        self._settled = False

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of K and V of one token in the pool."""
        return self._backend.kv_bytes_per_token

    @property
    def longest(self) -> int:
        """Tokens of the longest prompt: one place must be left for an answer."""
        pool = self.engine.config.num_usable * self.block_size
        return min(pool, self.model.spec.max_positions) - 1

    def ask(
        self,
        messages: Messages,
        *,
        max_tokens: int = 48,
        use_cache: bool = True,
        on_text: OnText | None = None,
        cancelled: Cancelled = never_cancelled,
    ) -> Answer:
        """Answer a conversation (as in ``ChatFormat.dialogue``) greedily: the same one gets the same text,
        with and without the cache.

        Raises:
            BackendError: it is longer than the model or the pool takes, or the template refuses it.
        """
        prompt = self._tokenizer.encode(self.model.chat_format.dialogue(messages))
        request_id, plan = self._admit(tuple(prompt), use_cache)
        hit = (plan.num_cached, self.block_size)
        end = hit_end(self._held, plan.token_ids, messages, hit, self._tokenizer)
        answering = _Answering(plan.block_table)
        try:
            first = self._backend.prefill(plan)
            ended = self._decode(request_id, plan, first, max_tokens, answering, on_text, cancelled)
        except BaseException:
            # The engine caches what it schedules; what was not computed after all must not be found again.
            self._finish(request_id)
            self.engine.reset()
            self._held.clear()
            raise
        self._finish(request_id)
        return self._told(messages, plan, first, answering, ended, end)

    def clock(
        self, answer: Answer, *, progress: Progress = no_progress, cancelled: Cancelled = never_cancelled
    ) -> Clock:
        """Time the first token of the newest answer's prompt on both sides. Computing a plan again changes
        nothing, and the other side computes in blocks of its own.

        Raises:
            BackendError: stopped before one round was whole.
        """
        self._settle()
        full_logits: list[Floats] = []

        def full(_round: int) -> PrefillResult:
            result = self._backend.recompute(answer.plan.token_ids)
            full_logits[:] = [_logits(result)]
            return result

        def hit(_round: int) -> PrefillResult:
            return self._backend.prefill(answer.plan)

        works = {"full": full, "hit": hit} if answer.hit_tokens else {"full": full}
        rounds = take_turns(works, rounds=_ROUNDS, warm_ups=_WARM_UPS, progress=progress, cancelled=cancelled)
        fast = "hit" if answer.hit_tokens else "full"
        difference = compare(full_logits[0], answer.logits)
        return Clock(rounds.timing(fast), rounds.timing("full"), rounds.ratio("full", fast), difference)

    def _settle(self) -> None:
        """Once, before anything is timed; in a pool of its own."""
        if not self._settled:
            settle(self.model.backend())
        self._settled = True

    def _told(
        self,
        messages: Messages,
        plan: Plan,
        first: PrefillResult,
        answering: _Answering,
        ended: Ended,
        end: HitEnd,
    ) -> Answer:
        ids = tuple(answering.ids)
        text = self._tokenizer.decode(ids)
        held = plan.token_ids + ids[: answering.num_computed]
        self._held.append(Held(held, (*messages, ("assistant", text))))
        pieces = (*self._tokenizer.texts(plan.token_ids), *self._tokenizer.texts(ids))
        return Answer(text, pieces, plan, answering.table, ids, _logits(first), ended, end)

    def _finish(self, request_id: str) -> None:
        self.engine.free(request_id)
        self._reader.take()

    def _admit(self, tokens: tuple[int, ...], use_cache: bool) -> tuple[str, Plan]:
        self._num_requests += 1
        request_id = f"turn {self._num_requests}"
        if len(tokens) > self.longest:
            raise BackendError(
                "backend.chat_too_long",
                f"This conversation has {len(tokens)} tokens, and {self.longest} fit here. "
                "Shorten a message, or begin a new conversation.",
                count=len(tokens),
                limit=self.longest,
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
        answering: _Answering,
        on_text: OnText | None,
        cancelled: Cancelled,
    ) -> Ended:
        """Token by token into ``answering``, each computed before the next, until something ends it."""
        logits, position = _logits(first), len(plan.token_ids)
        while len(answering.ids) < max_tokens:
            if cancelled():
                return "stopped"
            if position >= self.model.spec.max_positions:
                return "positions"
            token = int(logits.argmax())
            if token in self.model.stop_ids:
                return "model"
            answering.ids.append(token)
            if on_text is not None:
                on_text(self._tokenizer.decode(answering.ids))
            if not self.engine.decode(request_id, (token,)).ok:
                return "pool"
            (step,) = self._reader.take()
            logits = _logits(self._backend.decode(token, position, step.block_table))
            answering.table = step.block_table
            answering.num_computed += 1
            position += 1
        return "length"


class _Answering:
    """An answer while it grows: its tokens, how many of them are computed, the blocks of it all."""

    def __init__(self, table: tuple[int, ...]) -> None:
        self.table = table
        self.ids: list[int] = []
        self.num_computed = 0


def _logits(result: PrefillResult) -> Floats:
    assert result.logits is not None
    return result.logits
