"""A GGUF file of the llama, qwen2 or qwen3 architecture as a decoder: its shape, and its weights under our
names."""

from __future__ import annotations

from dataclasses import replace

from core.backends.base import Floats
from core.backends.models import gguf_rope
from core.backends.models.border import Settings, refuse_other_tensors
from core.backends.models.entries import Entries
from core.backends.models.families import GGUF_FAMILIES, GGUF_NAMES, Family
from core.backends.models.gguf import GgufFile
from core.backends.models.refusals import refusal, told_shortly
from core.backends.spec import DecoderSpec

_SETTINGS = Settings(
    used=(
        "attention.head_count",
        "attention.head_count_kv",
        "attention.key_length",
        "attention.layer_norm_rms_epsilon",
        "attention.sliding_window",
        "attention.value_length",
        "block_count",
        "context_length",
        "embedding_length",
        "feed_forward_length",
        "rope.dimension_count",
        "vocab_size",
        *gguf_rope.USED,
    ),
    only={
        "attention.causal": (True,),
        "expert_count": (0,),
        "expert_used_count": (0,),
        "nextn_predict_layers": (0,),
        "use_parallel_residual": (False,),
        **gguf_rope.ONLY,
    },
    harmless=(
        "rope.scaling.finetuned",
        "tensor_data_layout",  # of files before the conversion to halves; rows lie as the architecture says
    ),
)
"""What an architecture's entries may say, without its name in front."""


def family_of(file: GgufFile) -> Family:
    """The family.

    Raises:
        BackendError: the file is of none that our decoder computes.
    """
    architecture = file.entries.text("general.architecture", "")
    if architecture not in GGUF_FAMILIES:
        known = ", ".join(GGUF_FAMILIES)
        raise refusal("architecture", file.path.name, found=architecture, supported=known)
    return GGUF_FAMILIES[architecture]


def gguf_spec(file: GgufFile) -> DecoderSpec:
    """The decoder's shape.

    Raises:
        BackendError: another architecture, a part that our decoder has not, or a shape that cannot be.
    """
    entries, family = file.entries, family_of(file)
    prefix = entries.text("general.architecture") + "."
    own = Entries(entries.file, _without(prefix, file.metadata), prefix)
    _refuse_pieces(entries)
    _SETTINGS.refuse_others(entries.file, own.values)
    shapes = file.shapes()
    spec = _spec(own, family, shapes)
    beside = [gguf_rope.ROPE_FACTORS] if family.interleaved else []
    refuse_other_tensors(entries.file, spec, shapes, GGUF_NAMES, beside)
    _refuse_other_vocabulary(entries, own, spec)
    name = str(told_shortly(entries.text("general.name", file.path.stem)))
    return gguf_rope.stretched(file, own, replace(spec, name=name), family.scales_later)


def _without(prefix: str, metadata: dict[str, object]) -> dict[str, object]:
    return {name.removeprefix(prefix): value for name, value in metadata.items() if name.startswith(prefix)}


def _spec(own: Entries, family: Family, shapes: dict[str, tuple[int, ...]]) -> DecoderSpec:
    """All that the entries say; the tensors are still to be compared with it."""
    embedding = GGUF_NAMES.stored("embedding")
    if embedding not in shapes:
        raise refusal("missing", own.file, part=embedding)
    heads, kv_heads, head_dim = _heads(own)
    positions, window = own.number("context_length"), own.number("attention.sliding_window", 0, least=0)
    bias = GGUF_NAMES.stored("query_bias", 0) in shapes if family.qkv_bias is None else family.qkv_bias
    return DecoderSpec(
        name="",
        vocab_size=shapes[embedding][0],
        hidden=own.number("embedding_length"),
        num_layers=own.number("block_count"),
        num_heads=heads,
        num_kv_heads=kv_heads,
        head_dim=head_dim,
        ffn=own.number("feed_forward_length"),
        rope_theta=own.real("rope.freq_base", 10_000.0),
        rms_eps=own.real("attention.layer_norm_rms_epsilon"),
        max_positions=min(positions, window or positions),
        tied_head=GGUF_NAMES.stored("head") not in shapes,
        qkv_bias=bias,
        qk_norm=family.qk_norm,
    )


def _heads(own: Entries) -> tuple[int, int, int]:
    """Query heads, K and V heads, numbers in a head."""
    heads = own.number("attention.head_count")
    kv_heads = own.number("attention.head_count_kv", heads)
    if heads % kv_heads:
        raise own.damaged("attention.head_count_kv")
    usual = own.number("embedding_length") // heads
    head_dim = own.number("attention.key_length", usual, least=2)
    if head_dim % 2:
        raise own.damaged("attention.key_length")
    if own.number("attention.value_length", head_dim) != head_dim:
        raise own.damaged("attention.value_length")
    if own.number("rope.dimension_count", head_dim) != head_dim:
        raise refusal("partial_rope", own.file)
    return heads, kv_heads, head_dim


def _refuse_pieces(entries: Entries) -> None:
    """A part of a model, or what is put upon one, is no model."""
    if entries.number("split.count", 1, least=0) > 1:
        raise refusal("part", entries.file, found="split.count")
    kind = entries.text("general.type", "model")
    if kind != "model":
        raise refusal("part", entries.file, found=f"general.type = {told_shortly(kind)}")


def _refuse_other_vocabulary(entries: Entries, own: Entries, spec: DecoderSpec) -> None:
    """As many tokens as rows: a token without a row, or rows of other tokens, are another model's."""
    if own.number("vocab_size", spec.vocab_size) != spec.vocab_size:
        raise own.damaged("vocab_size")
    name = "tokenizer.ggml.tokens"
    if name in entries.values and len(entries.texts(name)) != spec.vocab_size:
        raise entries.damaged(name)


class GgufSource:
    """The weights of a GGUF file, unpacked one tensor at a time."""

    def __init__(self, file: GgufFile, spec: DecoderSpec) -> None:
        self._file = file
        self._spec = spec
        self._interleaved = family_of(file).interleaved

    def tensor(self, name: str, layer: int | None = None) -> Floats:
        """One tensor in float32."""
        numbers = self._file.tensor(GGUF_NAMES.stored(name, layer))
        if self._interleaved and name.startswith("query"):
            return _halves_from_pairs(numbers, self._spec.num_heads)
        if self._interleaved and name.startswith("key"):
            return _halves_from_pairs(numbers, self._spec.num_kv_heads)
        return numbers


def _halves_from_pairs(rows: Floats, heads: int) -> Floats:
    """In the file rows 2i and 2i + 1 of a head turn together; in our decoder rows i and i + d/2."""
    pairs = rows.reshape(heads, -1, 2, *rows.shape[1:])
    return pairs.swapaxes(1, 2).reshape(rows.shape)
