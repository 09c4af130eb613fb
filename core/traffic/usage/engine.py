"""What this project's engine computes for the same prompts, beside what the provider reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.replay.prefix_tree import build_tree
from core.traffic.reported import FAR
from core.traffic.usage.bill import BillRow, row_of
from core.traffic.usage.rules import Rules, RulesOf, each_by
from core.traffic.usage.turns import Turn

BLOCK = 16


def engine_row(turns: Sequence[Turn], rules: Rules | RulesOf) -> BillRow | None:
    """The turns whose prompts the log holds, with room for everything; None where it holds none.

    Shares are the engine's, tokens are counted as the provider counts them. Below the provider's minimum
    nothing is stored.
    """
    held = comparable(turns)
    if not held:
        return None
    rules_of = each_by(rules)
    made = []
    for turn, share in zip(held, _shares(held), strict=True):
        by = rules_of(turn.request.model, turn.total)
        hit = int(share * turn.total)
        read = hit if hit >= by.minimum else 0
        stored = 0 if by.automatic else turn.total - read
        made.append(
            replace(
                turn,
                read=read,
                written=stored,
                written_5m=stored,
                written_1h=0,
                new=turn.total - read - stored,
            )
        )
    return row_of("engine", made, rules_of)


def comparable(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with both: a whole prompt, and what was reported for it."""
    return [turn for turn in turns if turn.request.has_identity and turn.total and _whole(turn)]


def _whole(turn: Turn) -> bool:
    return turn.total <= FAR * turn.request.num_tokens <= FAR * FAR * turn.total


def engine_words(turns: Sequence[Turn], row: BillRow) -> dict[str, object]:
    """Both rates over the same requests."""
    held = comparable(turns)
    total = sum(turn.total for turn in held)
    return {"rate": row.rate, "reported_rate": sum(turn.read for turn in held) / total, "requests": len(held)}


def _shares(turns: Sequence[Turn]) -> list[float]:
    """Hit tokens / prompt tokens of each, in the log's order."""
    order = sorted(range(len(turns)), key=lambda number: turns[number].request.arrival_s or 0.0)
    size = turns[0].request.block_size or BLOCK
    tree = build_tree([turns[number].request for number in order], size)
    found = [0.0] * len(turns)
    for place, number in enumerate(order):
        length = tree.num_tokens[place]
        blocks = min(int(tree.matched[place]), max(length - 1, 0) // size)
        found[number] = blocks * size / length if length else 0.0
    return found
