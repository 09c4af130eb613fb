"""Model files that somebody writes to while we read them: refused in a sentence, in whatever moment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.backends.decoders.loader import ModelLoader
from core.backends.models.model_file import ModelFile
from core.backends.models.sources import ModelSource
from core.errors import BackendError
from tests.unit.core.backends.files import gguf_bytes, gguf_metadata, gguf_tensors
from tests.unit.core.backends.test_families import BASE, write_directory
from tests.unit.core.backends.tiny import weights_of

CHILD = """
import os, sys
from core.backends.decoders.loader import ModelLoader
from core.backends.models.sources import ModelSource
from core.errors import BackendError

def cut_short(share: float) -> None:
    if share:
        os.truncate(sys.argv[2], 4096)

try:
    ModelLoader().load(ModelSource(sys.argv[1], sys.argv[3]), progress=cut_short)
except BackendError as error:
    print(error.code)
"""


@pytest.mark.parametrize("kind", ["gguf", "hf"])
def test_a_file_that_shrinks_while_it_is_loaded_does_not_end_the_server(tmp_path: Path, kind: str) -> None:
    """Mapped files did: reading behind the new end of one is SIGBUS, which no Python code can catch."""
    if kind == "gguf":
        where = shrinks = tmp_path / "m.gguf"
        where.write_bytes(gguf_bytes(gguf_metadata(BASE), gguf_tensors(BASE, weights_of(BASE))))
    else:
        write_directory(tmp_path, "llama")
        where, shrinks = tmp_path, tmp_path / "model-1.safetensors"
    child = subprocess.run(
        [sys.executable, "-c", CHILD, kind, str(shrinks), str(where)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stdout.strip()) == (0, "backend.model_changed"), child.stderr


@pytest.mark.parametrize("how", ["cut", "longer", "written", "replaced", "gone"])
def test_another_file_than_the_one_that_was_checked_is_refused(tmp_path: Path, how: str) -> None:
    path = tmp_path / "m"
    path.write_bytes(bytes(range(100)))
    os.utime(path, (1, 1))
    file = ModelFile(path)
    assert file.read(3, 2).tolist() == [3, 4]
    match how:
        case "cut":
            os.truncate(path, 50)
        case "longer":
            path.write_bytes(bytes(101))
        case "written":
            path.write_bytes(bytes(100))
        case "replaced":
            (tmp_path / "other").write_bytes(bytes(100))
            os.utime(tmp_path / "other", (1, 1))
            (tmp_path / "other").replace(path)
        case _:
            path.unlink()
    with pytest.raises(BackendError) as caught:
        file.read(3, 2)
    assert caught.value.code == "backend.model_changed"


def test_pieces_are_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.backends.models.model_file.PIECE", 7)
    (tmp_path / "m").write_bytes(bytes(range(100)))
    found = list(ModelFile(tmp_path / "m").pieces(2, 30))
    assert [len(piece) for piece in found] == [7, 7, 7, 7, 2]
    assert np.concatenate(found).tolist() == list(range(2, 32))


@pytest.mark.parametrize("kind", ["missing", "empty", "folder"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "m.gguf"
    if kind == "empty":
        path.touch()
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(BackendError) as caught:
        ModelLoader().load(ModelSource("gguf", str(path)))
    assert caught.value.code == "backend.model_unreadable"
