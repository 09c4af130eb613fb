"""Chapter 13 · In code: a small prefix cache line by line, its faulty sisters, and one to write oneself."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.demo.faults import BLOCK_SIZE, FAULTS, repaired, results
from core.demo.judge.address import BASE
from core.demo.judge.words import skeleton
from core.demo.sisters import SISTERS
from core.demo.trace import Moment, rates, trace
from pages.navigation import page
from ui.course.bets import bet
from ui.course.ch13 import (
    DEFAULT,
    FUNCTIONS,
    MOST_ID,
    MOST_REQUESTS,
    MOST_TOKENS,
    NUM_SHARED,
    PAIRS,
    changed_line,
    code_lines,
    first_hit,
    is_fault,
    line_key,
    next_request,
    parse_requests,
    sister_bet,
    sister_put,
    take_away,
)
from ui.course.chapter import begin_chapter, course_run, end_chapter, pick_one, stage_link
from ui.course.code import place_of, show_source
from ui.course.lessons import show_part
from ui.course.mine import my_prompt
from ui.course.page import more, reading
from ui.course.said import now_put
from ui.frame.session import lang, lang_mode, plain, say
from ui.stage.show_me import find_step, op_is
from ui.teacher.laptops import base_of, own_url
from ui.words.i18n import languages
from ui.words.tables import markdown_table

NAME = "ch13"
PLACE = "ch13-place"
MOST_CHARS = 90
COMMAND = "python -m core.demo.judge my_cache.py"


def render() -> None:
    """Step through the code, take it away, find the faults, write one; rates and the engine lie folded."""
    begin_chapter(NAME, page)
    requests, size = _requests()
    if requests is not None:
        _step(requests, size)
    _take_away()
    _bugs()
    _write_it()
    with more(say("course.ch13.more.rates")):
        _rates(requests or [], size)
    with more(say("course.ch13.more.engine")):
        _engine()
    _bet()
    end_chapter(NAME, page)
    _ways_on()


def _requests() -> tuple[list[list[int]] | None, int]:
    """The requests as they stand, None if they cannot be used, and the block size."""
    with more(say("course.ch13.more.requests")):
        left, right = st.columns([3, 1])
        text = left.text_area(say("course.ch13.requests"), DEFAULT, height=140, max_chars=600)
        size = right.select_slider(say("knob.block_size"), (1, 2, 3, 4, 6), BLOCK_SIZE)
        requests = parse_requests(text)
        if requests is None:
            values = {"lines": MOST_REQUESTS, "tokens": MOST_TOKENS, "most": f"{MOST_ID:,}"}
            right.warning(say("course.ch13.bad", **values))
    return requests, size


# -- line by line ------------------------------------------------------------------------------------------


@st.fragment
def _step(requests: list[list[int]], size: int) -> None:
    """The line that runs now, in words, with its variables; the code beside it."""
    moments = trace(requests, size)
    last = len(moments) - 1
    state = st.session_state
    inputs = (str(requests), size)
    # The slider's own state is gone once its page was left, what stands beside it is not.
    if PLACE not in state or state.get("ch13-inputs") != inputs:
        state["ch13-inputs"], state[PLACE] = inputs, first_hit(moments) + 1
    place = int(state[PLACE]) - 1
    text, picture = reading("step")
    moment = moments[place]
    with text:
        _explain(moment, requests)
    with picture:  # on a phone what is beside the text stays in sight above it: slider and code together
        st.slider(say("course.ch13.place"), 1, last + 1, key=PLACE)
        with st.container(horizontal=True, gap="small"):
            for name, to in (
                ("back", max(place - 1, 0)),
                ("forth", min(place + 1, last)),
                ("request", next_request(moments, place)),
            ):
                st.button(say(f"course.ch13.{name}"), key=f"ch13-{name}", on_click=_go, args=(to,))
        show_source(FUNCTIONS[moment.function], {moment.line})
        st.caption(place_of(FUNCTIONS[moment.function]))


def _go(place: int) -> None:
    st.session_state[PLACE] = place + 1


def _explain(moment: Moment, requests: list[list[int]]) -> None:
    tokens = " ".join(map(str, requests[moment.request]))
    st.markdown(say("course.ch13.now", n=moment.request + 1, total=len(requests), tokens=tokens))
    st.markdown(f"**{say(line_key(moment))}**")
    values = list(moment.values)
    if moment.returns is not None:
        values = [(say("course.ch13.returns"), moment.returns)]
    st.markdown(_table(("name", "value"), [(plain(name), f"`{_short(value)}`") for name, value in values]))
    kept = [(f"`{tag}`", f"`{' '.join(kv)}`") for tag, kv in moment.stored]
    st.markdown(_table(("tag", "kv"), kept) if kept else say("course.ch13.empty"))


def _short(value: str) -> str:
    return value if len(value) <= MOST_CHARS else value[: MOST_CHARS - 1] + "…"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    return markdown_table([say(f"course.ch13.head.{name}") for name in head], rows, "l" * len(head))


# -- to take away --------------------------------------------------------------------------------------------


def _take_away() -> None:
    show_part(NAME, "away")
    st.download_button(
        say("course.ch13.away"),
        take_away(),
        "demo_cache.py",
        "text/x-python",
        key="ch13-away",
        on_click="ignore",
    )


def _write_it() -> None:
    show_part(NAME, "yours")
    with st.container(horizontal=True):
        for one in languages(lang_mode()):
            st.download_button(
                say("course.ch13.skeleton") if len(languages(lang_mode())) == 1 else f"my_cache.py ({one})",
                skeleton(one),
                "my_cache.py",
                "text/x-python",
                key=f"ch13-skeleton-{one}",
                on_click="ignore",
            )
    st.code(command(lang(), base_of(own_url())), language="bash", wrap_lines=True)
    show_part(NAME, "judged")


def command(spoken: str, base: str) -> str:
    """What to type; ``base``: where this visitor reaches our pages, so that the judge's links lead there."""
    shown = "" if base == BASE else f" --base {shlex.quote(base)}"
    return COMMAND + (" --lang zh" if spoken == "zh" else "") + shown


# -- rates ---------------------------------------------------------------------------------------------------


def percent(rate: float | None) -> str:
    """A share as people write it; a dash where there is none."""
    return "–" if rate is None else say("unit.percent", n=f"{100 * rate:.2f}")


def _rates(requests: list[list[int]], size: int) -> None:
    show_part(NAME, "rates")
    if not requests:
        return
    rows: list[tuple[str, ...]] = []
    for tokens, row in zip(requests, rates(requests, requests[0][:NUM_SHARED], size), strict=True):
        shares = (percent(row.of_asked), percent(row.of_requests), percent(row.of_tokens))
        rows.append((" ".join(map(str, tokens)), f"{row.reused} / {len(tokens)}", *shares))
    st.markdown(_table(("request", "reused", "of_asked", "of_requests", "of_tokens"), rows))
    show_part(NAME, "rates_result", shared=" ".join(map(str, requests[0][:NUM_SHARED])))


# -- find the bug --------------------------------------------------------------------------------------------


def _bugs() -> None:
    show_part(NAME, "bugs", count=len(FAULTS))
    titles = {name: say(f"course.ch13.bug.{name}.title") for name in FAULTS}
    name = pick_one(say("course.ch13.bug"), titles, "ch13-bug", page=NAME)
    question, code = reading("bug")
    with code:
        show_source(FAULTS[name].function)
    said = f"ch13-bug-{name}-said"
    answer = st.session_state.get(said)
    with question:
        st.markdown(say(f"course.ch13.bug.{name}.claim"))
        lines = [line for _, line in code_lines(FAULTS[name].function)]
        chosen = st.radio(
            say("course.ch13.bug.ask"),
            range(len(lines)),
            index=answer,
            format_func=lambda place: f"`{lines[place]}`",
            key=f"ch13-bug-{name}",
            disabled=answer is not None,
        )
        if answer is None:
            st.button(
                say("course.bet.first" if chosen is None else "course.bet.commit"),
                type="primary",
                key=f"ch13-bug-{name}-commit",
                disabled=chosen is None,
                on_click=_say,
                args=(said, chosen),
            )
    if answer is not None:
        with question:
            _found(name, is_fault(name, lines[answer]))
        with code:
            st.caption(say("course.ch13.bug.repaired"))
            st.code(repaired(name), language="python", wrap_lines=True)


def _say(key: str, answer: int | None) -> None:
    st.session_state[key] = answer


def _found(name: str, right: bool) -> None:
    st.markdown(f"**{say(f'course.ch13.bug.{str(right).lower()}')}** `{FAULTS[name].line}`")
    got, true = (f"{value:g}" if value == int(value) else f"{value:.2f}" for value in results(name))
    st.markdown(say(f"course.ch13.bug.{name}.answer"))
    st.markdown(say(f"course.ch13.bug.{name}.result", got=got, true=true))


# -- the engine ----------------------------------------------------------------------------------------------


def _engine() -> None:
    show_part(NAME, "engine")
    titles = {name: say(f"course.ch13.pair.{name}") for name in PAIRS}
    for tab, (_, (small, large)) in zip(st.tabs(list(titles.values())), PAIRS.items(), strict=True):
        with tab:
            left, right = st.columns(2)
            with left:
                show_source(small)
                st.caption(place_of(small))
            with right:
                for function in large:
                    show_source(function)
                    st.caption(place_of(function))
    shown = course_run("P1")[2]
    stage_link(say("course.show_me"), "P1", find_step(shown, op_is("match", "R1")))


# -- the bet, and the ways on --------------------------------------------------------------------------------


def _bet() -> None:
    """The right function and the changed one side by side, then the question."""
    prompt = my_prompt(lang())
    make = partial(sister_bet, prompt)
    put = sister_put(prompt, now_put((NAME, "a"), make)[0])
    sister = SISTERS[put.name]
    st.markdown(say("course.ch13.bet.code"))
    left, right = st.columns(2)
    with left:
        st.caption(say("course.ch13.bet.right"))
        show_source(sister.right)
    with right:
        st.caption(say("course.ch13.bet.changed"))
        show_source(sister.changed, {changed_line(put)})
    bet(NAME, make)


def _ways_on() -> None:
    st.markdown(say("course.ch13.on"))
    with st.container(horizontal=True):
        st.page_link(page("sheet"), label=f"{say('nav.sheet')} →")
        st.page_link(page("finish"), label=f"{say('nav.finish')} →")


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
