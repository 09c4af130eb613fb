"""Which formulas stand together, and how far off the model is, in words. Needs no Streamlit."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.cost import FORMULAS, PUBLISHED, typical_error
from ui.words.i18n import Lang, listed, t
from ui.words.numbers import percent

PREFILL = (
    "formula.prefill",
    "formula.prefill.fixed",
    "formula.prefill.linear",
    "formula.prefill.attention",
    "formula.prefill.memory",
)
KV = ("formula.kv_bytes", "formula.kv_bytes.mla", "formula.bytes")
SAVINGS = ("formula.saved_tokens", "formula.saved_s", "formula.linear_claim", "formula.ratio")
MONEY = ("formula.money_hours", "formula.money_tokens")
HELD = ("formula.held_blocks", "formula.held_unshared")
SERVING = ("formula.decode", "formula.ttft", "formula.throughput", "formula.busy", "formula.saved_busy")
LOOP = ("formula.loop", "formula.ceiling")
DECISION = ("formula.late", "formula.month")
COUNTED = ("formula.hit_rate", "formula.share")
OF_A_LOG = (COUNTED[0], *SAVINGS, *PREFILL, *KV, *HELD, *MONEY)
"""What the page of logs and its report show."""


_SYMBOLS = {
    "n": "n", "h": "h", "c": "c", "N": "block", "P": "weights", "W": "weight_bytes", "K": "kv",
    "a": "attention", "q": "pairs", "b": "batch", "t₀": "fixed", "F": "peak", "F₁₆": "peak_16",
    "B": "bandwidth", "u": "reached", "uₐ": "reached_attention", "m": "reached_bandwidth",
    "m_d": "reached_decoding", "L": "level", "g": "gpus", "p": "price", "p_c": "price_cached",
    "H_kv": "kv_heads", "d": "head_size", "s": "number_bytes", "r": "latent", "d_rope": "rope_size",
}  # fmt: skip
"""What a symbol is called in ``formula.symbol.…``, in the order in which they are told."""

_OTHERWISE = {("formula.kv_bytes", "L"): "layers", ("formula.kv_bytes.mla", "L"): "layers"}
"""Symbols that mean something else in some formulas."""

_HOURS = ("formula.money_hours",)
"""Here s stands for seconds, as everybody reads it."""


def legend(names: Iterable[str], lang: Lang) -> str:
    """What the symbols of these formulas mean, each once and no others."""
    found: dict[str, str] = {}
    for name in names:
        for symbol in re.findall(r"[^\W\d_][\w₀₁₆ₐ]*", FORMULAS[name]):
            meaning = _OTHERWISE.get((name, symbol), _SYMBOLS.get(symbol))
            if meaning and not (symbol == "s" and name in _HOURS):
                found.setdefault(meaning, symbol)
    order = list(dict.fromkeys((*_SYMBOLS.values(), *_OTHERWISE.values())))
    told = [f"{found[one]} {t(f'formula.symbol.{one}', lang)}" for one in sorted(found, key=order.index)]
    return listed(told, lang)


def error_words(lang: Lang) -> str:
    """How far the model is from published times."""
    worst = max(abs(point.error) for point in PUBLISHED)
    values = {"typical": percent(typical_error(), 0), "worst": percent(worst, 0)}
    return t("formula.error", lang, n=len(PUBLISHED), **values)
