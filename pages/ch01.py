"""Chapter 1 · The repeated work: how often the same beginning is computed, and how large its KV is."""

from __future__ import annotations

import streamlit as st

from core.cost import MODELS
from pages.navigation import page
from ui.course.chapter import begin_chapter, chapter_stage, course_run, end_chapter
from ui.course.lessons import show_part
from ui.frame.session import say
from ui.stage.show_me import find_step, op_is

NAME = "ch01"
GIB = 2**30
REQUESTS = (1, 10, 100, 1_000, 10_000, 100_000)
BYTES_OF = {"fp16": 2, "fp8": 1, "fp32": 4}


def render() -> None:
    """A counter of repeated tokens, a calculator of KV bytes, and three requests that share nothing."""
    begin_chapter(NAME, page)
    _counter()
    show_part(NAME, "isolated")
    _, _, shown = course_run("P1", enable_caching=False)
    chapter_stage(NAME, shown, find_step(shown, op_is("compute", "R1")))
    _kv_size()
    end_chapter(NAME, page)


def repeated_tokens(prefix_tokens: int, num_requests: int) -> int:
    """Prompt tokens computed for one prefix when nobody keeps it."""
    return prefix_tokens * num_requests


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


def kv_bytes_per_token(layers: int, kv_heads: int, head_dim: int, bytes_each: int) -> int:
    """Keys *and* values of one token in all layers."""
    return 2 * layers * kv_heads * head_dim * bytes_each


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
