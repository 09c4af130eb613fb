"""Models that take pictures as well as text (Mistral Small 3.1 and later, Ministral 3).

Their text goes through a decoder as any other, kept one level deeper (in config.json and in names).
Where no picture is given the rest of such a model computes nothing, so it is left aside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.backends.models.border import Settings
from core.backends.models.json_file import Json
from core.backends.models.refusals import refusal, told_shortly

NESTED: Mapping[str, tuple[str, ...]] = {"mistral3": ("mistral", "ministral3")}
"""``model_type`` -> those that its text part may have."""

_SEEING = ("vision_tower.", "multi_modal_projector.")
_OUTSIDE = Settings(
    used=("model_type", "text_config", "tie_word_embeddings", "quantization_config", "eos_token_id"),
    only={},
    harmless=(
        # about pictures
        "image_token_id", "image_token_index", "multimodal_projector_bias", "projector_hidden_act",
        "spatial_merge_size", "vision_config", "vision_feature_layer",
        # as everywhere
        "_name_or_path", "architectures", "bos_token_id", "dtype", "initializer_range", "pad_token_id",
        "torch_dtype", "transformers_version", "unsloth_fixed", "unsloth_version", "use_cache",
    ),
)  # fmt: skip
_SHARED = ("tie_word_embeddings", "quantization_config", "eos_token_id")
"""What may stand outside and counts for the text."""


def text_config(file: str, config: Json) -> Json:
    """What config.json says of the decoder, as if it were a model by itself.

    Raises:
        BackendError: the outside says what is not known, or the inside is of another kind.
    """
    if not is_nested(config):
        return config
    kinds = NESTED[config["model_type"]]
    text = config.get("text_config")
    if not isinstance(text, dict):
        raise refusal("missing", file, part="config.json: text_config")
    _OUTSIDE.refuse_others(file, {name: one for name, one in config.items() if one is not None})
    kind = text.get("model_type", kinds[0])
    if kind not in kinds:
        whole = f"{config['model_type']}, {told_shortly(kind)}"
        raise refusal("architecture", file, found=whole, supported=", ".join(kinds))
    outside = {name: config[name] for name in _SHARED if config.get(name) is not None}
    return {**text, "model_type": kind, **outside}


def text_name(stored: str) -> str | None:
    """The name that a tensor would have in a model by itself, from either way of writing it; None for one
    that only sees."""
    name = stored.removeprefix("model.")
    if name.startswith(_SEEING):
        return None
    if name.startswith("language_model.lm_head."):
        return name.removeprefix("language_model.")
    if name.startswith("language_model."):
        return "model." + name.removeprefix("language_model.").removeprefix("model.")
    return stored


def is_nested(config: Mapping[str, Any]) -> bool:
    """Whether it is such a model."""
    return str(config.get("model_type")) in NESTED
