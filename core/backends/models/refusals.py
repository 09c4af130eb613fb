"""Why a model is not taken, said in one clear sentence; each cause has a code of its own."""

from __future__ import annotations

from core.errors import BackendError

LONGEST = 200
CAUSES = {
    "unreadable": "{file} is no model that can be read. Choose a whole .gguf file or model directory.",
    "cut_off": "{file} ends too early at {part}. Fetch it again.",
    "damaged": "{file} is damaged: what it says at {part} cannot be. Fetch it again.",
    "missing": "{file} lacks {part}. Choose a whole model.",
    "version": "{file} has version {found} of its format; versions {supported} are read here.",
    "architecture": "{file} is a model of the kind {found}; supported here: {supported}.",
    "part": "{file} has a part that our decoder lacks: {found}. Without it the answers would be wrong.",
    "rope": "{file} stretches its positions by the method {found}, which is not supported here.",
    "partial_rope": "{file} turns only a part of each head by position, which is not supported here.",
    "window": "{file} looks at a sliding window of the past; supported here: attention over all of it.",
    "activation": "{file} uses the activation {found}; supported here: silu.",
    "quantised": "{file} stores {part} as {found}; supported here: {supported}. Choose another form.",
}
"""Cause -> the English sentence; the pages know them as ``error.backend.model_<cause>``."""


def refusal(cause: str, file: str, **values: object) -> BackendError:
    """The error for one of ``CAUSES``. What a file says of itself can be long: its beginning is told."""
    values = {name: _short(value) for name, value in values.items()}
    return BackendError(
        f"backend.model_{cause}", CAUSES[cause].format(file=file, **values), file=file, **values
    )


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
