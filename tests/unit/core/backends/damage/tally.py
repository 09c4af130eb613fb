"""Many damaged files, seeded: each is loaded and used, or refused in words; memory is bounded by its size."""

from __future__ import annotations

import random
import shutil
import tracemalloc
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import BackendError
from tests.unit.core.backends.damage.ways import Bytes, Entries, Folder, head_of
from tests.unit.core.backends.damage.whole import KINDS, TENSORS, outcome, write_folder
from tests.unit.core.backends.files import gguf_bytes

FACTOR, FLOOR = 10, 2**20
"""Python's numbers and texts take a few times their place in a file; besides, libraries load and cache."""


@dataclass
class Tally:
    """What became of many files; ``worst``: memory over what the size allows (above 1 is too much)."""

    codes: Counter[str] = field(default_factory=Counter)
    worst: float = 0.0

    @property
    def refused(self) -> int:
        """Files that were refused."""
        return self.codes.total() - self.codes["loaded"]

    def take(self, path: Path) -> None:
        """One more file."""
        parts = [path] if path.is_file() else [one for one in path.iterdir() if one.is_file()]
        size = sum(one.stat().st_size for one in parts)
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        found = outcome(path)
        peak = tracemalloc.get_traced_memory()[1] - before
        self.worst = max(self.worst, peak / (FACTOR * size + FLOOR))
        if isinstance(found, BackendError):
            assert str(found).isprintable()  # one line that any page can show
        self.codes[found.code if isinstance(found, BackendError) else "loaded"] += 1


def tally_files(kind: str, damage: Bytes, seeds: Iterable[int], folder: Path) -> Tally:
    """GGUF files with damaged bytes."""
    whole, path, tally = gguf_bytes(KINDS[kind], TENSORS), folder / "m.gguf", Tally()
    head = head_of(whole)
    with traced():
        for seed in seeds:
            data = bytearray(whole)
            damage(random.Random(f"{kind} {damage.__name__} {seed}"), data, head)
            path.write_bytes(data)
            tally.take(path)
    return tally


def tally_entries(kind: str, damage: Entries, seeds: Iterable[int], folder: Path) -> Tally:
    """GGUF files whose entries say something else."""
    path, tally = folder / "m.gguf", Tally()
    with traced():
        for seed in seeds:
            path.write_bytes(damage(random.Random(f"{kind} {damage.__name__} {seed}"), kind))
            tally.take(path)
    return tally


def tally_folders(kind: str, damage: Folder, seeds: Iterable[int], folder: Path) -> Tally:
    """Damaged directories."""
    (folder / "whole").mkdir()
    whole, path, tally = write_folder(kind, folder / "whole"), folder / "model", Tally()
    with traced():
        for seed in seeds:
            shutil.copytree(whole, path)
            damage(random.Random(f"{kind} {damage.__name__} {seed}"), path)
            tally.take(path)
            shutil.rmtree(path)
    return tally


@contextmanager
def traced() -> Iterator[None]:
    """Memory is counted inside."""
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()
