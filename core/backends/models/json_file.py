"""A JSON object out of a file that somebody else wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.backends.models.model_file import small_file
from core.backends.models.refusals import refusal

Json = dict[str, Any]


def read_json(path: Path, file: str) -> Json:
    """The object in a file; ``file`` is what a refusal names.

    Raises:
        BackendError: it is not there, too large, or holds anything else.
    """
    raw = small_file(path, file)
    if raw is None:
        raise refusal("missing", file, part=path.name)
    try:
        return parse_json(raw)
    except ValueError as problem:
        raise refusal("damaged", file, part=path.name) from problem


def parse_json(raw: bytes) -> Json:
    """An object in which no name comes twice: readers disagree about which of two counts.

    Raises:
        ValueError: it is none, or nested so deeply that nobody meant it.
    """
    try:
        found = json.loads(raw.decode("utf-8"), object_pairs_hook=_once)
    except RecursionError as problem:
        raise ValueError("nested too deeply") from problem
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice")
    return found
