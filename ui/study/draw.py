"""Numbers out of a seed, prompts out of names, and what the engine makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.types import EngineConfig, Request

POOL = 256
"""Slots of every run here: room for all, so that nothing is evicted."""

T = TypeVar("T")


class Draw:
    """Numbers out of a seed, each by its own name: one more of them changes none of the others."""

    def __init__(self, seed: int, name: str) -> None:
        self._seed, self._name = seed, name

    def number(self, what: str) -> int:
        """64 bits."""
        text = f"{self._seed} {self._name} {what}"
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")

    def one(self, what: str, options: Sequence[T]) -> T:
        """One of them."""
        return options[self.number(what) % len(options)]


def tokens(*parts: tuple[str, int]) -> tuple[int, ...]:
    """A prompt of named pieces, each so many tokens long; only pieces of one name are alike."""
    ids: list[int] = []
    for name, length in parts:
        start = int.from_bytes(blake2b(name.encode(), digest_size=2).digest(), "big") * 1024
        ids.extend(range(start, start + length))
    return tuple(ids)


def hits(size: int, *prompts: Request) -> list[int]:
    """Tokens that each of these requests hits; they come one after another."""
    events: list[Event] = []
    engine = Engine(EngineConfig(block_size=size, num_blocks=POOL), events.append, block_events=False)
    for prompt in prompts:
        engine.submit(prompt)
        engine.run()
    return [event.hit_tokens for event in events if isinstance(event, RequestAdmitted)]


def second_hit(size: int, first: tuple[int, ...], second: tuple[int, ...]) -> int:
    """Tokens that the second of two prompts hits."""
    return hits(size, Request("R0", first), Request("R1", second))[1]
