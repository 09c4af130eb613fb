"""Two cache managers or more serve the same prompts in turn, in one process; what ``beside_vllm`` runs."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any, Literal, Protocol

from core.engine.engine import Engine
from core.scenario.workloads import Tokens
from core.types import EngineConfig, MultiModalItem, Request

Kind = Literal["plain", "adapter", "images"]
Telling = Literal["silent", "KV events", "all events"]
ADAPTER = ("an-adapter", "/adapters/an-adapter")
IMAGE_EVERY, IMAGE_TOKENS = 2_048, 576
"""An image in every so many tokens, and how many it takes (LLaVA's number)."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Tokens (uint32) and what comes with them."""

    tokens: Tokens
    has_adapter: bool = False
    images: tuple[MultiModalItem, ...] = ()


def prompt_of(tokens: Tokens, kind: Kind) -> Prompt:
    """Dress tokens up. Which image stands in a place follows from the token there, so prompts share images as
    far as they share tokens."""
    places = range(100, len(tokens) - IMAGE_TOKENS, IMAGE_EVERY) if kind == "images" else ()
    images = tuple(MultiModalItem(f"image {tokens[place]}", place, IMAGE_TOKENS) for place in places)
    return Prompt(tokens, kind == "adapter", images)


class Side(Protocol):
    """A cache manager and the requests it holds, oldest first. ``hits``: tokens, by request."""

    hits: list[int]

    @property
    def num_running(self) -> int:
        """Requests that hold blocks."""

    def extras(self, prompt: Prompt) -> dict[str, Any]:
        """What comes with the tokens, as this side wants it; made outside the clock."""

    def serve(self, number: int, tokens: Any, extras: dict[str, Any]) -> None:
        """Make a request, hash it, look it up, give it blocks; the oldest ones go while there is no room."""

    def finish_oldest(self) -> None:
        """Release its blocks."""

    def take_events(self) -> None:
        """As a server does after each step."""

    def forget_events(self) -> None:
        """Drop those taken; outside the clock."""

    def free_queue(self) -> list[int]:
        """Free blocks, the next one to be taken first."""


class OurSide:
    """Our engine, through the verbs that its step is built from."""

    def __init__(self, num_blocks: int, block_size: int, telling: Telling) -> None:
        self._events: list[Any] = []
        tell_all = self._events.append if telling == "all events" else None
        self._engine = Engine(EngineConfig(block_size, num_blocks), tell_all)
        if telling == "KV events":
            self._engine.publish(self._events.append)
        self._running: deque[str] = deque()
        self.hits: list[int] = []

    @property
    def num_running(self) -> int:
        return len(self._running)

    def extras(self, prompt: Prompt) -> dict[str, Any]:
        return {"lora": ADAPTER if prompt.has_adapter else None, "mm": prompt.images}

    def serve(self, number: int, tokens: Any, extras: dict[str, Any]) -> None:
        request = Request(f"R{number}", tokens, **extras)
        while not (outcome := self._engine.start(request)).ok:
            self.finish_oldest()
        self.hits.append(outcome.hit)
        self._running.append(request.request_id)

    def finish_oldest(self) -> None:
        self._engine.free(self._running.popleft())

    def take_events(self) -> None:
        pass  # they have been told already

    def forget_events(self) -> None:
        self._events.clear()

    def free_queue(self) -> list[int]:
        return list(self._engine.view.free_queue())


def race(sides: dict[str, Side], prompts: Sequence[Prompt], in_flight: int) -> dict[str, float]:
    """CPU seconds of each side over all prompts. The side called "numpy" gets arrays, the others lists.

    Raises:
        AssertionError: the sides do not agree on every hit and on the free queue.
    """
    seconds, names = dict.fromkeys(sides, 0.0), list(sides)
    # Whoever drops a list last pays for freeing its numbers: this one, outside the clock.
    kept: deque[list[int]] = deque(maxlen=in_flight + 2)
    gc.collect()
    was_frozen = gc.get_freeze_count() > 0
    gc.freeze()
    try:
        for number, prompt in enumerate(prompts):
            kept.append(prompt.tokens.tolist())
            turn = number % len(names)  # who reads a list first finds it cold
            for name in names[turn:] + names[:turn]:
                tokens = prompt.tokens if name == "numpy" else kept[-1]
                seconds[name] += _serve(sides[name], number, tokens, prompt, in_flight)
    finally:
        if not was_frozen:
            gc.unfreeze()
    first, *others = sides.values()
    for other in others:
        assert other.hits == first.hits, "the hits differ"
        assert other.free_queue() == first.free_queue(), "the free queues differ"
    return seconds


def _serve(side: Side, number: int, tokens: Any, prompt: Prompt, in_flight: int) -> float:
    extras = side.extras(prompt)
    start = process_time()
    side.serve(number, tokens, extras)
    if side.num_running > in_flight:
        side.finish_oldest()
    side.take_events()
    spent = process_time() - start
    side.forget_events()
    return spent
