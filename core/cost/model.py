"""CostModel: seconds of prefill and decode on a GPU, from specifications and a few fitted shares.

    prefill  t = t0 + 2 P n / (u F) + a p / (u_a F16) + (W + K c) / (m B)      p = n c + n (n + 1) / 2
    decode   t = 2 P b / (u F) + (W + K sum of contexts) / (m_d B)

n new tokens behind c cached ones; P weights a token meets, W their bytes, K bytes of KV per token,
a attention operations per pair of tokens. The shares u, u_a, m, m_d of peak and bandwidth were fitted once to
published times (``published.py`` holds points and errors: 25 % is typical, a factor of 2 happens for short
prompts and many GPUs). Not modelled: communication between GPUs, unpacking of latent KV.

The attention part is why a hit saves less than its share of tokens: new tokens still meet all cached ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from core.cost.figures import Figure
from core.cost.specs import DTYPE_BYTES, GpuSpec, ModelSpec, positive
from core.errors import ConfigError
from core.fields import is_whole

GIB = 2**30


@dataclass(frozen=True, slots=True)
class Fit:
    """The fitted numbers: a fixed time in seconds, and which share of peak or bandwidth is reached."""

    fixed_s: float = 0.003
    linear_16: float = 0.70
    linear_8: float = 0.455
    attention: float = 0.45
    bandwidth: float = 0.90
    bandwidth_decode: float = 0.55


class StepWork:
    """What one step of the scheduler computes, summed up: all a time model needs to know."""

    __slots__ = ("cached_tokens", "decode_context", "num_decodes", "num_prefills", "num_tokens", "pairs")

    def __init__(self) -> None:
        self.num_prefills = 0
        self.num_decodes = 0
        self.num_tokens = 0  # new tokens, decoded ones included
        self.pairs = 0  # of new prefill tokens with tokens before or at them
        self.cached_tokens = 0  # KV that prefills read
        self.decode_context = 0  # KV that decodes read

    def add_prefill(self, num_new: int, num_cached: int) -> None:
        """``num_new`` tokens of a prompt are computed behind ``num_cached`` that are there already."""
        self.num_prefills += 1
        self.num_tokens += num_new
        self.pairs += num_new * num_cached + num_new * (num_new + 1) // 2
        self.cached_tokens += num_cached

    def add_decode(self, num_context: int) -> None:
        """One sampled token is computed behind ``num_context`` others."""
        self.num_decodes += 1
        self.num_tokens += 1
        self.decode_context += num_context


class TimeModel(Protocol):
    """What a run with modelled time asks."""

    def step_s(self, work: StepWork) -> float:
        """Seconds that this step takes, above 0 if there is any work."""
        ...

    def saved_s(self, num_tokens: int, hit_tokens: int) -> float:
        """Seconds that one prompt's hit saves on an idle GPU."""
        ...


@dataclass(frozen=True, slots=True)
class Part:
    """One summand of a modelled time, with the id of its formula."""

    formula: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """One prompt with and without its hit, by the linear claim and by the model; seconds on an idle GPU.

    ``linear_ratio`` is what counting tokens promises, ``ratio`` what the model says. What a clock measured is
    a third number, not known here.
    """

    num_tokens: int
    hit_tokens: int
    full_s: float
    hit_s: float

    @property
    def saved_s(self) -> float:
        """Seconds that the hit saves."""
        return self.full_s - self.hit_s

    @property
    def ratio(self) -> float:
        """How many times faster the first token comes, modelled."""
        return self.full_s / self.hit_s

    @property
    def linear_ratio(self) -> float:
        """n / (n - h)."""
        return self.num_tokens / (self.num_tokens - self.hit_tokens)

    @property
    def saved_share(self) -> float:
        """Share of the time saved, from 0 to 1."""
        return self.saved_s / self.full_s


@dataclass(frozen=True)
class CostModel:
    """Times and sizes for one model on one or more equal GPUs that share the work evenly.

    Raises:
        ConfigError: no positive whole number of GPUs.
    """

    model: ModelSpec
    gpu: GpuSpec
    num_gpus: int = 1
    fit: Fit = Fit()

    def __post_init__(self) -> None:
        if not is_whole(self.num_gpus) or self.num_gpus < 1:
            message = f"Number of GPUs is {self.num_gpus!r}; expected a whole number of at least 1."
            raise ConfigError("cost.num_gpus", message, field="num_gpus", value=str(self.num_gpus))
        for name in ("linear_16", "linear_8", "attention", "bandwidth", "bandwidth_decode"):
            positive(f"cost.{name}", getattr(self.fit, name))
        positive("cost.fixed_s", self.fit.fixed_s, or_zero=True)

    # -- rates, computed once ---------------------------------------------------------------------------

    @cached_property
    def _linear_s(self) -> float:
        """Seconds of matrix products per new token."""
        eight = self.gpu.peak_8 is not None and self.model.weight_dtype in ("fp8", "int8")
        share = self.fit.linear_8 if eight else self.fit.linear_16
        rate = share * self.gpu.peak(self.model.weight_dtype) * self.num_gpus
        return 2 * self.model.num_active_params / rate

    @cached_property
    def _pair_s(self) -> float:
        rate = self.fit.attention * self.gpu.peak_16 * self.num_gpus
        return self.model.attention_flops_per_pair / rate

    @cached_property
    def _byte_s(self) -> float:
        return 1 / (self.fit.bandwidth * self.gpu.bandwidth * self.num_gpus)

    @cached_property
    def _decode_byte_s(self) -> float:
        return 1 / (self.fit.bandwidth_decode * self.gpu.bandwidth * self.num_gpus)

    @cached_property
    def _kv_bytes(self) -> int:
        return self.model.kv_bytes_per_token

    @cached_property
    def _dense_weight_bytes(self) -> float | None:
        """Weights read per pass, where that is always the same."""
        return self.model.weight_bytes(1) if self.model.experts is None else None

    def _weight_bytes(self, num_tokens: int) -> float:
        dense = self._dense_weight_bytes
        return self.model.weight_bytes(num_tokens) if dense is None else dense

    # -- times -----------------------------------------------------------------------------------------

    def prefill_parts(self, num_new: int, num_cached: int = 0) -> tuple[Part, ...]:
        """The four summands of one prompt's prefill on an idle GPU. Nothing to compute costs nothing."""
        if num_new == 0:
            return ()
        work = StepWork()
        work.add_prefill(num_new, num_cached)
        memory = self._weight_bytes(num_new) + self._kv_bytes * num_cached
        return (
            Part("formula.prefill.fixed", self.fit.fixed_s),
            Part("formula.prefill.linear", self._linear_s * num_new),
            Part("formula.prefill.attention", self._pair_s * work.pairs),
            Part("formula.prefill.memory", self._byte_s * memory),
        )

    def prefill_s(self, num_new: int, num_cached: int = 0) -> float:
        """Seconds from start to first token of one prompt on an idle GPU."""
        return sum(part.seconds for part in self.prefill_parts(num_new, num_cached))

    def decode_s(self, contexts: Iterable[int]) -> float:
        """Seconds of one step in which each of these requests samples one token."""
        work = StepWork()
        for context in contexts:
            work.add_decode(context)
        return self.step_s(work)

    def step_s(self, work: StepWork) -> float:
        """Seconds of one step. Weights are read once for everybody in it: that is what batching gains.

        A step that both prefills and decodes pays for the weights whichever way is dearer: adding work never
        makes a step shorter.
        """
        if work.num_tokens == 0:
            return 0.0
        weights = self._weight_bytes(work.num_tokens)
        fixed = weights * self._decode_byte_s if work.num_decodes else 0.0
        if work.num_prefills:
            fixed = max(fixed, self.fit.fixed_s + weights * self._byte_s)
        return (
            fixed
            + self._linear_s * work.num_tokens
            + self._pair_s * work.pairs
            + self._kv_bytes * (work.cached_tokens * self._byte_s + work.decode_context * self._decode_byte_s)
        )

    def compare(self, num_tokens: int, hit_tokens: int) -> Comparison:
        """One prompt with and without its hit. At least one token is always computed.

        Raises:
            ConfigError: a hit that is negative or covers the whole prompt.
        """
        if not 0 <= hit_tokens < num_tokens:
            message = f"A hit of {hit_tokens} of {num_tokens} tokens; expected 0 to {num_tokens - 1}."
            raise ConfigError("cost.hit", message, hit=hit_tokens, tokens=num_tokens)
        full = self.prefill_s(num_tokens)
        return Comparison(num_tokens, hit_tokens, full, self.prefill_s(num_tokens - hit_tokens, hit_tokens))

    def saved_s(self, num_tokens: int, hit_tokens: int) -> float:
        """Seconds one hit saves on an idle GPU."""
        return self.compare(num_tokens, hit_tokens).saved_s

    # -- memory ----------------------------------------------------------------------------------------

    def block_bytes(self, block_size: int) -> int:
        """Bytes of one block over all layers and GPUs."""
        return block_size * self._kv_bytes

    def gib(self, num_blocks: int, block_size: int) -> Figure:
        """What so many blocks take."""
        return Figure(num_blocks * self.block_bytes(block_size) / GIB, "GiB", "modelled", "formula.bytes")

    @property
    def weights_gib(self) -> float:
        """What all weights take, over all GPUs."""
        return self.model.num_params * DTYPE_BYTES[self.model.weight_dtype] / GIB

    def blocks_that_fit(self, block_size: int, share: float = 0.9) -> int:
        """Blocks for which ``share`` of the memory has room beside the weights; 0 if not even they fit."""
        room = (share * self.gpu.memory_gib * self.num_gpus - self.weights_gib) * GIB
        return max(int(room // self.block_bytes(block_size)), 0)
