"""The machine survives a reload, and no link breaks the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cost import GPUS, MODELS, Prices
from core.errors import ConfigError
from tests.strategies import shown_texts
from ui.machine.machine import CURRENCIES, MOST_PRICE, Machine, from_query, to_query
from ui.machine.own import DTYPES, MY_GPU, MY_MODEL, OwnNumbers, from_text, to_text

PRICE = st.integers(0, 100_000).map(lambda cents: cents / 100)
MACHINES = st.builds(
    Machine,
    model=st.sampled_from(sorted(MODELS)),
    gpu=st.sampled_from(sorted(GPUS)),
    num_gpus=st.integers(1, 64),
    prices=st.builds(
        Prices,
        per_gpu_hour=PRICE,
        per_million_tokens=PRICE,
        per_million_cached=PRICE,
        currency=st.sampled_from(sorted(CURRENCIES.values())),
    ),
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
        "Llama-2-7B~A100~1~2~1~1~EUR~EUR",
        "Llama-2-7B~A100~0~2~1~1",
        "Llama-2-7B~A100~99999~2~1~1",
        "Llama-2-7B~abacus~1~2~1~1",
        f"Llama-2-7B~A100~1~{MOST_PRICE * 10}~1~1",
    ],
)
def test_a_damaged_link_says_so(text: str) -> None:
    assert from_query({"on": text}) == (Machine(), ["on"])


@given(shown_texts)
def test_any_link_gives_a_machine(text: str) -> None:
    machine, _ = from_query({"on": text})
    assert machine.cost().prefill_s(1) > 0


OWN = st.builds(
    OwnNumbers,
    num_layers=st.integers(1, 200),
    hidden=st.integers(1, 20_000),
    num_heads=st.just(32),
    num_kv_heads=st.sampled_from([1, 2, 8, 32]),
    ffn=st.integers(1, 60_000),
    kv_dtype=st.sampled_from(DTYPES),
    peak_16=st.integers(1, 10_000),
    peak_8=st.integers(0, 20_000),
    bandwidth=st.integers(1, 20_000),
    memory_gib=st.integers(1, 1_000),
)


@given(OWN)
def test_own_numbers_come_back_from_their_link(own: OwnNumbers) -> None:
    machine = Machine(MY_MODEL, MY_GPU, 2, own=own)
    assert from_query(to_query(machine)) == (machine, [])
    assert from_text(to_text(own)) == own
    assert machine.cost().prefill_s(10) > 0


def test_own_numbers_are_those_of_a_known_model_where_they_are_its() -> None:
    """Llama-3-8B and an A100 typed in by hand cost what they cost by name."""
    own = OwnNumbers(peak_16=312, bandwidth=2039)
    by_hand = Machine(MY_MODEL, MY_GPU, own=own).cost()
    by_name = Machine("Llama-3-8B", "A100").cost()
    assert by_hand.prefill_s(640, 512) == by_name.prefill_s(640, 512)
    assert by_hand.block_bytes(16) == by_name.block_bytes(16) == 16 * 131_072


@pytest.mark.parametrize(
    "text", ["", "1~2", to_text(OwnNumbers()) + "~1", to_text(OwnNumbers()).replace("bf16", "bf17"),
             to_text(OwnNumbers(num_layers=10**7)), to_text(OwnNumbers(hidden=0))],
)  # fmt: skip
def test_damaged_own_numbers_say_so(text: str) -> None:
    assert from_query({"my": text}) == (Machine(), ["my"])


def test_kv_heads_must_divide_the_heads() -> None:
    with pytest.raises(ConfigError) as caught:
        OwnNumbers().with_number("num_kv_heads", 5)
    assert caught.value.code == "model.num_kv_heads"
