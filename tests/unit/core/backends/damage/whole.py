"""Whole model files, small and made up here, for damaging; and what becomes of a file."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.backends.decoders.loader import Model, ModelLoader
from core.backends.models.sources import ModelSource
from core.errors import BackendError
from tests.unit.core.backends.files import (
    TOKENS,
    gguf_metadata,
    gguf_tensors,
    hf_tokenizer_files,
    tokenizer_metadata,
    write_hf,
    write_index,
)
from tests.unit.core.backends.tiny import VARIANTS, weights_of

SPEC = replace(VARIANTS["stretched"], vocab_size=len(TOKENS), folds_tokens=False)
TENSORS = gguf_tensors(SPEC, weights_of(SPEC))
SCORED = {
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.scores": [0.5] * len(TOKENS),
    "tokenizer.ggml.unknown_token_id": 0,
    "tokenizer.ggml.add_space_prefix": True,
}
KINDS = {
    "byte pairs": {**gguf_metadata(SPEC), **tokenizer_metadata()},
    "scores": {**gguf_metadata(SPEC), **tokenizer_metadata(), **SCORED},
}
"""Metadata of GGUF files by their tokenizer; ``TENSORS`` belong to all."""

FOLDERS = {
    "llama": ("llama", replace(SPEC, rope_factors=())),
    "qwen2": ("qwen2", replace(VARIANTS["qwen2"], vocab_size=len(TOKENS), folds_tokens=False)),
    "mistral3": ("ministral3", SPEC),
    "qwen3 with an index": ("qwen3", replace(VARIANTS["qwen3"], vocab_size=len(TOKENS), folds_tokens=False)),
}
"""Hugging Face directories: their type and shape."""


def write_folder(kind: str, folder: Path) -> Path:
    """A whole directory with all the files that people have."""
    model_type, spec = FOLDERS[kind]
    table = {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    }  # fmt: skip
    if kind == "mistral3":
        table = {
            "rope_type": "yarn", "factor": 4.0, "beta_fast": 32.0, "original_max_position_embeddings": 64,
            "llama_4_scaling_beta": 0.1, "mscale": 1.0, "mscale_all_dim": 0.5,
        }  # fmt: skip
    write_hf(folder, spec, weights_of(spec), model_type, rope_scaling=table)
    if kind == "mistral3":
        text = json.loads((folder / "config.json").read_bytes())
        (folder / "config.json").write_text(json.dumps({"model_type": kind, "text_config": text}), "utf-8")
    hf_tokenizer_files(folder)
    if "index" in kind:
        write_index(folder)
    return folder


def outcome(path: Path) -> Model | BackendError:
    """The model, used once, or the refusal. Every other exception ends the test."""
    try:
        model = ModelLoader().load(ModelSource("hf" if path.is_dir() else "gguf", str(path)))
    except BackendError as refusal:
        return refusal
    use(model)
    return model


def use(model: Model) -> None:
    """A prompt through tokenizer and decoder and back, as the page does it."""
    if model.tokenizer is None:
        return
    text = ""
    with suppress(BackendError):  # a template may refuse what it is given
        text = model.chat_format.prompt("Be kind.", "Hi")
    ids = model.tokenizer.encode(f"<|im_start|>hello 你好\n{text}")
    model.tokenizer.texts(ids)
    model.tokenizer.texts(range(model.spec.vocab_size))
    with suppress(BackendError), np.errstate(all="ignore"):  # large numbers overflow, which raises nothing
        model.backend().recompute(tuple(ids)[: model.spec.max_positions])
