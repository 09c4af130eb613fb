"""Chapter 11 · Common misconceptions: twenty sentences, right or wrong; then turned, seen on the engine."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.cost import FORMULAS
from core.misconceptions import BELIEFS, Belief, Knob, Shown
from core.scenario.scenario import run
from pages.navigation import page
from ui.course.asked import Asked, Grade
from ui.course.bets import BETS, GLYPHS, bet
from ui.course.ch11_beliefs.claims import PLACES, Claim, claim
from ui.course.ch11_beliefs.claims import asked as asked_claim
from ui.course.ch11_beliefs.own import asked as asked_own
from ui.course.ch11_beliefs.own import rows_of
from ui.course.ch11_beliefs.stands import STANDS, Stand
from ui.course.ch11_beliefs.words import beside, opening, report_link, with_words
from ui.course.chapter import begin_chapter, chapter_stage, course_run, end_chapter, stage_link
from ui.course.lessons import show_part
from ui.course.mine import my_prompt
from ui.course.own_rows import draw_own, put_of
from ui.course.page import more, reading
from ui.course.place import opened_at, stands_at
from ui.course.said import now_put
from ui.frame.session import lang, lang_mode, say
from ui.frame.shared import Shared
from ui.stage.payload import Payload, stage_log
from ui.stage.run import title_of
from ui.words.i18n import languages, t
from ui.words.numbers import power

NAME = "ch11"
_RUNS = Shared(48)
MODELLED = {"decode": ("formula.prefill", "formula.decode")}
_TINY = re.compile(r"\d(\.\d+)?e-\d+")
_MANY = 12  # values from which on a slider is easier than a row of them
_KEY = "ch11-belief"


def render() -> None:
    """One belief: judged first, then turned, its chart beside the text; then one on the visitor's prompt."""
    begin_chapter(NAME, page, hook=False)
    text, picture = reading("belief")
    with text:
        show_part(NAME, "hook")
        name = _pick()
        belief, stand = BELIEFS[name], STANDS[name]
        make = partial(claim_of, name)
        judged = bet(NAME, make, place=PLACES[name])
        said_of = claim(name, now_put((NAME, PLACES[name]), make)[0])
        found = _demonstration(said_of, picture) if judged else None
        if found is None:
            with picture:
                _marks()
        else:
            st.caption(say("course.ch11.reports") + " " + " · ".join(map(report_link, stand.reports)))
            _next(name)
    if found is not None:
        with more(say("course.ch11.stage")):
            _stage(belief, stand, *found)
    _own()
    end_chapter(NAME, page)


def _pick() -> str:
    """The belief that the link names, or the first; by their subjects, which tell nothing."""
    titles = {name: f"{n}. {say(f'course.ch11.topic.{name}')}" for n, name in enumerate(BELIEFS, 1)}
    opened = opened_at(NAME, BELIEFS) or next(iter(BELIEFS))
    chosen = st.selectbox(
        say("course.ch11.list"),
        list(BELIEFS),
        list(BELIEFS).index(opened),
        key=_KEY,
        format_func=titles.__getitem__,
    )
    if chosen != opened:
        stands_at(NAME, chosen)
    grades = _grades()
    right = sum(grade == "right" for grade in grades.values())
    st.caption(say("course.ch11.tried", n=len(grades), total=len(BELIEFS), right=right))
    return str(chosen)


def _grades() -> dict[str, Grade]:
    """The beliefs that this visitor has judged, and how."""
    said = {name: BETS.get().get((NAME, place)) for name, place in PLACES.items()}
    return {name: one.grade for name, one in said.items() if one is not None}


def _marks() -> None:
    """All twenty by their subjects, each with its mark."""
    grades = _grades()
    st.caption(say("course.ch11.open"))
    marks = [
        f"{n}\\. {GLYPHS[grades.get(name)]}\u00a0{say(f'course.ch11.topic.{name}')}"
        for n, name in enumerate(BELIEFS, 1)
    ]
    half = len(marks) // 2
    for column, some in zip(st.columns(2), (marks[:half], marks[half:]), strict=True):
        with column:
            st.markdown("  \n".join(some))


def _next(name: str) -> None:
    """On to the first one after this that is not judged yet."""
    names, grades = list(BELIEFS), _grades()
    turned = names[names.index(name) + 1 :] + names[: names.index(name)]
    following = next((one for one in turned if one not in grades), turned[0])

    def go() -> None:
        st.session_state[_KEY] = following

    st.button(
        f"{say('course.ch11.next')}: {say(f'course.ch11.topic.{following}')} →", on_click=go, key="ch11-next"
    )


def claim_of(name: str, seed: int) -> Asked:
    def number(value: float, unit: str) -> object:
        return power(value) if unit == "apart" else _plain_number(value)

    def word(belief: str, value: int | str) -> object:
        if isinstance(value, int):
            return value
        return " / ".join(t(f"course.ch11.{belief}.{value}", one) for one in languages(lang_mode()))

    return asked_claim(claim(name, seed), word, number)


def _own() -> None:
    mine = my_prompt(lang())
    text, picture = reading("own")
    with text:
        show_part(NAME, "bet")
        make = partial(asked_own, mine)
        seed, _, answered = put_of(NAME, make)
        with picture:
            draw_own(*rows_of(mine, seed), answered)
        bet(NAME, make)


def _demonstration(one: Claim, picture: DeltaGenerator) -> tuple[dict[str, Any], Shown]:
    """Try, see; believed and true, and the chart, stand beside. It opens as the sentence put it."""
    belief = one.belief
    words = st.container()  # its numbers are known once the knobs are
    columns = st.columns(len(belief.knobs), vertical_alignment="bottom")
    knobs: dict[str, Any] = {}
    for column, knob in zip(columns, belief.knobs, strict=True):
        with column:
            knobs[knob.name] = _widget(belief.name, knob, one.knobs[knob.name])
    shown = belief.show(**knobs)
    numbers = {name: as_read(value) for name, value in shown.numbers.items()}
    with words:
        show_part(NAME, f"{belief.name}_think", **numbers)
        show_part(NAME, f"{belief.name}_try", **numbers)
    with picture:
        _picture(belief, shown)
    show_part(NAME, f"{belief.name}_see", **numbers)
    if belief.name in MODELLED:
        with st.popover(say("course.ch11.formula")):
            st.code(
                "\n".join(FORMULAS[name] for name in MODELLED[belief.name]), language=None, wrap_lines=True
            )
    return knobs, shown


def _picture(belief: Belief, shown: Shown) -> None:
    values = {"believed": shown.believed, "true": shown.true}
    st.markdown("  \n".join(told(word, value, shown.unit) for word, value in values.items()))
    if shown.bars:
        axis = say(f"course.ch11.axis.{shown.bars_unit or shown.unit}")
        across = say(f"course.ch11.{belief.name}.knob.{shown.across}") if shown.across else ""
        figure = beside(
            shown, lambda name: _word(belief.name, name), axis, across, say("course.ch11.value.believed")
        )
        st.plotly_chart(figure, key=f"ch11-{belief.name}-chart", config={"displayModeBar": False})


def told(word: str, value: float, unit: str) -> str:
    """What is believed, or what is true, as a line."""
    return say("course.ch11.value", name=say(f"course.ch11.value.{word}"), amount=amount(value, unit))


def as_read(value: Any) -> Any:
    """What fills a sentence: thousands apart, tiny numbers as a power of ten, the rest as it is."""
    if isinstance(value, int):
        return f"{value:,}" if value >= 1000 else value
    return power(float(value)) if isinstance(value, str) and _TINY.fullmatch(value) else value


def amount(value: float, unit: str) -> str:
    """A value with its unit, as people read it."""
    if unit == "apart":
        return say("course.ch11.unit.apart", n=power(value))
    return say(f"course.ch11.unit.{unit}", n=_plain_number(value))


def _plain_number(value: float) -> int | str:
    number = f"{value:,.1f}".removesuffix(".0")
    return int(number) if number.isdigit() else number


def _word(belief: str, value: int | str) -> str:
    return f"{value}" if isinstance(value, int) else say(f"course.ch11.{belief}.{value}")


def _widget(belief: str, knob: Knob, opens: int | str) -> Any:
    label, key = say(f"course.ch11.{belief}.knob.{knob.name}"), f"ch11-{belief}-{knob.name}"
    if isinstance(opens, int) and len(knob.values) > _MANY:
        return st.slider(label, int(knob.values[0]), int(knob.values[-1]), opens, key=key)
    if isinstance(opens, int):
        return st.select_slider(label, knob.values, opens, key=key)
    words = {value: _word(belief, value) for value in knob.values}
    chosen = st.segmented_control(
        label, list(words), default=opens, required=True, key=key, format_func=words.__getitem__
    )
    return chosen or opens


# -- stage ---------------------------------------------------------------------------------------------------


def _stage(belief: Belief, stand: Stand, knobs: dict[str, Any], shown: Shown) -> None:
    """The run behind the numbers, or the preset that shows the same; below it the way to Execute."""
    seen = stand.preset
    of_preset = None if seen is None else course_run(seen.preset, **seen.knobs)[2]
    if shown.scenario is not None:
        key = "-".join(map(str, (belief.name, *knobs.values())))
        log = _own_run(belief.name, key, shown)
        chapter_stage(NAME, log, opening(log, stand.opens_on), key=key)
    elif seen is not None and of_preset is not None:
        chapter_stage(NAME, of_preset, opening(of_preset, seen.opens_on), key=belief.name)
    if seen is not None and of_preset is not None:
        label = say("course.ch11.show", title=title_of(seen.preset))
        stage_link(label, seen.preset, opening(of_preset, seen.opens_on), **seen.knobs)
    elif stand.page is not None:
        st.page_link(page(stand.page), label=say(f"course.ch11.{belief.name}.page"))


def _own_run(name: str, key: str, shown: Shown) -> Payload:
    """The run behind a demonstration as the stage wants it."""

    def make() -> Payload:
        assert shown.scenario is not None
        scenario = with_words(shown.scenario, lambda word: say(f"course.ch11.piece.{word}"))
        return stage_log(scenario, run(scenario), say(f"course.ch11.{name}"))

    return _RUNS.get((key, lang()), make)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
