"""Chapter 5's bets: the visitor's three prompts at once, and which of their blocks a stranger drives out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.engine.engine import Engine
from core.engine.events import BlockEvicted, BlockStored, Event
from core.timeline.event_log import EventLog
from core.types import EngineConfig, Request
from ui.course.asked import Asked, Words
from ui.course.ch05 import Held, held_peak
from ui.course.in_turn import ids_of, one_of, sizes_for
from ui.frame.session import plain
from ui.words.visible import visible_text

SIZES = (2, 3, 5, 8)
"""Of blocks; the stage's are of four, so that it shows no bet's answer."""
VISITS = ((0,), (0, 1), (0, 1, 0))
"""Who has been served, and in which order, when the stranger comes."""
_STRANGE_IDS = 2**30


@dataclass(frozen=True, slots=True)
class AtOnce:
    """The three prompts in one step, in blocks of this size: slots held, with sharing and without."""

    block_size: int
    held: Held


def at_once(prompts: Sequence[Sequence[str]], seed: int) -> AtOnce:
    """Another block size for another seed."""
    size = one_of(sizes_for(min(map(len, prompts)), SIZES), seed)
    told: list[Event] = []
    config = EngineConfig(block_size=size, num_blocks=_room(prompts, size))
    engine = Engine(config, told.append)
    for number, pieces in enumerate(prompts):
        engine.submit(Request(f"R{number}", tuple(ids_of(pieces))))
    engine.run()
    return AtOnce(size, held_peak(EventLog(config, tuple(told))))


def _room(prompts: Sequence[Sequence[str]], size: int) -> int:
    """Slots for all of them unshared, and the null block."""
    return sum(-(-len(pieces) // size) for pieces in prompts) + 1


Place = tuple[int, int]  # prompt and block, from 0


@dataclass(frozen=True, slots=True)
class Stranger:
    """Prompts were served one after another; a stranger needs one slot more than hold nothing. ``options``:
    blocks that might go; ``goes``: the one that does."""

    block_size: int
    visits: tuple[int, ...]
    options: tuple[Place, ...]
    goes: Place

    @property
    def truth(self) -> int:
        """Which option it is."""
        return self.options.index(self.goes)


def stranger(prompts: Sequence[Sequence[str]], seed: int) -> Stranger:
    """Another block size, another order of visits for another seed. A block of which two copies are kept
    would be gone and still there: such cases are put only where there is no other."""
    sizes = sizes_for(min(len(pieces) for pieces in prompts[:2]), SIZES)
    cases = [(size, visits) for size in sizes for visits in VISITS]
    for number in range(len(cases)):
        found, clear = _stranger(prompts, *one_of(cases, seed + number))
        if clear:
            return found
    return _stranger(prompts, *one_of(cases, seed))[0]


def _stranger(prompts: Sequence[Sequence[str]], size: int, visits: tuple[int, ...]) -> tuple[Stranger, bool]:
    """The case, and whether every kept block has one copy."""
    told: list[Event] = []
    slots = _room([prompts[who] for who in visits], size) - 1
    engine = Engine(EngineConfig(block_size=size, num_blocks=slots + 1), told.append)
    for number, who in enumerate(visits):
        engine.submit(Request(f"V{number}", tuple(ids_of(prompts[who]))))
        engine.run()
    stored = [event for event in told if isinstance(event, BlockStored)]
    kept = {one.block_id: (visits[int(one.request_id[1:])], one.index) for one in stored}
    needed = (slots - len(kept) + 1) * size
    engine.submit(Request("stranger", tuple(range(_STRANGE_IDS, _STRANGE_IDS + needed))))
    engine.run()
    goes = kept[next(event.block_id for event in told if isinstance(event, BlockEvicted))]
    served = {who for who, _ in kept.values()}
    ends = [max(place for place in kept.values() if place[0] == who) for who in served]
    options = {(0, 0), *ends, goes}
    clear = all(one.duplicate_of is None for one in stored)
    return Stranger(size, visits, tuple(sorted(options)), goes), clear


# -- as they are put -------------------------------------------------------------------------------------

_MOST_CHARS = 36


def asked_held(one: AtOnce) -> Asked:
    """How many slots are held?"""
    held, unshared = one.held.shared, one.held.unshared
    args = {"size": one.block_size, "unshared": unshared, "held": held}

    def told(answer: float) -> Words:
        why = "none" if held == unshared else "all" if answer == unshared else "right"
        return f"course.ch05.bet.held.{why}", args

    return Asked(
        ask="course.ch05.bet.held",
        args=args,
        low=1,
        high=unshared,
        unit="course.ch05.bet.unit.slots",
        truth=held,
        tolerance=(0, max(1, unshared // 10)),
        told=told,
    )


def asked_goes(one: Stranger, prompts: Sequence[Sequence[str]]) -> Asked:
    """Which block goes? One that is in no option's place: none at all."""
    size = one.block_size
    args = {"size": size} | dict(
        zip(("first", "second", "third"), (who + 1 for who in one.visits), strict=False)
    )
    options: list[Words] = []
    for who, index in one.options:
        text = visible_text("".join(prompts[who][index * size : (index + 1) * size]))
        cut = text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"
        options.append(("course.ch05.bet.block", {"prompt": who + 1, "block": index, "text": plain(cut)}))
    options.append(("course.ch05.bet.nobody", {}))

    def told(answer: float) -> Words:
        nobody, first = int(answer) == len(one.options), int(answer) == 0 != one.truth
        return f"course.ch05.bet.goes.{'nobody' if nobody else 'first' if first else 'right'}", {}

    return Asked(
        ask=f"course.ch05.bet.goes.{len(one.visits)}",
        args=args,
        options=tuple(options),
        truth=one.truth,
        told=told,
    )
