"""Numbers that screens state beside the engine's runs, held to the engine: there is one truth.

Formulas that stay (they price thousands of cases at once) are compared here with what an engine does; their
full tests stand beside their modules.
"""

from __future__ import annotations

import pytest

from core.backends.experiments.hits import SAVING_CASES, Case
from core.engine.engine import Engine
from core.misconceptions.meaning import BLOCK, HIT_SHARE, PROMPTS
from core.scenario.tokenizer import TeachingTokenizer
from core.traffic.analysis import analyse
from core.traffic.settings import Settings
from core.types import EngineConfig
from tests.unit.core.traffic.test_traffic import random_tokens
from ui.course.ch04 import tag_hit
from ui.course.ch09_two_caches.counts import shared_beginning
from ui.finish.lines import LECTURE_BLOCK, LECTURE_TOKENS, lecture_hit

SIZES = (1, 2, 4, 8, 16)


def engine_hit(total: int, shared: int, block_size: int) -> int:
    """A prompt after another that begins with the same ``shared`` tokens and has others behind them."""
    first = [*range(1, shared + 1), *range(50_000, 50_000 + total - shared + 1)]
    return tag_hit(first, range(1, total + 1), block_size)


@pytest.mark.parametrize("share", [0, 0.01, 0.024, 0.025, 0.33, 0.5, 0.8, 0.97, 0.975, 0.99, 1])
def test_the_prompt_of_a_lecture(share: float) -> None:
    shared = int(LECTURE_TOKENS * share)
    assert lecture_hit(share) == engine_hit(LECTURE_TOKENS, shared, LECTURE_BLOCK)


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_belief_about_decoding(prompt: int) -> None:
    """It takes a share of a prompt as hit: that many tokens can be."""
    shared = int(HIT_SHARE * prompt)
    assert shared // BLOCK * BLOCK == engine_hit(prompt, shared, BLOCK)


@pytest.mark.parametrize("size", SIZES)
def test_the_measured_cases(size: int) -> None:
    for total, shared in (*SAVING_CASES, (64, 64), (65, 64), (2, 1), (1, 1)):
        assert Case(total, shared).hit_tokens(size) == engine_hit(total, shared, size)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_a_log_can_do_is_an_engine_with_room_for_all(seed: int) -> None:
    trace = random_tokens(seed)
    engine, hits = Engine(EngineConfig(4, 4_000)), []
    for request in trace.with_identity():
        mine = request.request()
        hits.append(engine.lookup(mine).hit)
        engine.submit(mine)
        engine.run()
    assert analyse(trace, Settings(4)).possible.tolist() == hits
    assert sum(hits) > 0


def test_a_provider_that_counts_single_tokens_is_an_engine_with_blocks_of_one() -> None:
    system = "You run a small noodle shop. "
    for first, second in (("Is it open?", "Is it far?"), ("Is it open?", "Is it open?"), ("a", "b")):
        one, other = (TeachingTokenizer().encode(system + text) for text in (first, second))
        assert shared_beginning(system, first, second) == tag_hit(one, other, 1)
