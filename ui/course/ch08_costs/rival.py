"""Who has to go: a prompt stands in a small pool, a stranger needs slots, and the prompt comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.types import EngineConfig, Request

BLOCK = 4
_MOST_SPARE = 3
"""Slots that are still empty when the stranger comes: at most one less than this."""


@dataclass(frozen=True, slots=True)
class Rival:
    """``tokens`` of a prompt that is served, then a stranger's prompt of ``needs`` blocks, then the first one
    again, word for word. ``empty``: of the pool's ``slots``, those without a tag when the stranger comes.
    ``alone``: tokens that would hit without the stranger. ``hit``: that do hit after it."""

    tokens: int
    slots: int
    empty: int
    needs: int
    alone: int
    hit: int

    @property
    def lost(self) -> int:
        """Blocks of the prompt that the stranger takes."""
        return max(0, self.needs - self.empty)


def rival(ids: Sequence[int], seed: int) -> Rival:
    """The engine's answer for the prompt ``ids``; the seed picks how many slots are empty and how long the
    stranger's prompt is: it always takes something that would have hit, and all of it only where there is
    little to take. Of a prompt of whole blocks the last block hits nobody (the last token is computed), so
    there a second one goes, too."""
    dice = Random(seed)
    full = len(ids) // BLOCK
    least = 1 if len(ids) % BLOCK else 2
    slots = -(-len(ids) // BLOCK) + dice.randrange(_MOST_SPARE)
    taken = min(full, dice.randint(least, max(least, full - 1)))
    empty = slots - full
    needs = min(slots, max(1, empty + taken))
    return Rival(
        tokens=len(ids),
        slots=slots,
        empty=empty,
        needs=needs,
        alone=serve(ids, slots, 0),
        hit=serve(ids, slots, needs),
    )


def serve(ids: Sequence[int], slots: int, needs: int) -> int:
    """Tokens of ``ids`` that hit the second time, a stranger of ``needs`` blocks in between."""
    hits: list[int] = []
    engine = Engine(
        EngineConfig(BLOCK, slots + 1),
        lambda event: _note(event, hits),
        block_events=False,
    )
    prompts = [list(ids), list(ids)]
    if needs:
        used = set(ids)
        stranger = (number for number in range(2 * len(used) + needs * BLOCK + 1) if number not in used)
        prompts.insert(1, [next(stranger) for _ in range(needs * BLOCK)])
    for number, prompt in enumerate(prompts):
        engine.submit(Request(f"R{number}", prompt))
        engine.run()
    return hits[-1]


def _note(event: Event, hits: list[int]) -> None:
    if isinstance(event, RequestAdmitted):
        hits.append(event.hit_tokens)
