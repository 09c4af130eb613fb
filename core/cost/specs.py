"""What the model needs to know of a language model and of a GPU, and what follows from that by counting.

Checked when made, so that numbers a person typed in are refused with a sentence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal

from core.errors import ConfigError
from core.fields import is_whole

DType = Literal["bf16", "fp16", "fp8", "int8"]
Attention = Literal["mha", "gqa", "mqa", "mla"]
DTYPE_BYTES: dict[DType, int] = {"bf16": 2, "fp16": 2, "fp8": 1, "int8": 1}


@dataclass(frozen=True, slots=True)
class Latent:
    """Multi-head latent attention: keys and values are kept as one compressed vector per token and layer."""

    q_rank: int
    kv_rank: int
    nope_dim: int
    rope_dim: int
    v_dim: int


@dataclass(frozen=True, slots=True)
class Experts:
    """Mixture of experts from layer ``num_dense_layers`` on: each token meets ``num_active`` routed experts
    and the shared ones."""

    num_dense_layers: int
    ffn: int
    num_routed: int
    num_active: int
    num_shared: int


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A decoder-only transformer by its dimensions. Norms and biases are left out: less than 0.1 %.

    Raises:
        ConfigError: a dimension that is no positive whole number, KV heads that do not divide the heads,
            an unknown number format.
    """

    name: str
    num_layers: int
    hidden: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    source: str
    tied: bool = False
    weight_dtype: DType = "bf16"
    kv_dtype: DType = "bf16"
    latent: Latent | None = None
    experts: Experts | None = None

    def __post_init__(self) -> None:
        for name in ("num_layers", "hidden", "num_heads", "num_kv_heads", "head_dim", "ffn", "vocab"):
            value = getattr(self, name)
            if not is_whole(value) or value < 1:
                raise _bad("model", name, value, "a whole number of at least 1")
        if self.num_heads % self.num_kv_heads:
            raise _bad("model", "num_kv_heads", self.num_kv_heads, f"a divisor of {self.num_heads} heads")
        for name in ("weight_dtype", "kv_dtype"):
            if getattr(self, name) not in DTYPE_BYTES:
                raise _bad("model", name, getattr(self, name), "one of " + ", ".join(DTYPE_BYTES))

    @property
    def attention(self) -> Attention:
        """How keys and values are shared between heads."""
        if self.latent is not None:
            return "mla"
        if self.num_kv_heads == self.num_heads:
            return "mha"
        return "mqa" if self.num_kv_heads == 1 else "gqa"

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes that one token's keys and values take over all layers."""
        size = DTYPE_BYTES[self.kv_dtype]
        if self.latent is not None:
            return self.num_layers * (self.latent.kv_rank + self.latent.rope_dim) * size
        return 2 * self.num_layers * self.num_kv_heads * self.head_dim * size

    @property
    def attention_flops_per_pair(self) -> int:
        """Operations when a new token's queries meet an earlier token's keys and values (2 per product)."""
        if self.latent is not None:
            per_head = self.latent.nope_dim + self.latent.rope_dim + self.latent.v_dim
        else:
            per_head = 2 * self.head_dim
        return 2 * self.num_layers * self.num_heads * per_head

    @property
    def num_params(self) -> int:
        """All weights."""
        return self._layer_params(self._num_experts_of_all) + self._embedding * (1 if self.tied else 2)

    @property
    def num_active_params(self) -> int:
        """Weights of the layers that one token is multiplied with; without the two embeddings."""
        return self._layer_params(self._num_experts_of_one)

    def weight_bytes(self, num_tokens: int) -> float:
        """Bytes of weights that one forward pass over ``num_tokens`` tokens reads: all layers and the head.

        Of routed experts, those that at least one token chooses, if all are equally popular.
        """
        layers: float = self._layer_params(self._num_experts_of_all)
        if self.experts is not None:
            experts = self.experts
            missed = (1 - experts.num_active / experts.num_routed) ** num_tokens
            num_layers = self.num_layers - experts.num_dense_layers
            layers -= num_layers * missed * experts.num_routed * 3 * self.hidden * experts.ffn
        return (layers + self._embedding) * DTYPE_BYTES[self.weight_dtype]

    @property
    def _embedding(self) -> int:
        return self.vocab * self.hidden

    @property
    def _num_experts_of_all(self) -> int:
        return self.experts.num_routed + self.experts.num_shared if self.experts else 0

    @property
    def _num_experts_of_one(self) -> int:
        return self.experts.num_active + self.experts.num_shared if self.experts else 0

    def _layer_params(self, num_experts: int) -> int:
        dense = 3 * self.hidden * self.ffn
        if self.experts is None:
            return self.num_layers * (self._attention_params + dense)
        router = self.hidden * self.experts.num_routed
        mixed = num_experts * 3 * self.hidden * self.experts.ffn + router
        num_dense = self.experts.num_dense_layers
        return (
            self.num_layers * self._attention_params
            + num_dense * dense
            + (self.num_layers - num_dense) * mixed
        )

    @property
    def _attention_params(self) -> int:
        hidden, heads = self.hidden, self.num_heads
        if self.latent is None:
            return hidden * self.head_dim * (2 * heads + 2 * self.num_kv_heads)
        latent = self.latent
        queries = hidden * latent.q_rank + latent.q_rank * heads * (latent.nope_dim + latent.rope_dim)
        down = hidden * (latent.kv_rank + latent.rope_dim)
        up = latent.kv_rank * heads * (latent.nope_dim + latent.v_dim)
        return queries + down + up + heads * latent.v_dim * hidden


@dataclass(frozen=True, slots=True)
class GpuSpec:
    """One GPU: peaks in operations per second, dense (vendors also print twice that, "with sparsity"),
    ``bandwidth`` in bytes per second, memory in GiB. ``peak_8`` is None where 8 bit numbers gain nothing.

    Raises:
        ConfigError: a number that is not finite and positive.
    """

    name: str
    peak_16: float
    peak_8: float | None
    bandwidth: float
    memory_gib: float
    source: str

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str) or (value is None and field.name == "peak_8"):
                continue
            positive(f"gpu.{field.name}", value)

    def peak(self, dtype: DType) -> float:
        """Peak for multiplying weights of this format."""
        if DTYPE_BYTES[dtype] == 1 and self.peak_8 is not None:
            return self.peak_8
        return self.peak_16


def positive(name: str, value: object, *, or_zero: bool = False) -> float:
    """The value as a finite number above zero (or from zero on).

    Raises:
        ConfigError: it is none.
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not number or value < 0 or (value == 0 and not or_zero):  # type: ignore[operator]
        group, _, field = name.partition(".")
        raise _bad(group, field, value, "a finite number " + ("from 0 on" if or_zero else "above 0"))
    return float(value)  # type: ignore[arg-type]


def _bad(group: str, field: str, value: object, expected: str) -> ConfigError:
    message = f"{group} {field} is {value!r}; expected {expected}. Change it and try again."
    return ConfigError(f"{group}.{field}", message, field=field, value=str(value), expected=expected)
