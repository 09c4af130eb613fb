"""Hugging Face directories: the four supported types, every reason to refuse one, safetensors by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.backends.decoders.loader import ModelLoader
from core.backends.models.hf_directory import HfDirectory
from core.backends.models.safetensors import SafetensorsFile
from core.backends.models.sources import ModelSource
from core.backends.rope import llama3_factors, plain_frequencies
from core.errors import BackendError
from tests.unit.core.backends.files import BYTE_LEVEL, added_token, safetensors_bytes, write_hf
from tests.unit.core.backends.tiny import LIBRARIES, TINY, VARIANTS, backend_of, weights_of

TYPES = {"llama": "llama", "tied head": "llama", "wide heads": "mistral", "qwen2": "qwen2", "qwen3": "qwen3"}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("variant", TYPES)
def test_a_directory_answers_as_the_model_itself(tmp_path: Path, variant: str, library: Any) -> None:
    spec = replace(VARIANTS[variant], folds_tokens=False)
    write_hf(tmp_path, spec, weights_of(spec), TYPES[variant])
    model = ModelLoader().load(ModelSource("hf", str(tmp_path)), library, device="cpu")
    assert replace(model.spec, name=spec.name) == spec
    assert model.stop_ids == {2, 5}
    tokens = tuple(range(20, 60))
    found, wanted = model.backend().recompute(tokens), backend_of("numpy", spec).recompute(tokens)
    assert found.logits is not None
    assert wanted.logits is not None
    np.testing.assert_allclose(found.logits, wanted.logits, atol=1e-5)


def refused(folder: Path) -> BackendError:
    with pytest.raises(BackendError) as caught:
        HfDirectory(folder)
    assert folder.name in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"model_type": "gpt2"}, "architecture"),
        ({"model_type": ...}, "architecture"),
        ({"quantization_config": {"quant_method": "awq"}}, "quantised"),
        ({"layer_types": ["full_attention", "chunked_attention"]}, "window"),
        ({"layer_types": ["full_attention", "sliding_attention"]}, "damaged"),
        ({"hidden_act": "gelu"}, "activation"),
        ({"partial_rotary_factor": 0.5}, "partial_rope"),
        ({"rope_scaling": {"type": "longrope", "factor": 4.0}}, "rope"),
        ({"rope_scaling": {"type": "yarn", "factor": 4.0, "truncate": False}}, "part"),
        ({"rope_scaling": {"type": "yarn", "factor": 4.0, "llama_4_scaling_beta": 0.1}}, "setting"),
        ({"rope_parameters": {"rope_type": "dynamic"}}, "rope"),
        ({"hidden_size": ...}, "missing"),
    ],
)
def test_what_is_not_supported_is_refused(tmp_path: Path, changes: dict[str, Any], cause: str) -> None:
    write_hf(tmp_path, TINY, weights_of(TINY), **changes)
    assert refused(tmp_path).code == f"backend.model_{cause}"


def test_a_window_that_is_switched_off_is_fine(tmp_path: Path) -> None:
    write_hf(
        tmp_path, VARIANTS["qwen2"], weights_of(VARIANTS["qwen2"]), "qwen2",
        sliding_window=32, use_sliding_window=False,
    )  # fmt: skip
    assert HfDirectory(tmp_path).spec.qkv_bias


def test_a_missing_shard_an_empty_folder_a_broken_config(tmp_path: Path) -> None:
    assert refused(tmp_path).code == "backend.model_missing"
    for broken in ("[1]", "{", '{"a": 1, "a": 2}', "[" * 100_000, '{"a":' * 100_000):
        (tmp_path / "config.json").write_text(broken, "utf-8")
        error = refused(tmp_path)
        assert (error.code, error.values["part"]) == ("backend.model_damaged", "config.json")
    write_hf(tmp_path, TINY, weights_of(TINY))
    (tmp_path / "model-1.safetensors").unlink()
    error = refused(tmp_path)
    assert error.code == "backend.model_missing"
    assert error.values["part"] == "model.layers.0.self_attn.k_proj.weight"
    (tmp_path / "model-0.safetensors").unlink()
    assert refused(tmp_path).code == "backend.model_missing"


def test_a_tensor_that_our_decoder_would_leave_out_is_refused(tmp_path: Path) -> None:
    write_hf(tmp_path, TINY, weights_of(TINY))
    extra = safetensors_bytes({"model.layers.0.self_attn.o_proj.bias": ("F32", [1], bytes(4))})
    (tmp_path / "extra.safetensors").write_bytes(extra)
    error = refused(tmp_path)
    assert error.code == "backend.model_part"
    assert error.values["found"] == "model.layers.0.self_attn.o_proj.bias"


def test_stretched_positions_by_both_spellings(tmp_path: Path) -> None:
    table = {
        "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    }  # fmt: skip
    wanted = llama3_factors(500_000.0, 8, 8.0, 1.0, 4.0, 64)
    old = {"rope_theta": 500_000.0, "rope_scaling": {"rope_type": "llama3", **table}}
    new = {"rope_theta": ..., "rope_parameters": {"rope_type": "llama3", "rope_theta": 500_000.0, **table}}
    for changes in (old, new):
        write_hf(tmp_path, TINY, weights_of(TINY), **changes)
        spec = HfDirectory(tmp_path).spec
        assert (spec.rope_theta, spec.rope_factors) == (500_000.0, wanted)


def test_stretching_leaves_short_waves_alone_and_slows_long_ones() -> None:
    factors = llama3_factors(10_000.0, 64, 8.0, 1.0, 4.0, 8192)
    turns = 8192 * plain_frequencies(10_000.0, 64) / (2 * np.pi)
    for factor, turn in zip(factors, turns, strict=True):
        if turn > 4:
            assert factor == pytest.approx(1)
        elif turn < 1:
            assert factor == pytest.approx(8)
        else:
            assert 1 < factor < 8
    assert list(factors) == sorted(factors)


def test_safetensors_in_three_forms(tmp_path: Path) -> None:
    numbers = np.array([[1.5, -2.0], [0.25, 3.0]], np.float32)
    bfloat = (numbers.view(np.uint32) >> 16).astype(np.uint16)
    path = tmp_path / "m.safetensors"
    path.write_bytes(
        safetensors_bytes(
            {
                "a": ("F32", [2, 2], numbers.tobytes()),
                "b": ("F16", [2, 2], numbers.astype(np.float16).tobytes()),
                "c": ("BF16", [2, 2], bfloat.tobytes()),
                "d": ("I8", [4], bytes(4)),
            }
        )
    )
    file = SafetensorsFile(path)
    assert file.names() == ["a", "b", "c", "d"]
    for name in "abc":
        assert np.array_equal(file.tensor(name), numbers)
        assert file.tensor(name).flags.writeable
    with pytest.raises(BackendError, match="I8"):
        file.tensor("d")


def test_a_cut_safetensors_file_is_refused(tmp_path: Path) -> None:
    whole = safetensors_bytes({"a": ("F32", [8], bytes(32))})
    path = tmp_path / "m.safetensors"
    for size, cause in ((0, "unreadable"), (4, "unreadable"), (20, "cut_off")):
        path.write_bytes(whole[:size])
        with pytest.raises(BackendError) as caught:
            SafetensorsFile(path)
        assert caught.value.code == f"backend.model_{cause}"
    path.write_bytes(whole[:-1])
    with pytest.raises(BackendError) as caught:
        SafetensorsFile(path).tensor("a")
    assert caught.value.code == "backend.model_cut_off"
    path.write_bytes(b"\2\0\0\0\0\0\0\0[]")
    with pytest.raises(BackendError):
        SafetensorsFile(path)


def test_the_tokenizer_of_a_directory_comes_along(tmp_path: Path) -> None:
    write_hf(tmp_path, TINY, weights_of(TINY))
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": 1}', "utf-8")
    vocab = {letter: number for number, letter in enumerate("abĠ")}
    data = {
        "model": {"type": "BPE", "vocab": {**vocab, "ab": 3}, "merges": [["a", "b"]]},
        "pre_tokenizer": BYTE_LEVEL,
        "added_tokens": [added_token("<|im_end|>", 4)],
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(data), "utf-8")
    settings = {"chat_template": "{{ eos_token }}{{ messages[0].content }}", "eos_token": "<|im_end|>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    model = ModelLoader().load(ModelSource("hf", str(tmp_path)))
    assert model.readable().encode("ab ab<|im_end|>") == [3, 2, 3, 4]
    assert model.chat_format.prompt("", "ab") == "<|im_end|>ab"
    assert model.stop_ids == {1}


def test_a_directory_whose_texts_cannot_be_read_computes_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tokenizer that we could only guess at is named, with what to install; a damaged one is damage."""
    monkeypatch.setattr("core.backends.models.tokenizer_json.has_package", lambda: False)
    write_hf(tmp_path, TINY, weights_of(TINY))
    (tmp_path / "tokenizer.json").write_text('{"model": {"type": "Unigram", "vocab": []}}', "utf-8")
    model = ModelLoader().load(ModelSource("hf", str(tmp_path)))
    assert model.backend() is not None
    with pytest.raises(BackendError, match="Unigram") as caught:
        model.readable()
    assert caught.value.code == "backend.tokenizer_package"
    (tmp_path / "tokenizer.json").write_text('{"model": {"type": "BPE"}}', "utf-8")
    with pytest.raises(BackendError) as caught:
        ModelLoader().load(ModelSource("hf", str(tmp_path)))
    assert caught.value.code == "backend.model_damaged"
