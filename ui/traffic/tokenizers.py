"""Which tokenizers this server can offer for logs, and what people know them as. Needs no Streamlit."""

from __future__ import annotations

import os
from pathlib import Path

from core.backends.models.log_tokenizers import HOW_TO_ADD_QWEN, available, has_qwen, tokenizer_named
from core.scenario.tokenizer import Tokenizer
from ui.words.i18n import Lang, t

MODEL_VARIABLE = "BROTH_MODEL"
"""The environment variable with which whoever starts the server names a model of their own."""


def own_model() -> Path | None:
    """That model's file or directory."""
    named = os.environ.get(MODEL_VARIABLE)
    return Path(named) if named and Path(named).exists() else None


def offered() -> tuple[str, ...]:
    """The tokenizers that can be chosen here."""
    return available(own_model())


def tokenizer_for(name: str) -> Tokenizer:
    """A tokenizer by its name.

    Raises:
        BackendError: it is not here.
    """
    return tokenizer_named(name, own_model())


def tokenizer_title(name: str, lang: Lang) -> str:
    """What a person knows it as."""
    return t(f"traffic.tokenizer.{name}", lang)


def how_to_add(lang: Lang) -> str:
    """How to get a real one where there is none, or Qwen's beside a model's; empty where it is there."""
    if has_qwen():
        return ""
    key = "traffic.tokenizer.absent" if len(offered()) == 1 else "traffic.tokenizer.more"
    return t(key, lang, command=HOW_TO_ADD_QWEN)
