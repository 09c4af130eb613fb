"""Chapter 3's bet: the engine's hits at a block size that no picture shows, a reason for each answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.ui.course.prompts import PROMPTS
from ui.course.asked import SEEDS
from ui.course.ch03 import BET_SIZES, SHOWN_SIZES, bet_on_hits, fates_of, shared_tokens
from ui.course.mine import joined, my_hits, our_prompt, own_words, tokens_of
from ui.stage.own import OwnPrompts
from ui.words.i18n import Lang, table


def test_the_picture_shows_no_size_that_is_bet_on() -> None:
    assert not set(BET_SIZES) & set(SHOWN_SIZES)


@given(PROMPTS, st.integers(0, SEEDS - 1))
def test_whatever_is_typed_the_bet_can_be_asked(prompt: OwnPrompts, seed: int) -> None:
    asked = bet_on_hits("en", prompt, seed)
    assert asked.truth in asked.answers()
    which, size = int(str(asked.args["rid"])[1:]), int(str(asked.args["size"]))
    words = tokens_of(prompt)
    shared = shared_tokens(words, which)
    assert asked.args["shared"] == shared
    assert asked.truth <= shared // size * size, "whole blocks of what is shared, at most"
    assert asked.truth < len(words[which])
    assert {asked.told(answer)[0] for answer in asked.answers()} <= set(table("en"))


def kind(prompt: OwnPrompts, seed: int, answer: float) -> str:
    return bet_on_hits("en", prompt, seed).told(answer)[0].rpartition(".")[2]


def test_each_answer_hears_its_own_reason() -> None:
    ours = our_prompt("en")
    asked = bet_on_hits("en", ours, 1)
    shared = int(str(asked.args["shared"]))
    assert asked.truth < shared
    assert kind(ours, 1, asked.truth) == "right"
    assert kind(ours, 1, shared) == "token"
    assert kind(ours, 1, shared + 1) == "all"
    assert kind(ours, 1, 0) == "none"
    assert kind(ours, 1, asked.truth - 1) == "off"


def test_equal_questions_compute_the_block_of_their_last_token() -> None:
    prompt = joined(own_words("one two three", "four five six", "four five six", "four five six"))
    asked = bet_on_hits("en", prompt, 0)
    assert (asked.args["shared"], asked.args["size"], asked.truth) == (6, 3, 3)
    assert kind(prompt, 0, 3) == "last"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_seeds_put_different_bets(lang: str) -> None:
    ours = our_prompt(lang)  # type: ignore[arg-type]
    assert len({bet_on_hits("en", ours, seed).mark for seed in range(40)}) >= 6


def test_the_picture_colours_what_the_engine_hits() -> None:
    ours = our_prompt("en")
    for size in SHOWN_SIZES:
        for words, hit in zip(tokens_of(ours), my_hits("en", ours, block_size=size), strict=True):
            assert fates_of(words, hit).count("hit") == hit == fates_of(words, hit).index("new")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_picture_shows_what_is_bet_on_and_sharing_ends_inside_a_block(lang: Lang) -> None:
    prompt = our_prompt(lang)
    shown = {hit for size in SHOWN_SIZES for hit in my_hits(lang, prompt, block_size=size)}
    for seed in range(60):
        asked = bet_on_hits(lang, prompt, seed)
        assert asked.truth not in shown
        assert int(str(asked.args["shared"])) % int(str(asked.args["size"])) != 0
