"""Every family from both formats: the same weights as GGUF and as a directory answer alike, and as the plain
decoder; what is not the model that a file speaks of is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.backends.base import Floats
from core.backends.decoders.loader import ModelLoader
from core.backends.models.families import GGUF_NAMES, HF_NAMES
from core.backends.models.sources import ModelSource, open_source
from core.backends.spec import DecoderSpec
from core.errors import BackendError
from tests.unit.core.backends.files import (
    gguf_bytes,
    gguf_metadata,
    gguf_tensors,
    hf_tensors,
    safetensors_bytes,
    write_hf,
    write_index,
)
from tests.unit.core.backends.reference import logits_of
from tests.unit.core.backends.tiny import TINY, weights_of

BASE = replace(TINY, folds_tokens=False, rms_eps=2.0**-17, rope_theta=1_000_000.0)
FAMILIES: dict[str, tuple[str, str, DecoderSpec]] = {
    "llama": ("llama", "llama", BASE),
    "llama, tied": ("llama", "llama", replace(BASE, tied_head=True)),
    "mistral": ("llama", "mistral", replace(BASE, head_dim=16)),
    "qwen2": ("qwen2", "qwen2", replace(BASE, qkv_bias=True)),
    "qwen2, tied": ("qwen2", "qwen2", replace(BASE, qkv_bias=True, tied_head=True)),
    "qwen3": ("qwen3", "qwen3", replace(BASE, qk_norm=True, head_dim=16)),
    "qwen3, tied": ("qwen3", "qwen3", replace(BASE, qk_norm=True, tied_head=True)),
}
"""GGUF's architecture, the directory's model_type, the shape."""
TOKENS = tuple(range(20, 60))


def write_gguf(path: Path, family: str, **metadata: Any) -> ModelSource:
    architecture, _, spec = FAMILIES[family]
    own = {f"{architecture}.{name.replace('__', '.')}": value for name, value in metadata.items()}
    entries = {**gguf_metadata(spec, architecture), **own}
    path.write_bytes(gguf_bytes(entries, gguf_tensors(spec, weights_of(spec), architecture)))
    return ModelSource("gguf", str(path))


def write_directory(folder: Path, family: str, **changes: Any) -> ModelSource:
    _, model_type, spec = FAMILIES[family]
    write_hf(folder, spec, weights_of(spec), model_type, **changes)
    write_index(folder)
    return ModelSource("hf", str(folder))


def answer(source: ModelSource) -> Floats:
    logits = ModelLoader().load(source).backend().recompute(TOKENS).logits
    assert logits is not None
    return logits


@pytest.mark.parametrize("family", FAMILIES)
def test_both_formats_answer_alike_and_as_the_plain_decoder(tmp_path: Path, family: str) -> None:
    spec = FAMILIES[family][2]
    one, other = write_gguf(tmp_path / "m.gguf", family), write_directory(tmp_path, family)
    assert replace(open_source(one).spec, name="") == replace(open_source(other).spec, name="")
    assert replace(open_source(one).spec, name=spec.name) == spec
    found = answer(one)
    assert np.array_equal(found, answer(other))
    np.testing.assert_allclose(found, logits_of(spec, weights_of(spec), TOKENS), atol=1e-4)


def test_rows_of_llama_read_as_qwens_would_answer_otherwise(tmp_path: Path) -> None:
    """The order of rows matters, so the comparison above can fail."""
    spec = FAMILIES["qwen2"][2]
    path = tmp_path / "m.gguf"
    as_llama = gguf_tensors(spec, weights_of(spec), "llama")
    path.write_bytes(gguf_bytes(gguf_metadata(spec, "qwen2"), as_llama))
    wanted = logits_of(spec, weights_of(spec), TOKENS)
    assert np.abs(answer(ModelSource("gguf", str(path))) - wanted).max() > 0.1


# -- against the library, where it is installed ---------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_transformers_answers_alike(tmp_path: Path, family: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    source = write_directory(tmp_path, family)
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32)
    with torch.no_grad():
        wanted = model(torch.tensor([TOKENS])).logits[0, -1].numpy()
    np.testing.assert_allclose(answer(source), wanted, atol=1e-4)


# -- what is not the model that the file speaks of ------------------------------------------------------


def refused(source: ModelSource) -> BackendError:
    with pytest.raises(BackendError) as caught:
        open_source(source)
    return caught.value


@pytest.mark.parametrize(
    ("settings", "cause", "values"),
    [
        ({"block_count": 2}, "layers", {"found": 2, "held": 3}),
        ({"block_count": 3_000_000}, "layers", {"found": 3_000_000, "held": 3}),
        ({"expert_count": 8}, "part", {"found": "expert_count = 8"}),
        ({"attention__layer_norm_rms_epsilon": "1e-5"}, "damaged", {}),
        ({"logit_scale": 0.5}, "setting", {"found": "logit_scale"}),
        ({"attention__value_length": 4}, "damaged", {}),
        ({"attention__head_count_kv": 1}, "shape", {"part": "blk.0.attn_k.weight"}),
        ({"rope__scaling__type": "longrope"}, "rope", {"found": "longrope"}),
        ({"rope__scaling__type": "yarn"}, "missing", {"part": "llama.rope.scaling.factor"}),
        ({"rope__scaling__yarn_ext_factor": 0.5}, "part", {"found": "rope.scaling.yarn_ext_factor = 0.5"}),
        ({"rope__scaling__factor": 4.0, "rope__scale_linear": 2.0}, "damaged", {}),
        ({"attention__temperature_scale": 0.5}, "part", {"found": "attention.temperature_scale = 0.5"}),
        ({"rope__dimension_count": 4}, "partial_rope", {}),
    ],
)
def test_a_gguf_file_that_sets_another_model_is_refused(
    tmp_path: Path, settings: dict[str, Any], cause: str, values: dict[str, Any]
) -> None:
    error = refused(write_gguf(tmp_path / "m.gguf", "llama", **settings))
    assert error.code == f"backend.model_{cause}"
    assert {name: error.values[name] for name in values} == values


@pytest.mark.parametrize(
    "settings",
    [
        {"vocab_size": 97, "attention__value_length": 8, "rope__dimension_count": 8},
        {"expert_count": 0, "expert_used_count": 0, "attention__causal": True},
        {"attention__sliding_window": TINY.max_positions},
        {"rope__scaling__type": "none", "rope__scaling__factor": 0.0},
        {"rope__scaling__type": "linear", "rope__scaling__factor": 1.0},
    ],
)
def test_a_gguf_file_that_says_more_of_the_same_model_is_taken(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    open_source(write_gguf(tmp_path / "m.gguf", "llama", **settings))


@pytest.mark.parametrize(
    ("settings", "cause", "values"),
    [
        ({"num_hidden_layers": 2}, "layers", {"found": 2, "held": 3}),
        ({"num_hidden_layers": 3_000_000}, "layers", {"found": 3_000_000, "held": 3}),
        ({"num_local_experts": 8}, "setting", {"found": "num_local_experts"}),
        ({"mlp_bias": True}, "part", {"found": "mlp_bias = True"}),
        ({"vocab_size": 300}, "shape", {"found": "97 × 32", "wanted": "300 × 32"}),
        ({"head_dim": 16}, "shape", {"part": "model.layers.0.self_attn.q_proj.weight"}),
        ({"num_key_value_heads": 3}, "damaged", {}),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 0}}, "damaged", {}),
        ({"rope_scaling": {"rope_type": "default", "long_factor": 1.0}}, "setting", {"found": "long_factor"}),
        ({"rope_scaling": {"rope_type": "dynamic", "factor": 4.0}}, "rope", {"found": "dynamic"}),
        ({"tie_word_embeddings": True}, "part", {"found": "lm_head.weight ≠ model.embed_tokens.weight"}),
    ],
)
def test_a_directory_that_sets_another_model_is_refused(
    tmp_path: Path, settings: dict[str, Any], cause: str, values: dict[str, Any]
) -> None:
    error = refused(write_directory(tmp_path, "llama", **settings))
    assert error.code == f"backend.model_{cause}"
    assert {name: error.values[name] for name in values} == values


@pytest.mark.parametrize("name", ["norm", "head"])
def test_a_tensor_of_another_shape_is_refused_in_both_formats(tmp_path: Path, name: str) -> None:
    """A norm of one number would be stretched over all by the arithmetic; 17 rows would be 17 words."""
    part, layer, shape = ("ffn_norm", 1, (1,)) if name == "norm" else ("head", None, (17, 32))
    raw, weights = bytes(4 * int(np.prod(shape))), weights_of(BASE)
    stored = GGUF_NAMES.stored(part, layer)
    tensors = {**gguf_tensors(BASE, weights), stored: (shape, 0, raw)}
    (tmp_path / "m.gguf").write_bytes(gguf_bytes(gguf_metadata(BASE), tensors))
    error = refused(ModelSource("gguf", str(tmp_path / "m.gguf")))
    assert (error.code, error.values["part"]) == ("backend.model_shape", stored)
    stored = HF_NAMES.stored(part, layer)
    write_directory(tmp_path, "llama")
    for path in tmp_path.glob("model*"):
        path.unlink()
    other = {**hf_tensors(BASE, weights), stored: ("F32", shape, raw)}
    (tmp_path / "model.safetensors").write_bytes(safetensors_bytes(other))
    error = refused(ModelSource("hf", str(tmp_path)))
    assert (error.code, error.values["part"]) == ("backend.model_shape", stored)


@pytest.mark.parametrize("family", ["qwen2", "qwen3"])
def test_the_tensors_of_one_family_are_not_another_one(tmp_path: Path, family: str) -> None:
    spec = FAMILIES[family][2]
    write_hf(tmp_path, spec, weights_of(spec), "llama")
    assert refused(ModelSource("hf", str(tmp_path))).code == "backend.model_part"
    write_hf(tmp_path, BASE, weights_of(BASE), family)
    assert refused(ModelSource("hf", str(tmp_path))).code == "backend.model_missing"


# -- the index of a directory ---------------------------------------------------------------------------


def change_index(folder: Path, **where: str | None) -> ModelSource:
    path = folder / "model.safetensors.index.json"
    index = json.loads(path.read_bytes())
    index["weight_map"].update({name.replace("__", "."): file for name, file in where.items()})
    path.write_text(json.dumps(index), "utf-8")
    return ModelSource("hf", str(folder))


def test_only_the_files_of_the_index_are_read(tmp_path: Path) -> None:
    source = write_directory(tmp_path, "llama")
    (tmp_path / "consolidated.safetensors").write_bytes(b"another format of the same weights")
    assert open_source(source).spec.num_layers == 3


@pytest.mark.parametrize(
    ("file", "cause"),
    [
        ("model-7.safetensors", "missing"),
        ("../model-0.safetensors", "damaged"),
        ("/etc/passwd", "damaged"),
        ("model-1.safetensors", "damaged"),
        (None, "damaged"),
    ],
)
def test_an_index_that_says_otherwise_than_the_files(tmp_path: Path, file: str | None, cause: str) -> None:
    write_directory(tmp_path, "llama")
    assert refused(change_index(tmp_path, lm_head__weight=file)).code == f"backend.model_{cause}"


def test_an_index_of_a_tensor_that_no_file_holds(tmp_path: Path) -> None:
    write_directory(tmp_path, "llama")
    error = refused(change_index(tmp_path, model__extra="model-0.safetensors"))
    assert (error.code, error.values["part"]) == ("backend.model_missing", "model.extra")


def test_links_as_in_the_librarys_cache_are_followed(tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshot"
    blobs.mkdir()
    snapshot.mkdir()
    write_directory(blobs, "llama")
    for path in blobs.iterdir():
        (snapshot / path.name).symlink_to(Path("..") / "blobs" / path.name)
    assert open_source(ModelSource("hf", str(snapshot))).spec.num_layers == 3


# -- what published models say of themselves ------------------------------------------------------------

COMMON = (
    "architectures", "attention_dropout", "bos_token_id", "eos_token_id", "initializer_range", "torch_dtype",
    "transformers_version", "use_cache",
)  # fmt: skip
PUBLISHED: dict[str, tuple[str, dict[str, Any]]] = {
    "Qwen2.5": (
        "qwen2",
        {"max_window_layers": 21, "use_mrope": False, "use_sliding_window": False, "sliding_window": 32},
    ),
    "Qwen3": (
        "qwen3",
        {"attention_bias": False, "max_window_layers": 28, "rope_scaling": None, "use_sliding_window": False},
    ),
    "Llama 3.1": ("llama", {"attention_bias": False, "mlp_bias": False, "pretraining_tp": 1}),
    "Mistral 7B v0.3": ("mistral", {"sliding_window": None}),
    "SmolLM2": (
        "llama",
        {"is_llama_config": True, "pad_token_id": 2, "rope_interleaved": False, "transformers.js_config": {}},
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_settings_of_published_models_are_known(tmp_path: Path, name: str) -> None:
    family, settings = PUBLISHED[name]
    open_source(write_directory(tmp_path, family, **dict.fromkeys(COMMON, 1), **settings))
