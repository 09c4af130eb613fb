"""Each misconception's public reports, the telling steps of its run, and what else shows the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ui.stage.show_me import Wanted, op_is


@dataclass(frozen=True, slots=True)
class Seen:
    """A preset that shows the same thing: its knobs, and the steps to open on, the most telling first."""

    preset: str
    opens_on: Sequence[Wanted]
    knobs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stand:
    """A belief's reports, the telling steps of its own run, and the preset or page that shows the same."""

    reports: tuple[str, ...]
    opens_on: Sequence[Wanted] = ()
    preset: Seen | None = None
    page: str | None = None


_MISS = (op_is("miss", "R1"), op_is("plan", "R1"))
_MATCH = (op_is("match", "R1"), op_is("miss", "R1"))

STANDS: Mapping[str, Stand] = MappingProxyType(
    {
        "clock": Stand(
            ("Mintplex-Labs/anything-llm #6398", "HKUDS/nanobot #226", "anomalyco/opencode #32622"),
            _MISS,
            Seen("P3", _MISS),
        ),
        "full": Stand(
            ("vllm-project/vllm PR#17999", "GeeeekExplorer/nano-vllm #144", "sgl-project/sglang #21158"),
            (op_is("plan", "R1"),),
            Seen("P6", (op_is("plan", "R1"),)),
        ),
        "zero": Stand(
            ("vllm-project/vllm #54607", "vllm-project/vllm #40696", "vllm-project/vllm #48401"),
            preset=Seen("P7", (op_is("plan", "R1"),), {"block_size": 16}),
        ),
        "rates": Stand(
            ("ai-dynamo/dynamo PR#14903", "Wei-Shaw/sub2api PR#2682", "vllm-project/vllm #43736"),
            page="traffic",
        ),
        "anywhere": Stand(
            ("GeeeekExplorer/nano-vllm #20", "LMCache/LMCache #4667", "vllm-project/vllm #4670"),
            _MISS,
            Seen("P5", (op_is("miss", "R2"),)),
        ),
        "all": Stand(("bojieli/ai-agent-book #698", "ggml-org/llama.cpp #4329"), _MISS, Seen("P2b", _MISS)),
        "turns": Stand(
            (
                "nibor1896/Crow #60",
                "mlc-ai/mlc-llm #3179",
                "langchain-ai/deepagents PR#2497",
                "HKUDS/nanobot #4222",
            ),
            _MISS,
            Seen("P4", (op_is("plan", "R3"),)),
        ),
        "size": Stand(
            ("kvcache-ai/Mooncake #3317", "sgl-project/sglang #33984"),
            (op_is("evict"), op_is("plan", "R3")),
            Seen("P9", (op_is("evict"),)),
        ),
        "lru": Stand(
            ("vllm-project/vllm #2614", "llm-d/llm-d-inference-sim #704", "vllm-project/vllm PR#42656"),
            (op_is("evict"),),
            Seen("P0", (op_is("evict"),)),
        ),
        "cleared": Stand(
            ("vllm-project/vllm PR#33435", "vllm-project/vllm #20302", "jjang-ai/vmlx PR#68"),
            (op_is("done", "R0"),),
            Seen("P1", (op_is("done", "R0"),)),
        ),
        "hash": Stand(
            ("vllm-project/vllm PR#15297", "InternLM/lmdeploy PR#3353", "NVIDIA/Megatron-LM PR#4158"),
            (op_is("collision"), *_MATCH),
            page="ch04",
        ),
        "tenants": Stand(
            ("vllm-project/vllm #16016", "vllm-project/vllm PR#17045"),
            _MATCH,
            Seen("P11", (op_is("miss", "R1"),)),
        ),
        "weights": Stand(
            ("vllm-project/vllm #9744", "areal-project/AReaL PR#421", "InternLM/lmdeploy #4917"),
            _MATCH,
            page="ch05",
        ),
        "together": Stand(
            (
                "vllm-project/vllm #7414",
                "vllm-project/vllm #39647",
                "sgl-project/sglang #5525",
                "GeeeekExplorer/nano-vllm PR#209",
            ),
            (op_is("touch", "R1"),),
            Seen("T10", (op_is("touch", "R1"),)),
        ),
        "decode": Stand(
            ("vllm-project/vllm #4492", "vllm-project/vllm #5666", "NVIDIA/TensorRT-LLM #1043"),
            preset=Seen("P1", (op_is("append", "R1"),)),
        ),
        "names": Stand(
            ("bojieli/ai-agent-book #1073", "lihenair/techtranslate PR#144"),
            preset=Seen("P1", (op_is("plan", "R1"),)),
        ),
        "ttl": Stand(
            ("sirmalloc/ccstatusline #300", "antflydb/antfly PR#337", "V1ki/dsh-plugin-subscriptions #48"),
            (op_is("ttl"), op_is("match", "R1")),
            Seen("P10", (op_is("ttl"),)),
        ),
        "replicas": Stand(
            ("sgl-project/sglang #26611", "sgl-project/sglang #21199", "vllm-project/production-stack #590"),
            (op_is("miss", "R0"),),
            Seen("P1", (op_is("miss", "R0"),)),
        ),
        "everything": Stand(
            ("ai-dynamo/dynamo #10062", "vllm-project/vllm PR#35342", "vllm-project/vllm PR#52227"),
            (op_is("evict"), op_is("notstored"), op_is("match")),
            Seen("P9c", (op_is("notstored"),)),
        ),
        "bits": Stand(
            ("vllm-project/vllm #40896", "vllm-project/vllm #54490", "sgl-project/sglang #34683"), page="ch04"
        ),
    }
)
