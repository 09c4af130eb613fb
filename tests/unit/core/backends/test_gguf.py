"""GGUF files: packed numbers, heads, whole models; and every reason to refuse one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.backends.decoders.loader import ModelLoader
from core.backends.models import gguf_more_quants
from core.backends.models.gguf import GgufFile
from core.backends.models.gguf_more_quants import PACKED
from core.backends.models.gguf_quants import FORMATS, dequantise
from core.backends.models.sources import ModelSource
from core.errors import BackendError
from core.extras import how_to_add
from tests.unit.core.backends.files import F16, gguf_bytes, gguf_metadata, gguf_tensors
from tests.unit.core.backends.tiny import VARIANTS, backend_of, weights_of

RECORDED = json.loads((Path(__file__).parent / "data" / "gguf_quants.json").read_text("utf-8"))
GGUF_VARIANTS = {name: spec for name, spec in VARIANTS.items() if not spec.qk_norm}
SPEC = VARIANTS["llama"]


def write(path: Path, metadata: dict[str, Any] | None = None, **more: Any) -> Path:
    """The tiny model; ``metadata`` entries replace its own (... removes one), ``more`` are tensors to add."""
    entries = {**gguf_metadata(SPEC), **(metadata or {})}
    entries = {name: value for name, value in entries.items() if value is not ...}
    tensors = {**gguf_tensors(SPEC, weights_of(SPEC)), **more}
    path.write_bytes(gguf_bytes(entries, {name: t for name, t in tensors.items() if t is not ...}))
    return path


def refused(path: Path) -> BackendError:
    with pytest.raises(BackendError) as caught:
        ModelLoader().load(ModelSource("gguf", str(path)))
    assert caught.value.values["file"] == path.name
    assert path.name in str(caught.value)
    return caught.value


@pytest.mark.parametrize("name", [form.name for form in FORMATS.values()])
def test_numbers_are_unpacked_bit_for_bit_as_recorded(name: str) -> None:
    form = next(form for form in FORMATS.values() if form.name == name)
    raw = np.frombuffer(bytes.fromhex(RECORDED["formats"][name]["raw"]), np.uint8)
    wanted = np.frombuffer(bytes.fromhex(RECORDED["formats"][name]["float32_le"]), "<f4")
    found = dequantise(form, raw)
    assert found.dtype == np.float32
    assert np.array_equal(found, wanted, equal_nan=True)
    assert form.num_bytes(len(wanted)) == len(raw)


def test_long_tensors_are_unpacked_in_parts() -> None:
    form = FORMATS[8]
    raw = np.random.default_rng(0).integers(0, 60, (40_000, form.size), dtype=np.uint8)
    whole = dequantise(form, raw.reshape(-1))
    assert np.array_equal(whole[-32:], dequantise(form, raw[-1]))
    assert len(whole) == 40_000 * 32


@pytest.mark.parametrize("variant", GGUF_VARIANTS)
def test_a_model_from_a_file_answers_as_the_model_itself(tmp_path: Path, variant: str) -> None:
    """The way there and back: names, shapes and the order of query and key rows."""
    spec = replace(GGUF_VARIANTS[variant], folds_tokens=False)
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf_bytes(gguf_metadata(spec), gguf_tensors(spec, weights_of(spec))))
    model = ModelLoader().load(ModelSource("gguf", str(path)))
    assert replace(model.spec, rms_eps=spec.rms_eps) == spec
    assert model.tokenizer is None
    tokens = tuple(range(20, 60))
    found, wanted = model.backend().recompute(tokens), backend_of("numpy", spec).recompute(tokens)
    assert found.logits is not None
    assert wanted.logits is not None
    np.testing.assert_allclose(found.logits, wanted.logits, atol=1e-5)


def test_a_model_without_kv_heads_and_key_length_has_the_usual_ones(tmp_path: Path) -> None:
    spec = VARIANTS["multi-head"]
    data = gguf_metadata(spec)
    for name in ("attention.head_count_kv", "attention.key_length", "rope.freq_base"):
        del data[f"llama.{name}"]
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes(data, gguf_tensors(spec, weights_of(spec)), version=2))
    found = ModelLoader().load(ModelSource("gguf", str(path))).spec
    assert (found.num_kv_heads, found.head_dim, found.rope_theta) == (4, 8, 10_000.0)


def test_metadata_of_every_type_is_read(tmp_path: Path) -> None:
    entries = {"a": 7, "b": 0.5, "c": "汤", "d": True, "e": ["x", "yz"], "f": [1, -2, 3], "g": [0.25]}
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes(entries, {}))
    found = GgufFile(path).metadata
    assert isinstance(found["f"], np.ndarray)  # many numbers take the place that they have in the file
    assert {name: np.array(one).tolist() for name, one in found.items()} == entries


def test_a_tensor_keeps_its_shape(tmp_path: Path) -> None:
    numbers = np.arange(6, dtype=np.float16).reshape(2, 3)
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes({}, {"one": ((4,), 0, bytes(16)), "two": ((2, 3), F16, numbers.tobytes())}))
    assert np.array_equal(GgufFile(path).tensor("two"), numbers)


@pytest.mark.parametrize("content", [b"", b"GG", b"not a model at all, but long enough to be one"])
def test_no_gguf_at_all(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    assert refused(path).code == "backend.model_unreadable"


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    assert refused(tmp_path / "nothing.gguf").code == "backend.model_unreadable"
    assert refused(tmp_path).code == "backend.model_unreadable"


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    whole = write(tmp_path / "m.gguf").read_bytes()
    cut = tmp_path / "cut.gguf"
    for size in (5, 20, 30, 100, 900, len(whole) // 2, len(whole) - 40):
        cut.write_bytes(whole[:size])
        assert refused(cut).code in ("backend.model_cut_off", "backend.model_unreadable"), size


def test_a_count_that_cannot_be_is_refused_at_once(tmp_path: Path) -> None:
    """A broken length must not make us reserve memory for 2**60 entries."""
    path = tmp_path / "m.gguf"
    path.write_bytes(
        gguf_bytes({"tokens": ["a"]}, {}).replace(b"\x01\0\0\0\0\0\0\0a", b"\xff" * 7 + b"\x0fa")
    )
    assert refused(path).code == "backend.model_cut_off"


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ({"general.architecture": "gemma"}, "architecture"),
        ({"llama.block_count": ...}, "missing"),
        ({"llama.rope.dimension_count": 4}, "partial_rope"),
        ({"llama.rope.scaling.type": "longrope"}, "rope"),
    ],
)
def test_other_shapes_are_refused(tmp_path: Path, metadata: dict[str, Any], code: str) -> None:
    assert refused(write(tmp_path / "m.gguf", metadata)).code == f"backend.model_{code}"


def test_an_unknown_tensor_is_refused(tmp_path: Path) -> None:
    error = refused(write(tmp_path / "m.gguf", **{"blk.0.ffn_gate_inp.weight": ((2,), 0, bytes(8))}))
    assert error.code == "backend.model_part"
    assert error.values["found"] == "blk.0.ffn_gate_inp.weight"


@pytest.mark.parametrize("name", ["token_embd.weight", "blk.1.ffn_up.weight", "output_norm.weight"])
def test_a_missing_tensor_is_refused(tmp_path: Path, name: str) -> None:
    error = refused(write(tmp_path / "m.gguf", **{name: ...}))
    assert (error.code, error.values["part"]) == ("backend.model_missing", name)


@pytest.mark.parametrize(
    ("kind", "size", "name"), [(26, 128, "I32"), (5, 64, "type 5"), (2**31, 64, f"type {2**31}")]
)
def test_an_unknown_form_of_numbers_is_refused(tmp_path: Path, kind: int, size: int, name: str) -> None:
    error = refused(write(tmp_path / "m.gguf", **{"output_norm.weight": ((32,), kind, bytes(size))}))
    assert (error.code, error.values["found"]) == ("backend.model_quantised", name)
    assert "Q4_K" in str(error)


@pytest.mark.parametrize("kind", PACKED)
def test_without_the_package_its_forms_are_named_with_the_way_to_add_it(
    tmp_path: Path, kind: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_more_quants, "_package_unpacks", lambda _: False)
    form = gguf_more_quants.form_of(kind)
    assert form is not None
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes({}, {"x": ((2, form.block), kind, bytes(2 * form.size))}))
    with pytest.raises(BackendError) as caught:
        GgufFile(path).shapes()
    assert caught.value.values["found"] == f"{form.name} ({how_to_add('gguf')})"


@pytest.mark.parametrize("kind", PACKED)
def test_with_the_package_its_forms_are_read(tmp_path: Path, kind: int) -> None:
    gguf = pytest.importorskip("gguf", reason=f"gguf is not installed: {how_to_add('gguf')}")
    form = gguf_more_quants.form_of(kind)
    assert form is not None
    assert (form.name, form.block, form.size) == (
        gguf.GGMLQuantizationType(kind).name, *gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(kind)],
    )  # fmt: skip
    raw = np.random.default_rng(kind).integers(0, 60, (3, form.size), dtype=np.uint8)  # no infinite scales
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes({}, {"x": ((3, form.block), kind, raw.tobytes())}))
    wanted = gguf.quants.dequantize(raw, gguf.GGMLQuantizationType(kind))
    assert np.array_equal(GgufFile(path).tensor("x"), wanted)


def test_a_version_of_tomorrow_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes({}, {}, version=9))
    assert refused(path).code == "backend.model_version"
