"""A Hugging Face directory (config.json and safetensors) of a llama, mistral, qwen2 or qwen3 model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.backends.base import Floats
from core.backends.models.refusals import refusal
from core.backends.models.safetensors import FORMS, SafetensorsFile
from core.backends.rope import llama3_factors
from core.backends.spec import DecoderSpec
from core.backends.weights import layer_parts

MODEL_TYPES = ("llama", "mistral", "qwen2", "qwen3")
_TOP = {"embedding": "model.embed_tokens.weight", "final_norm": "model.norm.weight", "head": "lm_head.weight"}
_LAYER = {
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
}
Json = dict[str, Any]


class HfDirectory:
    """An opened directory.

    Raises:
        BackendError: a file is missing or cannot be read, or the model has a part that our decoder has not.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = self._json("config.json")
        self._refuse_others()
        paths = sorted(folder.glob("*.safetensors"))
        if not paths:
            raise refusal("missing", folder.name, part="*.safetensors")
        self._file_of = {name: file for file in map(SafetensorsFile, paths) for name in file.names()}
        self.spec = self._spec()
        self._refuse_unknown_tensors()
        self._refuse_missing_tensors()

    def optional_json(self, name: str) -> Json:
        """A file of the directory, or nothing where it does not exist."""
        return self._json(name) if (self.folder / name).exists() else {}

    def tensor(self, name: str, layer: int | None = None) -> Floats:
        """One tensor in float32 (``core.backends.weights.WeightSource``)."""
        stored = _stored_name(name, layer)
        return self._file_of[stored].tensor(stored)

    # -- inside -----------------------------------------------------------------------------------------

    def _json(self, name: str) -> Json:
        try:
            data = json.loads((self.folder / name).read_text("utf-8"))
        except (OSError, ValueError) as problem:
            raise refusal("missing", self.folder.name, part=name) from problem
        if not isinstance(data, dict):
            raise refusal("missing", self.folder.name, part=name)
        return data

    def _spec(self) -> DecoderSpec:
        config = self.config
        try:
            heads = config["num_attention_heads"]
            head_dim = config.get("head_dim") or config["hidden_size"] // heads
            theta = float(self._rope("rope_theta", 10_000.0))
            return DecoderSpec(
                name=self.folder.name,
                vocab_size=config["vocab_size"],
                hidden=config["hidden_size"],
                num_layers=config["num_hidden_layers"],
                num_heads=heads,
                num_kv_heads=config.get("num_key_value_heads") or heads,
                head_dim=head_dim,
                ffn=config["intermediate_size"],
                rope_theta=theta,
                rope_factors=self._rope_factors(theta, head_dim),
                rms_eps=config.get("rms_norm_eps", 1e-6),
                max_positions=config.get("max_position_embeddings", 2048),
                tied_head=bool(config.get("tie_word_embeddings", False)),
                qkv_bias="model.layers.0.self_attn.q_proj.bias" in self._file_of,
                qk_norm=config["model_type"] == "qwen3",
            )
        except KeyError as missing:
            raise refusal("missing", self.folder.name, part=f"config.json: {missing}") from missing

    def _rope_table(self) -> Json:
        """Newer files keep everything about positions in one object, older ones beside the rest."""
        return self.config.get("rope_parameters") or self.config.get("rope_scaling") or {}

    def _rope(self, name: str, default: Any) -> Any:
        return self._rope_table().get(name, self.config.get(name, default))

    def _rope_factors(self, theta: float, head_dim: int) -> tuple[float, ...]:
        table = self._rope_table()
        kind = table.get("rope_type", table.get("type", "default"))
        if kind == "default":
            return ()
        if kind != "llama3":
            raise refusal("rope", self.folder.name, found=kind)
        low, high = table["low_freq_factor"], table["high_freq_factor"]
        original = table["original_max_position_embeddings"]
        return llama3_factors(theta, head_dim, table["factor"], low, high, original)

    def _refuse_others(self) -> None:
        config = self.config
        kind = config.get("model_type")
        if kind not in MODEL_TYPES:
            raise refusal("architecture", self.folder.name, found=kind, supported=", ".join(MODEL_TYPES))
        if config.get("quantization_config"):
            found = config["quantization_config"].get("quant_method", "?")
            plain = ", ".join(FORMS)
            raise refusal("quantised", self.folder.name, part="config.json", found=found, supported=plain)
        window = config.get("sliding_window", 4096 if kind == "mistral" else None)  # the library's default
        slides = config.get("use_sliding_window", kind == "mistral") and window
        if slides or "sliding_attention" in config.get("layer_types", ()):
            raise refusal("window", self.folder.name)
        if config.get("hidden_act", "silu") != "silu":
            raise refusal("activation", self.folder.name, found=config["hidden_act"])
        if self._rope("partial_rotary_factor", 1.0) != 1.0:
            raise refusal("partial_rope", self.folder.name)

    def _refuse_unknown_tensors(self) -> None:
        """A tensor that our decoder would silently leave out changes its answers: refuse it."""
        for name in self._file_of:
            part = name.split(".", 3)[3] if name.startswith("model.layers.") else name
            if part in _LAYER.values() or name in _TOP.values() or name.endswith("rotary_emb.inv_freq"):
                continue
            raise refusal("part", self.folder.name, found=name)

    def _refuse_missing_tensors(self) -> None:
        """A shard that was not fetched is noticed before a long loading, not at its end."""
        top = ("embedding", "final_norm") if self.spec.tied_head else ("embedding", "final_norm", "head")
        wanted = [_stored_name(name, None) for name in top]
        for layer in range(self.spec.num_layers):
            wanted += [_stored_name(part, layer) for part in layer_parts(self.spec)]
        for name in wanted:
            if name not in self._file_of:
                raise refusal("missing", self.folder.name, part=name)


def _stored_name(name: str, layer: int | None) -> str:
    return _TOP[name] if layer is None else f"model.layers.{layer}.{_LAYER[name]}"
