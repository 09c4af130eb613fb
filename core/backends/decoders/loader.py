"""Where models come from, each loaded once: random weights, a GGUF file, a Hugging Face directory.

Keep one ``ModelLoader`` per server and share it: a model is read by the first visitor who asks, checked
against free memory before, and handed to everybody else. Backends (with their pools) are made per run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.backends.base import Floats
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.decoders.numpy_prefill import NumpyBackend
from core.backends.decoders.torch_prefill import (
    Device,
    DType,
    TorchBackend,
    choose_device,
    choose_dtype,
    free_on_gpu,
    load_torch,
)
from core.backends.line import Line
from core.backends.memory import refuse_if_short
from core.backends.models.chat_format import PLAIN, ChatFormat
from core.backends.models.sources import ModelSource, Opened, open_source
from core.backends.models.tokenizer import ModelTokenizer
from core.backends.progress import Progress, no_progress
from core.backends.spec import DecoderSpec
from core.backends.weights import Weights, load_weights, map_weights
from core.errors import BackendError

Library = Literal["numpy", "torch"]
_COMPUTES_ANYWAY = ("backend.no_tokenizer", "backend.tokenizer_kind", "backend.tokenizer_package")
"""A model whose texts cannot be read can still be measured; one with a damaged tokenizer is damaged."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A loaded model: shared, never changed. ``stop_ids`` end an answer. Without a ``tokenizer`` it computes
    and cannot read texts; ``no_texts`` says why."""

    source: ModelSource
    spec: DecoderSpec
    library: Library
    weights: Weights[Any]
    tokenizer: ModelTokenizer | None = None
    chat_format: ChatFormat = PLAIN
    stop_ids: frozenset[int] = frozenset()
    no_texts: BackendError | None = None

    def readable(self) -> ModelTokenizer:
        """The tokenizer.

        Raises:
            BackendError: the model came without one that is read here.
        """
        if self.no_texts is not None:
            raise self.no_texts.alone()
        if self.tokenizer is None:
            raise BackendError(
                "backend.no_tokenizer",
                f"{self.spec.name} has no tokenizer that is read here. Choose another model for texts.",
                name=self.spec.name,
            )
        return self.tokenizer

    def backend(self, threads: int = 1) -> DecoderBackend[Any]:
        """A new backend over these weights, with no pool yet."""
        if self.library == "torch":
            return TorchBackend(self.spec, self.weights, threads)
        return NumpyBackend(self.spec, self.weights, threads)


class ModelLoader:
    """Loads each model once. Safe to share between threads; a second caller waits for the first.

    ``line``: whoever measures takes a turn in it, for two measurements at once would disturb each other.
    """

    def __init__(self) -> None:
        self.line = Line()
        self._lock = threading.Lock()
        self._models: dict[tuple[ModelSource, Library, str, str], Model] = {}

    def need_bytes(self, source: ModelSource, float_bytes: int = 4) -> int:
        """Memory that the weights will take; reads the head of the file only."""
        return _need(open_source(source).spec, float_bytes)

    def load(
        self,
        source: ModelSource,
        library: Library = "numpy",
        *,
        device: Device = "auto",
        dtype: DType = "float32",
        progress: Progress = no_progress,
    ) -> Model:
        """The model, loaded now or before. ``device`` and ``dtype`` are torch's. ``progress`` may raise.

        Raises:
            BackendError: no such model, one that is not supported, too little memory, no torch.
        """
        place = choose_device(device) if library == "torch" else "cpu"
        key = (source, library, place, dtype)
        if key in self._models:  # not behind a stranger's model that is being read
            return self._models[key]
        with self._lock:
            if key not in self._models:
                self._models[key] = self._load(source, library, place, dtype, progress)
            return self._models[key]

    def loaded(self) -> tuple[Model, ...]:
        """All models that are held."""
        return tuple(self._models.values())

    def forget(self, source: ModelSource) -> None:
        """Let go of a model; its memory is free once no run uses it any more."""
        with self._lock:
            self._models = {key: model for key, model in self._models.items() if key[0] != source}

    def _load(
        self, source: ModelSource, library: Library, place: str, dtype: DType, progress: Progress
    ) -> Model:
        if library == "numpy":
            opened = open_source(source)
            refuse_if_short(_need(opened.spec, 4), opened.spec.name)
            model = _reading(source, opened, "numpy")
            return model(load_weights(opened.spec, opened.weights, _as_it_is, progress))
        torch = load_torch()
        kind = choose_dtype(dtype, place)
        shared = self._models.get((source, "numpy", "cpu", "float32"))
        if place == "cpu" and dtype == "float32" and shared is not None:
            return replace(shared, library="torch", weights=map_weights(shared.weights, torch.from_numpy))
        opened = open_source(source)
        rest = free_on_gpu() if place == "cuda" else None
        refuse_if_short(_need(opened.spec, kind.itemsize), opened.spec.name, rest)
        model = _reading(source, opened, "torch")

        def to_torch(numbers: Floats) -> Any:
            return torch.from_numpy(numbers).to(place, kind)

        return model(load_weights(opened.spec, opened.weights, to_torch, progress))


def _need(spec: DecoderSpec, float_bytes: int) -> int:
    """The weights, and the largest single tensor once more while it is unpacked."""
    return spec.weight_bytes(float_bytes) + spec.vocab_size * spec.hidden * 4


def _as_it_is(numbers: Floats) -> Floats:
    return numbers


def _reading(source: ModelSource, opened: Opened, library: Library) -> Callable[[Weights[Any]], Model]:
    """The model as soon as its weights are there. What it needs for texts is read now: damage there is told
    before a long loading, not after it."""
    tokenizer, no_texts = None, None
    try:
        tokenizer = opened.tokenizer() if opened.tokenizer else None
    except BackendError as error:
        if error.code not in _COMPUTES_ANYWAY:
            raise
        no_texts = error.alone()
    chat = opened.chat()
    return lambda weights: Model(
        source, opened.spec, library, weights, tokenizer, chat, opened.stop_ids, no_texts
    )
