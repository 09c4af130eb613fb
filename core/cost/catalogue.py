"""Models and GPUs that Broth knows by name, each number with its source.

A model's dimensions are those of its published configuration; the totals that follow from them equal the
published sizes to 0.5 % (a test holds that). GPU peaks are dense and for the SXM form where there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.cost.specs import Experts, GpuSpec, Latent, ModelSpec

GIGA, TERA = 1e9, 1e12

_MODELS = (
    ModelSpec(
        "Llama-2-7B", 32, 4096, 32, 32, 128, 11008, 32000,
        source="meta-llama/Llama-2-7b-hf config.json",
    ),
    ModelSpec(
        "Llama-3-8B", 32, 4096, 32, 8, 128, 14336, 128256,
        source="meta-llama/Meta-Llama-3-8B config.json",
    ),
    ModelSpec(
        "Qwen2.5-7B", 28, 3584, 28, 4, 128, 18944, 152064,
        source="Qwen/Qwen2.5-7B config.json",
    ),
    ModelSpec(
        "Qwen2.5-72B", 80, 8192, 64, 8, 128, 29568, 152064,
        source="Qwen/Qwen2.5-72B config.json",
    ),
    ModelSpec(
        "DeepSeek-V3", 61, 7168, 128, 128, 128, 18432, 129280,
        source="deepseek-ai/DeepSeek-V3 config.json (671 B, 37 B active); weights in fp8, KV in bf16",
        weight_dtype="fp8",
        latent=Latent(q_rank=1536, kv_rank=512, nope_dim=128, rope_dim=64, v_dim=128),
        experts=Experts(num_dense_layers=3, ffn=2048, num_routed=256, num_active=8, num_shared=1),
    ),
    ModelSpec(
        "Llama-2-70B", 80, 8192, 64, 8, 128, 28672, 32000,
        source="meta-llama/Llama-2-70b-hf config.json",
    ),
)  # fmt: skip

_GPUS = (
    GpuSpec(
        "A100", 312 * TERA, None, 2039 * GIGA, 80,
        source="NVIDIA A100 80 GB SXM data sheet, as cited by glennklockwood.com/garden/processors/A100",
    ),
    GpuSpec(
        "H100", 989 * TERA, 1979 * TERA, 3350 * GIGA, 80,
        source="NVIDIA H100 SXM data sheet (dense: half of the printed peaks), as cited by "
        "glennklockwood.com/garden/processors/h100",
    ),
    GpuSpec(
        "H200", 989 * TERA, 1979 * TERA, 4800 * GIGA, 141,
        source="NVIDIA H200 SXM data sheet (dense), as cited by "
        "acecloud.ai/blog/nvidia-b200-vs-h200-h100-a100",
    ),
    GpuSpec(
        "RTX 4090", 165.2 * TERA, 330.3 * TERA, 1008 * GIGA, 24,
        source="NVIDIA Ada specification (dense, 32 bit accumulation), as listed by "
        "waredb.com/processor/nvidia-geforce-rtx-4090",
    ),
)  # fmt: skip

MODELS: Mapping[str, ModelSpec] = MappingProxyType({model.name: model for model in _MODELS})
GPUS: Mapping[str, GpuSpec] = MappingProxyType({gpu.name: gpu for gpu in _GPUS})
