"""Published times beside the model's: what its errors are, to be shown next to every modelled number.

Only points whose setting is stated (model, GPU, number format, prompt length, one request unless said).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median

from core.cost.catalogue import GPUS, MODELS
from core.cost.model import CostModel

TENSORRT = "NVIDIA/TensorRT-LLM docs/source/performance.md @138f96d, first token latency, batch 1 (v0.5)"
LLAMA_CPP = "XiongjieDai/GPU-Benchmarks-on-LLM-Inference README @00dd2bd, llama.cpp, 8B F16 on one RTX 4090"
MINFERENCE = (
    "github.com/microsoft/MInference, discussion of first-token times (#84): 300K tokens take about 3 minutes"
)
VLLM_BUILD = "vLLM performance benchmark, Llama-3.1-8B, batch 8, 32 tokens in, 128 out (buildkite build 9515)"


@dataclass(frozen=True, slots=True)
class PublishedPoint:
    """One published time. ``num_tokens`` of prompt for prefill; for decode the context of each request."""

    kind: str  # prefill | decode
    setting: str
    cost: CostModel
    num_tokens: int
    batch: int
    published_s: float
    source: str

    @property
    def modelled_s(self) -> float:
        """What the model says for the same setting."""
        if self.kind == "decode":
            return self.cost.decode_s([self.num_tokens] * self.batch)
        return self.cost.prefill_s(self.num_tokens)

    @property
    def error(self) -> float:
        """Modelled against published: +0.1 means the model is 10 % too slow."""
        return self.modelled_s / self.published_s - 1


def _cost(model: str, gpu: str, num_gpus: int = 1, *, fp8: bool = False) -> CostModel:
    spec = MODELS[model]
    if fp8:
        spec = replace(spec, weight_dtype="fp8", kv_dtype="fp8")
    return CostModel(spec, GPUS[gpu], num_gpus)


def _prefill(setting: str, cost: CostModel, source: str, times_ms: dict[int, float]) -> list[PublishedPoint]:
    return [
        PublishedPoint("prefill", setting, cost, tokens, 1, time / 1e3, source)
        for tokens, time in times_ms.items()
    ]


def _decode(setting: str, cost: CostModel, source: str, tokens: int, batch: int, ms: float) -> PublishedPoint:
    return PublishedPoint("decode", setting, cost, tokens, batch, ms / 1e3, source)


_RTX = _cost("Llama-3-8B", "RTX 4090")

PUBLISHED: tuple[PublishedPoint, ...] = (
    *_prefill("Llama-7B fp16, A100", _cost("Llama-2-7B", "A100"), TENSORRT, {128: 16, 2048: 133}),
    *_prefill("Llama-7B fp8, H100", _cost("Llama-2-7B", "H100", fp8=True), TENSORRT, {128: 7, 2048: 36}),
    *_prefill("Llama-70B fp16, 4 A100", _cost("Llama-2-70B", "A100", 4), TENSORRT, {128: 47, 2048: 377}),
    *_prefill(
        "Llama-70B fp8, 4 H100", _cost("Llama-2-70B", "H100", 4, fp8=True), TENSORRT, {128: 26, 2048: 109}
    ),
    *_prefill("Llama-3-8B, A100", _cost("Llama-3-8B", "A100"), MINFERENCE, {300_000: 180_000}),
    *_prefill(
        "Llama-3-8B, RTX 4090", _RTX, LLAMA_CPP, {512: 54.57, 1024: 113.07, 4096: 627.13, 8192: 1726.75}
    ),
    _decode("Llama-3-8B, H100", _cost("Llama-3-8B", "H100"), VLLM_BUILD, 96, 8, 997.5 / 128),
    _decode("Llama-3-8B, H200", _cost("Llama-3-8B", "H200"), VLLM_BUILD, 96, 8, 833.4 / 128),
    _decode("Llama-3-8B, RTX 4090", _RTX, LLAMA_CPP, 256, 1, 1e3 / 54.84),
)
"""llama.cpp publishes tokens per second; the times here are tokens divided by that."""


def typical_error(points: Iterable[PublishedPoint] = PUBLISHED) -> float:
    """The median of the absolute errors."""
    return median(abs(point.error) for point in points)
