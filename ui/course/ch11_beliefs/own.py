"""Four of the beliefs on the visitor's own prompt: what one may think, and what the engine does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.scenario.tokenizer import TeachingTokenizer
from core.types import EngineConfig, Request
from ui.course.asked import Asked, Words
from ui.course.mine import tokens_of
from ui.course.own_rows import OwnRow
from ui.stage.own import OwnPrompts

KINDS = ("full", "all", "zero", "together")
BLOCKS = (2, 4, 8, 16)
AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class Tried:
    """One belief on a prompt of ``tokens``: ``believed`` and ``hit`` tokens reused. ``place``: the changed
    token, counted from 1 (kind all); ``shared``: tokens that two prompts begin with (kind zero)."""

    kind: str
    block: int
    tokens: int
    place: int
    shared: int
    believed: int
    hit: int


def tried(first: Sequence[int], second: Sequence[int], seed: int) -> Tried:
    """The seed picks belief and block size. ``first`` and ``second``: two of the visitor's prompts as ids."""
    dice = Random(seed)
    kind, block, length = dice.choice(KINDS), dice.choice(BLOCKS), len(first)
    place = dice.randint(1, length)
    shared = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    shared = min(length, len(second)) if shared is None else shared
    changed = [*first[: place - 1], _other(first), *first[place:]]
    told = {
        "full": ([first, first], length),
        "all": ([first, changed], 0),
        "zero": ([first, second], shared),
        "together": ([first] * AT_ONCE, 0),
    }
    prompts, believed = told[kind]
    hit = sum(hits(prompts, block, at_once=kind == "together")[1:])
    tokens = len(second) if kind == "zero" else length
    return Tried(kind, block, tokens, place, shared, believed, hit)


CHANGED = " ▢"
"""What stands for a changed token."""


def rows_of(prompt: OwnPrompts, seed: int) -> tuple[list[OwnRow], int]:
    """The prompts that come after the first one, with what they hit; and the block size."""
    first, second = tokens_of(prompt)[:2]
    cut = TeachingTokenizer()
    one = tried(cut.encode("".join(first)), cut.encode("".join(second)), seed)
    changed = [*first[: one.place - 1], CHANGED, *first[one.place :]]
    words = {"all": changed, "zero": second}.get(one.kind, first)
    times = AT_ONCE - 1 if one.kind == "together" else 1
    return [OwnRow(number + 1, words, one.hit // times) for number in range(times)], one.block


def _other(ids: Sequence[int]) -> int:
    """A token that the prompt has not."""
    return next(number for number in range(len(ids) + 1) if number not in ids)


def hits(prompts: Sequence[Sequence[int]], block: int, *, at_once: bool = False) -> list[int]:
    """Tokens that each prompt hits, one after another or in one step, in a pool with room for all."""
    found: list[int] = []

    def note(event: Event) -> None:
        if isinstance(event, RequestAdmitted):
            found.append(event.hit_tokens)

    slots = sum(-(-len(prompt) // block) for prompt in prompts) + 2
    engine = Engine(EngineConfig(block, slots), note, block_events=False)
    for number, prompt in enumerate(prompts):
        engine.submit(Request(f"R{number}", list(prompt)))
        if not at_once:
            engine.run()
    engine.run()
    return found


def asked(prompt: OwnPrompts, seed: int) -> Asked:
    """The bet on the visitor's own prompt."""
    cut = TeachingTokenizer()
    first, second = (cut.encode(prompt.system + message) for message in prompt.messages[:2])
    one = tried(first, second, seed)
    words: dict[str, object] = {"tokens": one.tokens, "block": one.block}
    words |= {"place": one.place} if one.kind == "all" else {}
    words |= {"shared": one.shared} if one.kind == "zero" else {}
    equal = {"full": one.tokens, "zero": one.shared}.get(one.kind, 0)
    why = "last" if equal // one.block * one.block > one.hit else "told"  # a reason only where it decides
    told: Words = (f"course.ch11.own.{one.kind}.{why}", {**words, "hit": one.hit})
    return Asked(
        ask=f"course.ch11.own.{one.kind}",
        args=words,
        high=one.tokens * (AT_ONCE if one.kind == "together" else 1),
        unit="course.bet.unit.tokens",
        truth=one.hit,
        tolerance=(0, one.block),
        told=lambda _: told,
    )
