"""A request of a log and those around it as a small scenario: few enough blocks to watch, the same reason.

Prompts of thousands of tokens are shortened the same way everywhere: of the blocks that all of them share,
a few are kept at the beginning and around the place where the request missed. Where content had to make
room, a stand-in takes as many slots as all the requests in between took together, as far as they matter.
Token texts come from the log; where it has none, from its ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.scenario.scenario import Command, Scenario, Tokens
from core.scenario.tokenizer import Tokenizer
from core.traces.model import TraceRequest
from core.traffic.analysis import Analysis
from core.traffic.misses import Miss
from core.traffic.words import pieces_of
from core.types import EngineConfig, Request

HEAD_BLOCKS, BEFORE_BLOCKS, AFTER_BLOCKS = 2, 3, 3
MOST_BLOCK = 32
"""Tokens of a block on the stage: larger ones are shown by as many of their first tokens."""
_STAND_IN = 2**31


@dataclass(frozen=True, slots=True)
class Scene:
    """The scenario, the request's name in it, and what was left out: blocks of its prompt, tokens of each
    block, requests in between."""

    scenario: Scenario
    request_id: str
    left_out_blocks: int
    shown_block_size: int
    num_between: int


def scene_around(analysis: Analysis, misses: Sequence[Miss], number: int, tokenizer: Tokenizer) -> Scene:
    """The stored prompt that comes nearest, what came between, then the request itself."""
    miss = misses[number]
    size = analysis.tree.block_size
    kept = _kept_blocks(miss.block, analysis.tree.num_blocks(number))
    shown_size = min(size, MOST_BLOCK)
    cut = _Cut(size, shown_size, kept, tokenizer)
    others = [] if miss.best is None else [miss.best]
    reached = miss.reason in ("all", "grown", "differs", "unknown")
    if miss.block and reached and number - 1 not in others and number:
        others.append(number - 1)
    prompts = [cut.command(analysis.requests[place], place) for place in sorted(others)]
    mine = cut.command(analysis.requests[number], number)
    lengths = [len(command.prompt.ids) for command in (*prompts, mine)]
    num_slots = max(-(-length // shown_size) for length in lengths) + 2
    commands = [step for command in prompts for step in (command, Command("run", {}))]
    if miss.reason in ("evicted", "expired") and prompts:
        shown_hits = sum(block < miss.block for block in kept)
        commands += _in_between(num_slots, shown_hits, shown_size)
    else:
        num_slots += sum(lengths[:-1]) // shown_size
    config = EngineConfig(shown_size, num_slots + 1)
    scenario = Scenario("traffic", config, (*commands, mine, Command("run", {})))
    between = number - max(others) - 1 if others else number
    left_out = analysis.tree.num_blocks(number) - len(kept)
    return Scene(scenario, str(mine.args["id"]), left_out, shown_size, between)


def _kept_blocks(missed: int, total: int) -> list[int]:
    """Block numbers that are shown, the same for every prompt of a scene."""
    wanted = [*range(HEAD_BLOCKS), *range(missed - BEFORE_BLOCKS, missed + AFTER_BLOCKS)]
    return sorted({block for block in wanted if 0 <= block < max(total, missed + 1)})


def _in_between(num_slots: int, hits: int, block_size: int) -> list[Command]:
    """One prompt so large that of the stored one only the first ``hits`` blocks stay."""
    count = max((num_slots - hits) * block_size - 1, 1)
    ids = tuple(range(_STAND_IN, _STAND_IN + count))
    words = ("…",) * count
    command = Command(
        "submit",
        {"id": "others", "tokens": list(ids)},
        Request("others", ids),
        Tokens(ids, words),
    )
    return [command, Command("run", {})]


@dataclass(frozen=True, slots=True)
class _Cut:
    """Shortens prompts."""

    size: int
    shown_size: int
    kept: Sequence[int]
    tokenizer: Tokenizer

    def command(self, request: TraceRequest, place: int) -> Command:
        """A submit of what is kept of the prompt. Names are the log's; two may be equal when cut short."""
        tokens = request.tokens()
        ids: list[int] = []
        pieces: list[str] = []
        for block in self.kept:
            first = block * self.size
            last = min(first + self.shown_size, request.num_tokens)
            if first >= request.num_tokens:
                break
            ids += tokens[first:last].tolist()
            pieces += self._pieces(request, first, last)
        name = f"{request.request_id[:12]} {place + 1}"
        found = Tokens(tuple(ids), tuple(pieces))
        args = {"id": name, "tokens": ids}
        return Command("submit", args, Request(name, found.ids, salt=request.scope or None), found)

    def _pieces(self, request: TraceRequest, first: int, last: int) -> list[str]:
        if not request.segments:
            return [f"b{first // self.size + 1}"] * (last - first)
        return pieces_of(request, first, last, self.tokenizer)
