"""Chapter 7 · Where it pays: kinds of use on the engine, and a bet; folded: all of them, the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.scenario.scenario import run
from core.scenario.use_cases import ANSWER, BLOCK_SIZE, DOCUMENTS, VARIANTS, Outcome, hit_rate, outcomes
from pages.navigation import page
from ui.course.asked import Asked
from ui.course.bets import bet
from ui.course.ch07_uses.bets import asked_order, ordered
from ui.course.ch07_uses.charts import length_map, rate_bars
from ui.course.ch07_uses.counts import (
    CASES,
    GUESSES,
    MINE,
    PREFIXES,
    SUFFIXES,
    USUAL,
    all_rates,
    guess_of,
    mine_outcomes,
    share_map,
    small_scenario,
    verdicts,
)
from ui.course.ch07_uses.picture import draw_strips, draw_verdicts
from ui.course.chapter import before_question, begin_chapter, chapter_stage, end_chapter, pick_one
from ui.course.folded import draw_folded
from ui.course.in_turn import beginning_and_question
from ui.course.lessons import show_part
from ui.course.mine import QUESTIONS, my_prompt, my_run
from ui.course.page import reading
from ui.course.pictures import new_pen, show_picture
from ui.course.tradeoff_panels.shapes import prefixes_panel
from ui.frame.formulas import formulas_panel
from ui.frame.kept import Kept
from ui.frame.session import lang, say, stands_on_one
from ui.frame.shared import Shared
from ui.machine.machine import MACHINE
from ui.machine.panel import machine_panel
from ui.stage.payload import Payload, stage_log
from ui.stage.show_me import first_step, op_is
from ui.words.formula_words import PREFILL, SAVINGS
from ui.words.numbers import never_full

NAME = "ch07"
GUESSED: Kept[Mapping[str, str]] = Kept("ch07_guessed", dict)
"""What the visitor expects of each kind of use; before that, no share and no verdict is shown."""
_RUNS = Shared(48)
CONFIG = {"displayModeBar": False}
PANEL_PREFIX = 128
"""Tokens of a prefix in the figure on prefixes and room."""


def render() -> None:
    """Pick a kind of use and watch it; a bet on one's own prompts; all kinds, the map, room for prefixes."""
    begin_chapter(NAME, page, hook=False)
    case, variant = _use()
    _stage(case, variant)
    draw_folded(NAME, {"all": lambda: _all(case, variant), "map": _map, "prefixes": _prefixes})
    machine_panel()
    formulas_panel((*SAVINGS, *PREFILL))
    bet(NAME, _ordered)
    end_chapter(NAME, page)


def _stage(case: str, variant: str) -> None:
    """It stands where a request is about to be looked up, and asks how far it hits."""
    shown = my_run()[2] if case == MINE else _shown(case, variant)
    show_part(NAME, "stage_mine" if case == MINE else "stage")
    try:
        step = before_question(shown)
    except LookupError:  # prompts of one's own without a whole block
        step = first_step(shown, op_is("plan", "R2"), op_is("arrive", "R0"))
    chapter_stage(NAME, shown, step, key=f"{case}-{variant}", ask=True)


def _parts() -> list[tuple[list[str], list[str]]]:
    """Beginning and question of each of the visitor's prompts, as tokens."""
    prompt = my_prompt(lang())
    return [beginning_and_question(prompt.system, one) for one in prompt.messages]


def _ordered(seed: int) -> Asked:
    return asked_order(ordered(_parts(), seed))


def _variants(case: str) -> dict[str, str]:
    return {variant: say(f"course.ch07.variant.{variant}") for variant in VARIANTS[case]}


# -- one kind of use -------------------------------------------------------------------------------------


def _use() -> tuple[str, str]:
    text, picture = reading()
    with text:
        show_part(NAME, "hook")
        cases = {case: say(f"course.ch07.case.{case}") for case in CASES}
        case = pick_one(say("course.ch07.use"), cases, "ch07-case", NAME)
        variants = VARIANTS.get(case, ("behind",))
        variant = variants[0]
        if len(variants) > 1:
            variant = pick_one(say("course.ch07.variant"), _variants(case), f"ch07-variant-{case}")
        if case == MINE:
            count, found = QUESTIONS, {variant: mine_outcomes(_parts())}
        else:
            count, shared, own = _sliders(case)
            found = {one: outcomes(case, one, count, shared, own) for one in variants}
        told = case in GUESSED.get()
        if told:
            _compared(case, hit_rate(found[variants[0]]))
            show_part(NAME, case, **_numbers(case, found, count))
        else:
            _guess(case)
    with picture:
        _picture(case, found[variant], told)
    return case, variant


def _guess(case: str) -> None:
    """How much of all tokens is reused? Asked before anything is told."""
    key = f"ch07-guess-{case}"
    show_part(NAME, "guess_mine" if case == MINE else "guess", about=say(f"course.ch07.about.{case}"))

    def said() -> None:
        if stands_on_one(key, GUESSES):
            GUESSED.set({**GUESSED.get(), case: st.session_state[key]})

    names = {one: say(f"course.ch07.guess.{one}") for one in GUESSES}
    st.radio(
        say("course.ch07.guess"),
        GUESSES,
        index=None,
        format_func=names.__getitem__,
        key=key,
        on_change=said,
        horizontal=True,
    )


def _compared(case: str, rate: float) -> None:
    """The guess beside what it is now."""
    guess = GUESSED.get()[case]
    right = guess_of(rate)
    key = "course.ch07.guessed.right" if guess == right else "course.ch07.guessed"
    st.caption(say(key, guess=say(f"course.ch07.guess.{guess}"), truth=say(f"course.ch07.guess.{right}")))


def _picture(case: str, found: tuple[Outcome, ...], told: bool) -> None:
    judged, pen = verdicts(found), new_pen()
    names = {one.kind: say(f"course.ch07.part.{one.kind}") for one in judged}
    top = draw_strips(
        pen, found, names, say(f"course.ch07.{_counted(case)}"), told=told, turns=case == "chat"
    )
    if not told:
        words = say("course.ch07.picture.before", case=say(f"course.ch07.case.{case}"))
        show_picture(pen, top, words)
        return
    height = draw_verdicts(pen, top, judged, names)
    parts = [
        say(
            "course.ch07.picture.part",
            part=names[one.kind],
            share=never_full(one.share),
            verdict=say(f"course.ch07.verdict.{one.word}"),
        )
        for one in judged
    ]
    rate = say("course.ch06.percent", change=never_full(hit_rate(found)))
    what = say("course.ch07.picture", case=say(f"course.ch07.case.{case}"), rate=rate, parts="; ".join(parts))
    show_picture(pen, height, what)


def _counted(case: str) -> str:
    """What its prompts are: turns of one conversation, or requests."""
    return "turns" if case == "chat" else "requests"


def _sliders(case: str) -> tuple[int, int, int]:
    usual = USUAL[case]
    columns = st.columns(3)
    count = columns[0].slider(
        say(f"course.ch07.{_counted(case)}"), 2, usual.most, usual.count, key=f"ch07-count-{case}"
    )
    own = columns[2].slider(say("course.ch07.own"), 16, 2048, usual.own, key=f"ch07-own-{case}")
    if case == "free":
        return count, 0, own
    shared = columns[1].slider(say("course.ch07.shared"), 64, 4096, usual.shared, key=f"ch07-shared-{case}")
    return count, shared, own


def _numbers(case: str, found: Mapping[str, tuple[Outcome, ...]], count: int) -> dict[str, object]:
    """What the text of a kind of use says of these runs: each variant's rate, and more."""
    numbers: dict[str, object] = {variant: never_full(hit_rate(one)) for variant, one in found.items()}
    if case == MINE:
        [mine] = found.values()
        numbers |= {"total": sum(one.total for one in mine), "hit": sum(one.hit for one in mine)}
    elif case == "chat":
        numbers |= chat_numbers(found["turns"])
    elif case == "batch":
        numbers |= {"count": count, "each": found["same"][-1].total - found["same"][-1].hit}
    elif case == "rag":
        numbers["documents"] = DOCUMENTS
    return numbers


def chat_numbers(turns: Sequence[Outcome]) -> dict[str, object]:
    """Of the last turn, and the milliseconds of the second and the last."""
    last, cost = turns[-1], MACHINE.get().cost()
    second_ms, last_ms = (1e3 * cost.compare(one.total, one.hit).hit_s for one in (turns[1], last))
    return {
        "count": len(turns),
        "last": never_full(last.hit / last.total),
        "computed": f"{last.total - last.hit:,}",
        "prompt": f"{last.total:,}",
        "answer": ANSWER,
        "second_ms": f"{second_ms:.1f}",
        "last_ms": f"{last_ms:.1f}",
        "without_ms": f"{1e3 * cost.prefill_s(last.total):.1f}",
    }


def _shown(case: str, variant: str) -> Payload:
    """The small run for the stage."""

    def make() -> Payload:
        scenario = small_scenario(case, variant, lang())
        return stage_log(scenario, run(scenario), say(f"course.ch07.case.{case}"))

    return _RUNS.get((case, variant, lang()), make)


# -- all of them -----------------------------------------------------------------------------------------


def _all(case: str, variant: str) -> None:
    rates = {_label(*pair): rate for pair, rate in all_rates().items()}
    figure = rate_bars(rates, say("course.ch07.rate"), "" if case == MINE else _label(case, variant))
    st.plotly_chart(figure, key="ch07-all", config=CONFIG)
    st.caption(say("course.ch07.all.words"))


def _label(case: str, variant: str) -> str:
    name = say(f"course.ch07.case.{case}")
    return name if len(VARIANTS[case]) == 1 else f"{name} · {say(f'course.ch07.variant.{variant}')}"


def _prefixes() -> None:
    slots = PANEL_PREFIX // BLOCK_SIZE
    show_part(NAME, "prefixes", prefix=PANEL_PREFIX, slots=slots, many=10, need=10 * slots)
    prefixes_panel()


# -- both lengths ----------------------------------------------------------------------------------------


def _map() -> None:
    show_part(NAME, "map")
    columns = st.columns(4, vertical_alignment="bottom")
    prefix = columns[0].select_slider(say("course.ch07.prefix"), PREFIXES, 2048, key="ch07-prefix")
    suffix = columns[1].select_slider(say("course.ch07.suffix"), SUFFIXES[::-1], 128, key="ch07-suffix")
    size = columns[2].select_slider(say("knob.block_size"), (1, 16, 64, 256, 512), 16, key="ch07-size")
    with columns[3]:
        kinds = {kind: say(f"course.ch07.map.{kind}") for kind in ("tokens", "time")}
        kind = pick_one(say("course.ch07.map.kind"), kinds, "ch07-kind")
    cost = MACHINE.get().cost()
    shares = share_map(size, cost, kind == "time")
    across, down = PREFIXES.index(prefix), SUFFIXES.index(suffix)
    axes = (say("course.ch07.prefix"), say("course.ch07.suffix"))
    figure = length_map(shares, PREFIXES, SUFFIXES, (across, down), axes)
    st.plotly_chart(figure, key="ch07-map", config=CONFIG)
    show_part(
        NAME,
        "map_result",
        prefix=f"{prefix:,}",
        suffix=f"{suffix:,}",
        tokens=never_full(share_map(size, cost, False)[down][across]),
        time=never_full(share_map(size, cost, True)[down][across]),
        most=never_full(max(map(max, shares))),
    )


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
