"""Chapter 12, numbers of the first theme: inside one request."""

from __future__ import annotations

from typing import Any

from core.cost import MODELS
from ui.course.ch02 import attention_kinds, computed_tokens, hits_with_answer, reads
from ui.interview.runs import COST

KIB, GIB = 2**10, 2**30


def kv_what() -> dict[str, Any]:
    """Tokens through the model for one answer, K/V kept or not."""
    prompt, answer = 500, 100
    counts = (computed_tokens(prompt, answer, kept) for kept in (True, False))
    kept, again = (f"{count:,}" for count in counts)
    return {"prompt": prompt, "answer": answer, "kept": kept, "again": again}


def kv_q() -> dict[str, Any]:
    """Uses of the first token's Q and of its K/V."""
    tokens = 100
    of_q, of_kv = reads(1, tokens)
    return {"tokens": tokens, "q": of_q, "kv": of_kv}


def kv_size() -> dict[str, Any]:
    """KiB a token of three models, GiB of a long prompt, and tokens that fit on one card."""
    models = {"mha": "Llama-2-7B", "gqa": "Llama-3-8B", "large": "Llama-2-70B"}
    each = {name: MODELS[model].kv_bytes_per_token for name, model in models.items()}
    length = 8192
    kib = {name: f"{size / KIB:g}" for name, size in each.items()}
    fit = COST.blocks_that_fit(16) * 16
    gib = f"{each['large'] * length / GIB:g}"
    return {**kib, "length": f"{length:,}", "gib": gib, "fit": f"{round(fit, -3):,}"}


def kv_slow() -> dict[str, Any]:
    """GiB a decode step reads: weights, and KV at two lengths."""
    model = COST.model
    short, long = 1_000, 100_000
    weights = model.weight_bytes(1) / GIB
    read = {n: model.kv_bytes_per_token * n / GIB for n in (short, long)}
    return {
        "short": f"{short:,}",
        "long": f"{long:,}",
        "kv_short": f"{read[short]:.1f}",
        "kv_long": f"{read[long]:.1f}",
        "weights": f"{weights:.1f}",
        "one": f"{1e3 * COST.decode_s([short]):.1f}",
        "many": f"{1e3 * COST.decode_s([short] * 32):.1f}",
    }


def kv_memory() -> dict[str, Any]:
    """Room reserved ahead against room taken block by block."""
    reserved, used, size = 2048, 640, 16
    blocks = -(-used // size)
    return {
        "reserved": f"{reserved:,}",
        "used": used,
        "waste": f"{100 * (reserved - used) / reserved:.0f}",
        "size": size,
        "blocks": blocks,
        "most": size - 1,
    }


def kv_phases() -> dict[str, Any]:
    """Modelled times of prefill and decode."""
    tokens, many = 4096, 32
    prefill = COST.prefill_s(tokens)
    return {
        "tokens": f"{tokens:,}",
        "prefill": f"{1e3 * prefill:.0f}",
        "each": f"{1e3 * prefill / tokens:.3f}",
        "decode": f"{1e3 * COST.decode_s([tokens]):.1f}",
        "many": many,
        "decode_many": f"{1e3 * COST.decode_s([tokens] * many):.1f}",
    }


def kv_heads() -> dict[str, Any]:
    """One model with four kinds of attention."""
    room = 40 * GIB
    sizes = {name: model.kv_bytes_per_token for name, model in attention_kinds().items()}
    kib = {name: f"{size / KIB:g}" for name, size in sizes.items()}
    return {**kib, "mha_room": f"{room // sizes['mha']:,}", "gqa_room": f"{room // sizes['gqa']:,}"}


def kv_sampling() -> dict[str, Any]:
    """Hits do not depend on what was sampled."""
    one, other = (hits_with_answer(answer, "en") for answer in ("Yes, of course.", "No, never!"))
    assert one == other
    return {"hit": one[1]}
