"""The machine survives a reload, and no link breaks the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cost import GPUS, MODELS, Prices
from ui.machine import MOST_PRICE, Machine, from_query, to_query

PRICE = st.integers(0, 100_000).map(lambda cents: cents / 100)
MACHINES = st.builds(
    Machine,
    model=st.sampled_from(sorted(MODELS)),
    gpu=st.sampled_from(sorted(GPUS)),
    num_gpus=st.integers(1, 64),
    prices=st.builds(Prices, per_gpu_hour=PRICE, per_million_tokens=PRICE, per_million_cached=PRICE),
)


@given(MACHINES)
def test_a_machine_comes_back_from_its_link(machine: Machine) -> None:
    back, lost = from_query(to_query(machine))
    assert lost == []
    assert back == machine


def test_the_usual_machine_is_not_in_the_link() -> None:
    assert to_query(Machine()) == {}
    assert from_query({}) == (Machine(), [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Llama-2-7B",
        "Llama-2-7B~A100~1~2~1~inf",
        "Llama-2-7B~A100~1~2~1~nan",
        "Llama-2-7B~A100~1~2~1~-1",
        "Llama-2-7B~A100~1~2~1~1~1",
        "Llama-2-7B~A100~0~2~1~1",
        "Llama-2-7B~A100~99999~2~1~1",
        "Llama-2-7B~abacus~1~2~1~1",
        f"Llama-2-7B~A100~1~{MOST_PRICE * 10}~1~1",
    ],
)
def test_a_damaged_link_says_so(text: str) -> None:
    assert from_query({"on": text}) == (Machine(), ["on"])


@given(st.text())
def test_any_link_gives_a_machine(text: str) -> None:
    machine, _ = from_query({"on": text})
    assert machine.cost().prefill_s(1) > 0
