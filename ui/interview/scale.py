"""Chapter 12, numbers of the theme on long prompts, many cards and other kinds of layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.cost import GPUS, MODELS, CostModel
from core.cost.model import StepWork
from ui.interview.inside import GIB, KIB
from ui.interview.runs import COST, hits

LINK, SLOW_LINK, TCP, HOST, DISK = 50e9, 12.5e9, 1.25e9, 25e9, 3e9
"""Assumed bandwidths, bytes a second: two fast networks, an ordinary one, host memory, a disk."""


def _step_ms(prefill: tuple[int, int] | None, contexts: Sequence[int] = ()) -> float:
    """One step: new and cached tokens of a prefill, and the lengths behind which others decode."""
    work = StepWork()
    if prefill:
        work.add_prefill(*prefill)
    for context in contexts:
        work.add_decode(context)
    return 1e3 * COST.step_s(work)


def chunked() -> dict[str, Any]:
    """A long prompt in one step or in pieces, beside others that decode."""
    prompt, chunk, neighbours, context = 8192, 512, 31, 1_000
    others = [context] * neighbours
    pieces = [_step_ms((chunk, done), others) for done in range(0, prompt, chunk)]
    return {
        "prompt": f"{prompt:,}",
        "pieces": len(pieces),
        "neighbours": neighbours,
        "whole": f"{_step_ms((prompt, 0), others):.0f}",
        "last": f"{pieces[-1]:.0f}",
        "sum": f"{sum(pieces):.0f}",
    }


def disagg() -> dict[str, Any]:
    """KV that travels from the card that prefills to the one that decodes."""
    tokens, held = 4096, 3072
    size = COST.model.kv_bytes_per_token
    return {
        "tokens": f"{tokens:,}",
        "gib": f"{tokens * size / GIB:g}",
        "prefill": f"{1e3 * COST.prefill_s(tokens):.0f}",
        "fast": f"{1e3 * tokens * size / LINK:.0f}",
        "slow": f"{1e3 * tokens * size / SLOW_LINK:.0f}",
        "tcp": f"{1e3 * tokens * size / TCP:.0f}",
        "held": f"{held:,}",
        "part": f"{(tokens - held) * size / GIB:g}",
    }


def tiers() -> dict[str, Any]:
    """Load again or compute again."""
    tokens = 4096
    size = tokens * COST.model.kv_bytes_per_token
    return {
        "tokens": f"{tokens:,}",
        "gib": f"{size / GIB:g}",
        "again": f"{1e3 * COST.prefill_s(tokens):.0f}",
        "host": f"{1e3 * size / HOST:.0f}",
        "disk": f"{1e3 * size / DISK:.0f}",
        "even": f"{size / COST.prefill_s(tokens) / 1e9:.1f}",
    }


def tensor() -> dict[str, Any]:
    """One model over several cards: KV bytes of a token on each, and how many tokens fit in all."""
    model, gpu, size = MODELS["Llama-3-8B"], GPUS["H100"], 16
    heads, whole = model.num_kv_heads, model.kv_bytes_per_token / KIB
    room = {n: CostModel(model, gpu, n).blocks_that_fit(size) * size for n in (1, 4)}
    return {
        "heads": heads,
        "whole": f"{whole:g}",
        "four": f"{whole / 4:g}",
        "sixteen": f"{whole / heads:g}",
        "sum": f"{16 * whole / heads:g}",
        "room_one": f"{room[1]:,}",
        "room_four": f"{room[4]:,}",
        "times": f"{room[4] / room[1]:.1f}",
    }


def tokens_a_step(drafts: int, accepted: float) -> float:
    """Mean tokens of a step that checks drafts; each is accepted with the same chance, after those before."""
    return float(sum(accepted**place for place in range(drafts + 1)))


def speculative() -> dict[str, Any]:
    """Room for a step with drafts, and what it yields."""
    drafts = 4
    return {
        "drafts": drafts,
        "places": drafts + 1,
        "good": 70,
        "bad": 30,
        "much": f"{tokens_a_step(drafts, 0.7):.1f}",
        "little": f"{tokens_a_step(drafts, 0.3):.1f}",
    }


def cascade() -> dict[str, Any]:
    """KV that one decode step reads: by each request for itself, or the shared part once."""
    requests, prefix, own = 32, 8192, 256
    size = COST.model.kv_bytes_per_token
    plain, merged = requests * (prefix + own), prefix + requests * own
    once = [prefix + own, *[own] * (requests - 1)]
    return {
        "requests": requests,
        "prefix": f"{prefix:,}",
        "own": own,
        "plain": f"{plain:,}",
        "merged": f"{merged:,}",
        "plain_gib": f"{plain * size / GIB:g}",
        "merged_gib": f"{merged * size / GIB:g}",
        "plain_ms": f"{_step_ms(None, [prefix + own] * requests):.0f}",
        "merged_ms": f"{_step_ms(None, once):.0f}",
    }


def window() -> dict[str, Any]:
    """What layers with a sliding window keep, and what blocks of hundreds of tokens do to short prompts."""
    tokens, width, size, every = 8192, 1024, 16, 6
    kept = (tokens + (every - 1) * width) / every
    large, prompt, longer = 528, 520, 552
    return {
        "tokens": f"{tokens:,}",
        "width": f"{width:,}",
        "size": size,
        "full": tokens // size,
        "last": width // size,
        "every": every,
        "share": f"{100 * kept / tokens:.0f}",
        "large": large,
        "prompt": prompt,
        "longer": longer,
        "hit": hits([range(prompt)] * 2, block_size=large)[1],
        "hit_longer": hits([range(longer)] * 2, block_size=large)[1],
    }


def closed_round(users: int, prompt: int, hit: int, answer: int) -> tuple[float, float]:
    """Seconds of prefill and of decode in one round of a closed loop: every user sends one prompt, they are
    computed one after another, then all decode together."""
    prefill = users * COST.prefill_s(prompt - hit, hit)
    decode = sum(COST.decode_s([prompt + done] * users) for done in range(1, answer))
    return prefill, decode


def closed() -> dict[str, Any]:
    """Nearly everything hits, and throughput hardly moves."""
    users, prompt, hit, answer, brief = 16, 1_600, 1_504, 780, 20
    cold, decode = closed_round(users, prompt, 0, answer)
    warm, _ = closed_round(users, prompt, hit, answer)
    short_cold, short_decode = closed_round(users, prompt, 0, brief)
    return {
        "users": users,
        "prompt": f"{prompt:,}",
        "hit": f"{hit:,}",
        "rate": f"{100 * hit / prompt:.0f}",
        "answer": answer,
        "cold_ms": f"{1e3 * cold / users:.0f}",
        "warm_ms": f"{1e3 * warm / users:.0f}",
        "cold": f"{cold:.2f}",
        "warm": f"{warm:.2f}",
        "decode": f"{decode:.2f}",
        "round_cold": f"{cold + decode:.2f}",
        "round_warm": f"{warm + decode:.2f}",
        "gain": f"{100 * ((cold + decode) / (warm + decode) - 1):.0f}",
        "most": f"{100 * cold / (cold + decode):.0f}",
        "brief": brief,
        "times": f"{(short_cold + short_decode) / (warm + short_decode):.1f}",
    }
