"""The families of models that our decoder computes, and what they call their tensors.

One table for both formats: what is not in it is refused. Mistral's GGUF files call themselves llama.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.backends.spec import DecoderSpec
from core.backends.weights import layer_parts


@dataclass(frozen=True, slots=True)
class Family:
    """How a family's decoder differs from the others'.

    ``qkv_bias`` and ``qk_norm``: the tensors that its layers have besides; None: as the file has it.
    ``interleaved``: GGUF keeps rows of Q and K that turn together side by side.
    ``always_slides``: a window is one, and needs no other setting that says so.
    ``scales_later``: queries behind the context of the first training are scaled.
    The rest is what the transformers library takes where a config.json does not say it.
    """

    qkv_bias: bool | None = False
    qk_norm: bool = False
    interleaved: bool = False
    kv_heads: int | None = None
    head_dim: int | None = None
    positions: int = 32_768
    window: int | None = None
    always_slides: bool = False
    scales_later: bool = False
    rms_eps: float = 1e-6


HF_FAMILIES: Mapping[str, Family] = {
    "llama": Family(positions=2048),
    "mistral": Family(kv_heads=8, positions=131_072, window=4096, always_slides=True),
    "ministral3": Family(
        kv_heads=8, head_dim=128, positions=262_144, always_slides=True, scales_later=True, rms_eps=1e-5
    ),
    "qwen2": Family(qkv_bias=True, kv_heads=32),
    "qwen3": Family(qk_norm=True, kv_heads=32, head_dim=128),
}
"""By ``model_type``."""

GGUF_FAMILIES: Mapping[str, Family] = {
    "llama": Family(qkv_bias=None, interleaved=True),
    "mistral3": Family(interleaved=True, scales_later=True),
    "qwen2": Family(qkv_bias=True),
    "qwen3": Family(qk_norm=True),
}
"""By ``general.architecture``."""


@dataclass(frozen=True, slots=True)
class Naming:
    """Our names of tensors (``core.backends.weights``) -> a format's: ``top`` once a model, ``layer`` behind
    ``prefix`` and the layer's number."""

    prefix: str
    top: Mapping[str, str]
    layer: Mapping[str, str]

    def stored(self, name: str, layer: int | None = None) -> str:
        """A tensor's name in the file."""
        return self.top[name] if layer is None else f"{self.prefix}{layer}.{self.layer[name]}"

    def expected(self, spec: DecoderSpec) -> Iterator[tuple[str, str, int]]:
        """Name in the file, our name and the layer (-1 for none) of all tensors, one after another: a number
        of layers that a file only promises takes no memory."""
        yield from ((self.top[name], name, -1) for name in self.top if name != "head" or not spec.tied_head)
        parts = layer_parts(spec)
        for layer in range(spec.num_layers):
            yield from ((self.stored(part, layer), part, layer) for part in parts)

    def layers_in(self, names: Iterable[str]) -> int:
        """How many layers a file holds something of."""
        number = re.compile(re.escape(self.prefix) + r"([0-9]{1,9})\.")
        return len({int(found[1]) for found in map(number.match, names) if found})


GGUF_NAMES = Naming(
    "blk.",
    {"embedding": "token_embd.weight", "final_norm": "output_norm.weight", "head": "output.weight"},
    {
        "attention_norm": "attn_norm.weight",
        "query": "attn_q.weight",
        "key": "attn_k.weight",
        "value": "attn_v.weight",
        "output": "attn_output.weight",
        "ffn_norm": "ffn_norm.weight",
        "gate": "ffn_gate.weight",
        "up": "ffn_up.weight",
        "down": "ffn_down.weight",
        "query_bias": "attn_q.bias",
        "key_bias": "attn_k.bias",
        "value_bias": "attn_v.bias",
        "query_norm": "attn_q_norm.weight",
        "key_norm": "attn_k_norm.weight",
    },
)
HF_NAMES = Naming(
    "model.layers.",
    {"embedding": "model.embed_tokens.weight", "final_norm": "model.norm.weight", "head": "lm_head.weight"},
    {
        "attention_norm": "input_layernorm.weight",
        "query": "self_attn.q_proj.weight",
        "key": "self_attn.k_proj.weight",
        "value": "self_attn.v_proj.weight",
        "output": "self_attn.o_proj.weight",
        "ffn_norm": "post_attention_layernorm.weight",
        "gate": "mlp.gate_proj.weight",
        "up": "mlp.up_proj.weight",
        "down": "mlp.down_proj.weight",
        "query_bias": "self_attn.q_proj.bias",
        "key_bias": "self_attn.k_proj.bias",
        "value_bias": "self_attn.v_proj.bias",
        "query_norm": "self_attn.q_norm.weight",
        "key_norm": "self_attn.k_norm.weight",
    },
)
