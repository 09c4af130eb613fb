"""The visitor's own prompt: whatever is typed runs as three requests, fits into a link, and stays theirs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ScenarioError
from core.scenario.scenario import run
from tests.strategies import AWKWARD, examples
from ui.course.counted import hits_of
from ui.course.mine import MAX_TOKENS, MINE, joined, my_scenario, my_setup, our_prompt, own_words, tokens_of
from ui.stage.own import MAX_OWN_LINK, MAX_SLOTS, OwnPrompts, pack_own
from ui.words.i18n import LANGS, Lang

TEXTS = st.sampled_from(AWKWARD[:-2]) | st.text(max_size=60) | st.sampled_from(("汤" * 150, "soup " * 40, ""))


@pytest.mark.parametrize("lang", LANGS)
def test_ours_shares_its_beginning_and_more_between_the_first_two(lang: Lang) -> None:
    ours = our_prompt(lang)
    first, second, third = tokens_of(ours)
    shared = [
        next(i for i, (a, b) in enumerate(zip(first, other, strict=False)) if a != b)
        for other in (second, third)
    ]
    assert shared[0] > shared[1] >= 20
    hits = hits_of(run(my_scenario(lang, ours)))
    assert hits == [0, shared[0] // 4 * 4, shared[1] // 4 * 4]


@given(st.tuples(TEXTS, TEXTS, TEXTS, TEXTS))
@examples(60)
def test_whatever_is_typed_is_refused_or_runs_and_comes_back_from_the_link(texts: tuple[str, ...]) -> None:
    try:
        typed = own_words(*texts)
    except ScenarioError as error:
        if error.code in ("mine.empty", "mine.long", "mine.link"):
            return
        raise
    link = MINE.write(typed)
    assert len(link["mine"]) <= MAX_OWN_LINK
    assert MINE.read(link) == (typed, [])
    prompt = joined(typed)
    words = tokens_of(prompt)
    assert max(map(len, words)) <= MAX_TOKENS
    for size in (2, 4, 16):
        scenario = my_scenario("en", prompt, block_size=size)
        assert scenario.config.num_usable <= MAX_SLOTS
        hits = hits_of(run(scenario))
        assert len(hits) == 3
        assert hits[0] == 0
        assert all(hit < len(one) for hit, one in zip(hits, words, strict=True)), "the last one is computed"


def test_equal_questions_hit_all_but_the_last_block() -> None:
    prompt = joined(own_words("one two three four", "five six seven", "five six seven", ""))
    assert hits_of(run(my_scenario("en", prompt, block_size=2))) == [0, 6, 2]


@pytest.mark.parametrize(
    ("beginning", "question", "prompt"),
    [
        ("Be short.", "Why?", "Be short. Why?"),
        ("简短。", "为什么？", "简短。为什么？"),
        ("Be short.", "", "Be short."),
    ],
)
def test_words_are_kept_apart_and_chinese_is_not(beginning: str, question: str, prompt: str) -> None:
    ready = joined(own_words(beginning, question, "", ""))
    assert ready.system + ready.messages[0] == prompt


@pytest.mark.parametrize(
    "forged",
    [
        OwnPrompts("", ("a", "b", "c")),
        OwnPrompts("a", ("b",)),
        OwnPrompts("a", ("b", "c", "d", "e")),
        OwnPrompts("a", ("b", "c", "d"), "answer"),
        OwnPrompts("a " * 250, ("b", "c", "d")),
        OwnPrompts("a", ("b" * 201, "c", "d")),
    ],
)
def test_a_forged_link_is_named_as_lost(forged: OwnPrompts) -> None:
    assert MINE.read({"mine": pack_own(forged)}) == (OwnPrompts(), ["mine"])


def test_the_pool_holds_all_three_unless_asked_otherwise() -> None:
    ours = our_prompt("en")
    assert my_setup("en", ours).knobs["num_slots"] >= sum(-(-len(words) // 4) for words in tokens_of(ours))
    assert my_setup("en", ours, num_slots=9).knobs["num_slots"] == 9
