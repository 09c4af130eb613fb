"""The headline, thirty times: 640 tokens with 512 shared, how many times as fast with the hit?

    python -m benchmarks.headline [--library numpy|torch] [--runs 30] [--dry]

Every run begins anew (pool, tokens, warm-ups), as on the prefill page. Prints them in order, with the
median and the interval, beside the FLOPs; appends them to assets/measured/headline.json with the date, the
machine and its load before and after, so that other days stay to compare with. About 15 seconds.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
from pathlib import Path
from statistics import median
from typing import Any

from core.backends.decoders.device import cpu_name, versions
from core.backends.decoders.loader import ModelLoader
from core.backends.experiments.hits import hit_pairs
from core.backends.models.sources import ModelSource

FILE = Path(__file__).resolve().parent.parent / "assets" / "measured" / "headline.json"


def thirty(library: str, runs: int) -> dict[str, Any]:
    """One series, to print and to keep."""
    model = ModelLoader().load(
        ModelSource("random", "S"), "torch" if library == "torch" else "numpy", device="cpu"
    )
    before = os.getloadavg()[0]
    report = hit_pairs(model.backend(), runs=runs)
    (row,) = report.rows
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes"),
        "device": cpu_name(),
        "library": library,
        "versions": versions(),
        "load": [round(before, 2), round(os.getloadavg()[0], 2)],
        "disturbed": report.disturbed,
        "flops": row["flops"],
        "median": round(median(row["runs"]), 2),
        "ratios": row["runs"],
    }


def words(series: dict[str, Any]) -> str:
    """One series in a few lines."""
    ratios = series["ratios"]
    above = sum(ratio > series["flops"] for ratio in ratios)
    load = " to ".join(map(str, series["load"])) if series["load"] else "not written down"
    return (
        f"{series['date']}  {series['library']}, {series['device']}, load {load}\n"
        f"  {len(ratios)} runs: median {series['median']}, {min(ratios)} to {max(ratios)}; "
        f"FLOPs {series['flops']}, {above} above{', disturbed' if series['disturbed'] else ''}\n"
        f"  {' '.join(map(str, ratios))}"
    )


def main(arguments: list[str]) -> int:
    """Measure, print beside the earlier ones, append."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--library", choices=["numpy", "torch"], default="numpy")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--dry", action="store_true", help="keep nothing")
    options = parser.parse_args(arguments)
    kept = json.loads(FILE.read_text("utf-8")) if FILE.exists() else []
    kept.append(thirty(options.library, options.runs))
    print("\n".join(map(words, kept)))
    if not options.dry:
        FILE.write_text("[\n" + ",\n".join(json.dumps(one) for one in kept) + "\n]\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
