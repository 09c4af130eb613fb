"""Chapter 1 · The repeated work: one's own prompt, what of it is computed again, how large its KV is."""

from __future__ import annotations

import streamlit as st

from core.cost import MODELS
from core.errors import ScenarioError
from pages.navigation import page
from ui.course.bets import bet
from ui.course.ch01 import bet_on_repeats, fates_without_cache, kv_bytes_per_token, repeated_tokens
from ui.course.chapter import begin_chapter, chapter_stage, end_chapter
from ui.course.folded import draw_folded
from ui.course.lessons import show_part
from ui.course.mine import (
    MAX_BEGINNING,
    MAX_QUESTION,
    MINE,
    QUESTIONS,
    my_prompt,
    my_run,
    my_tokens,
    own_words,
)
from ui.course.page import reading
from ui.course.token_rows import TokenRow, draw_rows
from ui.frame.kept import Notice
from ui.frame.session import lang, say, show_error
from ui.stage.own import OwnPrompts
from ui.stage.show_me import find_step, op_is
from ui.words.i18n import t

NAME = "ch01"
GIB = 2**30
BYTES_OF = {"fp16": 2, "fp8": 1, "fp32": 4}

_REFUSED: Notice[ScenarioError] = Notice("mine_refused")
"""Why a typed prompt was not taken."""


def render() -> None:
    """The visitor's prompt, its three requests without a cache, and a bet on what is computed again."""
    begin_chapter(NAME, page, hook=False)
    text, picture = reading()
    with text:
        show_part(NAME, "hook")
        show_part(NAME, "mine")
        _editor()
        show_part(NAME, "cut")
        prompt = my_prompt(lang())
        bet(NAME, lambda seed: bet_on_repeats(prompt, seed))
    with picture:
        _running()
    show_part(NAME, "isolated")
    _, _, shown = my_run(enable_caching=False)
    step = find_step(shown, op_is("arrive", "R0"))
    chapter_stage(NAME, shown, step, hide=("table", "pool", "btable", "queue", "tables", "code"))
    draw_folded(NAME, {"counter": _counter, "size": _kv_size})
    end_chapter(NAME, page)


# -- one's own prompt -----------------------------------------------------------------------------------


def _editor() -> None:
    """Four fields that show what is worked on; what is typed counts once its button is pressed."""
    names = _fields()
    for name, words in zip(names, _standing(), strict=True):
        st.session_state.setdefault(name, words)
    with st.form("mine-form", border=True):
        st.text_area(say("course.mine.beginning"), key=names[0], height=90, max_chars=MAX_BEGINNING)
        for number, name in enumerate(names[1:], 1):
            st.text_input(say("course.mine.question", n=number), key=name, max_chars=MAX_QUESTION)
        with st.container(horizontal=True):
            st.form_submit_button(say("course.mine.take"), type="primary", key="mine-take", on_click=_take)
            st.form_submit_button(say("course.mine.ours"), key="mine-ours", on_click=_ours)
    if error := _REFUSED.tell():
        show_error(error)
    st.caption(say("course.mine.kept"))


def _fields() -> list[str]:
    """Their keys: ours has fields of its own in each language."""
    whose = lang() if MINE.get() == OwnPrompts() else "own"
    return [f"mine-{whose}-{number}" for number in range(QUESTIONS + 1)]


def _standing() -> list[str]:
    """What is worked on now, field by field."""
    typed = MINE.get()
    if typed == OwnPrompts():
        return [t(f"course.mine.ours.{number}", lang()) for number in range(QUESTIONS + 1)]
    return [typed.system, *typed.messages]


def _take() -> None:
    """Take what stands in the fields; ours, untouched, stays ours in every language."""
    words = [str(st.session_state[name]) for name in _fields()]
    if words == _standing():
        return
    try:
        MINE.set(own_words(*words))
    except ScenarioError as error:
        _REFUSED.set(error)


def _ours() -> None:
    MINE.set(OwnPrompts())
    for name, words in zip(_fields(), _standing(), strict=True):
        st.session_state[name] = words


# -- its requests, one after another --------------------------------------------------------------------


@st.fragment
def _running() -> None:
    """The three requests as tokens: those that came are computed, and what was computed before is marked."""
    came = st.segmented_control(
        say("course.ch01.came"), range(QUESTIONS + 1), default=1, required=True, key="ch01-came"
    )
    prompts = my_tokens(lang())
    fates = fates_without_cache(prompts)
    rows = [
        TokenRow(
            say("course.rows.name", n=number, tokens=len(words)),
            words,
            fates[number] if number < (came or 0) else ["open"] * len(words),
        )
        for number, words in enumerate(prompts)
    ]
    draw_rows(rows)
    done = [fate for row in fates[: came or 0] for fate in row]
    st.markdown(say("course.ch01.so_far", n=len(done), again=done.count("again")))


# -- folded ---------------------------------------------------------------------------------------------


def _counter() -> None:
    left, right, result = st.columns(3, vertical_alignment="bottom")
    with left:
        tokens = st.slider(say("course.ch01.prefix"), 50, 8000, 500, 50)
    with right:
        requests = st.select_slider(
            say("course.ch01.requests"), (1, 10, 100, 1_000, 10_000, 100_000), 100_000
        )
    total = repeated_tokens(tokens, requests)
    with result, st.container(key="reserve-metric"):  # its place, while it is on its way
        st.metric(say("course.ch01.computed"), f"{total:,}", border=True)
    show_part(
        NAME,
        "counted",
        tokens=f"{tokens:,}",
        requests=f"{requests:,}",
        total=f"{total:,}",
        waste=f"{requests - 1:,}",
    )


def _kv_size() -> None:
    show_part(NAME, "size")
    columns = st.columns(5, vertical_alignment="bottom")
    model = MODELS["Llama-2-7B"]
    layers = columns[0].number_input(say("course.ch01.layers"), 1, 200, 32)
    heads = columns[1].number_input(say("course.ch01.kv_heads"), 1, 256, 32)
    dim = columns[2].number_input(say("course.ch01.head_dim"), 1, 512, 128)
    width = BYTES_OF[columns[3].selectbox(say("course.ch01.dtype"), list(BYTES_OF))]
    length = columns[4].number_input(say("course.ch01.length"), 1, 1_000_000, 4096)
    each = kv_bytes_per_token(layers, heads, dim, width)
    st.latex(rf"2 \times {layers} \times {heads} \times {dim} \times {width} = {each:,}\ \text{{B}}")
    show_part(
        NAME,
        "sized",
        kib=f"{each / 1024:,.0f}",
        length=f"{length:,}",
        gib=f"{each * length / GIB:,.2f}",
        model=model.name,
        model_kib=f"{model.kv_bytes_per_token / 1024:,.0f}",
    )


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
