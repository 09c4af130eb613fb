"""Why a model is not taken, said in one clear sentence; each cause has a code of its own."""

from __future__ import annotations

import numpy as np

from core.errors import BackendError

LONGEST = 200
CAUSES = {
    "unreadable": "{file} is no model that can be read. Choose a whole .gguf file or model directory.",
    "cut_off": "{file} ends too early at {part}. Fetch it again.",
    "damaged": "{file} is damaged: what it says at {part} cannot be. Fetch it again.",
    "large": "{file} is damaged: {part} is larger than any model needs (at most {most}). Fetch it again.",
    "shape": "{file} is damaged: {part} has the shape {found}, and {wanted} belongs there. Fetch it again.",
    "layers": "{file} says {found} layers and holds {held}. Choose a whole model.",
    "changed": "{file} was changed while it was read. Choose it again when nobody writes to it any more.",
    "twice": "{file} is damaged: {part} stands in it twice. Fetch it again.",
    "missing": "{file} lacks {part}. Choose a whole model.",
    "version": "{file} has version {found} of its format; versions {supported} are read here.",
    "architecture": "{file} is a model of the kind {found}; supported here: {supported}.",
    "part": "{file} has a part that our decoder lacks: {found}. Without it the answers would be wrong.",
    "setting": "{file} sets {found}, which our decoder does not know. Without it the answers could be wrong.",
    "rope": "{file} stretches its positions by the method {found}, which is not supported here.",
    "partial_rope": "{file} turns only a part of each head by position, which is not supported here.",
    "window": "{file} looks at a sliding window of the past; supported here: attention over all of it.",
    "activation": "{file} uses the activation {found}; supported here: silu.",
    "quantised": "{file} stores {part} as {found}; supported here: {supported}. Choose another form.",
}
"""Cause -> the English sentence; the pages know them as ``error.backend.model_<cause>``."""


def refusal(cause: str, file: str, **values: object) -> BackendError:
    """The error for one of ``CAUSES``. What a file says of itself is told shortly and in one line."""
    told = {name: told_shortly(value) for name, value in {"file": file, **values}.items()}
    return BackendError(f"backend.model_{cause}", CAUSES[cause].format(**told), **told)


def told_shortly(value: object) -> object:
    """The beginning of a long text; signs that cannot be shown (line ends, halves of a character) as codes.
    Numbers stay numbers."""
    if isinstance(value, list | dict | np.ndarray):
        return "{…}" if isinstance(value, dict) else "[…]"  # may be as deep as a stack
    if type(value) in (int, float) and len(str(value)) <= LONGEST:
        return value
    text = str(value)
    text = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
