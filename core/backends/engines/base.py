"""What every engine can do here: take a prompt and say when its first token was there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Takes = Literal["tokens", "text"]
AtOnce = Literal["in line", "as it likes"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """The same prompt twice: as ids of the model's vocabulary, and as text."""

    token_ids: tuple[int, ...]
    text: str

    def __add__(self, other: Prompt) -> Prompt:
        return Prompt(self.token_ids + other.token_ids, self.text + other.text)


@dataclass(frozen=True, slots=True)
class First:
    """The first token of an answer. ``wall_s``: from asking until it was there, waiting included.
    ``prompt_tokens`` and ``cached_tokens`` as the engine tells them; None: it does not. ``cpu_s``: of the
    computing thread, known of ours alone."""

    wall_s: float
    prompt_tokens: int | None
    cached_tokens: int | None
    text: str = ""
    cpu_s: float | None = None

    @property
    def cached_share(self) -> float | None:
        """The part of the prompt that was not computed, 0 … 1; None where the engine does not tell."""
        if self.cached_tokens is None or not self.prompt_tokens:
            return None
        return self.cached_tokens / self.prompt_tokens


@dataclass(frozen=True, slots=True)
class About:
    """What a result must say of the engine. ``name`` is short (``llama.cpp``), ``model`` what it computes
    with, ``version`` where it is known; ``threads``: None where it is not ours to know."""

    name: str
    model: str
    version: str
    takes: Takes
    at_once: AtOnce
    threads: int | None


class PromptEngine(Protocol):
    """One engine. ``ask`` may be called by several threads at once: those are users."""

    @property
    def about(self) -> About:
        """What it is."""
        ...

    def ask(self, prompt: Prompt) -> First:
        """Send the prompt, wait for the first token.

        Raises:
            BackendError: no answer, or one that cannot be used.
        """
        ...

    def interrupt(self) -> None:
        """Somebody pressed Stop: let the questions under way fail soon, if that can be done."""
        ...

    def close(self) -> None:
        """Give back what it holds. Twice is no harm."""
        ...
