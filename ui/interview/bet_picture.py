"""The picture beside the interview's bet: prompts as blocks, the first user's and all others'. Hollow until
the bet is placed; then blue is reused and amber computed."""

from __future__ import annotations

from html import escape

import streamlit as st

from ui.frame.session import say
from ui.interview.bet import Crowd
from ui.words.palette import PALETTE

_LIGHT, _DARK = PALETTE["light"], PALETTE["dark"]


def _both(name: str) -> str:
    return f"light-dark({_LIGHT[name]},{_DARK[name]})"


_STYLE = f"""<style>
.crowd{{font-size:.95rem}}
.crowd-row{{display:flex;height:2.1rem;margin:.2rem 0 .9rem;position:relative}}
.crowd-row i{{box-sizing:border-box;border:1.5px solid currentColor;margin-right:1px;min-width:2px;
overflow:hidden;font-style:normal;font-weight:700;text-align:center;line-height:1.85rem}}
.crowd-row i.hit{{background:{_both("hit")};color:{_both("hit_label")};border-color:{_both("hit_edge")}}}
.crowd-row i.new{{color:{_both("miss_label")};border-color:{_both("miss_edge")};
background:repeating-linear-gradient(135deg,{_both("miss")} 0 6px,{_both("miss_soft")} 6px 9px)}}
.crowd-row u{{position:absolute;top:-.35rem;bottom:-.35rem;border-left:3px dotted currentColor}}
</style>"""


def show_crowd(asked: Crowd, told: bool) -> None:
    """Two rows of blocks; where the shared beginning ends is a dotted line. ``told``: the bet is placed."""
    found = asked.hits() if told else [None, None]
    rows = "".join(
        f"<div>{escape(say(f'course.ch12.bet.{name}'))}</div>{_row(asked, hit)}"
        for name, hit in (("first", found[0]), ("others", found[-1]))
    )
    end = escape(say("course.ch12.bet.end", shared=asked.shared, own=asked.own, size=asked.size))
    st.html(f'{_STYLE}<div class="crowd">{rows}<div>{end}</div></div>')


def _row(asked: Crowd, hit: int | None) -> str:
    """One prompt; ``hit``: its hit tokens, None while nobody may know."""
    blocks = []
    for start in range(0, asked.total, asked.size):
        kind = "" if hit is None else "hit" if start < hit else "new"
        sign = {"": "", "hit": "✓", "new": "+"}[kind]
        tokens = min(asked.size, asked.total - start)
        blocks.append(f'<i class="{kind}" style="flex:{tokens}">{sign}</i>')
    place = 100 * asked.shared / asked.total
    return f'<div class="crowd-row">{"".join(blocks)}<u style="left:{place:.2f}%"></u></div>'
