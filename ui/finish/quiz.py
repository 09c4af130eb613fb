"""Bet, quiz and recap of the finish page: what was believed before, and what the run has shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import streamlit as st

from ui.frame.session import say
from ui.stage.bet import Bet
from ui.stage.questions import KINDS
from ui.stage.record import RECORD
from ui.stage.run import forget_answers

EARLIER = MappingProxyType(
    {"hit": "until", "after": "until", "zero": "until", "partial": "whole", "anywhere": "chain"}
)
"""Names that older links have for a lesson."""

CLOSE_ENOUGH = 10
"""Points between bet and result that still count as a good guess."""


def bet_words(bet: Bet | None, hits: int, total: int) -> str:
    """The bet against the result, in one sentence."""
    if not total:
        return say("finish.bet.no_result")
    rate = 100 * hits / total
    if bet is None:
        return say("finish.bet.none", rate=f"{rate:.1f}")
    off = bet.percent_of(total) - rate
    key = "close" if abs(off) <= CLOSE_ENOUGH else "high" if off > 0 else "low"
    if bet.unit == "tokens":
        told = {"bet": bet.n, "hit": hits, "total": total, "off": abs(bet.n - hits)}
        return say(f"finish.bet.tokens.{key}", **told)
    return say(f"finish.bet.{key}", bet=bet.n, rate=f"{rate:.1f}", off=f"{abs(off):.1f}")


def quiz_panel(to_stage: Callable[[], None]) -> None:
    """First tries by misconception; ``to_stage`` leads to the guided run when nothing was asked yet."""
    known = known_score(RECORD.get().score())
    if not known:
        st.markdown(say("finish.quiz.none"))
        if st.button(say("start.guided"), key="finish_guided"):
            to_stage()
        return
    right, asked = (sum(pair[side] for pair in known.values()) for side in (0, 1))
    st.markdown(say("finish.quiz.score", right=right, n=asked))
    for name, (good, all_) in known.items():
        mark = ":blue[✓]" if good == all_ else ":orange[✕]"
        st.markdown(
            f"{mark} **{good} / {all_}** · {say(f'finish.quiz.{name}')} {say(f'finish.quiz.{name}.truth')}"
        )
    st.button(
        say("finish.quiz.forget"),
        key="finish_forget",
        help=say("finish.quiz.forget.help"),
        on_click=forget_answers,
    )


def known_score(score: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Per lesson (right at first try, asked), in the order in which a run comes to them."""
    found = {name: [score[name]] for name in KINDS if name in score}
    for name, lesson in EARLIER.items():
        if name in score:
            found.setdefault(lesson, []).append(score[name])
    sums = {name: (sum(a for a, _ in pairs), sum(b for _, b in pairs)) for name, pairs in found.items()}
    return {name: sums[name] for name in KINDS if name in sums}


def recap_panel() -> None:
    """The noodle shop once more, and where that picture stops being true."""
    shop, breaks = st.columns(2, gap="large")
    with shop, st.container(border=True, height="stretch"):
        st.markdown(f"**{say('finish.recap.shop')}**")
        st.markdown("\n".join(f"- {say(f'finish.recap.shop.{number}')}" for number in range(1, 6)))
    with breaks, st.container(border=True, height="stretch"):
        st.markdown(f"**{say('finish.recap.breaks')}**")
        st.markdown("\n".join(f"- {say(f'finish.recap.breaks.{number}')}" for number in range(1, 6)))
