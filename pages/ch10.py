"""Chapter 10 · AI application scenarios: a bet on one's own prompts; then one house, both ways; fourteen."""

from __future__ import annotations

from functools import partial
from itertools import groupby

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.scenario.scenario import run
from core.scenario.tokenizer import TeachingTokenizer
from pages.navigation import page
from ui.course.asked import Asked
from ui.course.bets import bet
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
from ui.course.ch10_bet import asked, assembled
from ui.course.ch11_beliefs.words import opening, report_link
from ui.course.chapter import begin_chapter, chapter_stage, course_run, end_chapter, stage_link
from ui.course.lessons import show_part
from ui.course.mine import my_prompt
from ui.course.own_rows import OwnRow, draw_own, put_of
from ui.course.page import more, reading
from ui.course.place import opened_at, stands_at
from ui.course.strips import Stretch, both_rates, strips
from ui.frame.session import lang, lang_mode, say
from ui.frame.shared import Shared
from ui.stage.payload import Payload, stage_log
from ui.stage.run import title_of
from ui.stage.show_me import execute_address, op_is

NAME = "ch10"
QUIET = {"displayModeBar": False}
_RUNS, _OUTCOMES = Shared(48), Shared(32)
OPENS_ON = {
    "good": (op_is("match", "R1"),),
    "broken": (op_is("miss", "R1"), op_is("plan", "R2")),
}


def render() -> None:
    """The bet on the visitor's prompts, which stand beside it; then one application, open until that bet is
    answered (a house that breaks its beginning in the same way would tell); folded: its run on the stage, all
    fourteen."""
    begin_chapter(NAME, page, hook=False)
    text, picture = reading("bet")
    with text:
        show_part(NAME, "hook")
        answered = _bet(picture)
    text, picture = reading("house")
    with text:
        show_part(NAME, "houses")
        app = _pick()
        show_part(NAME, f"{app.name}_shared", **app.reported)
        way = _told(app, picture) if answered else None
        if way is None:
            _untold(app, picture)
        st.caption(say("course.ch10.reports") + " " + " · ".join(map(report_link, app.evidence)))
        if way is not None:
            with more(say("course.ch10.stage")):
                _stage(app, way)
            with more(say("course.ch10.all")):
                _all()
    end_chapter(NAME, page)


def _told(app: Application, picture: DeltaGenerator) -> Way:
    """Both ways of an application, one of them in the picture."""
    done = both(app)
    way = _way("ch10-way")
    if way == "good":
        show_part(NAME, "good", **numbers(done["good"], done["broken"]))
    else:
        show_part(NAME, f"{app.name}_breaks", **app.reported)
        show_part(NAME, "result", **numbers(done["good"], done["broken"]))
    with picture:
        _side(way, done[way], max(_longest(one) for one in done.values()))
    return way


def _untold(app: Application, picture: DeltaGenerator) -> None:
    """Its prompts alone: nothing says what hits."""
    st.caption(say("course.ch10.after"))
    rows = {
        f"R{number}": [
            Stretch(_label(words), sum(one.tokens for one in parts), None)
            for words, parts in groupby(row, key=lambda one: one.words)
        ]
        for number, row in enumerate(both(app)["good"].rows)
    }
    kinds = (say("course.ch10.reused"), say("course.ch10.computed"))
    with picture:
        figure = strips(rows, say("course.ch10.axis"), kinds)
        st.plotly_chart(figure, key="ch10-open", config=QUIET)


def _pick() -> Application:
    """The application: the one that the link names, or the first."""
    titles = {name: f"{n}. {say(f'course.ch10.{name}')}" for n, name in enumerate(applications(), 1)}
    opened = opened_at(NAME, titles) or next(iter(titles))
    chosen = st.selectbox(
        say("course.ch10.list"),
        list(titles),
        list(titles).index(opened),
        key="ch10-app",
        format_func=titles.__getitem__,
    )
    if chosen != opened:
        stands_at(NAME, chosen)
    return applications()[chosen]


def _way(key: str) -> Way:
    """Both ways are the same work; which one the picture shows."""
    names = {way: say(f"course.ch10.{way}") for way in WAYS}
    found: Way | None = st.segmented_control(
        say("course.ch10.way"),
        list(names),
        default="good",
        required=True,
        key=key,
        format_func=names.__getitem__,
        label_visibility="collapsed",
    )
    return found or "good"


def _bet(picture: DeltaGenerator) -> bool:
    show_part(NAME, "bet")
    mine = my_prompt(lang())

    def make(seed: int) -> Asked:
        return asked(mine, seed)

    seed, _, answered = put_of(NAME, make)
    one, cut = assembled(mine, seed), TeachingTokenizer().pieces
    pairs = enumerate(zip(one.texts, one.hits, strict=True))
    with picture:
        draw_own([OwnRow(number, cut(text), hit) for number, (text, hit) in pairs], one.block, answered)
    bet(NAME, make)
    return answered


def both(app: Application) -> dict[Way, Outcome]:
    """An application's two ways, counted once for everybody."""
    return {way: _OUTCOMES.get((app.name, way), partial(outcome, app, way)) for way in WAYS}


def _all() -> None:
    """All fourteen in one picture: how much hits in the one way and in the other."""
    rows = {say(f"course.ch10.{name}"): both(app) for name, app in applications().items()}
    rates = {name: (done["good"].percent, done["broken"].percent) for name, done in rows.items()}
    names = (say("course.ch10.good"), say("course.ch10.broken"))
    st.plotly_chart(both_rates(rates, names, say("course.ch10.rate_axis")), key="ch10-all", config=QUIET)
    show_part(NAME, "counted", block=REAL_BLOCK)


def _longest(done: Outcome) -> int:
    return max(sum(one.tokens for one in row) for row in done.rows)


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
    st.plotly_chart(figure, key=f"ch10-{way}", config=QUIET)


def _label(part: str) -> str:
    base = part.rstrip("0123456789")
    return say(f"course.ch10.part.{base}") + part[len(base) :]


# -- stage -------------------------------------------------------------------------------------------------


def _stage(app: Application, chosen: Way) -> None:
    """The same requests with short texts; a link to Execute where it can carry them."""
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
