"""Real prefill on a GPU: one short run, one table. Needs torch with CUDA, numpy and xxhash; takes minutes.

    python -m benchmarks.gpu_prefill [--json OUT] [--keep] [--tiny] [--hf DIRECTORY]

A decoder of Llama-3-8B's shape with random weights in bfloat16 (16 GB), a smaller one in float32 for the
logits, or a real model from a directory. --keep puts the results into the GPU's own folder in
assets/measured/machines/, where the prefill page finds them. Without a GPU (or with --tiny) a tiny one
shows that it runs.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from core.backends.decoders.loader import ModelLoader
from core.backends.decoders.torch_prefill import TorchBackend
from core.backends.experiments.fit import Fit
from core.backends.experiments.hits import hit_pairs, hit_sweep, long_prompt
from core.backends.experiments.machines import machine_of
from core.backends.experiments.report import Report
from core.backends.experiments.serving import decoding, many_users
from core.backends.experiments.standing import reason
from core.backends.models.sources import ModelSource
from core.backends.spec import SIZES, DecoderSpec
from core.backends.weights import Layer, Weights, layer_parts, tensor_shapes
from ui.prefill.experiments import MACHINES

LLAMA_8B = DecoderSpec(
    "8B shape, random", 128_256, 4096, 32, 32, 8, 128, 14_336, rope_theta=500_000.0, folds_tokens=True
)
L_FP32 = replace(SIZES["L"], name="L, float32")


def random_on(device: str, spec: DecoderSpec, dtype: Any) -> TorchBackend:
    """Random weights made where they are used: numpy would take minutes for 8 billion of them."""
    torch.manual_seed(0)
    shapes = tensor_shapes(spec)

    def tensor(name: str) -> Any:
        shape = shapes[name]
        if name.endswith("norm"):
            return torch.ones(shape, device=device, dtype=dtype)
        scale = 1.0 if name == "embedding" else shape[-1] ** -0.5 * (2.0 if name == "query" else 1.0)
        return torch.randn(shape, device=device, dtype=dtype) * scale

    layers = tuple(
        Layer(**{part: tensor(part) for part in layer_parts(spec)}) for _ in range(spec.num_layers)
    )
    return TorchBackend(spec, Weights(tensor("embedding"), layers, tensor("final_norm"), tensor("head")))


def backends(options: argparse.Namespace, on_gpu: bool) -> list[Callable[[], TorchBackend]]:
    """What to measure, each made when its turn comes and let go after it."""
    if options.hf:
        source = ModelSource("hf", options.hf)
        kind = "bfloat16" if on_gpu else "float32"
        return [lambda: ModelLoader().load(source, "torch", dtype=kind).backend()]  # type: ignore[list-item, arg-type, return-value]
    if not on_gpu or options.tiny:
        device = "cuda" if on_gpu else "cpu"
        return [lambda: random_on(device, SIZES["XS"], torch.float32)]
    return [
        lambda: random_on("cuda", L_FP32, torch.float32),
        lambda: random_on("cuda", LLAMA_8B, torch.bfloat16),
    ]


def experiments(backend: TorchBackend, small: bool) -> Iterator[Report]:
    """All of them, on one backend."""
    if small:
        yield hit_pairs(backend, runs=2, rounds=2)
        yield hit_sweep(backend, runs=1, rounds=1)
        yield decoding(backend, positions=(16, 64), runs=1)
        return
    yield hit_pairs(backend, rounds=9, warm_ups=3)
    yield hit_sweep(backend, rounds=5, warm_ups=2, budget_s=60)
    yield long_prompt(backend, runs=5, rounds=3)
    yield many_users(backend, users=100)
    yield decoding(backend, positions=(16, 128, 512, 1024), rounds=5)


def rows_of(report: Report) -> list[str]:
    """One line per row: what was measured, milliseconds, ratios."""
    lines = []
    for row in report.rows:
        times = {name: row[name]["wall_ms"] for name in row if isinstance(row[name], dict)}
        names = (
            "fraction",
            "side",
            "position",
            "total",
            "hit_tokens",
            "ratio",
            "measured",
            "linear",
            "flops",
        )
        parts = [f"{name} {row[name]:.4g}" if isinstance(row[name], float) else f"{name} {row[name]}"
                 for name in names if name in row]  # fmt: skip
        lines.append("    " + "  ".join(parts + [f"{name} {ms:.2f} ms" for name, ms in times.items()]))
    return lines


def main(arguments: list[str]) -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--hf")
    options = parser.parse_args(arguments)
    on_gpu = torch.cuda.is_available()
    kept: list[dict[str, Any]] = []
    for make in backends(options, on_gpu):
        backend = make()
        spec = backend.spec
        print(f"{spec.name}: {spec.num_parameters / 1e9:.2f} B parameters, {backend.dtype}, {backend.device}")
        start = time.perf_counter()
        reports = explained(experiments(backend, small=options.tiny or not on_gpu), spec)
        print(f"  {time.perf_counter() - start:.0f} s")
        kept += [report.to_json() for report in reports]
        if options.keep:
            model = re.sub(r"[^a-z0-9]+", "-", spec.name.lower())
            path = MACHINES / machine_of(backend.device).folder / f"torch-{model}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, [report.to_json() for report in reports])
        del backend
        if on_gpu:
            torch.cuda.empty_cache()
    if options.json:
        write(options.json, kept)
    return 0


def explained(reports: Iterable[Report], spec: DecoderSpec) -> list[Report]:
    """Printed as they come; each with the reason why it is not what the FLOPs say, as far as the sweep's fit
    gives it."""
    found = []
    for report in reports:
        same = report.equality
        print(f"  {report.experiment}" + (f": logits within {same.max_abs:.1e}, bitwise {same.bitwise}, "
              f"same token {same.same_argmax}" if same else ""))  # fmt: skip
        print("\n".join(rows_of(report)), flush=True)
        found.append(report)
    fit = Fit(**next(one.summary["fit"] for one in found if one.experiment == "sweep"))
    return [replace(one, reason=reason(one, spec, fit)) for one in found]


def write(path: Path, reports: list[dict[str, Any]]) -> None:
    """As the page reads them."""
    path.write_text(json.dumps(reports, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
