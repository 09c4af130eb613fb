"""Real prefill, measured: the table behind the figures of the prefill page.

    python -m benchmarks.prefill [--library numpy|torch] [--size XS|S|M|L | --gguf PATH | --small-model]
                                 [--only pair,sweep,…] [--json OUT]

pair (640 tokens, 512 shared), sweep (hit fraction 0 … 0.95), saving (the claim of 30 to 50 %), users (100 on
one prefix), long (8,192 + 128), decode (with and without K/V), documents (content-only hashing), breaks
(reuse after a break), astray (texts; needs a model that reads). One compute thread; the JSON has CPU time and
wall time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.backends.decoders.loader import Model, ModelLoader
from core.backends.experiments.break_reports import Story, broken_reuse, texts_astray
from core.backends.experiments.content_only import shuffled_documents
from core.backends.experiments.hits import hit_pairs, hit_sweep, long_prompt, saving_claim
from core.backends.experiments.prefix import why_prefix
from core.backends.experiments.report import Report
from core.backends.experiments.serving import decoding, many_users
from core.backends.models.sources import HOW_TO_ADD_MODEL, ModelSource, small_model_path

STORIES = Path(__file__).resolve().parent.parent / "assets" / "measured" / "stories.json"
EXPERIMENTS: dict[str, Callable[[Model, Any], Report]] = {
    "pair": lambda model, _: hit_pairs(model.backend()),
    "sweep": lambda model, budget: hit_sweep(model.backend(), budget_s=budget),
    "saving": lambda model, _: saving_claim(model.backend(), rounds=5),
    "users": lambda model, _: many_users(model.backend()),
    "long": lambda model, _: long_prompt(model.backend()),
    "decode": lambda model, _: decoding(model.backend()),
    "documents": lambda model, _: shuffled_documents(model.backend()),
    "prefix": lambda model, _: why_prefix(model),
    "breaks": lambda model, _: broken_reuse(model.backend()),
    "astray": lambda model, _: texts_astray(model, stories()),
}


def stories() -> list[Story]:
    """The pairs of prompts whose texts go astray."""
    return [Story(**story) for story in json.loads(STORIES.read_text("utf-8"))]


def source_of(options: argparse.Namespace) -> ModelSource:
    """The model that the command line names."""
    if options.gguf:
        return ModelSource("gguf", options.gguf)
    if options.small_model:
        path = small_model_path()
        if path is None:
            sys.exit(f"The small model is not installed: {HOW_TO_ADD_MODEL}")
        return ModelSource("gguf", str(path))
    return ModelSource("random", options.size)


def line(report: Report) -> list[str]:
    """A few lines of text per experiment."""
    lines = []
    for row in report.rows:
        shown = {name: value for name, value in row.items() if not isinstance(value, (dict, list))}
        times = {name: row[name]["cpu_ms"] or row[name]["wall_ms"] for name in row if _is_timing(row[name])}
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


def keep(path: Path, report: Report) -> None:
    """Put a report into the file at once, in place of an older one of the same experiment."""
    kept = json.loads(path.read_text("utf-8")) if path.exists() else []
    others = [other for other in kept if other["experiment"] != report.experiment]
    reports = sorted(
        [*others, report.to_json()], key=lambda each: list(EXPERIMENTS).index(each["experiment"])
    )
    path.write_text(json.dumps(reports, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main(arguments: list[str]) -> int:
    """Run what is asked for, print it, keep it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--library", choices=["numpy", "torch"], default="numpy")
    parser.add_argument("--size", default="S")
    parser.add_argument("--gguf")
    parser.add_argument("--small-model", action="store_true")
    parser.add_argument("--only", default="pair,sweep,saving,users,long,decode,documents,breaks")
    parser.add_argument("--budget", type=float, default=30.0, help="seconds for the sweep")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    model = ModelLoader().load(source_of(options), options.library, device="cpu")
    for name in options.only.split(","):
        start = time.perf_counter()
        report = EXPERIMENTS[name](model, options.budget)
        if options.json:
            keep(options.json, report)
        disturbed = ", disturbed" if report.disturbed else ""
        print(f"{name}: {report.model} on {report.backend}, {time.perf_counter() - start:.1f} s{disturbed}")
        print("\n".join(line(report)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
