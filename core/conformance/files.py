"""Files and the lines in them. What a line is, is decided from its content, never from a name."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

from core.conformance.fields import Place, show
from core.fields import parse_json

GZIP_MAGIC = b"\x1f\x8b"


def files_of(path: Path) -> list[Path]:
    """The file itself, or every *.jsonl and *.jsonl.gz of a directory."""
    if path.is_file():
        return [path]
    place = Place(str(path))
    if not path.is_dir():
        raise place.problem("path", "no such file or directory")
    files = sorted([*path.glob("*.jsonl"), *path.glob("*.jsonl.gz")])
    if not files:
        raise place.problem("path", "the directory holds no *.jsonl file")
    return files


def lines_of(path: Path) -> list[tuple[Place, str]]:
    """The lines that are not blank, each with its place."""
    place = Place(str(path))
    lines = enumerate(_text(path, place).split("\n"), start=1)
    found = [(Place(str(path), number), line) for number, line in lines if line.strip()]
    if not found:
        raise place.problem("empty", "the file is empty")
    return found


def _text(path: Path, place: Place) -> str:
    try:
        data = path.read_bytes()
        if data.startswith(GZIP_MAGIC):
            data = gzip.decompress(data)
        return data.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise place.problem("unreadable", f"cannot be read: {error}") from error
    except UnicodeDecodeError as error:
        raise place.problem("encoding", f"is no UTF-8 text (byte {error.start})") from error


def parse(place: Place, line: str) -> dict[str, Any]:
    """One line as a JSON object."""
    try:
        value = parse_json(line)
    except ValueError as error:
        raise place.problem("json", f"is no JSON ({error})") from error
    if not isinstance(value, dict):
        raise place.problem("object", f"expected one JSON object a line, got {show(value)}")
    return value
