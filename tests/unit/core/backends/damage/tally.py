"""Many damaged files, seeded: each is loaded and used, or refused in words; memory is bounded by its size."""

from __future__ import annotations

import os
import random
import shutil
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from core.backends.models.model_file import MOST_HEAD
from core.errors import BackendError
from tests.unit.core.backends.damage.ways import Bytes, Entries, Folder, head_of, sparse_head
from tests.unit.core.backends.damage.whole import KINDS, TENSORS, outcome, write_folder
from tests.unit.core.backends.files import gguf_bytes

FACTOR, FLOOR = 10, 2**20
"""Python's numbers and texts take a few times their place in a file; besides, libraries load and cache."""

MOST = 2**31
"""Bytes that are to be had while files are read: less than the sparse ones promise."""


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
        size = sum(min(one.stat().st_size, FLOOR + MOST_HEAD) for one in parts)  # a sparse one says any size
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


def tally_sparse(seeds: Iterable[int], folder: Path) -> Tally:
    """GGUF files as long as a disk that hold nothing."""
    path, tally = folder / "m.gguf", Tally()
    with traced():
        for seed in seeds:
            dice = random.Random(f"sparse {seed}")
            path.write_bytes(sparse_head(dice))
            os.truncate(path, int(2 ** dice.uniform(16, 35)))
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
    """Memory is counted inside, and no more than ``MOST`` is to be had, where the system can hold it."""
    tracemalloc.start()
    try:
        with at_most(MOST):
            yield
    finally:
        tracemalloc.stop()


@contextmanager
def at_most(count: int) -> Iterator[None]:
    """This process gets so many bytes more; who asks for others meets a ``MemoryError``. Linux only."""
    if sys.platform != "linux":
        yield
        return
    import resource

    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    held = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))
