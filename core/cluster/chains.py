"""Chained block identities as routers make them, with block sizes of their own."""

from __future__ import annotations

import numpy as np
from xxhash import xxh3_64_digest

from core.cluster.router import Units


def chained(units: Units, size: int, *, seed: bytes = b"", partial: bool) -> list[bytes]:
    """One identity for each ``size`` units and all before them; ``partial``: for a shorter last piece too."""
    data = np.ascontiguousarray(units, "<u4").tobytes()
    width = 4 * size
    end = len(data) if partial else len(data) // width * width
    parent, found = seed, []
    for at in range(0, end, width):
        parent = xxh3_64_digest(parent + data[at : min(at + width, end)])
        found.append(parent)
    return found
