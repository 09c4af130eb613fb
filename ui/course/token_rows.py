"""Prompts cut into tokens and blocks, as text that wraps: what is reused, what is computed, what again.

Colours and signs are the stage's. The words are somebody's text, so every one of them is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

import streamlit as st

from ui.frame.session import plain, say
from ui.words.palette import PALETTE

Fate = Literal["open", "hit", "new", "again"]
SIGNS: dict[Fate, str] = {"open": "", "hit": "✓", "new": "+", "again": "↻"}


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One prompt. ``name``: our own words above it; ``fates``: one for each token; ``size``: tokens of a
    block, 0 where blocks are not spoken of yet."""

    name: str
    words: Sequence[str]
    fates: Sequence[Fate]
    size: int = 0


def draw_rows(rows: Sequence[TokenRow]) -> None:
    """All prompts, one under the other, and what the signs mean."""
    st.html(_STYLE + "".join(map(row_html, rows)))
    told = {fate for row in rows for fate in row.fates}
    blocks = any(row.size for row in rows)
    words = {fate: say(f"course.rows.{'computed' if blocks and fate == 'new' else fate}") for fate in told}
    signs = [f"{plain(sign)} {words[fate]}" for fate, sign in SIGNS.items() if fate in told and sign]
    st.caption(" · ".join(signs))


def row_html(row: TokenRow) -> str:
    """One prompt as HTML, its words escaped."""
    size = row.size or len(row.words)
    blocks = [_block_html(row, start, size) for start in range(0, len(row.words), size)]
    return f'<p class="tr-name">{escape(row.name)}</p><p class="tr-row">{" ".join(blocks)}</p>'


def _block_html(row: TokenRow, start: int, size: int) -> str:
    words = row.words[start : start + size]
    first, *others = [
        f'<span class="tr-{fate}">{escape(_seen(word))}</span>'
        for word, fate in zip(words, row.fates[start:], strict=False)
    ]
    tokens = "".join(f"{_BREAK}{one}" for one in others)
    if not row.size:
        return first + tokens
    full = "" if len(words) == size else " tr-part"
    number = f"<i>{start // size}{_sign(row.fates[start])}</i>"  # it never stands alone at a line's end
    return f'<span class="tr-block{full}">{number}{_JOIN}{first}{tokens}</span>'


_BREAK = "<wbr>"  # a line ends between two tokens: a blank inside one would be left behind as an empty box
_JOIN = "\u2060"  # a line does not end here


def _sign(fate: Fate) -> str:
    return f"&nbsp;{SIGNS[fate]}" if SIGNS[fate] else ""


def _seen(word: str) -> str:
    """A token that would not be seen shows what it is; a blank in front of a word holds on to it."""
    if not word.strip():
        return "⏎" * word.count("\n") or "␣"
    shown = word.replace("\n", "⏎").replace("\t", "⇥")
    return f"\u00a0{shown[1:]}" if shown.startswith(" ") else shown


def _both(name: str) -> str:
    return f"light-dark({PALETTE['light'][name]},{PALETTE['dark'][name]})"


_FAINT = f"color-mix(in srgb,{_both('miss_edge')} 30%,transparent)"  # the words on it stay readable
_STRIPES = f"repeating-linear-gradient(45deg,{_FAINT} 0 2px,transparent 2px 7px)"
_STYLE = f"""<style>
.tr-name{{margin:.6rem 0 .15rem;font-size:.875rem;color:{_both("muted")}}}
.tr-row{{margin:0;line-height:2.05;overflow-wrap:anywhere;max-width:none!important}}
.tr-row span span,.tr-row>span:not(.tr-block){{padding:.1rem .12rem;margin-right:1px;border-radius:3px;
white-space:pre-wrap;box-decoration-break:clone;-webkit-box-decoration-break:clone}}
.tr-open{{box-shadow:inset 0 0 0 1px {_both("hair")}}}
.tr-hit{{background:{_both("hit")};color:{_both("hit_label")}}}
.tr-new,.tr-again{{background:{_STRIPES},{_both("miss_soft")};
box-shadow:inset 0 0 0 1px {_both("miss_edge")}}}
.tr-again{{background:{_STRIPES},{_both("miss")};color:{_both("miss_label")}}}
.tr-block{{margin-right:.35rem}}
.tr-block i{{font-style:normal;font-size:.75rem;color:{_both("muted")};margin-right:.35rem}}
.tr-part span{{border-bottom:2px dashed {_both("line")}}}
@media (max-width:640px){{.tr-row{{font-size:.875rem;line-height:1.9}}}}
</style>"""
