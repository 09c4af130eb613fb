"""Prompts as token texts, one after another through an engine with room for all: what each of them hits."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.scenario.tokenizer import TeachingTokenizer
from core.types import EngineConfig, Request

T = TypeVar("T")


def ids_of(pieces: Sequence[str]) -> list[int]:
    """The id of each token; its text alone decides."""
    tokenizer = TeachingTokenizer()
    return [tokenizer.encode(piece)[0] for piece in pieces]


def hits_in_turn(prompts: Sequence[Sequence[int]], block_size: int) -> list[int]:
    """Tokens that each prompt hits, if it comes when those before it have been answered."""
    room = sum(-(-len(prompt) // block_size) for prompt in prompts)
    hits: list[int] = []

    def listen(event: Event) -> None:
        if isinstance(event, RequestAdmitted):
            hits.append(event.hit_tokens)

    engine = Engine(EngineConfig(block_size=block_size, num_blocks=room + 2), listen, block_events=False)
    for number, prompt in enumerate(prompts):
        engine.submit(Request(f"R{number}", tuple(prompt)))
        engine.run()
    return hits


def beginning_of(pieces: Sequence[str], beginning: str) -> int:
    """How many of a prompt's tokens lie within its beginning: at least one, which may reach beyond it."""
    length = count = 0
    for piece in pieces:
        length += len(piece)
        if length > len(beginning):
            break
        count += 1
    return max(count, 1)


def beginning_and_question(beginning: str, question: str) -> tuple[list[str], list[str]]:
    """Both cut into tokens on their own: what each is wherever it stands."""
    cut = TeachingTokenizer().pieces
    return cut(beginning), cut(question)


def one_of(cases: Sequence[T], seed: int) -> T:
    """Another case for the next seed: all of them, in an order without pattern, before one comes again."""
    order = list(range(len(cases)))
    Random(len(cases)).shuffle(order)
    return cases[order[seed % len(order)]]


def sizes_for(length: int, wanted: Sequence[int]) -> list[int]:
    """Those block sizes of which a prompt of this length fills at least two, else one, else blocks of one."""
    for least in (2, 1):
        if fit := [size for size in wanted if size * least <= length]:
            return fit
    return [1]
