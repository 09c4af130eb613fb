"""``python -m tests.unit.core.backends.damage 1000``: damages model files in every way, with 1000 seeds each,
and prints what became of them. An exception that is not a refusal ends it."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.unit.core.backends.damage.tally import (
    Tally,
    tally_entries,
    tally_files,
    tally_folders,
    tally_sparse,
)
from tests.unit.core.backends.damage.ways import DAMAGES, FOLDER_DAMAGES, GGUF_ENTRIES
from tests.unit.core.backends.damage.whole import FOLDERS, KINDS


def main(num_seeds: int) -> None:
    """Everything, with a table."""
    total: Counter[str] = Counter()
    jobs: list[tuple[Any, str, Any]] = [(tally_files, kind, one) for kind in KINDS for one in DAMAGES]
    jobs += [(tally_entries, kind, one) for kind in KINDS for one in GGUF_ENTRIES]
    jobs += [(tally_folders, kind, one) for kind in FOLDERS for one in FOLDER_DAMAGES]
    for tally_of, kind, damage in jobs:
        with tempfile.TemporaryDirectory() as folder:
            tally = tally_of(kind, damage, range(num_seeds), Path(folder))
        total += told(kind, damage.__name__, tally)
    with tempfile.TemporaryDirectory() as folder:
        total += told("long and empty", "sparse_head", tally_sparse(range(num_seeds), Path(folder)))
    print(f"{total.total()} files, 0 raw exceptions")
    for code, count in total.most_common():
        print(f"  {count:6} {code}")


def told(kind: str, damage: str, tally: Tally) -> Counter[str]:
    """One line of the table."""
    print(
        f"{kind:20} {damage:12} {tally.codes.total():6} files {tally.refused:6} refused "
        f"{tally.worst:6.1%} of the memory allowed"
    )
    return tally.codes


main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
