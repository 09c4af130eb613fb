"""What this project's engine computes for the same prompts, beside what the provider reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.replay.prefix_tree import build_tree
from core.traces.model import TraceRequest
from core.traffic.reported import FAR
from core.traffic.usage.bill import BillRow, row_of
from core.traffic.usage.rules import Rules, RulesOf, each_by
from core.traffic.usage.turns import Turn

BLOCK = 16


@dataclass(frozen=True, slots=True)
class Beside:
    """The requests that have both, a whole prompt and what was reported for it.

    ``rate``: the engine's own, with room for everything: hit tokens / prompt tokens of the log's text. No
    provider's minimum is in it; ``row`` is money, and has it. ``below``: requests of which the minimum keeps
    the prompt from being stored, or what it shares from being read; ``minimums``: theirs, each once.
    """

    rate: float
    reported_rate: float
    requests: int
    below: int
    minimums: tuple[int, ...]
    row: BillRow


def beside(
    turns: Sequence[Turn], rules: Rules | RulesOf, order: Sequence[TraceRequest] = ()
) -> Beside | None:
    """None where the log holds no whole prompts. ``order``: the log's requests as they are replayed."""
    held = _in_order([turn for turn in turns if _whole(turn)], order)
    if not held:
        return None
    rules_of = each_by(rules)
    hits, lengths = _replayed(held)
    made, minimums = [], []
    for turn, hit, length in zip(held, hits, lengths, strict=True):
        by = rules_of(turn.request.model, turn.total)
        shared = hit * turn.total // length
        made.append(_billed(turn, shared, by))
        if turn.total < by.minimum or 0 < shared < by.minimum:
            minimums.append(by.minimum)
    return Beside(
        sum(hits) / sum(lengths),
        sum(turn.read for turn in held) / sum(turn.total for turn in held),
        len(held),
        len(minimums),
        tuple(sorted(set(minimums))),
        row_of("engine", made, rules_of),
    )


def _whole(turn: Turn) -> bool:
    text = turn.request.num_tokens
    return bool(
        turn.request.has_identity and turn.total and turn.total <= FAR * text <= FAR * FAR * turn.total
    )


def _in_order(turns: list[Turn], order: Sequence[TraceRequest]) -> list[Turn]:
    """By time, and as the log has them where that is the same, or not known."""
    place = {id(request): number for number, request in enumerate(order)}
    return sorted(turns, key=lambda turn: (turn.request.arrival_s or 0.0, place.get(id(turn.request), 0)))


def _billed(turn: Turn, shared: int, by: Rules) -> Turn:
    """Tokens as the provider counts them. Of a prompt below its minimum nothing is stored, and nothing that
    short is read."""
    read = shared if shared >= by.minimum else 0
    stored = 0 if by.automatic or turn.total < by.minimum else turn.total - read
    new = turn.total - read - stored
    return replace(turn, read=read, written=stored, written_5m=stored, written_1h=0, new=new)


def _replayed(turns: Sequence[Turn]) -> tuple[list[int], list[int]]:
    """Hit tokens and prompt tokens of each, as this project counts them."""
    size = turns[0].request.block_size or BLOCK
    tree = build_tree([turn.request for turn in turns], size)
    lengths = [int(one) for one in tree.num_tokens]
    hits = [
        min(int(blocks), max(length - 1, 0) // size) * size
        for blocks, length in zip(tree.matched, lengths, strict=True)
    ]
    return hits, lengths
