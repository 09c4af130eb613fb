"""True or false: what one hears, wrong and right mixed, in a fresh order at every visit. Why it is so is told
once the visitor has decided; until then no name on the page tells which it is."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from ui.course.lessons import show_part
from ui.course.place import opened_at
from ui.course.said import DICE
from ui.frame.kept import Kept
from ui.frame.session import lang_mode, say
from ui.interview.questions import words
from ui.interview.show import show_me
from ui.study.names import CLAIMS
from ui.words.i18n import languages, t


@dataclass(frozen=True, slots=True)
class Round:
    """``order``: the claims of this visit. ``said``: what was decided, in that order. ``told``: the last one
    stands open with its reason."""

    order: tuple[str, ...]
    said: tuple[bool, ...] = ()
    told: bool = False

    @property
    def name(self) -> str | None:
        """The claim on the table; None: all are decided."""
        place = len(self.said) - self.told
        return self.order[place] if place < len(self.order) else None

    @property
    def num_right(self) -> int:
        """How many were decided rightly."""
        return sum(CLAIMS[name] == said for name, said in zip(self.order, self.said, strict=False))

    def decide(self, is_true: bool) -> Round:
        """Commit; a second time changes nothing."""
        if self.told or self.name is None:
            return self
        return replace(self, said=(*self.said, is_true), told=True)

    def beginning_with(self, name: str | None) -> Round:
        """The same with this claim on the table now, unless it was decided before or another one is told."""
        done = len(self.said)
        if name not in self.order[done:] or self.told:
            return self
        rest = tuple(one for one in self.order[done:] if one != name)
        return replace(self, order=(*self.order[:done], str(name), *rest))

    def next(self) -> Round:
        """Lay the next claim on the table."""
        return replace(self, told=False)


def new_round(seed: int) -> Round:
    """All claims in the order of a seed."""
    names = list(CLAIMS)
    random.Random(seed).shuffle(names)
    return Round(tuple(names))


_ROUND: Kept[Round] = Kept("claims_round", lambda: new_round(DICE.get()))


def claims(pages: Callable[[str], Any]) -> None:
    """The claim on the table, and two ways to decide; beside it how the others went."""
    now = _ROUND.get().beginning_with(opened_at("ch12", CLAIMS))
    _ROUND.set(now)
    text, beside = st.columns(2, gap="large")
    with beside:
        _score(now)
    with text:
        show_part("ch12", "wrong")
        _table(now, pages)


def _score(now: Round) -> None:
    marks = [
        "○" if place >= len(now.said) else "●" if CLAIMS[name] == now.said[place] else "◍"
        for place, name in enumerate(now.order)
    ]
    rows = (" ".join(marks[start : start + 10]) for start in range(0, len(marks), 10))
    st.markdown("  \n".join(rows))
    st.caption(say("course.ch12.claims.score", n=len(now.said), total=len(now.order), right=now.num_right))


def _table(now: Round, pages: Callable[[str], Any]) -> None:
    with st.container(border=True, key="claim"):
        if now.name is None:
            st.markdown(say("course.ch12.claims.done"))
        else:
            for one in languages(lang_mode()):
                st.markdown(f"##### {t('course.ch12.quoted', one, claim=words(now.name, 'claim', one))}")
            if now.told:
                _reason(now.name, now.said[-1], pages)
    with st.container(horizontal=True):
        _buttons(now)


def _reason(name: str, said: bool, pages: Callable[[str], Any]) -> None:
    truth = CLAIMS[name]
    with st.container(key="told-claim"):
        for one in languages(lang_mode()):
            grade = t(f"course.ch12.claims.{'right' if said == truth else 'wrong'}", one)
            verdict = t(f"course.ch12.claims.is_{str(truth).lower()}", one)
            st.markdown(f"**{grade} {verdict}** {words(name, 'why', one)}")
        show_me(name, pages)


def _buttons(now: Round) -> None:
    if now.name is None:
        st.button(say("course.ch12.claims.anew"), key="claim-anew", on_click=_renew)
    elif now.told:
        st.button(say("course.ch12.claims.next"), key="claim-next", type="primary", on_click=_set_next)
    else:
        for is_true in (True, False):
            name = str(is_true).lower()
            label = say(f"course.ch12.claims.{name}")
            st.button(label, key=f"claim-{name}", on_click=_decide, args=(is_true,))


def _decide(is_true: bool) -> None:
    _ROUND.set(_ROUND.get().decide(is_true))


def _set_next() -> None:
    _ROUND.set(_ROUND.get().next())


def _renew() -> None:
    _ROUND.set(new_round(secrets.randbelow(2**31)))
