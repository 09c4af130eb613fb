"""The cost model: published sizes and times, the formulas by hand, what must never happen."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cost import (
    FORMULAS,
    GPUS,
    MODELS,
    PUBLISHED,
    CostModel,
    Figure,
    Fit,
    GpuSpec,
    ModelSpec,
    Prices,
    PublishedPoint,
    StepWork,
    typical_error,
)
from core.errors import ConfigError


def cost(model: str = "Llama-3-8B", gpu: str = "H100", num_gpus: int = 1) -> CostModel:
    return CostModel(MODELS[model], GPUS[gpu], num_gpus)


# -- sizes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("Llama-2-7B", 6.74),
        ("Llama-3-8B", 8.03),
        ("Qwen2.5-7B", 7.62),
        ("Qwen2.5-72B", 72.7),
        ("DeepSeek-V3", 671),
        ("Llama-2-70B", 68.98),
    ],
)
def test_dimensions_add_up_to_the_published_size(name: str, billions: float) -> None:
    assert MODELS[name].num_params / 1e9 == pytest.approx(billions, rel=0.005)


def test_deepseek_activates_37_billion() -> None:
    model = MODELS["DeepSeek-V3"]
    assert (model.num_active_params + model.vocab * model.hidden) / 1e9 == pytest.approx(37, rel=0.02)


@pytest.mark.parametrize(
    ("name", "attention", "kv_bytes"),
    [
        ("Llama-2-7B", "mha", 524_288),
        ("Llama-3-8B", "gqa", 131_072),
        ("Qwen2.5-7B", "gqa", 57_344),
        ("Qwen2.5-72B", "gqa", 327_680),
        ("DeepSeek-V3", "mla", 70_272),
        ("Llama-2-70B", "gqa", 327_680),
    ],
)
def test_kv_bytes_per_token(name: str, attention: str, kv_bytes: int) -> None:
    model = MODELS[name]
    assert (model.attention, model.kv_bytes_per_token) == (attention, kv_bytes)
    assert replace(model, kv_dtype="fp8").kv_bytes_per_token * 2 == kv_bytes


def test_multi_query_attention_keeps_one_pair_of_heads() -> None:
    falcon = ModelSpec("Falcon-7B", 32, 4544, 71, 1, 64, 18176, 65024, source="tiiuae/falcon-7b config.json")
    assert (falcon.attention, falcon.kv_bytes_per_token) == ("mqa", 8_192)


def test_4096_tokens_of_a_7b_model_take_two_gib() -> None:
    figure = cost("Llama-2-7B", "A100").gib(4096 // 16, 16)
    assert (figure.value, figure.unit, figure.basis) == (2.0, "GiB", "modelled")


def test_ten_users_in_gib() -> None:
    """512 shared + 128 own tokens: 112 blocks of 16 instead of 400."""
    model = cost("Llama-2-7B", "A100")
    assert (model.gib(112, 16).value, model.gib(400, 16).value) == (0.875, 3.125)


def test_blocks_that_fit_leave_room_for_the_weights() -> None:
    model = cost("Llama-3-8B", "H100")
    used = model.blocks_that_fit(16) * model.block_bytes(16) + 2 * model.model.num_params
    room = 0.9 * 80 * 2**30
    assert room - model.block_bytes(16) < used <= room
    assert cost("Qwen2.5-72B", "RTX 4090").blocks_that_fit(16) == 0


# -- published times ------------------------------------------------------------------------------------

PREFILLS = [point for point in PUBLISHED if point.kind == "prefill"]
DECODES = [point for point in PUBLISHED if point.kind == "decode"]


def name_of(point: PublishedPoint) -> str:
    return f"{point.setting}, {point.num_tokens} tokens, batch {point.batch}"


@pytest.mark.parametrize("point", PUBLISHED, ids=name_of)
def test_no_published_time_is_missed_by_more_than_a_factor_of_two(point: PublishedPoint) -> None:
    assert 0.5 < point.modelled_s / point.published_s < 2
    assert point.error == point.modelled_s / point.published_s - 1


def test_25_percent_is_the_typical_error() -> None:
    assert typical_error(PREFILLS) < 0.25
    assert typical_error(DECODES) < 0.25
    within = [point for point in PUBLISHED if abs(point.error) <= 0.25]
    assert len(within) >= 0.65 * len(PUBLISHED)


@pytest.mark.parametrize(
    ("setting", "tokens", "modelled_ms"),
    [
        ("Llama-7B fp16, A100", 128, 17.8),
        ("Llama-7B fp16, A100", 2048, 139.5),
        ("Llama-7B fp8, H100", 128, 7.04),
        ("Llama-7B fp8, H100", 2048, 37.1),
        ("Llama-70B fp16, 4 A100", 2048, 352),
        ("Llama-70B fp8, 4 H100", 128, 13.6),
        ("Llama-3-8B, A100", 300_000, 187_000),
        ("Llama-3-8B, RTX 4090", 512, 82.3),
        ("Llama-3-8B, RTX 4090", 8192, 1245),
    ],
)
def test_the_fit_is_the_one_that_was_made(setting: str, tokens: int, modelled_ms: float) -> None:
    """A changed constant or dimension shows here even where the error band would hide it."""
    point = next(p for p in PUBLISHED if (p.setting, p.num_tokens) == (setting, tokens))
    assert point.modelled_s * 1e3 == pytest.approx(modelled_ms, rel=0.006)


@pytest.mark.parametrize(
    ("model", "gpu", "num_gpus", "full_ms", "hit_ms", "ratio"),
    [
        ("Llama-2-7B", "A100", 1, 48.9, 18.2, 2.7),
        ("Llama-3-8B", "A100", 1, 52.9, 19.7, 2.7),
        ("Llama-3-8B", "H100", 1, 21.1, 10.7, 2.0),
        ("Llama-3-8B", "H200", 1, 19.6, 9.2, 2.1),
        ("Llama-3-8B", "RTX 4090", 1, 98.3, 35.6, 2.8),
        ("Qwen2.5-7B", "H100", 1, 19.9, 10.2, 2.0),
        ("Qwen2.5-72B", "A100", 4, 126, 43.4, 2.9),
        ("Qwen2.5-72B", "H100", 4, 47.6, 21.5, 2.2),
        ("DeepSeek-V3", "H200", 8, 29.0, 23.5, 1.2),
    ],
)
def test_512_of_640_tokens_cached(
    model: str, gpu: str, num_gpus: int, full_ms: float, hit_ms: float, ratio: float
) -> None:
    """Counting tokens promises 5x everywhere; the model says 1.2x to 2.9x on an idle GPU."""
    found = cost(model, gpu, num_gpus).compare(640, 512)
    assert found.linear_ratio == 5.0
    assert found.full_s * 1e3 == pytest.approx(full_ms, rel=0.006)
    assert found.hit_s * 1e3 == pytest.approx(hit_ms, rel=0.006)
    assert found.ratio == pytest.approx(ratio, abs=0.06)


# -- the formulas, by hand ------------------------------------------------------------------------------

TOY = ModelSpec("toy", 2, 8, 2, 1, 4, 16, 10, source="by hand")
# attention: q 8x8, k and v 8x4 each, o 8x8 = 192; feed forward 3 x 8 x 16 = 384; two layers 1152; head 80
TOY_GPU = GpuSpec("toy", 1e6, None, 1e5, 1, source="by hand")
TOY_FIT = Fit(fixed_s=0.5, linear_16=0.5, attention=0.25, bandwidth=0.5, bandwidth_decode=0.25)


def test_prefill_by_hand() -> None:
    model = CostModel(TOY, TOY_GPU, fit=TOY_FIT)
    fixed, linear, attention, memory = (part.seconds for part in model.prefill_parts(3, 4))
    assert fixed == 0.5
    assert linear == pytest.approx(2 * 1152 * 3 / (0.5 * 1e6))
    pairs = 3 * 4 + (1 + 2 + 3)
    assert attention == pytest.approx(2 * 2 * 2 * 4 * 2 * pairs / (0.25 * 1e6))  # layers, heads, 2 x 2 x dim
    kv_bytes = 2 * 2 * 1 * 4 * 2
    assert memory == pytest.approx(((1152 + 80) * 2 + 4 * kv_bytes) / (0.5 * 1e5))
    assert model.prefill_s(3, 4) == pytest.approx(fixed + linear + attention + memory)
    assert model.prefill_s(0, 4) == 0


def test_decode_by_hand() -> None:
    model = CostModel(TOY, TOY_GPU, fit=TOY_FIT)
    read = ((1152 + 80) * 2 + (5 + 7) * 32) / (0.25 * 1e5)
    assert model.decode_s([5, 7]) == pytest.approx(2 * 1152 * 2 / (0.5 * 1e6) + read)
    assert model.decode_s([]) == 0


def test_two_gpus_halve_everything_but_the_fixed_part() -> None:
    one, two = CostModel(TOY, TOY_GPU, 1, TOY_FIT), CostModel(TOY, TOY_GPU, 2, TOY_FIT)
    assert two.prefill_s(3, 4) - 0.5 == pytest.approx((one.prefill_s(3, 4) - 0.5) / 2)


def test_one_step_with_two_prompts_reads_the_weights_once() -> None:
    """Why 5x comes back as throughput: batched prompts share the pass over the weights."""
    model = cost()
    work = StepWork()
    work.add_prefill(128, 512)
    alone = model.step_s(work)
    assert alone == pytest.approx(model.prefill_s(128, 512))
    for _ in range(7):
        work.add_prefill(128, 512)
    assert model.step_s(work) < 4 * alone


def test_eight_of_256_experts_are_read_by_one_token_and_nearly_all_by_a_prompt() -> None:
    model = MODELS["DeepSeek-V3"]
    head = model.vocab * model.hidden
    assert model.weight_bytes(1) == pytest.approx(model.num_active_params + head, rel=1e-9)
    assert model.weight_bytes(640) == pytest.approx(model.num_params - head, rel=1e-6)


def test_fp8_weights_use_the_peak_for_8_bits_where_the_gpu_has_one() -> None:
    small = replace(MODELS["Llama-2-7B"], weight_dtype="fp8")
    on_h100, on_a100 = CostModel(small, GPUS["H100"]), CostModel(small, GPUS["A100"])
    rate = 0.455 * 1979e12
    assert on_h100.prefill_parts(2048)[1].seconds == pytest.approx(2 * small.num_active_params * 2048 / rate)
    rate = 0.70 * 312e12
    assert on_a100.prefill_parts(2048)[1].seconds == pytest.approx(2 * small.num_active_params * 2048 / rate)


# -- what always holds ----------------------------------------------------------------------------------

models = st.sampled_from(sorted(MODELS))
gpus = st.sampled_from(sorted(GPUS))


@given(models, gpus, st.integers(2, 100_000), st.data())
def test_a_hit_never_costs_and_never_saves_everything(
    model: str, gpu: str, tokens: int, data: st.DataObject
) -> None:
    """And it never beats what counting tokens promises."""
    hit = data.draw(st.integers(0, tokens - 1))
    found = cost(model, gpu).compare(tokens, hit)
    assert 0 <= found.saved_share < 1
    assert 1 <= found.ratio <= found.linear_ratio * (1 + 1e-9)


@given(
    models, gpus, st.lists(st.integers(1, 30_000), max_size=5), st.integers(1, 4096), st.integers(0, 30_000)
)
def test_more_work_never_makes_a_step_shorter(
    model: str, gpu: str, contexts: list[int], new: int, cached: int
) -> None:
    clock = cost(model, gpu)
    work = StepWork()
    before = 0.0
    for context in contexts:
        work.add_decode(context)
        assert clock.step_s(work) > before
        before = clock.step_s(work)
    work.add_prefill(new, cached)
    assert clock.step_s(work) > before
    with_prefill = clock.step_s(work)
    work.add_decode(10)
    assert clock.step_s(work) > with_prefill


# -- figures, money, refusals ---------------------------------------------------------------------------


def test_a_figure_carries_its_formula() -> None:
    figure = Figure(1.5, "s", "modelled", "formula.saved_s")
    assert figure.to_json() == {
        "value": 1.5,
        "unit": "s",
        "basis": "modelled",
        "formula": "formula.saved_s",
        "symbols": FORMULAS["formula.saved_s"],
    }


def test_every_part_names_a_formula() -> None:
    assert {part.formula for part in cost().prefill_parts(10)} <= set(FORMULAS)


def test_money_by_the_hour_and_by_the_token() -> None:
    prices = Prices(per_gpu_hour=3.6, per_million_tokens=2.0, per_million_cached=0.5)
    assert prices.of_gpu_time(1000, 2).value == pytest.approx(2.0)
    assert prices.of_cached_tokens(1_000_000).value == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: replace(TOY, num_layers=0), "model.num_layers"),
        (lambda: replace(TOY, ffn=True), "model.ffn"),
        (lambda: replace(TOY, num_heads=3, num_kv_heads=2), "model.num_kv_heads"),
        (lambda: replace(TOY, kv_dtype="fp4"), "model.kv_dtype"),
        (lambda: replace(TOY_GPU, bandwidth=0.0), "gpu.bandwidth"),
        (lambda: replace(TOY_GPU, peak_16=math.inf), "gpu.peak_16"),
        (lambda: CostModel(TOY, TOY_GPU, 0), "cost.num_gpus"),
        (lambda: CostModel(TOY, TOY_GPU, fit=Fit(fixed_s=-1)), "cost.fixed_s"),
        (lambda: Prices(per_gpu_hour=math.nan), "price.per_gpu_hour"),
        (lambda: Prices(per_million_cached=-1), "price.per_million_cached"),
        (lambda: cost().compare(16, 16), "cost.hit"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(make: object, code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make()  # type: ignore[operator]
    assert caught.value.code == code
