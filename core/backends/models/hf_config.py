"""A config.json of a llama, mistral, qwen2 or qwen3 model as a decoder's shape; the tensors are compared with
it in ``hf_directory.py``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.backends.models.border import Settings
from core.backends.models.entries import Entries
from core.backends.models.families import HF_FAMILIES, Family
from core.backends.models.hf_rope import HfRope
from core.backends.models.refusals import refusal, told_shortly
from core.backends.models.safetensors import FORMS
from core.backends.spec import DecoderSpec

_SETTINGS = Settings(
    used=(
        "head_dim",
        "hidden_act",
        "hidden_size",
        "intermediate_size",
        "layer_types",
        "max_position_embeddings",
        "max_window_layers",
        "model_type",
        "num_attention_heads",
        "num_hidden_layers",
        "num_key_value_heads",
        "partial_rotary_factor",
        "quantization_config",
        "rms_norm_eps",
        "rope_parameters",
        "rope_scaling",
        "rope_theta",
        "sliding_window",
        "tie_word_embeddings",
        "use_sliding_window",
        "vocab_size",
    ),
    only={
        "add_cross_attention": (False,),
        "attention_bias": (False,),  # biases of the output too, which our decoder lacks
        "is_encoder_decoder": (False,),
        "mlp_bias": (False,),
        "rope_interleaved": (False,),
        "use_mrope": (False,),
    },
    harmless=(
        # where it comes from
        "_name_or_path", "architectures", "dtype", "is_llama_config", "torch_dtype", "transformers_version",
        "transformers.js_config", "unsloth_fixed", "unsloth_version",
        # training
        "attention_dropout", "attn_pdrop", "embd_pdrop", "gradient_checkpointing", "hidden_dropout",
        "initializer_range", "pretraining_tp", "resid_pdrop", "router_aux_loss_coef",
        # what is handed out, and how answers are chosen
        "_attn_implementation", "bos_token_id", "eos_token_id", "finetuning_task", "id2label", "is_decoder",
        "label2id", "max_length", "num_labels", "output_attentions",
        "output_hidden_states", "pad_token_id", "return_dict", "task_specific_params", "temperature", "top_k",
        "top_p", "torchscript", "unk_token_id", "use_cache", "use_return_dict",
    ),
)  # fmt: skip

_FIRST_WINDOW = 28
"""The first layer that looks through a window, where Qwen's files do not say it."""


class HfConfig:
    """What a config.json says. A setting of null is one that is not said.

    Raises:
        BackendError: a setting that our decoder lacks, or does not know, or one that cannot be.
    """

    def __init__(self, file: str, config: Mapping[str, Any]) -> None:
        self._raw = config
        self._entries = Entries(
            file, {name: one for name, one in config.items() if one is not None}, "config.json: "
        )
        self._family = self._find_family()
        self._refuse_others()
        self._rope = HfRope(self._entries, self._family.scales_later)

    def spec(self, tied_head: bool = False) -> DecoderSpec:
        """The shape, without the stretching of positions: its size follows from numbers that the tensors must
        confirm first. ``tied_head``: whether the head is the embedding, where the file does not say."""
        entries, family = self._entries, self._family
        heads = entries.number("num_attention_heads")
        kv_heads = entries.number("num_key_value_heads", family.kv_heads or heads)
        hidden, layers = entries.number("hidden_size"), entries.number("num_hidden_layers")
        positions = entries.number("max_position_embeddings", family.positions)
        head_dim = entries.number("head_dim", family.head_dim or hidden // heads, least=2)
        if heads % kv_heads:
            raise entries.damaged("num_key_value_heads")
        if head_dim % 2:
            raise entries.damaged("head_dim")
        return DecoderSpec(
            name=str(told_shortly(entries.file)),
            vocab_size=entries.number("vocab_size"),
            hidden=hidden,
            num_layers=layers,
            num_heads=heads,
            num_kv_heads=kv_heads,
            head_dim=head_dim,
            ffn=entries.number("intermediate_size"),
            rope_theta=self._rope.theta(),
            rms_eps=entries.real("rms_norm_eps", family.rms_eps),
            max_positions=min(positions, self._window(layers) or positions),
            tied_head=entries.flag("tie_word_embeddings", tied_head),
            qkv_bias=bool(family.qkv_bias),
            qk_norm=family.qk_norm,
        )

    def stretched(self, spec: DecoderSpec) -> DecoderSpec:
        """The same decoder with its positions stretched as the file says."""
        return self._rope.stretched(spec)

    # -- inside -----------------------------------------------------------------------------------------

    def _find_family(self) -> Family:
        kind = self._entries.values.get("model_type")
        found = HF_FAMILIES.get(kind) if isinstance(kind, str) else None
        if found is None:
            raise refusal("architecture", self._entries.file, found=kind, supported=", ".join(HF_FAMILIES))
        return found

    def _refuse_others(self) -> None:
        entries = self._entries
        packed = entries.values.get("quantization_config")
        if packed:
            method = packed.get("quant_method", "?") if isinstance(packed, dict) else "?"
            plain = ", ".join(FORMS)
            raise refusal("quantised", entries.file, part="config.json", found=method, supported=plain)
        if entries.text("hidden_act", "silu") != "silu":
            raise refusal("activation", entries.file, found=entries.text("hidden_act"))
        if entries.real("partial_rotary_factor", 1.0) != 1:
            raise refusal("partial_rope", entries.file)
        _SETTINGS.refuse_others(entries.file, entries.values)

    def _window(self, num_layers: int) -> int | None:
        """How many tokens each looks back on, itself among them; None: all. A window that is said to be none
        is none; one that is not said at all is the family's."""
        entries, family = self._entries, self._family
        window = entries.number("sliding_window", 0, least=0)
        if "sliding_window" not in self._raw:
            window = family.window or 0
        from_layer = entries.number("max_window_layers", _FIRST_WINDOW, least=0)
        flag = entries.flag("use_sliding_window", False) and from_layer < num_layers
        slides = bool(window) and (family.always_slides or flag)
        kinds = entries.values.get("layer_types", [])
        if not isinstance(kinds, list):
            raise entries.damaged("layer_types")
        if any(kind not in ("full_attention", "sliding_attention") for kind in kinds):
            raise refusal("window", entries.file)
        if "sliding_attention" in kinds and not window:
            raise entries.damaged("sliding_window")
        return window if slides or "sliding_attention" in kinds else None
