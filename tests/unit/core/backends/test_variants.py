"""What families vary in: positions stretched by three methods, text inside a model that takes pictures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.backends.decoders.loader import ModelLoader
from core.backends.models.sources import ModelSource, open_source
from core.errors import BackendError
from tests.unit.core.backends.files import Json, hf_config, hf_tensors, safetensors_bytes, write_hf
from tests.unit.core.backends.reference import logits_of
from tests.unit.core.backends.test_families import (
    BASE,
    FAMILIES,
    TOKENS,
    answer,
    refused,
    write_directory,
    write_gguf,
)
from tests.unit.core.backends.tiny import weights_of

STRETCHED: dict[str, tuple[Json, Json]] = {
    "linear": ({"type": "linear", "factor": 4.0}, {"type": "linear", "factor": 4.0}),
    "yarn": (
        {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512},
        {"type": "yarn", "factor": 4.0, "original_context_length": 512},
    ),
    "yarn, weighed": (
        {
            "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512, "mscale": 1.0,
            "mscale_all_dim": 0.5, "beta_fast": 16.0,
        },
        {
            "type": "yarn", "factor": 4.0, "original_context_length": 512, "yarn_log_multiplier": 0.5,
            "yarn_beta_fast": 16.0,
        },
    ),
}  # fmt: skip
"""What a directory says, what a GGUF file says."""


@pytest.mark.parametrize("method", STRETCHED)
@pytest.mark.parametrize("family", ["mistral", "qwen2"])
def test_both_formats_stretch_positions_alike(tmp_path: Path, family: str, method: str) -> None:
    table, entries = STRETCHED[method]
    own = {f"rope__scaling__{name}": value for name, value in entries.items()}
    one = write_gguf(tmp_path / "m.gguf", family, **own)
    other = write_directory(tmp_path, family, rope_scaling=table)
    spec = open_source(one).spec
    assert replace(spec, name="") == replace(open_source(other).spec, name="")
    assert spec.rope_factors != ()
    found = answer(one)
    assert np.array_equal(found, answer(other))
    np.testing.assert_allclose(found, logits_of(spec, weights_of(FAMILIES[family][2]), TOKENS), atol=1e-4)


def test_yarn_leaves_short_waves_alone_slows_long_ones_and_sharpens(tmp_path: Path) -> None:
    spec = open_source(write_directory(tmp_path, "mistral", rope_scaling=STRETCHED["yarn"][0])).spec
    assert (spec.rope_factors[0], spec.rope_factors[-1]) == (1.0, 4.0)
    assert spec.rope_gain == pytest.approx(1 + 0.1 * np.log(4))
    weighed = open_source(
        write_directory(tmp_path, "mistral", rope_scaling=STRETCHED["yarn, weighed"][0])
    ).spec
    assert weighed.rope_gain == pytest.approx((1 + 0.1 * np.log(4)) / (1 + 0.05 * np.log(4)))


def test_where_queries_would_be_scaled_the_context_ends(tmp_path: Path) -> None:
    """Ministral 3 scales queries behind its first context; before it the scale is exactly 1."""
    table = {**STRETCHED["yarn"][0], "llama_4_scaling_beta": 0.1}
    write_hf(tmp_path, BASE, weights_of(BASE), "ministral3", rope_parameters={**table, "rope_theta": 1e6})
    assert open_source(ModelSource("hf", str(tmp_path))).spec.max_positions == 512
    write_hf(tmp_path, BASE, weights_of(BASE), "ministral3")
    error = refused(ModelSource("hf", str(tmp_path)))
    assert (error.code, error.values["part"]) == (
        "backend.model_missing",
        "rope_scaling: llama_4_scaling_beta",
    )


SEEING = "vision_tower.patch_conv.weight"


def write_seeing(folder: Path, spelling: str, *, tied: bool = False, **outside: Any) -> ModelSource:
    """The text of a model that takes pictures too; ``spelling`` as saved today or as in memory."""
    spec = replace(BASE, tied_head=tied)
    text = {name: one for name, one in hf_config(spec, "mistral").items() if name != "tie_word_embeddings"}
    config = {"model_type": "mistral3", "text_config": text, "vision_config": {"patch_size": 14}, **outside}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    tensors = {}
    for name, stored in hf_tensors(spec, weights_of(spec)).items():
        inner = name.removeprefix("model.")
        deeper = name if name == inner else f"model.language_model.{inner}"
        tensors[f"language_model.{name}" if spelling == "saved" else deeper] = stored
    picture = SEEING if spelling == "saved" else f"model.{SEEING}"
    tensors[picture] = ("F32", (1,), bytes(4))
    (folder / "model.safetensors").write_bytes(safetensors_bytes(tensors))
    return ModelSource("hf", str(folder))


@pytest.mark.parametrize("spelling", ["saved", "in memory"])
@pytest.mark.parametrize("tied", [False, True])
def test_the_text_of_a_model_that_sees_is_a_decoder_as_any_other(
    tmp_path: Path, spelling: str, tied: bool
) -> None:
    spec = replace(BASE, tied_head=tied)
    found = answer(write_seeing(tmp_path, spelling, tied=tied))
    np.testing.assert_allclose(found, logits_of(spec, weights_of(spec), TOKENS), atol=1e-4)


@pytest.mark.parametrize(
    ("outside", "cause"),
    [
        ({"quantization_config": {"quant_method": "fp8"}}, "quantised"),
        ({"tie_word_embeddings": True}, "part"),
        ({"text_config": {"model_type": "qwen2"}}, "architecture"),
        ({"text_config": None}, "missing"),
        ({"num_experts": 4}, "setting"),
        ({"model_type": "llava"}, "architecture"),
    ],
)
def test_what_stands_outside_counts(tmp_path: Path, outside: Json, cause: str) -> None:
    assert refused(write_seeing(tmp_path, "saved", **outside)).code == f"backend.model_{cause}"


def test_pictures_in_a_model_that_only_reads_are_refused(tmp_path: Path) -> None:
    write_directory(tmp_path, "llama")
    (tmp_path / "model.safetensors.index.json").unlink()
    (tmp_path / "model-2.safetensors").write_bytes(safetensors_bytes({SEEING: ("F32", (1,), bytes(4))}))
    assert refused(ModelSource("hf", str(tmp_path))).code == "backend.model_part"


# -- windows --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "settings", "limit"),
    [
        ("mistral", {"sliding_window": 64}, 64),
        ("mistral", {"sliding_window": 64, "use_sliding_window": False}, 64),  # Mistral knows no such setting
        ("mistral", {"sliding_window": ...}, 4096),
        ("mistral", {"sliding_window": None}, BASE.max_positions),
        ("mistral", {"sliding_window": 2**20}, BASE.max_positions),
        ("qwen2", {"sliding_window": 64}, BASE.max_positions),
        ("qwen2", {"sliding_window": 64, "use_sliding_window": True}, BASE.max_positions),  # from layer 28 on
        ("qwen2", {"sliding_window": 64, "use_sliding_window": True, "max_window_layers": 2}, 64),
        (
            "qwen2",
            {"sliding_window": 64, "use_sliding_window": True, "max_window_layers": 3},
            BASE.max_positions,
        ),
        ("qwen3", {"sliding_window": 64, "layer_types": ["full_attention", "sliding_attention"]}, 64),
    ],
)
def test_where_a_window_would_hide_tokens_the_context_ends(
    tmp_path: Path, family: str, settings: Json, limit: int
) -> None:
    """As long as a text fits into the window, every token sees all before it, as in our decoder. Mistral 7B
    v0.1 has a window of 4,096 tokens."""
    assert open_source(write_directory(tmp_path, family, **settings)).spec.max_positions == limit


def test_a_text_that_fits_into_the_window_is_computed_and_a_longer_one_refused(tmp_path: Path) -> None:
    source = write_gguf(tmp_path / "m.gguf", "mistral", attention__sliding_window=len(TOKENS))
    spec = FAMILIES["mistral"][2]
    np.testing.assert_allclose(answer(source), logits_of(spec, weights_of(spec), TOKENS), atol=1e-4)
    with pytest.raises(BackendError) as caught:
        ModelLoader().load(source).backend().recompute((*TOKENS, 1))
    assert caught.value.code == "backend.too_long"


# -- what stands beside the weights ---------------------------------------------------------------------


def test_two_tables_of_positions_that_differ_are_refused(tmp_path: Path) -> None:
    """The library takes the one or the other, by its version."""
    table = {"rope_type": "linear", "factor": 2.0}
    open_source(write_directory(tmp_path, "llama", rope_scaling=table, rope_parameters=table))
    other = {"rope_type": "default", "rope_theta": 10_000.0}
    error = refused(write_directory(tmp_path, "llama", rope_scaling=table, rope_parameters=other))
    assert error.code == "backend.model_damaged"


def test_an_adapter_beside_the_model_is_refused(tmp_path: Path) -> None:
    """The transformers library would put it upon the weights."""
    source = write_directory(tmp_path, "llama")
    (tmp_path / "adapter_config.json").write_text("{}", "utf-8")
    assert refused(source).values["found"] == "adapter_config.json"
