"""A GGUF file of the llama architecture as a decoder: its shape and its weights under our names."""

from __future__ import annotations

from typing import Any

from core.backends.base import Floats
from core.backends.models.gguf import GgufFile
from core.backends.models.refusals import refusal
from core.backends.spec import DecoderSpec

ARCHITECTURE = "llama"
_TOP = {"embedding": "token_embd.weight", "final_norm": "output_norm.weight", "head": "output.weight"}
_LAYER = {
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
}
_ROPE_FACTORS = "rope_freqs.weight"


def gguf_spec(file: GgufFile) -> DecoderSpec:
    """The decoder's shape.

    Raises:
        BackendError: another architecture, or a part that our decoder has not.
    """
    data = file.metadata
    architecture = data.get("general.architecture")
    if architecture != ARCHITECTURE:
        raise refusal("architecture", file.path.name, found=architecture, supported=ARCHITECTURE)
    _refuse_extras(file)
    hidden, heads = _number(file, "embedding_length"), _number(file, "attention.head_count")
    head_dim = data.get("llama.attention.key_length", hidden // heads)
    if data.get("llama.rope.dimension_count", head_dim) != head_dim:
        raise refusal("partial_rope", file.path.name)
    return DecoderSpec(
        name=str(data.get("general.name", file.path.stem)),
        vocab_size=file.tensors[_TOP["embedding"]].shape[0],
        hidden=hidden,
        num_layers=_number(file, "block_count"),
        num_heads=heads,
        num_kv_heads=data.get("llama.attention.head_count_kv", heads),
        head_dim=head_dim,
        ffn=_number(file, "feed_forward_length"),
        rope_theta=float(data.get("llama.rope.freq_base", 10_000.0)),
        rope_factors=_rope_factors(file),
        rms_eps=float(data.get("llama.attention.layer_norm_rms_epsilon", 1e-5)),
        max_positions=_number(file, "context_length"),
        tied_head=_TOP["head"] not in file.tensors,
        qkv_bias="blk.0.attn_q.bias" in file.tensors,
    )


def _number(file: GgufFile, name: str) -> int:
    value = file.metadata.get(f"llama.{name}")
    if not isinstance(value, int):
        raise refusal("missing", file.path.name, part=f"llama.{name}")
    return value


def _rope_factors(file: GgufFile) -> tuple[float, ...]:
    return tuple(file.tensor(_ROPE_FACTORS).tolist()) if _ROPE_FACTORS in file.tensors else ()


def _refuse_extras(file: GgufFile) -> None:
    """Anything in the file that our decoder would silently leave out changes its answers: refuse it."""
    scaling: Any = file.metadata.get("llama.rope.scaling.type", "none")
    if scaling not in ("none", "") and _ROPE_FACTORS not in file.tensors:
        raise refusal("rope", file.path.name, found=scaling)
    known = set(_TOP.values()) | {_ROPE_FACTORS}
    for name in file.tensors:
        part = name.split(".", 2)[2] if name.startswith("blk.") else name
        if part not in _LAYER.values() and name not in known:
            raise refusal("part", file.path.name, found=name)
    if _TOP["embedding"] not in file.tensors:
        raise refusal("missing", file.path.name, part=_TOP["embedding"])


class GgufSource:
    """The weights of a GGUF file, unpacked one tensor at a time."""

    def __init__(self, file: GgufFile, spec: DecoderSpec) -> None:
        self._file = file
        self._spec = spec

    def tensor(self, name: str, layer: int | None = None) -> Floats:
        """One tensor in float32."""
        stored = _TOP[name] if layer is None else f"blk.{layer}.{_LAYER[name]}"
        numbers = self._file.tensor(stored)
        if name.startswith("query"):
            return _halves_from_pairs(numbers, self._spec.num_heads)
        if name.startswith("key"):
            return _halves_from_pairs(numbers, self._spec.num_kv_heads)
        return numbers


def _halves_from_pairs(rows: Floats, heads: int) -> Floats:
    """In the file rows 2i and 2i + 1 of a head turn together; in our decoder rows i and i + d/2."""
    pairs = rows.reshape(heads, -1, 2, *rows.shape[1:])
    return pairs.swapaxes(1, 2).reshape(rows.shape)
