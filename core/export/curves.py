"""The curves of a load as a table: one row a time bin."""

from __future__ import annotations

from core.csv_table import csv_text
from core.export.snapshot import Snapshot


def curves_csv(taken: Snapshot) -> str:
    """End of the bin in modelled seconds, then every curve (`core.load.Samples` says what each is; shares
    from 0 to 1). An empty cell: nothing to say in this bin."""
    samples = taken.samples
    names = list(samples.curves)
    columns = [samples.curves[name] for name in names]
    return csv_text([["end_s", *names], *zip(samples.end_s, *columns, strict=True)])


def curves_bytes(num_bins: int) -> int:
    """About how large that will be."""
    return num_bins * 200
