"""Chapter 10 · AI application scenarios: what each shares, what breaks it, both ways on the engine."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.scenario.scenario import run
from pages.navigation import page
from ui.course.ch10 import (
    REAL_BLOCK,
    WAYS,
    Application,
    Outcome,
    Way,
    applications,
    on_stage,
    outcome,
    own_setup,
)
from ui.course.ch11_beliefs.words import opening, report_link
from ui.course.chapter import begin_chapter, chapter_stage, course_run, end_chapter, stage_link
from ui.course.lessons import show_part
from ui.course.strips import Stretch, strips
from ui.frame.session import lang, lang_mode, say
from ui.frame.shared import Shared
from ui.stage.payload import Payload, stage_log
from ui.stage.run import title_of
from ui.stage.show_me import execute_address, op_is

NAME = "ch10"
_RUNS, _OUTCOMES = Shared(48), Shared(32)
OPENS_ON = {
    "good": (op_is("match", "R1"),),
    "broken": (op_is("miss", "R1"), op_is("plan", "R2")),
}


def render() -> None:
    """A list of applications; what is shared and spilled, both ways as strips, one of them on the stage."""
    begin_chapter(NAME, page)
    titles = {name: f"{n}. {say(f'course.ch10.{name}')}" for n, name in enumerate(applications(), 1)}
    choice, place = st.columns([2, 5], gap="large")
    with choice:
        chosen = st.radio(
            say("course.ch10.list"), list(titles), key="ch10-app", format_func=titles.__getitem__
        )
    app = applications()[chosen]
    done = {way: _OUTCOMES.get((app.name, way), partial(outcome, app, way)) for way in WAYS}
    with place:
        show_part(NAME, f"{app.name}_shared", **app.reported)
        show_part(NAME, f"{app.name}_breaks", **app.reported)
        st.caption(say("course.ch10.reports") + " " + " · ".join(map(report_link, app.evidence)))
        show_part(NAME, "result", **numbers(done["good"], done["broken"]))
        with st.popover(say("course.ch10.counted")):
            show_part(NAME, "counted", block=REAL_BLOCK)
    longest = max(sum(one.tokens for one in row) for one_way in done.values() for row in one_way.rows)
    for column, way in zip(st.columns(2), WAYS, strict=True):
        with column:
            _side(way, done[way], longest)
    _stage(app)
    end_chapter(NAME, page)


def numbers(good: Outcome, broken: Outcome) -> dict[str, str]:
    """What the text says about the two ways."""
    return {
        "good": f"{good.percent:.1f}",
        "broken": f"{broken.percent:.1f}",
        "good_computed": f"{good.computed:,}",
        "broken_computed": f"{broken.computed:,}",
    }


def _side(way: Way, done: Outcome, longest: int) -> None:
    """One way: its hit rate, and a strip for each request, on one scale with the other way."""
    st.metric(say(f"course.ch10.{way}"), say("course.ch10.rate", n=f"{done.percent:.1f}"), border=True)
    rows = {
        f"R{number}": [Stretch(_label(one.words), one.tokens, one.hit) for one in row]
        for number, row in enumerate(done.rows)
    }
    kinds = (say("course.ch10.reused"), say("course.ch10.computed"))
    figure = strips(rows, say("course.ch10.axis"), kinds)
    figure.update_layout(showlegend=True).update_xaxes(range=[0, 1.01 * longest])
    st.plotly_chart(figure, key=f"ch10-{way}", config={"displayModeBar": False})


def _label(part: str) -> str:
    base = part.rstrip("0123456789")
    return say(f"course.ch10.part.{base}") + part[len(base) :]


# -- stage -------------------------------------------------------------------------------------------------


def _stage(app: Application) -> None:
    """The same requests with short texts; a link to Execute where it can carry them."""
    names = {way: say(f"course.ch10.{way}") for way in WAYS}
    found: Way | None = st.segmented_control(
        say("course.ch10.stage"),
        list(names),
        default="broken",
        required=True,
        key="ch10-way",
        format_func=names.__getitem__,
    )
    chosen = found or "broken"
    shown = _small_run(app, chosen)
    step = opening(shown, OPENS_ON[chosen])
    chapter_stage(NAME, shown, step, key=f"{app.name}-{chosen}")
    own = own_setup(app, chosen, lang())
    if own is not None:
        st.link_button(say("course.ch10.open"), execute_address(own, step, lang_mode()))
    elif app.preset is not None:
        preset = course_run(app.preset)[2]
        label = say("course.ch10.show", title=title_of(app.preset))
        stage_link(label, app.preset, opening(preset, (op_is("miss", "R1"), op_is("plan", "R3"))))


def _small_run(app: Application, way: Way) -> Payload:
    """A run for the stage."""

    def make() -> Payload:
        scenario = on_stage(app, way, lang())
        title = f"{say(f'course.ch10.{app.name}')} · {say(f'course.ch10.{way}')}"
        return stage_log(scenario, run(scenario), title)

    return _RUNS.get((app.name, way, lang()), make)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
