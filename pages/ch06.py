"""Chapter 6 · What it saves: one saving on four rulers, two bets; folded: everything counted and measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages.navigation import page
from ui.course.asked import Asked
from ui.course.bets import bet
from ui.course.ch03 import fates_of
from ui.course.ch06_saving.bets import FirstToken, asked_time, first_token, shown_ms, with_manual
from ui.course.ch06_saving.panels import (
    NAME,
    RATES,
    SHARED,
    bill_panel,
    load_at,
    load_panel,
    long_panel,
    users_panel,
)
from ui.course.ch06_saving.picture import draw_answered, draw_bars, draw_rulers, minus
from ui.course.ch06_saving.rulers import (
    MANY,
    RULERS,
    TOTAL,
    Ruler,
    bill_ruler,
    fixed_ms,
    queue_ruler,
    time_ruler,
    token_ruler,
)
from ui.course.ch06_saving.timed import one_prompt_panel, sooner_panel
from ui.course.chapter import (
    before_question,
    begin_chapter,
    chapter_stage,
    course_run,
    end_chapter,
    pick_one,
    stage_link,
)
from ui.course.folded import draw_folded
from ui.course.lessons import show_part
from ui.course.mine import my_tokens
from ui.course.page import reading
from ui.course.pictures import new_pen, show_picture
from ui.course.said import now_put
from ui.course.token_rows import TokenRow, draw_rows
from ui.frame.kept import Kept
from ui.frame.session import lang, say, stands_on_one
from ui.machine.machine import MACHINE
from ui.machine.panel import machine_panel
from ui.stage.show_me import find_step, op_is
from ui.words.numbers import money
from ui.words.tables import no_formula

SHARES = range(16, TOTAL, 16)
SEEN: Kept[frozenset[str]] = Kept("ch06_seen", frozenset)
"""Rulers that were looked at: their results stay in the picture."""
GUESS: Kept[str] = Kept("ch06_guess", str)
"""The ruler on which the visitor expects the most to be saved; "": not said yet, and no number is shown."""

Make = Callable[[int], FirstToken]


def render() -> None:
    """Four rulers beside one picture, the bets, and folded what stands behind the numbers."""
    begin_chapter(NAME, page, hook=False)
    _rulers()
    panels = {
        "one": one_prompt_panel,
        "stage": _stage,
        "sooner": sooner_panel,
        "users": users_panel,
        "long": long_panel,
        "load": load_panel,
        "day": bill_panel,
    }
    draw_folded(NAME, panels)
    machine_panel()
    _bet("a", lambda seed: first_token(my_tokens(lang()), MACHINE.get().cost(), seed))
    _bet("b", lambda seed: with_manual(my_tokens(lang()), MACHINE.get().cost(), seed))
    end_chapter(NAME, page)


# -- four rulers -----------------------------------------------------------------------------------------


def _rulers() -> None:
    text, picture = reading()
    with text:
        show_part(NAME, "hook")
        names = {name: say(f"course.ch06.ruler.{name}") for name in RULERS}
        now = pick_one(say("course.ch06.ruler"), names, "ch06-ruler", NAME)
        if not GUESS.get():
            _guess(names)
        told = bool(GUESS.get())
        if told:
            SEEN.set(SEEN.get() | {now})
        shared = st.select_slider(
            say("course.ch06.shared", total=TOTAL), list(SHARES), SHARED, key="ch06-shared"
        )
        rate = 20
        if now == "queue":
            rate = st.select_slider(say("course.ch06.rate"), RATES, rate, key="ch06-rate")
        found = measured_by(shared, rate)
        if told:
            show_part(NAME, now, **_words(now, found[now], shared, rate))
            _all_four(names, found)
    with picture:
        _picture(now, found, rate)


def _guess(names: Mapping[str, str]) -> None:
    """On which ruler is the most saved? Asked before any number is shown."""
    show_part(NAME, "guess", total=TOTAL, hit=SHARED)

    def said() -> None:
        if stands_on_one("ch06-guess", RULERS):
            GUESS.set(st.session_state["ch06-guess"])

    st.radio(
        say("course.ch06.guess"),
        RULERS,
        index=None,
        format_func=names.__getitem__,
        key="ch06-guess",
        on_change=said,
    )


def _all_four(names: Mapping[str, str], found: Mapping[str, Ruler]) -> None:
    """What was guessed, and once all four were looked at which of them it is."""
    guess = names[GUESS.get()]
    if not set(RULERS) <= SEEN.get():
        st.caption(say("course.ch06.guessed", guess=guess))
        return
    most = max(found, key=lambda name: found[name].saved)
    show_part(NAME, "all", guess=guess, most=names[most], saved=minus(found[most].saved))


def measured_by(shared: int, rate: int) -> dict[str, Ruler]:
    """The prompt with so many shared tokens on every ruler, on the machine chosen."""
    machine = MACHINE.get()
    cost = machine.cost()
    return {
        "tokens": token_ruler(shared),
        "time": time_ruler(shared, cost),
        "queue": queue_ruler(shared, cost, load_at(rate, shared)),
        "bill": bill_ruler(shared, machine.prices),
    }


def amount(name: str, value: float) -> str:
    """A number in the ruler's unit."""
    if name == "bill":
        return money(value, MACHINE.get().prices.currency)
    return f"{value:,.0f}" if name in ("tokens", "queue") else f"{value:,.1f}"


def _words(name: str, ruler: Ruler, shared: int, rate: int) -> dict[str, object]:
    prices = MACHINE.get().prices
    words: dict[str, dict[str, object]] = {
        "tokens": {"total": TOTAL, "hit": shared, "computed": TOTAL - shared},
        "time": {"rest": shown_ms(fixed_ms(MACHINE.get().cost()))},
        "queue": {"rate": rate},
        "bill": {
            "new": f"{prices.per_million_tokens:g}",
            "cached": f"{prices.per_million_cached:g}",
            "many": f"{MANY:,}",
        },
    }
    sides = {"full": amount(name, ruler.full), "left": amount(name, ruler.left)}
    escaped = {side: no_formula(text) for side, text in sides.items()}
    return {**escaped, "saved": minus(ruler.saved), **words[name]}


def _picture(now: str, found: dict[str, Ruler], rate: int) -> None:
    pen = new_pen()
    title = say(f"course.ch06.unit.{now}", rate=rate, many=f"{MANY:,}")
    draw_bars(pen, title, found[now], lambda value: amount(now, value), told=now in SEEN.get())
    height = draw_rulers(pen, found, now, SEEN.get())
    words = [
        say(
            "course.ch06.picture",
            ruler=say(f"course.ch06.ruler.{name}"),
            full=amount(name, ruler.full),
            left=amount(name, ruler.left),
            saved=minus(ruler.saved),
        )
        for name, ruler in found.items()
        if name in SEEN.get()
    ]
    show_picture(pen, height, "; ".join(words) or title)


# -- bets ------------------------------------------------------------------------------------------------


def _bet(place: str, make: Make) -> None:
    """The bet, and once it is answered where the milliseconds went."""

    def asked(seed: int) -> Asked:
        return asked_time(make(seed))

    one = make(now_put((NAME, place), asked)[0])
    if not one.manual:
        words = my_tokens(lang())[one.question]
        name = say("course.rows.name", n=one.question, tokens=one.total)
        draw_rows([TokenRow(name, words, fates_of(words, one.hit), one.block_size)])
    if bet(NAME, asked, place=place):
        one, pen = make(now_put((NAME, place), asked)[0]), new_pen()
        height = draw_answered(pen, one, shown_ms)
        with st.container(width=560):
            show_picture(pen, height, say("course.ch06.bet.picture", total=one.total, hit=one.hit))


# -- folded ----------------------------------------------------------------------------------------------


def _stage() -> None:
    show_part(NAME, "stage")
    _, _, shown = course_run("L640s")
    chapter_stage(NAME, shown, before_question(shown, "R1"), ask=True)
    stage_link(say("course.show_me"), "L640s", find_step(shown, op_is("plan", "R1")))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
