"""Router: the one small interface of all routing policies, and what a policy may see.

A router stands before N workers. It sees the request (``Ask``), of each worker what its own book and the
worker's reports say (``Worker``), and what happens to the requests it has sent. Caches it does not see; one
that listens to KV events says so (``wants_kv``). What it believes to lie in a cache and what lies there are
two things: ``Score.believed`` is the former, the run looks up the latter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from core.engine.hash_chain import HashChain, token_array
from core.engine.kv_events import KVEvent
from core.types import BlockHash, Request

if TYPE_CHECKING:
    from core.engine.engine import Engine

Units = NDArray[np.uint32]
"""A prompt as something to compare from its beginning on: code points of a text, or token ids."""

Mark = Literal["", "headless", "head_lost"]
"""What a router's own index says of the blocks behind a belief. headless: the prompt's first block is not
in it, and later ones count nevertheless; head_lost: the first is not in it, later ones are and do not
count."""


@dataclass
class Worker:
    """One worker as routers see it; routers read, the run writes.

    ``load``: requests sent there and not over, by the router's own book; ``processed``: all ever sent.
    ``waiting``, ``running``, ``kv_usage`` (share of blocks held, cached idle ones are free): what the engine
    reports, as of its last step begun. ``num_blocks`` of ``block_size`` tokens can be used.
    """

    name: str
    num_blocks: int = 0
    block_size: int = 16
    healthy: bool = True
    load: int = 0
    processed: int = 0
    waiting: int = 0
    running: int = 0
    kv_usage: float | None = None


class Ask:
    """A request as a router sees it; what it is cut or hashed into is computed once, when somebody asks."""

    def __init__(
        self, number: int, at_s: float, request: Request, session: str | None, text: str | None
    ) -> None:
        self.number = number
        self.at_s = at_s
        self.request = request
        self.session = session
        self.text = text
        self._chains: dict[int, tuple[BlockHash, ...]] = {}

    @cached_property
    def tokens(self) -> Units:
        """The prompt's token ids."""
        return np.asarray(self.request.token_ids, np.uint32)

    @property
    def num_tokens(self) -> int:
        """Tokens of the prompt."""
        return len(self.request.token_ids)

    @cached_property
    def units(self) -> Units:
        """What routers that compare characters compare: the text's code points; without a text, token ids."""
        if self.text is None:
            return self.tokens
        return np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32)

    def chain(self, block_size: int) -> tuple[BlockHash, ...]:
        """The engine's identities of the prompt's full blocks."""
        if block_size not in self._chains:
            chain = HashChain(self.request, "", block_size, "xxh3_128")
            chain.extend(token_array(cast(Sequence[int], self.tokens)))
            self._chains[block_size] = tuple(chain.hashes)
        return self._chains[block_size]


@dataclass(frozen=True, slots=True)
class Score:
    """What a router made of one worker.

    ``value`` in the policy's own measure, None where it was no candidate; ``believed``: tokens of the
    prompt's beginning that the router thinks are cached there, None where it has no idea of caches.
    ``parts``: the summands by name."""

    value: float | None = None
    believed: int | None = None
    mark: Mark = ""
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """The worker by its place, one score a worker, and by which of its rules the policy decided."""

    worker: int
    scores: tuple[Score, ...]
    why: str


class Router(Protocol):
    """A policy. Notices come in order of time, those up to a request's arrival before ``choose``.

    ``lowest_wins``: values are costs. A router never chooses a worker that is not healthy; the run asks only
    while there is one.
    """

    name: ClassVar[str]
    lowest_wins: ClassVar[bool] = False
    wants_kv: ClassVar[bool] = False
    sees_caches: ClassVar[bool] = False  # only an oracle does

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Decide, and write down what the policy writes down when it has decided."""
        ...

    def believed_total(self, worker: int) -> int | None:
        """Tokens that the router thinks a worker's cache holds in all; None where it has no such idea."""
        return None

    def first_token(self, number: int, worker: int, at_s: float) -> None:
        """A request it sent has its first token."""
        return

    def finished(self, number: int, worker: int, at_s: float) -> None:
        """A request it sent is over, or was lost with its worker."""
        return

    def kv(self, worker: int, event: KVEvent, at_s: float) -> None:
        """A cache tells (``wants_kv``)."""
        return

    def removed(self, worker: int, at_s: float) -> None:
        """A worker has died."""
        return

    def look_into(self, engines: Sequence[Engine], now_s: Sequence[float]) -> None:
        """The engines themselves, and how far each one's clock is (``sees_caches``)."""
        return


def healthy(workers: Sequence[Worker]) -> list[int]:
    """Places of the workers that are alive."""
    return [place for place, worker in enumerate(workers) if worker.healthy]


def loads(workers: Sequence[Worker]) -> tuple[Score, ...]:
    """Every healthy worker's load as its score."""
    return tuple(Score(worker.load if worker.healthy else None) for worker in workers)


def pick(dice: np.random.Generator, among: Sequence[int]) -> int:
    """One of them, each as likely; no dice are thrown over a single one."""
    return among[int(dice.integers(len(among)))] if len(among) > 1 else among[0]
