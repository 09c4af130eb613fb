"""Which tokenizers this server can offer for logs, and what people know them as. Needs no Streamlit."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from core.backends.models.log_tokenizers import available, has_qwen, tokenizer_named
from core.errors import BackendError
from core.extras import how_to_add as command_to_add
from core.scenario.tokenizer import Tokenizer
from ui.words.i18n import Lang, t

AUTO = "auto"
_REAL = ("own", "qwen", "small")
"""Real ones, the nearest to the server's own model first."""
MODEL_VARIABLE = "BROTH_MODEL"
"""The environment variable with which whoever starts the server names a model of their own."""


def own_model() -> Path | None:
    """That model's file or directory."""
    named = os.environ.get(MODEL_VARIABLE)
    with suppress(OSError):  # no permission, a name that cannot be one
        return Path(named) if named and Path(named).exists() else None
    return None


def offered() -> tuple[str, ...]:
    """The tokenizers that can be chosen here."""
    return available(own_model())


def tokenizer_for(name: str) -> Tokenizer:
    """A tokenizer by its name.

    Raises:
        BackendError: it is not here.
    """
    return tokenizer_named(resolved(name), own_model())


def resolved(name: str) -> str:
    """Which one ``auto`` means here: a real one where there is one that can be read, else the lessons'."""
    if name != AUTO:
        return name
    for real in _REAL:
        if real in offered():
            with suppress(BackendError):
                tokenizer_named(real, own_model())
                return real
    return "teaching"


def tokenizer_title(name: str, lang: Lang) -> str:
    """What a person knows it as."""
    return t(f"traffic.tokenizer.{name}", lang)


def tokenizer_note(name: str | None, lang: Lang) -> str:
    """That texts are cut word by word where no real tokenizer is here; empty otherwise."""
    return t("traffic.tokenizer.none_real", lang) if name == "teaching" and offered() == (name,) else ""


def how_to_add(lang: Lang) -> str:
    """How to get a real one where there is none, or Qwen's beside a model's; empty where it is there."""
    if has_qwen():
        return ""
    key = "traffic.tokenizer.absent" if len(offered()) == 1 else "traffic.tokenizer.more"
    return t(key, lang, command=command_to_add("tokens"))
