"""A GGUF file of the llama architecture as a decoder: its shape and its weights under our names."""

from __future__ import annotations

from collections.abc import Iterator

from core.backends.base import Floats
from core.backends.models.gguf import GgufFile
from core.backends.models.gguf_entries import Entries
from core.backends.models.refusals import refusal
from core.backends.spec import DecoderSpec
from core.backends.weights import layer_parts, tensor_shapes

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
        BackendError: another architecture, a part that our decoder has not, or a shape that cannot be.
    """
    entries = file.entries
    architecture = entries.text("general.architecture", "")
    if architecture != ARCHITECTURE:
        raise refusal("architecture", file.path.name, found=architecture, supported=ARCHITECTURE)
    _refuse_extras(file)
    hidden, (heads, kv_heads, head_dim) = entries.number("llama.embedding_length"), _heads(entries)
    spec = DecoderSpec(
        name=entries.text("general.name", file.path.stem),
        vocab_size=file.tensors[_TOP["embedding"]].shape[0],
        hidden=hidden,
        num_layers=entries.number("llama.block_count"),
        num_heads=heads,
        num_kv_heads=kv_heads,
        head_dim=head_dim,
        ffn=entries.number("llama.feed_forward_length"),
        rope_theta=entries.real("llama.rope.freq_base", 10_000.0),
        rope_factors=_rope_factors(file, head_dim),
        rms_eps=entries.real("llama.attention.layer_norm_rms_epsilon", 1e-5),
        max_positions=entries.number("llama.context_length"),
        tied_head=_TOP["head"] not in file.tensors,
        qkv_bias="blk.0.attn_q.bias" in file.tensors,
    )
    _refuse_other_shapes(file, spec)
    return spec


def _heads(entries: Entries) -> tuple[int, int, int]:
    """Query heads, K and V heads, numbers in a head."""
    heads = entries.number("llama.attention.head_count")
    kv_heads = entries.number("llama.attention.head_count_kv", heads)
    if heads % kv_heads:
        raise entries.damaged("llama.attention.head_count_kv")
    usual = entries.number("llama.embedding_length") // heads
    head_dim = entries.number("llama.attention.key_length", usual, least=2)
    if head_dim % 2:
        raise entries.damaged("llama.attention.key_length")
    if entries.number("llama.rope.dimension_count", head_dim) != head_dim:
        raise refusal("partial_rope", entries.file)
    return heads, kv_heads, head_dim


def _rope_factors(file: GgufFile, head_dim: int) -> tuple[float, ...]:
    if _ROPE_FACTORS not in file.tensors:
        return ()
    if file.tensors[_ROPE_FACTORS].shape != (head_dim // 2,):
        raise file.entries.damaged(_ROPE_FACTORS)
    factors = tuple(file.tensor(_ROPE_FACTORS).tolist())
    if min(factors) <= 0:
        raise file.entries.damaged(_ROPE_FACTORS)
    return factors


def _refuse_other_shapes(file: GgufFile, spec: DecoderSpec) -> None:
    """Every tensor of this decoder is there, in its shape, none beside them: a file that promises layers it
    does not hold is refused at the first that is missing, before anything is made for it."""
    shapes, seen = tensor_shapes(spec), {_ROPE_FACTORS}
    for stored, name in _expected(spec):
        if stored not in file.tensors:
            raise refusal("missing", file.path.name, part=stored)
        if file.tensors[stored].shape != shapes[name]:
            raise file.entries.damaged(stored)
        seen.add(stored)
    extra = next((name for name in file.tensors if name not in seen), None)
    if extra is not None:
        raise refusal("part", file.path.name, found=extra)


def _expected(spec: DecoderSpec) -> Iterator[tuple[str, str]]:
    """Names in the file and our own, one after another."""
    yield from ((stored, name) for name, stored in _TOP.items() if name != "head" or not spec.tied_head)
    parts = layer_parts(spec)
    yield from ((f"blk.{layer}.{_LAYER[part]}", part) for layer in range(spec.num_layers) for part in parts)


def _refuse_extras(file: GgufFile) -> None:
    """Anything in the file that our decoder would silently leave out changes its answers: refuse it."""
    scaling = file.entries.text("llama.rope.scaling.type", "none")
    if scaling not in ("none", "") and _ROPE_FACTORS not in file.tensors:
        raise refusal("rope", file.path.name, found=scaling)
    known = set(_TOP.values()) | {_ROPE_FACTORS}
    for name in file.tensors:
        part = name.split(".", 2)[-1] if name.startswith("blk.") else name
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
