"""Which model computes, and with which library: what this server has, and how to add the rest.

A model by its path is the choice of whoever starts the server (``BROTH_MODEL``). Nobody types a path here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from core.backends.decoders.loader import Library, Model, ModelLoader
from core.backends.decoders.torch_prefill import torch_available
from core.backends.memory import in_mb
from core.backends.models.refusals import told_shortly
from core.backends.models.sources import ModelSource, open_source, small_model_path
from core.backends.spec import SIZES, DecoderSpec

VARIABLE = "BROTH_MODEL"
"""The environment variable that names a .gguf file or a model directory."""

RANDOM = ("XS", "S", "M")
SMALL, OWN = "small", "own"
SMALL_NAME = "SmolLM2-135M-Instruct"


@dataclass(frozen=True, slots=True)
class Choice:
    """A library and a model by its short name: a size of the random ones, ``small`` or ``own``."""

    library: Library = "numpy"
    model: str = "S"


@st.cache_resource(show_spinner=False)
def loader() -> ModelLoader:
    """One for all visitors: weights are read once and never changed."""
    return ModelLoader()


def libraries() -> list[Library]:
    """numpy always, torch where it is installed."""
    return ["numpy", "torch"] if torch_available() else ["numpy"]


def models() -> list[str]:
    """What can be chosen on this server."""
    return [*RANDOM, *readable_models()]


def readable_models() -> list[str]:
    """Those that were trained on texts."""
    found = [SMALL] if small_model_path() else []
    return [*found, OWN] if os.environ.get(VARIABLE) else found


def source_of(model: str) -> ModelSource:
    """Where a model of ``models()`` comes from."""
    if model in RANDOM:
        return ModelSource("random", model)
    path = small_model_path() if model == SMALL else _own_path()
    kind: Callable[[Path], ModelSource] = _gguf if str(path).lower().endswith(".gguf") else _directory
    return kind(path or Path())


def _own_path() -> Path:
    return Path(os.environ.get(VARIABLE, ""))


def _gguf(path: Path) -> ModelSource:
    return ModelSource("gguf", str(path))


def _directory(path: Path) -> ModelSource:
    return ModelSource("hf", str(path))


@cache
def spec_of(source: ModelSource) -> DecoderSpec:
    """The shape; only the head of a file is read.

    Raises:
        BackendError: no such model, or one that is not supported.
    """
    return open_source(source).spec


def is_loaded(choice: Choice) -> bool:
    """Whether the server holds the weights already."""
    source = source_of(choice.model)
    return any(one.source == source and one.library == choice.library for one in loader().loaded())


def model_name(choice: Choice) -> str:
    """The model's own name; for a path the last part of it."""
    if choice.model in RANDOM:
        return choice.model
    return SMALL_NAME if choice.model == SMALL else str(told_shortly(_own_path().name))


def need_mb(choice: Choice) -> int:
    """Megabytes of memory that loading takes: 4 bytes a parameter, and the largest tensor once more.

    Raises:
        BackendError: no such model, or one that is not supported.
    """
    return _need_mb(source_of(choice.model))


@cache
def _need_mb(source: ModelSource) -> int:
    return in_mb(loader().need_bytes(source))


def load(choice: Choice, progress: Callable[[float], None], known: ModelLoader) -> Model:
    """The model, loaded now or before. ``progress`` may raise to stop it."""
    return known.load(source_of(choice.model), choice.library, progress=progress)


def relative_work(choice: Choice) -> float:
    """Work of a prompt beside that of the model S."""
    spec = SIZES[choice.model] if choice.model in SIZES else spec_of(source_of(choice.model))
    return spec.prefill_flops(640) / SIZES["S"].prefill_flops(640)
