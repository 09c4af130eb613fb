"""A number that says where it comes from: counted by the engine, modelled from specifications, or measured.

A formula is named by an id (``FORMULAS``): the id leads a page to the sentence in its reader's language, the
text beside it is the formula itself in symbols, which need no translation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Basis = Literal["counted", "modelled", "measured"]

FORMULAS: Mapping[str, str] = MappingProxyType(
    {
        "formula.prefill": "t = t₀ + 2·P·n / (u·F) + a·q / (uₐ·F₁₆) + (W + K·c) / (m·B)",
        "formula.prefill.fixed": "t₀",
        "formula.prefill.linear": "2·P·n / (u·F)",
        "formula.prefill.attention": "a·q / (uₐ·F₁₆),  q = n·c + n·(n + 1)/2",
        "formula.prefill.memory": "(W + K·c) / (m·B)",
        "formula.decode": "t = 2·P·b / (u·F) + (W + K·Σc) / (m_d·B)",
        "formula.kv_bytes": "K = 2·L·H_kv·d·s",
        "formula.kv_bytes.mla": "K = L·(r + d_rope)·s",
        "formula.linear_claim": "Σ n / (Σ n - Σ h)",
        "formula.ratio": "Σ t(n, 0) / Σ t(n - h, h)",
        "formula.saved_s": "Σ t(n, 0) - t(n - h, h)",
        "formula.saved_tokens": "Σ h",
        "formula.money_hours": "s·g / 3600 · $/h",
        "formula.money_tokens": "h · (p - p_c) / 10⁶",
        "formula.hit_rate": "Σ h / Σ n",
        "formula.held_blocks": "max #{blocks: ref > 0}",
        "formula.held_unshared": "max Σ ref",
        "formula.bytes": "blocks · N · K",
        "formula.share": "tokens / Σ n",
        "formula.ttft": "t(first token) - t(arrival)",
        "formula.throughput": "finished / s",
        "formula.loop": "finished / s = clients / (t_think + t_queue + t_prefill + t_decode)",
        "formula.ceiling": "t_cycle(no cache) / (t_think + t_first + (output − 1) · t(b = 1))",
        "formula.busy": "Σ t(step)",
        "formula.saved_busy": "busy₀ · output / output₀ - busy",
        "formula.late": "#{TTFT > L} / #{TTFT known or > L}",
        "formula.month": "g · $/h · 730",
    }
)
"""n new tokens, c cached tokens, h hit tokens, b requests, N tokens a block; P weights a token meets, W their
bytes, K bytes of KV per token, a attention operations per pair of tokens, q such pairs; t₀ the fixed time of
a step; F peak operations, F₁₆ those in 16 bits, B bandwidth, u, uₐ, m, m_d the shares that are reached;
L the service level; g GPUs, p and p_c prices of new and of cached tokens."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its unit, its basis and the id of its formula. ``value`` is None where none exists."""

    value: float | None
    unit: str
    basis: Basis
    formula: str

    def to_json(self) -> dict[str, object]:
        """As JSON values, the formula's symbols included."""
        return {
            "value": self.value,
            "unit": self.unit,
            "basis": self.basis,
            "formula": self.formula,
            "symbols": FORMULAS[self.formula],
        }
