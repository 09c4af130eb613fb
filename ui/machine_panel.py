"""Widgets for the machine: model, GPUs, prices. They change the machine and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.cost import GPUS, MODELS
from ui.machine import MOST_GPUS, MOST_PRICE, Machine
from ui.session import change_machine, machine, say

PRICES = ("per_gpu_hour", "per_million_tokens", "per_million_cached")


def machine_panel() -> Machine:
    """What the modelled times and the prices are for; returns the machine chosen."""
    now = machine()
    with st.expander(say("machine.now", model=now.model, n=now.num_gpus, gpu=now.gpu)):
        model, gpu, number = st.columns(3)
        with model:
            _choice("model", list(MODELS), now.model)
        with gpu:
            _choice("gpu", list(GPUS), now.gpu)
        with number:
            _number("num_gpus", now.num_gpus, 1, MOST_GPUS, lambda value: replace(machine(), num_gpus=value))
        for column, name in zip(st.columns(len(PRICES)), PRICES, strict=True):
            with column:
                _number(name, float(getattr(now.prices, name)), 0.0, MOST_PRICE, _price_setter(name))
        st.caption(say("machine.help"))
        st.caption(say("machine.sources", model=MODELS[now.model].source, gpu=GPUS[now.gpu].source))
    return machine()


def _choice(name: str, options: Sequence[str], value: str) -> None:
    key = f"widget_machine_{name}"

    def changed() -> None:
        change_machine(replace(machine(), **{name: st.session_state[key]}))

    st.session_state[key] = value
    st.selectbox(say(f"machine.{name}"), options, key=key, on_change=changed)


def _number(name: str, value: float, least: float, most: float, change: Callable[[Any], Machine]) -> None:
    """A whole number or a price: whichever ``value`` is."""
    key = f"widget_machine_{name}"

    def changed() -> None:
        change_machine(change(st.session_state[key]))

    st.session_state[key] = value
    st.number_input(say(f"machine.{name}"), least, most, key=key, on_change=changed)


def _price_setter(name: str) -> Callable[[float], Machine]:
    def change(value: float) -> Machine:
        changes: dict[str, Any] = {name: value}
        return replace(machine(), prices=replace(machine().prices, **changes))

    return change
