"""The simulated backend: modelled seconds, and symbols that stand for K/V."""

from __future__ import annotations

import math

import pytest

from core.backends.decoders.simulated import SimulatedBackend, simulated
from core.backends.plan import Plan
from core.cost import GPUS, MODELS, CostModel


@pytest.fixture
def backend() -> SimulatedBackend:
    made = simulated(CostModel(MODELS["Llama-3-8B"], GPUS["H100"]))
    made.reserve(8, 4)
    return made


def test_time_is_the_cost_models(backend: SimulatedBackend) -> None:
    cost = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
    backend.prefill(Plan("a", tuple(range(8)), (1, 2), 0))
    result = backend.prefill(Plan("b", (*range(8), 9), (1, 2, 3), 8))
    assert result.wall_s == cost.prefill_s(1, 8)
    assert result.logits is None
    assert result.cpu_s is None
    assert backend.decode(5, 9, (1, 2, 3)).wall_s == cost.decode_s([9])


def test_right_reuse_is_exact_and_wrong_reuse_is_seen(backend: SimulatedBackend) -> None:
    backend.prefill(Plan("a", (1, 2, 3, 4, 5, 6, 7, 8), (1, 2), 0))
    right = Plan("b", (1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3), 8)
    wrong = Plan("c", (9, 2, 3, 4, 5, 6, 7, 8, 9), (4, 2, 5), 8)  # block 2 behind another beginning
    for plan in (right, wrong):
        backend.prefill(plan)
    assert backend.verify(right).bitwise
    assert backend.verify(wrong).max_abs == math.inf
    assert not backend.verify(wrong).equal


def test_decode_goes_on_where_the_prompt_ends(backend: SimulatedBackend) -> None:
    backend.prefill(Plan("a", (1, 2, 3), (1,), 0))
    backend.decode(4, 3, (1,))
    assert backend.verify(Plan("a", (1, 2, 3, 4), (1,), 4)).bitwise
    backend.decode(4, 0, (2,))
    assert not backend.verify(Plan("a", (1, 2, 3, 4), (2,), 4)).bitwise


def test_the_shape_is_the_models(backend: SimulatedBackend) -> None:
    model = MODELS["Llama-3-8B"]
    assert backend.spec.num_parameters == model.num_params
    assert backend.spec.kv_bytes_per_token(2) == model.kv_bytes_per_token
    cost = backend.spec.attention_flops(128, 512)
    assert cost == model.attention_flops_per_pair * (128 * 512 + 128 * 129 / 2)
