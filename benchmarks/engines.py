"""The same prompts through several engines: the table behind the page's section.

    python -m benchmarks.engines [--size S | --gguf PATH | --small-model] [--total 640] [--users 1,4]
                                 [--rounds 5] [--json OUT | --keep]

Ours always; llama.cpp where xllamacpp is installed and the model is a GGUF file; a server where BROTH_SERVER
names one (with BROTH_SERVER_KEY and BROTH_SERVER_MODEL). Wall time, so on a quiet machine only. --keep writes
into this machine's own folder in assets/measured/machines/; about 6 minutes for SmolLM2 and three engines.
"""

from __future__ import annotations

import json
import os
import sys
import time

from benchmarks.prefill import parser_of, source_of
from core.backends.decoders.device import cpu_name
from core.backends.decoders.loader import Library, ModelLoader
from core.backends.engines.comparison import Plan
from core.backends.engines.tally import left_out_of
from core.backends.experiments.machines import machine_of
from core.backends.experiments.report import Json, Report
from core.backends.progress import never_cancelled
from ui.prefill.experiments import MACHINES
from ui.prefill.servers import measure_engines


def told(row: Json) -> str:
    """What the engine says was cached."""
    share = row["cached_share"]
    return "unknown" if share is None else f"{share:.0%}"


def table(report: Report) -> list[str]:
    """One line for each engine and hit fraction, then one for each crowd."""
    lines = [
        f"{'engine':22} {'before':>7} {'cached':>8} {'TTFT ms':>9} {'smallest – largest':>20} {'ratio':>6}"
    ]
    for row in report.rows:
        if row["part"] == "sweep":
            spread = f"{row['wall_low_ms']:.0f} – {row['wall_high_ms']:.0f}"
            start = f"{row['engine']:22} {row['fraction']:>7.0%} {told(row):>8}"
            lines.append(f"{start} {row['wall_ms']:>9.0f} {spread:>20} {row['ratio']:>6.2g}")
    lines.append(
        f"{'engine':22} {'users':>7} {'before':>8} {'cached':>8} {'first':>8} {'mean':>8} {'last':>8}"
    )
    for row in report.rows:
        if row["part"] == "users":
            times = " ".join(f"{row[f'{name}_ms']:>8.0f}" for name in ("first", "mean", "last"))
            warm = "yes" if row["warm"] else "no"
            lines.append(f"{row['engine']:22} {row['users']:>7} {warm:>8} {told(row):>8} {times}")
    return lines


def tell_progress(fraction: float) -> None:
    """On one line that is written over."""
    sys.stderr.write(f"\r{fraction:4.0%}")


def main(arguments: list[str]) -> int:
    """Measure, print, keep."""
    parser = parser_of(__doc__)
    parser.add_argument("--total", type=int, default=640)
    parser.add_argument("--users", default="1,4")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    library: Library = options.library
    model = ModelLoader().load(source_of(options), library, device="cpu")
    users = tuple(int(one) for one in options.users.split(","))
    plan = Plan(total=options.total, users=users, rounds=options.rounds)
    load, start = os.getloadavg()[0], time.perf_counter()
    report = measure_engines(model, tell_progress, never_cancelled, plan)
    names = ", ".join(engine["name"] for engine in report.settings["engines"])
    print(f"\n{report.device}, load {load:.2f}, {time.perf_counter() - start:.0f} s: {names}")
    print("\n".join(table(report)))
    print("disturbed" if report.disturbed else "undisturbed", report.summary)
    where = options.json or (
        MACHINES / machine_of(cpu_name()).folder / "engines.json" if options.keep else None
    )
    if where is not None:
        where.write_text(json.dumps([report.to_json()], indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 1 if left_out_of(report) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
