"""Our decoder against llama.cpp's, over the same GGUF files: the check that needs a package the app does not.

    pip install -r requirements-llama.txt
    python -m benchmarks.against_llama_cpp [FILE.gguf …]

Families: small made-up models in float32. Forms: a model whose embedding is packed, by dice, in every form
that is read here (the fourteen of the package gguf where it is installed), because rows of the embedding are
what llama.cpp unpacks into float32: over packed matrices it rounds what flows between the layers as well.
Files: whatever is named, as it is; there that rounding shows.

Compared are the log-probabilities of all tokens after a prompt, and the greedy continuation.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import xllamacpp
from numpy.typing import NDArray

from core.backends.decoders.loader import Model, ModelLoader
from core.backends.models.families import GGUF_NAMES
from core.backends.models.gguf_more_quants import PACKED, form_of, readable
from core.backends.models.gguf_quants import FORMATS, Format
from core.backends.models.sources import ModelSource
from core.backends.spec import DecoderSpec
from tests.unit.core.backends.files import TOKENS, gguf_bytes, gguf_metadata, gguf_tensors, tokenizer_metadata
from tests.unit.core.backends.tiny import weights_of

LIMIT, STEPS = 1e-3, 20
SMALLEST = -80.0
"""Below it llama.cpp's probabilities are 0 in float32, and their logarithms say nothing."""

BASE = DecoderSpec(
    "made up", len(TOKENS), 256, 3, 4, 2, 64, 512, rms_eps=2.0**-17, rope_theta=10_000.0, max_positions=2048
)
YARN = {
    "rope.scaling.type": "yarn",
    "rope.scaling.factor": 4.0,
    "rope.scaling.original_context_length": 512,
}
FAMILIES: dict[str, tuple[str, DecoderSpec, dict[str, Any]]] = {
    "llama": ("llama", BASE, {}),
    "llama, tied head": ("llama", replace(BASE, tied_head=True), {}),
    "llama, biases": ("llama", replace(BASE, qkv_bias=True), {}),
    "llama, wide heads": ("llama", replace(BASE, head_dim=128), {}),
    "llama, rope_freqs": ("llama", replace(BASE, rope_factors=(*[1.0] * 12, *[3.0] * 8, *[8.0] * 12)), {}),
    "llama, linear": ("llama", BASE, {"rope.scaling.type": "linear", "rope.scaling.factor": 4.0}),
    "llama, yarn": ("llama", BASE, YARN),
    "mistral3, yarn": (
        "mistral3",
        BASE,
        {**YARN, "rope.scaling.yarn_log_multiplier": 1.0, "attention.temperature_scale": 0.1},
    ),
    "qwen2": ("qwen2", replace(BASE, qkv_bias=True), {}),
    "qwen2, yarn": ("qwen2", replace(BASE, qkv_bias=True), YARN),
    "qwen3": ("qwen3", replace(BASE, qk_norm=True), {}),
}


class LlamaCpp:
    """A GGUF file opened by llama.cpp, with K and V in float32."""

    def __init__(self, path: Path) -> None:
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx = params.n_batch = params.n_ubatch = 1024
        params.n_parallel, params.n_gpu_layers, params.verbosity = 1, 0, -1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
        params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
        params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        params.fit_params = params.ui = params.warmup = False
        self._server = xllamacpp.Server(params)

    def answer(self, tokens: Sequence[int], words: int) -> tuple[NDArray[np.float64], list[int]]:
        """The log-probabilities after ``tokens``, and the greedy tokens behind them."""
        asked = {"prompt": list(tokens), "n_predict": STEPS, "temperature": 0, "n_probs": words}
        told = self._server.handle_completions({**asked, "cache_prompt": False})
        told = json.loads(told) if isinstance(told, str | bytes) else told
        steps, found = told["choices"][0]["logprobs"]["content"], np.full(words, -np.inf)
        for one in steps[0]["top_logprobs"]:
            found[one["id"]] = one["logprob"]
        return found, [one["id"] for one in steps]


def made_up(path: Path, family: str, form: int = 0) -> Path:
    """A small model in float32, its embedding packed in a form by its number in the file. Its words are whole
    letters: llama.cpp tells no probabilities of half ones."""
    architecture, spec, settings = FAMILIES[family]
    entries = {
        **gguf_metadata(spec, architecture),
        **tokenizer_metadata(),
        "tokenizer.ggml.tokens": [*TOKENS[:3], *(f"w{number}" for number in range(3, len(TOKENS)))],
        f"{architecture}.attention.value_length": spec.head_dim,
        **{f"{architecture}.{name}": value for name, value in settings.items()},
    }
    tensors = gguf_tensors(spec, weights_of(spec), "llama" if architecture == "mistral3" else architecture)
    if form:
        name = GGUF_NAMES.stored("embedding")
        tensors[name] = (tensors[name][0], form, by_dice(form, spec.vocab_size * spec.hidden))
    path.write_bytes(gguf_bytes(entries, tensors))
    return path


def by_dice(kind: int, count: int) -> bytes:
    """Packed numbers: any bytes are some, as long as the scales are numbers. Of many draws for each block the
    first whose numbers are finite and neither huge nor all nothing is taken."""
    form, dice, blocks = form_of(kind), np.random.default_rng(kind), []
    assert form is not None
    while len(blocks) < count // form.block:
        raw = dice.integers(0, 256, (4096, form.size), dtype=np.uint8)
        with np.errstate(all="ignore"):
            largest = np.abs(form.unpack(raw)).max(axis=1)
        blocks += list(raw[(largest > 0.1) & (largest < 100)])
    return np.stack(blocks[: count // form.block]).tobytes()


def compare(path: Path) -> tuple[float, int, int]:
    """Largest difference of the log-probabilities, and how many of the greedy tokens are the same."""
    model = ModelLoader().load(ModelSource("gguf", str(path)))
    tokens = prompt(model)
    wanted, line = LlamaCpp(path).answer(tokens, model.spec.vocab_size)
    found = ours(model, tokens)
    shown = wanted > SMALLEST
    worst, same = float(np.abs(found - wanted)[shown].max()), 0
    while same < len(line) and int(found.argmax()) == line[same]:
        tokens.append(line[same])
        same += 1
        found = ours(model, tokens)
    return worst, same, len(line)


def prompt(model: Model) -> list[int]:
    """A real text for a model that was trained, 300 tokens for a made-up one."""
    if model.spec.vocab_size > len(TOKENS) and model.tokenizer is not None:
        return model.tokenizer.encode("The broth has simmered for hours. Now tell me what is in it, and why")
    found: list[int] = np.random.default_rng(0).integers(3, model.spec.vocab_size, 300).tolist()
    return found


def ours(model: Model, tokens: Sequence[int]) -> NDArray[np.float64]:
    """The last log-probabilities, everything computed."""
    logits = model.backend(2).recompute(tuple(tokens)).logits
    assert logits is not None
    wide = logits.astype(np.float64)
    return wide - wide.max() - np.log(np.exp(wide - wide.max()).sum())


def forms() -> dict[int, Format]:
    """All that are read here, by their number in the file."""
    known = {kind: form_of(kind) for kind in (*FORMATS, *PACKED) if readable(kind)}
    return {kind: form for kind, form in known.items() if form is not None}


def main(files: list[str]) -> int:
    """Print the tables; 1 if a made-up model differs by more than LIMIT."""
    print(f"xllamacpp {xllamacpp.__version__}, K and V in float32, log-probabilities of all tokens")
    print("| what | worst difference | greedy tokens |\n| --- | --- | --- |")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.gguf"
        for family in FAMILIES:
            bad += row(family, *compare(made_up(path, family)))
        for kind, form in forms().items():
            bad += row(form.name, *compare(made_up(path, "llama", kind)))
    for file in files:
        row(Path(file).name, *compare(Path(file)))
    return int(bad > 0)


def row(name: str, worst: float, same: int, count: int) -> bool:
    """One line of the table; whether it is bad."""
    print(f"| {name} | {worst:.1e} | {same} of {count} |", flush=True)
    return worst > LIMIT or same < count


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
