"""The block tables of a conversation's turns, drawn one below the other: hit, computed, decoded blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import streamlit as st

from ui.frame.session import say
from ui.prefill.conversation import Turn
from ui.words.palette import themed

KINDS = ("hit", "computed", "decoded")
STYLE = f"""<style>
.ct{{display:grid;grid-template-columns:max-content 1fr;gap:.35rem .6rem;font-size:.8rem;line-height:1}}
.ct>b{{padding-top:.1rem;font-weight:400;text-align:right}}
.ct>b.now{{font-weight:700}}
.ct>div{{display:flex;flex-wrap:wrap;gap:3px 2px}}
.ct span{{width:1.55rem;text-align:center;font-size:.68rem;font-variant-numeric:tabular-nums}}
.ct i,.ct-key i{{display:flex;height:.85rem;margin-top:2px;overflow:hidden;
border:1px solid {themed("line")};border-radius:2px}}
.ct u,.ct-key u{{display:block;height:100%}}
.ct .hit,.ct-key .hit{{background:{themed("hit")}}}
.ct .computed,.ct-key .computed{{background:repeating-linear-gradient(45deg,{themed("miss")} 0 3px,
{themed("miss_soft")} 3px 5px)}}
.ct .decoded,.ct-key .decoded{{background:repeating-linear-gradient(90deg,{themed("register")} 0 2px,
{themed("register_soft")} 2px 4px)}}
.ct-key{{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.8rem;align-items:center;margin-top:.5rem}}
.ct-key span{{display:flex;gap:.35rem;align-items:center}}
.ct-key i{{width:1.55rem;margin:0}}
.ct-key u{{width:100%}}
</style>"""


@dataclass(frozen=True, slots=True)
class Cell:
    """One block of a table: its id, and how many of its tokens are of each of ``KINDS``."""

    block_id: int
    counts: tuple[int, int, int]


def cells_of(turn: Turn, block_size: int) -> list[Cell]:
    """The block table of a turn, prompt and answer."""
    answer = turn.answer
    ends = (0, answer.hit_tokens, answer.num_prompt, answer.num_prompt + answer.num_tokens)
    cells = []
    for place, block_id in enumerate(answer.table):
        first, last = place * block_size, (place + 1) * block_size
        hit, computed, decoded = (max(0, min(last, end) - max(first, start)) for start, end in pairwise(ends))
        cells.append(Cell(block_id, (hit, computed, decoded)))
    return cells


def show_blocks(turns: Sequence[Turn], now: int | None, block_size: int) -> None:
    """A row for each turn, and what the patterns mean."""
    rows = "".join(_row(turn, turn.number == now, block_size) for turn in turns)
    key = "".join(
        f'<span><i><u class="{kind}"></u></i>{escape(say(f"prefill.chat.block.{kind}"))}</span>'
        for kind in KINDS
    )
    st.html(f'{STYLE}<div class="ct">{rows}</div><div class="ct-key">{key}</div>')


def _row(turn: Turn, now: bool, block_size: int) -> str:
    cells = cells_of(turn, block_size)
    drawn = "".join(f"<span>{cell.block_id}<i>{_bars(cell, block_size)}</i></span>" for cell in cells)
    told = escape(row_words(turn, cells))
    return (
        f'<b class="{"now" if now else ""}" aria-hidden="true">{turn.number}</b>'
        f'<div role="img" aria-label="{told}" title="{told}">{drawn}</div>'
    )


def row_words(turn: Turn, cells: Sequence[Cell]) -> str:
    """A row for who hears the page."""
    answer = turn.answer
    return say(
        "prefill.chat.blocks",
        n=turn.number,
        blocks=len(cells),
        hit=answer.hit_tokens,
        computed=answer.num_prompt - answer.hit_tokens,
        decoded=answer.num_tokens,
    )


def _bars(cell: Cell, block_size: int) -> str:
    shares = ((kind, 100 * count / block_size) for kind, count in zip(KINDS, cell.counts, strict=True))
    return "".join(f'<u class="{kind}" style="width:{share:g}%"></u>' for kind, share in shares if share)
