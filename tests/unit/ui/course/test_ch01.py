"""Chapter 1 counts what is computed again; the engine counts the same, whatever is typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine.engine import Engine
from core.scenario.tokenizer import TeachingTokenizer
from core.types import EngineConfig, Request
from tests.unit.ui.course.prompts import PROMPTS
from ui.course.asked import SEEDS
from ui.course.ch01 import bet_on_repeats, day_of, fates_without_cache, kv_bytes_per_token, repeated_tokens
from ui.course.mine import our_prompt, tokens_of
from ui.stage.own import OwnPrompts


def test_counter_and_size() -> None:
    assert repeated_tokens(500, 100_000) == 50_000_000
    assert kv_bytes_per_token(32, 32, 128, 2) == 512 * 1024


@given(PROMPTS, st.integers(0, SEEDS - 1))
def test_the_bet_is_what_an_engine_with_blocks_of_one_token_counts(prompt: OwnPrompts, seed: int) -> None:
    times = day_of(seed)
    assert sum(times) >= 4
    day = [
        p for message, n in zip(prompt.messages, times, strict=True) for p in [prompt.system + message] * n
    ]
    cut = TeachingTokenizer()
    engine, again = Engine(EngineConfig(1, 4_000)), 0
    for number, text in enumerate(day):
        ids = cut.encode(text)
        request = Request(str(number), ids)
        hit = engine.lookup(request).hit
        whole_before = any(other.startswith(text) for other in day[:number])
        again += hit + (hit == len(ids) - 1 and whole_before)  # its last token too, which is computed always
        engine.submit(request)
        engine.run()
    total = sum(len(cut.encode(text)) for text in day)
    asked = bet_on_repeats(prompt, seed)
    assert asked.truth == round(100 * again / total)
    assert 0 < asked.truth < 100
    assert asked.truth in asked.answers()
    for answer in asked.answers():
        key, numbers = asked.told(answer)
        right = asked.grade(answer) == "right"
        assert key.endswith("right") == right
        assert numbers["again"] == again


def test_seeds_put_different_days() -> None:
    asked = [bet_on_repeats(our_prompt("en"), seed) for seed in range(40)]
    assert len({one.mark for one in asked}) > 20
    assert len({one.truth for one in asked}) > 5


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_picture_marks_what_is_computed_again(lang: str) -> None:
    words = tokens_of(our_prompt(lang))  # type: ignore[arg-type]
    first, second, third = fates_without_cache(words)
    assert set(first) == {"new"}
    for row in (second, third):
        start = row.index("new")
        assert start > 20
        assert set(row[:start]) == {"again"}
        assert set(row[start:]) == {"new"}
    assert fates_without_cache([["a", "b"], ["x", "b"], ["a", "b"]])[1:] == [
        ["new", "new"],
        ["again", "again"],
    ]
