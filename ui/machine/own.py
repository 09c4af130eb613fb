"""A model and a GPU by one's own numbers, for the modelled times; in the link as one parameter. Pure."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields, replace
from typing import get_args

from core.cost import GpuSpec, ModelSpec
from core.cost.specs import DType
from ui.frame.link import whole

MY_MODEL, MY_GPU = "my-model", "my-GPU"
DTYPES: tuple[DType, ...] = get_args(DType)
MOST = 1_000_000
SOURCE = "—"
TERA, GIGA = 1e12, 1e9


@dataclass(frozen=True, slots=True)
class OwnNumbers:
    """Dimensions of a dense decoder as its config.json has them; a GPU's dense peaks in TFLOP/s (8 bit: 0
    where it gains nothing), bandwidth in GB/s, memory in GiB."""

    num_layers: int = 32
    hidden: int = 4096
    num_heads: int = 32
    num_kv_heads: int = 8
    head_dim: int = 128
    ffn: int = 14336
    vocab: int = 128256
    weight_dtype: DType = "bf16"
    kv_dtype: DType = "bf16"
    peak_16: int = 300
    peak_8: int = 0
    bandwidth: int = 2000
    memory_gib: int = 80

    def model(self) -> ModelSpec:
        """The model.

        Raises:
            ConfigError: KV heads that do not divide the heads.
        """
        values = {name: getattr(self, name) for name in MODEL_NUMBERS}
        dtypes = {"weight_dtype": self.weight_dtype, "kv_dtype": self.kv_dtype}
        return ModelSpec(MY_MODEL, **values, source=SOURCE, **dtypes)  # type: ignore[arg-type]

    def gpu(self) -> GpuSpec:
        """The GPU."""
        peak_8 = self.peak_8 * TERA if self.peak_8 else None
        return GpuSpec(
            MY_GPU, self.peak_16 * TERA, peak_8, self.bandwidth * GIGA, self.memory_gib, source=SOURCE
        )

    def with_number(self, name: str, value: object) -> OwnNumbers:
        """One of them changed.

        Raises:
            ConfigError: no such model.
        """
        new = replace(self, **{name: value})  # type: ignore[arg-type]
        new.model()
        return new


MODEL_NUMBERS = ("num_layers", "hidden", "num_heads", "num_kv_heads", "head_dim", "ffn", "vocab")
GPU_NUMBERS = ("peak_16", "peak_8", "bandwidth", "memory_gib")


def least(name: str) -> int:
    """Only the peak for 8 bits may be missing."""
    return 0 if name == "peak_8" else 1


def to_text(own: OwnNumbers) -> str:
    """For the link."""
    return "~".join(map(str, astuple(own)))


def from_text(text: str) -> OwnNumbers:
    """Back.

    Raises:
        ValueError: it is damaged.
        ConfigError: no such model.
    """
    values: list[object] = []
    for field, part in zip(fields(OwnNumbers), text[:120].split("~"), strict=True):
        if field.name.endswith("dtype"):
            if part not in DTYPES:
                raise ValueError(f"{part} is no number format")
            values.append(part)
        else:
            number = whole(part, least(field.name), MOST)
            if number is None:
                raise ValueError(f"{part} is no whole number within its range")
            values.append(number)
    own = OwnNumbers(*values)  # type: ignore[arg-type]
    own.model()
    return own
