"""Widgets for the machine: model, GPUs, prices, one's own numbers. They change the machine, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.cost import GPUS, MODELS
from core.errors import BrothError
from ui.frame.kept import Notice
from ui.frame.open_parts import draw_if_open
from ui.frame.session import lang, plain, say, stands_on_one
from ui.machine.machine import CURRENCIES, MACHINE, MOST_GPUS, MOST_PRICE, Machine
from ui.machine.own import DTYPES, GPU_NUMBERS, MODEL_NUMBERS, MOST, MY_GPU, MY_MODEL, least
from ui.words.i18n import error_text

PRICES = ("per_gpu_hour", "per_million_tokens", "per_million_cached")
_WRONG: Notice[BrothError] = Notice("machine_wrong")


def machine_panel() -> Machine:
    """What the modelled times and the prices are for; returns the machine chosen."""
    now = MACHINE.get()
    draw_if_open("machine_box", say("machine.now", model=now.model, n=now.num_gpus, gpu=now.gpu), _fields)
    return MACHINE.get()


def _fields() -> None:
    now = MACHINE.get()
    model, gpu, number = st.columns(3)
    with model:
        _choice("model", [*MODELS, MY_MODEL], now.model, _setter("model"))
    with gpu:
        _choice("gpu", [*GPUS, MY_GPU], now.gpu, _setter("gpu"))
    with number:
        _number("num_gpus", now.num_gpus, 1, MOST_GPUS, _setter("num_gpus"))
    _own_numbers(now)
    sign = now.prices.currency
    *columns, last = st.columns(len(PRICES) + 1)
    for column, name in zip(columns, PRICES, strict=True):
        with column:
            _number(name, float(getattr(now.prices, name)), 0.0, MOST_PRICE, _price_setter(name), sign=sign)
    with last:
        _choice("currency", list(CURRENCIES.values()), sign, _price_setter("currency"))
    st.caption(say("machine.help"))
    st.caption(say("machine.sources", model=now.model_spec.source, gpu=now.gpu_spec.source))


def _own_numbers(now: Machine) -> None:
    """Fields for what is to be one's own; a number that fits nothing is told and not taken."""
    names = (*(MODEL_NUMBERS if now.model == MY_MODEL else ()), *(GPU_NUMBERS if now.gpu == MY_GPU else ()))
    for first in range(0, len(names), 4):
        for column, name in zip(st.columns(4), names[first : first + 4], strict=False):
            with column:
                _number(name, getattr(now.own, name), least(name), MOST, _own_setter(name))
    if now.model == MY_MODEL:
        for column, name in zip(st.columns(2), ("weight_dtype", "kv_dtype"), strict=True):
            with column:
                _choice(name, DTYPES, getattr(now.own, name), _own_setter(name))
    if wrong := _WRONG.tell():
        st.error(plain(error_text(wrong, lang())))


def _choice(name: str, options: Sequence[str], value: str, change: Callable[[Any], Machine]) -> None:
    key = f"widget_machine_{name}"
    st.session_state[key] = value

    def changed() -> None:
        if stands_on_one(key, options):
            _take(key, change)

    st.selectbox(say(f"machine.{name}"), options, key=key, on_change=changed)


def _number(
    name: str, value: float, least_of: float, most: float, change: Callable[[Any], Machine], **words: str
) -> None:
    """A whole number or a price: whichever ``value`` is. ``words``: for the holes of its label."""
    key = f"widget_machine_{name}"
    st.session_state[key] = value
    label = say(f"machine.{name}", **words)
    st.number_input(label, least_of, most, key=key, on_change=_take, args=(key, change))


def _take(key: str, change: Callable[[Any], Machine]) -> None:
    try:
        MACHINE.set(change(st.session_state[key]))
    except BrothError as error:
        _WRONG.set(error)


def _setter(name: str) -> Callable[[Any], Machine]:
    return lambda value: replace(MACHINE.get(), **{name: value})


def _price_setter(name: str) -> Callable[[Any], Machine]:
    return lambda value: replace(MACHINE.get(), prices=replace(MACHINE.get().prices, **{name: value}))


def _own_setter(name: str) -> Callable[[Any], Machine]:
    return lambda value: replace(MACHINE.get(), own=MACHINE.get().own.with_number(name, value))
