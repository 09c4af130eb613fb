"""Chapter 2 · KV cache inside one request: who is computed again, what that costs, and why K and V."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.cost import FORMULAS, MODELS
from pages.navigation import page
from ui.course import measured as measured
from ui.course.bets import bet
from ui.course.ch02 import (
    SHOWN_TOKENS,
    answer_cost,
    attention_kinds,
    attention_rows,
    bet_on_answer,
    computed_tokens,
    decode_rows,
    hits_with_answer,
    reads,
    sample,
    shown_part,
)
from ui.course.chapter import begin_chapter, chapter_stage, end_chapter
from ui.course.folded import draw_folded
from ui.course.grid import GLYPHS, Mark, mark_grid
from ui.course.lessons import show_part
from ui.course.mine import my_prompt, my_run, my_tokens
from ui.course.page import reading
from ui.frame.charts import Bar, bars_beside
from ui.frame.session import lang, plain, say
from ui.machine.panel import machine_panel
from ui.prefill.about import times
from ui.stage.show_me import find_step, op_is
from ui.words.numbers import Count
from ui.words.tables import markdown_table

NAME = "ch02"
GIB = 2**30
TEMPERATURES = (0.0, 0.7, 1.5)
LONG = (1000, 500)  # tokens of prompt and answer


def render() -> None:
    """Steps of an answer with and without KV, on the stage and counted; folded: time, Q, sizes, sampling."""
    begin_chapter(NAME, page, hook=False)
    text, picture = reading()
    prompt = my_prompt(lang())
    tokens = len(my_tokens(lang())[0])
    with text:
        show_part(NAME, "hook")
        show_part(NAME, "mine", tokens=tokens)
        answer = st.slider(say("course.ch02.answer"), 1, 10, 6)
        _counted(tokens, answer)
        show_part(NAME, "cost")
        bet(NAME, lambda seed: bet_on_answer(prompt, seed))
    with picture:
        _steps(tokens, answer)
    show_part(NAME, "stage")
    reply = ("" if lang() == "zh" else " ") + say("course.ch02.reply")
    _, _, shown = my_run(replace(prompt, messages=prompt.messages[:1], answer=reply), enable_caching=False)
    step = find_step(shown, op_is("append", "R0"))
    chapter_stage(NAME, shown, step, hide=("table", "queue", "btable", "tables", "code"))
    _folded()
    end_chapter(NAME, page)


def _folded() -> None:
    """What is off the path."""
    draw_folded(NAME, {"time": _cost, "query": _why_not_q, "sizes": _sizes, "sampling": _sampling})


# -- which tokens are computed -------------------------------------------------------------------------


def _counted(tokens: int, answer: int) -> None:
    show_part(
        NAME,
        "counted",
        with_kv=computed_tokens(tokens, answer, True),
        without=f"{computed_tokens(tokens, answer, False):,}",
        n=answer,
        prompt=f"{LONG[0]:,}",
        answer=LONG[1],
        long_with=f"{computed_tokens(*LONG, True):,}",
        long_without=f"{computed_tokens(*LONG, False):,}",
    )


def _steps(tokens: int, answer: int) -> None:
    first = max(0, tokens - SHOWN_TOKENS) + 1
    names = [str(number) for number in range(first, tokens + answer)]
    steps = [str(number) for number in range(1, answer + 1)]
    axes = (say("course.ch02.token"), say("course.ch02.step"))
    words: dict[Mark, str] = {name: say(f"course.ch02.mark.{name}") for name in ("computed", "again", "read")}
    for kept in (False, True):
        total = computed_tokens(tokens, answer, kept)
        st.markdown(f"**{say(f'course.ch02.kept.{str(kept).lower()}', n=Count(total))}**")
        st.plotly_chart(
            mark_grid(shown_part(decode_rows(tokens, answer, kept), tokens), steps, names, axes, words),
            key=f"ch02-grid-{kept}",
            config={"displayModeBar": False},
        )
    signs = " · ".join(f"{plain(GLYPHS[mark])} {text}" for mark, text in words.items())
    st.caption(f"{signs} · {say('course.ch02.drawn', first=first)}" if first > 1 else signs)


# -- cost per token and per answer -----------------------------------------------------------------------


def _cost() -> None:
    show_part(NAME, "time")
    left, right = st.columns(2)
    prompt = left.select_slider(say("course.ch02.prompt"), (64, 128, 256, 512, 1024, 2048, 4096), 1024)
    answer = right.select_slider(say("course.ch02.answer"), (16, 64, 128, 256, 512), 256)
    chosen = machine_panel()
    cost = answer_cost(chosen.cost(), prompt, answer)
    rows = (("token", cost.token_with, cost.token_without), ("all", cost.all_with, cost.all_without))
    for column, (name, kept, again) in zip((left, right), rows, strict=True):
        bars = [
            Bar(f"{say(f'course.ch02.bar.{side}')}<br>{seconds * 1000:,.0f} ms", seconds * 1000, "", "")
            for side, seconds in (("with", kept), ("without", again))
        ]
        with column:
            st.markdown(f"**{say(f'course.ch02.{name}.cost', ratio=f'{again / kept:,.1f}')}**")
            st.plotly_chart(
                bars_beside(bars, say("course.ch02.ms")), key=f"ch02-{name}", config={"displayModeBar": False}
            )
    show_part(
        NAME,
        "cost_result",
        tokens=f"{prompt + answer - 1:,}",
        ratio=f"{cost.token_without / cost.token_with:,.1f}",
    )
    with st.popover(say("course.ch02.basis")):
        decode, prefill = FORMULAS["formula.decode"], FORMULAS["formula.prefill"]
        name = measured.DECODERS["torch"]
        report = measured.kept(name)["decode"]
        show_part(NAME, "basis", decode=decode, prefill=prefill, **measured.where(report))
        head = [say(f"course.ch02.measured.{name}") for name in ("position", "with", "without", "ratio")]
        cells = [
            [f"{m.position:,}", f"{m.with_ms:.1f} ms", f"{m.without_ms:.1f} ms", times(m.ratio)]
            for m in measured.next_tokens(name)
        ]
        st.markdown(markdown_table(head, cells, "rrrr"))


# -- why K and V and not Q ---------------------------------------------------------------------------------


def _why_not_q() -> None:
    show_part(NAME, "why")
    tokens = 8
    left, right = st.columns([3, 2], vertical_alignment="center")
    with right:
        now = st.slider(say("course.ch02.now"), 1, tokens, 5)
        uses_q, uses_kv = reads(1, now)
        show_part(NAME, "why_result", now=now, uses_q=uses_q, uses_kv=uses_kv, earlier=now - 1)
    names = [str(number) for number in range(1, tokens + 1)]
    words: dict[Mark, str] = {mark: say(f"course.ch02.ask.{mark}") for mark in ("past", "read", "computed")}
    axes = (say("course.ch02.asked"), say("course.ch02.asks"))
    with left:
        figure = mark_grid(attention_rows(tokens, now), names, names, axes, words)
        st.plotly_chart(figure, key="ch02-ask", config={"displayModeBar": False})
        st.caption(" · ".join(f"{plain(GLYPHS[mark])} {text}" for mark, text in words.items()))


# -- how large ---------------------------------------------------------------------------------------------


def _sizes() -> None:
    show_part(NAME, "sizes")
    length = st.select_slider(say("course.ch02.length"), (1, 512, 4096, 32_768, 131_072), 4096)
    bars = []
    for kind, model in attention_kinds().items():
        each, gib = model.kv_bytes_per_token / 1024, model.kv_bytes_per_token * length / GIB
        words = f"{each:,.0f} KiB / token · {gib:,.3f} GiB"
        numbers = {"heads": model.num_kv_heads}
        if model.latent is not None:
            numbers = {"rank": model.latent.kv_rank, "rope": model.latent.rope_dim}
        name = say(f"course.ch02.kind.{kind}", **numbers)
        bars.append(Bar(f"{name}<br>{words}", gib, "", words))
    st.plotly_chart(
        bars_beside(bars, say("course.ch02.gib", n=f"{length:,}")),
        key="ch02-sizes",
        config={"displayModeBar": False},
    )
    with st.popover(say("course.ch02.models")):
        st.latex(
            r"K = 2 \cdot L \cdot H_{kv} \cdot d \cdot s \qquad K_{MLA} = L \cdot (r + d_{rope}) \cdot s"
        )
        rows = [
            [model.name, model.attention.upper(), f"{model.kv_bytes_per_token / 1024:,.1f}"]
            for model in MODELS.values()
        ]
        st.markdown(markdown_table([say("machine.model"), "", "KiB / token"], rows, "llr"))
        st.caption(say("course.ch02.models.help"))


# -- sampling ----------------------------------------------------------------------------------------------


def _sampling() -> None:
    show_part(NAME, "sampling")
    seed = st.number_input(say("course.ch02.seed"), 0, 9999, 1)
    gap = "" if lang() == "zh" else " "
    words = say("course.ch02.words").split()
    head = [say(f"course.ch02.sampled.{name}") for name in ("temperature", "answer", "hits")]
    rows = []
    for temperature in TEMPERATURES:
        answer = gap + gap.join(sample(words, temperature, seed))
        hits = ", ".join(map(str, hits_with_answer(answer, lang())))
        rows.append([str(temperature), answer, hits])
    st.markdown(markdown_table(head, rows, "rll"))
    show_part(NAME, "sampling_result")


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
