"""Writes small model files as the formats describe them: GGUF, safetensors, a Hugging Face directory."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.backends.base import Floats
from core.backends.models.byte_pair import byte_letters
from core.backends.models.families import GGUF_NAMES, HF_NAMES
from core.backends.models.hf_directory import INDEX
from core.backends.models.safetensors import SafetensorsFile
from core.backends.spec import DecoderSpec
from core.backends.weights import Weights

F32, F16 = 0, 1
Json = dict[str, Any]


# -- GGUF ---------------------------------------------------------------------------------------------------


def gguf_bytes(
    metadata: Mapping[str, Any], tensors: Mapping[str, tuple[Sequence[int], int, bytes]], version: int = 3
) -> bytes:
    """A file: name -> value, name -> (shape with the fastest axis last, kind, data)."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    for name, value in metadata.items():
        head += _text(name) + _typed(value)
    data = b""
    for name, (shape, kind, raw) in tensors.items():
        head += _text(name) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}Q", *reversed(shape)) + struct.pack("<IQ", kind, len(data))
        data += raw + bytes(-len(raw) % 32)
    return head + bytes(-len(head) % 32) + data


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _typed(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<Ii", 5, value) if value < 0 else struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    kind = {str: 8, float: 6, int: 5}[type(value[0])]
    rows = b"".join(struct.pack("<i", row) if kind == 5 else _typed(row)[4:] for row in value)
    return struct.pack("<IIQ", 9, kind, len(value)) + rows


def interleaved(rows: Floats, heads: int) -> Floats:
    """Query and key rows as GGUF keeps them: rows that turn together lie side by side."""
    return rows.reshape(heads, 2, -1, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def gguf_metadata(spec: DecoderSpec, architecture: str = "llama") -> Json:
    """What a converter writes about the shape."""
    own = {
        "block_count": spec.num_layers,
        "context_length": spec.max_positions,
        "embedding_length": spec.hidden,
        "feed_forward_length": spec.ffn,
        "attention.head_count": spec.num_heads,
        "attention.head_count_kv": spec.num_kv_heads,
        "attention.key_length": spec.head_dim,
        "rope.freq_base": spec.rope_theta,
        "attention.layer_norm_rms_epsilon": spec.rms_eps,
    }
    named = {f"{architecture}.{name}": value for name, value in own.items()}
    return {"general.architecture": architecture, "general.name": spec.name, **named}


def gguf_tensors(
    spec: DecoderSpec, weights: Weights[Floats], architecture: str = "llama"
) -> dict[str, tuple[Sequence[int], int, bytes]]:
    """All tensors in float32. Rows of Q and K that turn together lie side by side for llama alone."""
    heads = {"query": spec.num_heads, "key": spec.num_kv_heads} if architecture == "llama" else {}
    named = {}
    for name, part, layer in GGUF_NAMES.expected(spec):
        numbers = getattr(weights if layer < 0 else weights.layers[layer], part)
        turning = heads.get(part.removesuffix("_bias"))
        named[name] = interleaved(numbers, turning) if turning else numbers
    if spec.rope_factors:
        named["rope_freqs.weight"] = np.array(spec.rope_factors, np.float32)
    return {name: (numbers.shape, F32, numbers.tobytes()) for name, numbers in named.items()}


TOKENS = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", *byte_letters(),
    "he", "ll", "hell", "hello", "Ġw", "Ġwo", "Ġworld", "or", "ld", "orld", "ä½", "ä½ł",
]  # fmt: skip
MERGES = ["h e", "l l", "he ll", "hell o", "o r", "l d", "or ld", "Ġ w", "Ġw orld", "ä ½", "ä½ ł"]


CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def tokenizer_metadata() -> Json:
    """A byte-level tokenizer with a few merges and the marks of ChatML."""
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.token_type": [3, 3, 3, *[1] * (len(TOKENS) - 3)],
        "tokenizer.ggml.merges": MERGES,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.chat_template": CHATML,
    }


# -- safetensors and directories ----------------------------------------------------------------------------


def safetensors_bytes(tensors: Mapping[str, tuple[str, Sequence[int], bytes]]) -> bytes:
    """A file: name -> (dtype, shape, data)."""
    head: Json = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, (dtype, shape, raw) in tensors.items():
        head[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + data


def hf_config(spec: DecoderSpec, model_type: str = "llama") -> Json:
    """config.json for a shape."""
    return {
        "model_type": model_type,
        "vocab_size": spec.vocab_size,
        "hidden_size": spec.hidden,
        "intermediate_size": spec.ffn,
        "num_hidden_layers": spec.num_layers,
        "num_attention_heads": spec.num_heads,
        "num_key_value_heads": spec.num_kv_heads,
        "head_dim": spec.head_dim,
        "rms_norm_eps": spec.rms_eps,
        "rope_theta": spec.rope_theta,
        "max_position_embeddings": spec.max_positions,
        "tie_word_embeddings": spec.tied_head,
        "sliding_window": None,
        "hidden_act": "silu",
        "eos_token_id": [2, 5],
    }


def hf_tensors(spec: DecoderSpec, weights: Weights[Floats]) -> dict[str, tuple[str, Sequence[int], bytes]]:
    """All tensors in float32."""
    named = {
        name: getattr(weights if layer < 0 else weights.layers[layer], part)
        for name, part, layer in HF_NAMES.expected(spec)
    }
    return {name: ("F32", numbers.shape, numbers.tobytes()) for name, numbers in named.items()}


def write_hf(
    folder: Path, spec: DecoderSpec, weights: Weights[Floats], model_type: str = "llama", **changes: Any
) -> Path:
    """A directory in two shards; ``changes`` replace entries of config.json (None as ``...`` removes one)."""
    config = {**hf_config(spec, model_type), **changes}
    config = {name: value for name, value in config.items() if value is not ...}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    tensors = list(hf_tensors(spec, weights).items())
    for number, part in enumerate((tensors[:5], tensors[5:])):
        (folder / f"model-{number}.safetensors").write_bytes(safetensors_bytes(dict(part)))
    return folder


def write_index(folder: Path) -> None:
    """model.safetensors.index.json for the files of a directory."""
    where = {
        name: path.name
        for path in sorted(folder.glob("*.safetensors"))
        for name in SafetensorsFile(path).names()
    }
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": where}), "utf-8")


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def added_token(name: str, token_id: int, **settings: bool) -> Json:
    """A special token as ``tokenizer.json`` writes it."""
    usual = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": token_id, "content": name, **usual, **settings}


def hf_tokenizer_files(folder: Path) -> None:
    """A byte-level tokenizer with ``TOKENS``, the marks of ChatML and the tokens that end an answer."""
    added = [added_token(token, number) for number, token in enumerate(TOKENS[:3])]
    data = {
        "normalizer": None,
        "model": {
            "type": "BPE",
            "vocab": {token: number for number, token in enumerate(TOKENS)},
            "merges": MERGES,
        },
        "pre_tokenizer": BYTE_LEVEL,
        "decoder": BYTE_LEVEL,
        "added_tokens": added,
    }
    (folder / "tokenizer.json").write_text(json.dumps(data), "utf-8")
    config = {"chat_template": CHATML, "eos_token": "<|im_end|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [0, 2]}), "utf-8")
