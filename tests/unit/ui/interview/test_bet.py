"""The bet on the visitor's own prompt: any prompt can be asked about, and the truth is in its range."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import examples
from ui.course.asked import SEEDS
from ui.course.mine import our_prompt
from ui.interview.bet import SIZES, USERS, Crowd, crowd, hit_rate_bet
from ui.stage.own import OwnPrompts
from ui.words.i18n import LANGS, Lang, t

WORDS = st.text(st.sampled_from("ab ,.面馆🍜\n"), max_size=60)
PROMPTS = st.builds(
    lambda start, asked: OwnPrompts(start, tuple(asked)),
    WORDS.map(lambda text: "x" + text),
    st.lists(WORDS, min_size=3, max_size=3),
)
TYPED = (
    OwnPrompts("x", ("", "", "")),
    OwnPrompts("🍜", ("🍜", "🍜", "🍜")),
    OwnPrompts("word " * 150, ("a", "b", "a")),
    OwnPrompts("你在面馆做事。", ("有牛骨汤吗？",) * 3),
)


@given(PROMPTS | st.sampled_from(TYPED), st.integers(0, SEEDS - 1))
@examples(60)
def test_it_can_be_asked_of_any_prompt(prompt: OwnPrompts, seed: int) -> None:
    asked = hit_rate_bet(prompt, seed)
    assert asked.truth in asked.answers()
    assert asked.grade(asked.truth) == "right"
    for answer in (0, asked.truth, 50, 100):
        key, args = asked.told(answer)
        for lang in LANGS:
            assert t(key, lang, **args)
            assert t(asked.ask, lang, **asked.args)


@given(PROMPTS, st.integers(0, SEEDS - 1))
@examples(60)
def test_the_engine_hits_the_full_blocks_of_the_beginning(prompt: OwnPrompts, seed: int) -> None:
    put = crowd(prompt, seed)
    found = put.hits()
    most = min(put.shared, put.total - 1)
    assert found == [0] + [most // put.size * put.size] * (put.users - 1)


@pytest.mark.parametrize("lang", LANGS)
def test_seeds_ask_differently(lang: Lang) -> None:
    put = {crowd(our_prompt(lang), seed) for seed in range(len(USERS) * len(SIZES) * 3)}
    assert len(put) > 20
    assert len({hit_rate_bet(our_prompt(lang), seed).truth for seed in range(48)}) > 3


def test_what_is_told_names_the_belief() -> None:
    prompt = our_prompt("en")
    seed = next(one for one in range(100) if crowd(prompt, one) == Crowd(100, 16, *_lengths(prompt, one)))
    asked = hit_rate_bet(prompt, seed)
    put = crowd(prompt, seed)
    whole = round(100 * put.shared / put.total)
    assert asked.told(100)[0].endswith(".all")
    assert asked.told(whole)[0].endswith(".prefix")
    assert asked.told(asked.truth)[0].endswith(".count")
    assert asked.grade(whole) != "right"


def _lengths(prompt: OwnPrompts, seed: int) -> tuple[int, int]:
    put = crowd(prompt, seed)
    return put.shared, put.own


def test_a_beginning_shorter_than_a_block_hits_nothing() -> None:
    seed = next(one for one in range(100) if crowd(TYPED[3], one).size == 32)
    asked = hit_rate_bet(TYPED[3], seed)
    assert asked.truth == 0
    assert asked.told(30)[0].endswith(".short")
