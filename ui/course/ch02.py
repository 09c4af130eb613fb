"""What chapter 2 counts: steps of an answer, their cost, uses of Q, K and V, sizes, sampled answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.cost import MODELS, CostModel, ModelSpec
from core.scenario.reader import load_scenario
from core.scenario.scenario import run
from ui.course.asked import Asked, Words
from ui.course.counted import hits_of
from ui.course.grid import Mark
from ui.course.mine import tokens_of
from ui.stage.own import OwnPrompts
from ui.stage.setup import preset_text
from ui.words.numbers import Count

ANSWER_TOKENS = 4
SHOWN_TOKENS = 8
"""Tokens at the end of a prompt that the grid draws: those before them fare like the first of these."""


def decode_rows(prompt: int, answer: int, kept: bool) -> list[list[Mark]]:
    """For each step (it samples one token) what happens to every token. ``kept``: K and V are kept."""
    rows: list[list[Mark]] = []
    for step in range(answer):
        known = prompt + step
        old = 0 if step == 0 else known - 1
        row: list[Mark] = ["read" if kept else "again"] * old
        row += ["computed"] * (known - old)
        rows.append(row + ["none"] * (prompt + answer - 1 - known))
    return rows


def computed_tokens(prompt: int, answer: int, kept: bool) -> int:
    """Tokens that go through the model until ``answer`` tokens are sampled."""
    if kept:
        return prompt + answer - 1
    return answer * prompt + answer * (answer - 1) // 2


@dataclass(frozen=True, slots=True)
class AnswerCost:
    """Modelled seconds on an idle GPU, with K/V kept and without: the last token, and the whole answer."""

    token_with: float
    token_without: float
    all_with: float
    all_without: float


def answer_cost(cost: CostModel, prompt: int, answer: int) -> AnswerCost:
    """The first token is a prefill either way; each later one a decode step, or the prefill over again."""
    first = cost.prefill_s(prompt)
    later = range(prompt + 1, prompt + answer)
    steps_with = [cost.decode_s([length - 1]) for length in later]
    steps_without = [cost.prefill_s(length) for length in later]
    return AnswerCost(steps_with[-1], steps_without[-1], first + sum(steps_with), first + sum(steps_without))


def attention_rows(tokens: int, now: int) -> list[list[Mark]]:
    """Row i: token i's Q asks the K and V of tokens 1 … i. Before ``now`` it is over, after it not yet."""
    return [
        [
            "none"
            if row > now or column > row
            else "past"
            if row < now
            else "read"
            if column < now
            else "computed"
            for column in range(1, tokens + 1)
        ]
        for row in range(1, tokens + 1)
    ]


def reads(token: int, now: int) -> tuple[int, int]:
    """How often a token's Q and its K/V have been used when token ``now`` is through."""
    return (1, now - token + 1) if token <= now else (0, 0)


def attention_kinds() -> dict[str, ModelSpec]:
    """One model in four ways: only what is kept per token changes."""
    model = MODELS["Llama-2-7B"]
    return {
        "mha": model,
        "gqa": replace(model, num_kv_heads=8),
        "mqa": replace(model, num_kv_heads=1),
        "mla": replace(model, latent=MODELS["DeepSeek-V3"].latent),
    }


def sample(words: Sequence[str], temperature: float, seed: int) -> list[str]:
    """A few words drawn at a temperature; at 0 always the likeliest."""
    dice = np.random.default_rng(seed)
    likely = np.linspace(2.0, 0.0, len(words))
    if temperature == 0:
        return list(words[:ANSWER_TOKENS])
    chances = np.exp(likely / temperature)
    return [str(word) for word in dice.choice(words, ANSWER_TOKENS, p=chances / chances.sum())]


def hits_with_answer(answer: str, language: str) -> list[int]:
    """Tokens each request of the preset hits when the first one's answer is this."""
    data = json.loads(preset_text("P1"))
    data["commands"][0]["output"] = answer
    return hits_of(run(load_scenario(data, lang=language), block_events=False))


def shown_part(rows: Sequence[Sequence[Mark]], prompt: int) -> list[list[Mark]]:
    """The last tokens of a prompt and the answer behind it, of the rows of ``decode_rows``."""
    return [list(row[max(0, prompt - SHOWN_TOKENS) :]) for row in rows]


def bet_on_answer(prompt: OwnPrompts, seed: int) -> Asked:
    """How many tokens go through the model for an answer to one of the questions, with KV or without."""
    dice = np.random.default_rng(seed)
    which, kept, answer = int(dice.integers(3)), bool(dice.integers(2)), int(dice.integers(11, 61))
    tokens = len(tokens_of(prompt)[which])
    right = computed_tokens(tokens, answer, kept)
    other = computed_tokens(tokens, answer, not kept)
    once = answer if kept else tokens + answer * (answer + 1) // 2
    beliefs = (other, once, answer * tokens, right + 2 * tokens, right + answer, right + 7)
    options = list(dict.fromkeys((right, *beliefs)))[:4]
    dice.shuffle(options)
    args = {"rid": f"R{which}", "tokens": tokens, "answer": answer}
    side = "with" if kept else "without"
    counts = {**args, "right": f"{right:,}", "other": f"{other:,}", "before": answer - 1}

    def told(said: float) -> Words:
        return f"course.ch02.bet.{side}.{'right' if options[int(said)] == right else 'wrong'}", counts

    return Asked(
        ask=f"course.ch02.bet.{side}.ask",
        args=args,
        options=tuple(("course.bet.unit.tokens", {"n": Count(one)}) for one in options),
        truth=options.index(right),
        told=told,
    )
