"""Which formulas stand together, and how far off the model is, in words. Needs no Streamlit."""

from __future__ import annotations

from core.cost import PUBLISHED, typical_error
from ui.words.i18n import Lang, t
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


def error_words(lang: Lang) -> str:
    """How far the model is from published times."""
    worst = max(abs(point.error) for point in PUBLISHED)
    values = {"typical": percent(typical_error(), 0), "worst": percent(worst, 0)}
    return t("formula.error", lang, n=len(PUBLISHED), **values)
