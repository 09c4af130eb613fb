"""Our decoder against transformers', same weights: the check that needs packages the app does not.

    pip install -r requirements-torch.txt transformers==5.24.0 gguf accelerate
    python -m benchmarks.against_transformers [DIRECTORY or FILE.gguf …]

Makes small random models of every supported type, saves them as transformers does, loads them as we do and
compares logits, whole prompts and hits. A directory or a GGUF file is compared with its real weights.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from core.backends.decoders.loader import ModelLoader
from core.backends.models.sources import ModelSource
from core.backends.plan import Plan

LIMIT = 1e-4
SMALL = {
    "vocab_size": 199,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 10000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
YARN = {
    "rope_type": "yarn",
    "rope_theta": 10000.0,
    "factor": 4.0,
    "original_max_position_embeddings": 1024,
}
LATER = {**YARN, "mscale": 1.0, "mscale_all_dim": 0.5, "beta_fast": 16.0, "llama_4_scaling_beta": 0.1}
SEEING = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "head_dim": 16,
    "image_size": 28,
    "patch_size": 14,
}


def seeing(text: Any, *, tied: bool) -> Any:
    """A model that takes pictures too."""
    return transformers.Mistral3Config(
        text_config=text,
        vision_config=transformers.PixtralVisionConfig(**SEEING),
        tie_word_embeddings=tied,
        image_token_index=198,
    )


def configs() -> dict[str, Any]:
    """One small configuration of each kind that the loader supports."""
    return {
        "llama": transformers.LlamaConfig(**SMALL),
        "llama, tied head": transformers.LlamaConfig(**SMALL, tie_word_embeddings=True),
        "llama, stretched positions": transformers.LlamaConfig(**SMALL, rope_parameters=LLAMA3),
        "llama, linear": transformers.LlamaConfig(
            **SMALL, rope_parameters={"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}
        ),
        "llama, yarn": transformers.LlamaConfig(**SMALL, rope_parameters=YARN),
        "llama, wide heads": transformers.LlamaConfig(**SMALL, head_dim=32),
        "mistral": transformers.MistralConfig(**SMALL, sliding_window=None),
        "mistral with a window": transformers.MistralConfig(**SMALL, sliding_window=300),
        "ministral3": transformers.Ministral3Config(**SMALL, head_dim=16, rope_parameters=LATER),
        "mistral3 of mistral": seeing(transformers.MistralConfig(**SMALL, sliding_window=None), tied=False),
        "mistral3 of ministral3, tied": seeing(
            transformers.Ministral3Config(**SMALL, head_dim=16, rope_parameters=LATER), tied=True
        ),
        "qwen2": transformers.Qwen2Config(**SMALL),
        "qwen2, yarn": transformers.Qwen2Config(**SMALL, rope_parameters=YARN),
        "qwen3": transformers.Qwen3Config(**SMALL, head_dim=16),
    }


def model_of(config: Any) -> Any:
    """Who makes and reads such a model."""
    if config is not None and config.model_type == "mistral3":
        return transformers.AutoModelForImageTextToText
    return transformers.AutoModelForCausalLM


def shaken(model: Any) -> Any:
    """Norms that are not ones, biases that are not zeros, layers that do something: nothing can hide."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim == 2 and "embed" not in name:
                weight.mul_(6)
            if "norm" in name or name.endswith("bias"):
                weight.add_(0.3 * torch.randn_like(weight))
    return model


def compare(path: Path) -> dict[str, float]:
    """Largest difference of the last logits: whole prompt, and the same prompt behind a hit."""
    is_file = path.suffix == ".gguf"
    where = {"gguf_file": path.name} if is_file else {}
    home = path.parent if is_file else path
    config = None if is_file else transformers.AutoConfig.from_pretrained(home)
    theirs = model_of(config).from_pretrained(home, dtype=torch.float32, **where).eval()
    dice = np.random.default_rng(0)
    tokens = tuple(dice.integers(0, theirs.get_input_embeddings().num_embeddings - 1, 300).tolist())
    with torch.inference_mode():
        wanted = theirs(torch.tensor([tokens])).logits[0, -1].numpy()
    found = {}
    for library in ("numpy", "torch"):
        backend = (
            ModelLoader()
            .load(ModelSource("gguf" if is_file else "hf", str(path)), library, device="cpu")
            .backend()
        )
        backend.reserve(40, 16)
        table = tuple((1 + dice.permutation(39)[:19]).tolist())
        whole = backend.prefill(Plan("whole", tokens, table, 0)).logits
        hit = backend.prefill(Plan("hit", tokens, table, 256)).logits
        assert whole is not None
        assert hit is not None
        found[library] = float(np.abs(whole - wanted).max())
        found[f"{library} hit"] = float(np.abs(hit - wanted).max())
    return found


def main(folders: list[str]) -> int:
    """Print a table; 1 if anything differs by more than LIMIT."""
    transformers.utils.logging.disable_progress_bar()
    rows: dict[str, dict[str, float]] = {}
    torch.manual_seed(0)
    for name, config in configs().items():
        with tempfile.TemporaryDirectory() as folder:
            shaken(model_of(config).from_config(config)).save_pretrained(folder)
            rows[name] = compare(Path(folder))
    for folder in folders:
        rows[folder] = compare(Path(folder))
    print(f"transformers {transformers.__version__}, torch {torch.__version__}: largest difference of logits")
    for name, row in rows.items():
        print(f"{name:28}", "  ".join(f"{side} {value:.1e}" for side, value in row.items()))
    worst = max(value for row in rows.values() for value in row.values())
    print("equal within", f"{worst:.1e}" if worst <= LIMIT else f"{worst:.1e}: TOO MUCH")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
