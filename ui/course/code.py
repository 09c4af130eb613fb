"""A function's own source on a page, with marks on lines. What is shown is what runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any

import streamlit as st

Function = Callable[..., Any]


def source_of(function: Function) -> tuple[int, list[str]]:
    """Number of the first line in its file, and the lines, dedented."""
    lines, first = inspect.getsourcelines(function)
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return first, [line[margin:].rstrip("\n") for line in lines]


def marked_source(function: Function, marked: Collection[int] = ()) -> str:
    """The source with ▶ before the lines whose number in the file is ``marked``."""
    first, lines = source_of(function)
    return "\n".join(f"{'▶' if n in marked else ' '} {line}".rstrip() for n, line in enumerate(lines, first))


def show_source(function: Function, marked: Collection[int] = ()) -> None:
    """Draw it."""
    st.code(marked_source(function, marked), language="python", wrap_lines=True)


def place_of(function: Function) -> str:
    """Where it stands, as a reader would say it: core/engine/scheduler.py · Scheduler.admit."""
    return f"{function.__module__.replace('.', '/')}.py · {function.__qualname__}"
