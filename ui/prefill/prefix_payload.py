"""What the picture of attention and errors is given: numbers of the report, made ready to be drawn. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from core.backends.experiments.report import Json, Report
from ui.words.i18n import LangMode
from ui.words.numbers import digits, percent
from ui.words.palette import PALETTE

EXACT = 1e-5
"""A smaller error is rounding: the same arithmetic in matrix products of another height."""

_HUNDREDTHS = 10_000
_MOST = 99_999


def prefix_payload(report: Report, shown: bool, lang: LangMode) -> Json:
    """``shown``: the bet is placed. Before, nothing in it tells which blocks are reused, nor the errors, nor
    who reads a block: the readers behind a change are what has to be computed again."""
    settings, summary = report.settings, report.summary
    layers, shares = summary["layers"], summary["shares"]
    middle = layers[len(layers) // 2]
    blocks = blocks_of(report)
    return {
        "lang": lang,
        "palette": PALETTE,
        "key": digest(report),
        "tokens": [row["text"] for row in report.rows],
        "changed": settings["changed"],
        "blocks": [
            {
                "first": rows[0]["position"],
                "stop": rows[-1]["position"] + 1,
                "readers": readers if shown else None,
            }
            for rows, readers in zip(blocks, summary["readers"], strict=True)
        ],
        "layers": layers,
        "heads": summary["num_heads"],
        "shares": shares,
        "layer": middle,
        "head": _liveliest(shares[str(middle)]),
        "attention": summary["attention"],
        "hit": summary["hit_tokens"] if shown else 0,
        "errors": {part: _cells(report.rows, part) for part in ("key", "value")} if shown else None,
        "verdicts": [verdict(report, number) for number in range(len(blocks))] if shown else None,
    }


def digest(report: Report) -> str:
    """Stands for what was computed: the same prompts with the same model."""
    made_of = (report.model, report.backend, report.settings["prompt"], report.settings["other_prompt"])
    return blake2b(repr(made_of).encode(), digest_size=8).hexdigest()


def blocks_of(report: Report) -> list[list[Json]]:
    """The rows of each block."""
    blocks: dict[int, list[Json]] = {}
    for row in report.rows:
        blocks.setdefault(row["block"], []).append(row)
    return list(blocks.values())


def _liveliest(heads: Sequence[Sequence[float]]) -> int:
    """Many heads rest on the first tokens; the one that does so least shows most."""
    return min(range(len(heads)), key=lambda head: heads[head][0])


def _cells(rows: Sequence[Json], part: str) -> list[list[int]]:
    """By layer and token, in hundredths of a percent; 0 is exact, -1 a token that the cache does not have."""
    columns = [row[part] for row in rows]
    num_layers = len(next(column for column in columns if column is not None))
    return [
        [-1 if column is None else _cell(column[layer]) for column in columns] for layer in range(num_layers)
    ]


def _cell(error: float) -> int:
    return 0 if error <= EXACT else min(_MOST, max(1, round(_HUNDREDTHS * error)))


def worst_of(row: Json) -> float | None:
    """The largest error of K and V in any layer; None for a new token."""
    return None if row["was_at"] is None else max(*row["key"], *row["value"])


def is_right(row: Json) -> bool:
    """Whether the cached K and V of a token are right in every layer."""
    worst = worst_of(row)
    return worst is not None and worst <= EXACT


def verdict(report: Report, number: int) -> dict[str, Any]:
    """What became of a block, and how right the cache would have been."""
    rows, settings, summary = blocks_of(report)[number], report.settings, report.summary
    # A block that was not full when it was computed is never kept.
    num_kept = (len(report.rows) - settings["moved_by"]) // settings["block_size"]
    was = summary["cached_table"][number] if number < num_kept else None
    return {
        "hit": all(row["hit"] for row in rows),
        "state": _state(rows, settings["changed"][0], was is not None),
        "was": was,
        "id": summary["table"][number],
        "kb": f"{digits(len(rows) * settings['kv_bytes_per_token'] / 1000)} kB",
        "worst": off_by(max((worst for row in rows if (worst := worst_of(row)) is not None), default=0.0)),
        "rights": sum(map(is_right, rows)),
        "size": len(rows),
    }


def _state(rows: Sequence[Json], first_changed: int, kept: bool) -> str:
    """Which sentence tells of a block: ``prefill.map.verdict.…``."""
    if all(row["hit"] for row in rows):
        return "hit"
    here = rows[0]["position"] <= first_changed <= rows[-1]["position"]
    if here or any(row["was_at"] is None for row in rows):
        return "changed"
    if all(map(is_right, rows)):
        return "last"
    return "after" if kept else "part"


def off_by(error: float) -> str:
    """A relative error in percent; two vectors can lie further apart than one of them is long."""
    if error <= EXACT:
        return "0"
    return "> 100" if error > 1 else percent(error, 1 if error < 0.1 else 0)
