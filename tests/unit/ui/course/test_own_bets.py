"""Bets on a visitor's own prompts: askable whatever was typed, and their truth is the engine's."""

from __future__ import annotations

import pytest

from core.engine.engine import Engine
from core.scenario.tokenizer import TeachingTokenizer
from core.types import EngineConfig, Request
from ui.course.asked import Asked
from ui.course.ch04_bets import asked_hits, asked_tags, change_of, hit_belief, tags_belief
from ui.course.ch05_bets import asked_goes, asked_held, at_once, stranger
from ui.course.ch06_saving.bets import MANUALS, asked_time, first_token, time_belief, with_manual
from ui.course.ch07_uses.bets import CLOCK, ORDERS, asked_order, in_order, ordered
from ui.course.in_turn import beginning_of, hits_in_turn, ids_of, one_of, sizes_for
from ui.machine.machine import Machine
from ui.words.i18n import LANGS, t

TYPED: dict[str, tuple[str, tuple[str, str, str]]] = {
    "ours": ("You are a waiter. Answer briefly.", (" Is it spicy?", " How large?", " And to drink?")),
    "zh": ("你是面馆的服务员，请用一句话回答。", ("辣吗？", "多大碗？", "喝什么？")),
    "no question": ("Answer in one word: yes or no.", ("", "", "")),
    "one token": ("a", ("", "", "")),
    "joined": ("a", ("b", "c", "bd")),
    "emoji": ("🍜🥢 be nice 👩‍👩‍👧‍👦", ("🍜", "", "👍🏽👍🏽")),
    "equal": ("One beginning for all.", (" Same?", " Same?", " Same?")),
    "long": ("Keep to the rules of the house. " * 14, ("Why?", "When? " * 25, "")),
    "hidden": ("a\u200bb\n\n\tc\x00d", ("\u202e", "e\u0301", "\ufeff")),
}
SEEDS = range(12)
WORDS = ("tea", "rice")
Typed = tuple[str, tuple[str, str, str]]


def pieces_of(typed: Typed) -> list[list[str]]:
    return [TeachingTokenizer().pieces(typed[0] + question) for question in typed[1]]


def hit_after(first: str, second: str, size: int) -> int:
    """What the engine says of two texts, straight."""
    tokenizer = TeachingTokenizer()
    engine = Engine(EngineConfig(block_size=size, num_blocks=9000))
    engine.submit(Request("first", tuple(tokenizer.encode(first))))
    engine.run()
    return engine.lookup(Request("second", tuple(tokenizer.encode(second)))).hit


def can_be_asked(asked: Asked) -> None:
    """Its truth can be said and is right; whatever is said gets a sentence, in both languages."""
    assert asked.truth in asked.answers()
    assert asked.grade(asked.truth) == "right"
    assert len(asked.answers()) > 1
    for lang in LANGS:
        assert t(asked.ask, lang, **asked.args)
        for answer in asked.answers()[:: max(len(asked.answers()) // 30, 1)]:
            key, args = asked.told(answer)
            assert t(key, lang, **args)
        if asked.options:
            assert len({t(key, lang, **args) for key, args in asked.options}) == len(asked.options)
        elif asked.unit:
            assert t(asked.unit, lang, n=asked.truth)


@pytest.mark.parametrize("typed", TYPED.values(), ids=TYPED)
def test_tokens_are_what_the_tokenizer_cuts(typed: Typed) -> None:
    for pieces, question in zip(pieces_of(typed), typed[1], strict=True):
        assert ids_of(pieces) == TeachingTokenizer().encode(typed[0] + question)
        within = beginning_of(pieces, typed[0])
        assert 1 <= within <= len(pieces)
        assert within == 1 or (typed[0] + question).startswith("".join(pieces[:within]))


@pytest.mark.parametrize("typed", TYPED.values(), ids=TYPED)
@pytest.mark.parametrize("size", [1, 3, 4, 16])
def test_hits_in_turn_are_the_engines(typed: Typed, size: int) -> None:
    texts = [typed[0] + question for question in typed[1]]
    found = hits_in_turn([ids_of(pieces) for pieces in pieces_of(typed)], size)
    assert found[0] == 0
    assert found[1] == hit_after(texts[0], texts[1], size)
    assert found[2] == max(hit_after(texts[0], texts[2], size), hit_after(texts[1], texts[2], size))


@pytest.mark.parametrize("typed", TYPED.values(), ids=TYPED)
def test_a_changed_token(typed: Typed) -> None:
    pieces = pieces_of(typed)[0]
    found = [change_of(pieces, typed[0], WORDS, seed) for seed in SEEDS]
    for one in found:
        assert one.after != one.before == pieces[one.place]
        assert 0 <= one.hit < one.total == len(pieces)
        assert one.tags == len(pieces) // one.block_size > 0
        behind = max(one.tags - one.place // one.block_size, 0)
        assert one.changed == behind, "from the changed block on, and no tag before it"
        assert one.hit == one.place // one.block_size * one.block_size
        assert tags_belief(one, one.changed) == ("right" if one.changed else "none")
        assert hit_belief(one, one.hit) == "right"
        can_be_asked(asked_tags(one))
        can_be_asked(asked_hits(one))
    if len(pieces) > 4:
        assert len(set(found)) > 6, "another seed asks something else"


def test_beliefs_behind_wrong_answers() -> None:
    pieces = pieces_of(TYPED["ours"])[0]
    one = next(
        case
        for seed in SEEDS
        if (case := change_of(pieces, TYPED["ours"][0], WORDS, seed)).place % case.block_size
        and 1 < case.changed < case.tags
    )
    assert tags_belief(one, one.tags) == "all"
    assert tags_belief(one, 1) == "one"
    assert tags_belief(one, 0) == "tail"
    assert hit_belief(one, one.place) == "tokens"
    assert hit_belief(one, 0) == ("all" if one.hit else "right")
    assert hit_belief(one, one.total - one.block_size) == "one"


def test_every_case_comes_before_one_comes_again() -> None:
    assert sorted(one_of("abcdef", seed) for seed in range(6, 12)) == list("abcdef")
    assert sizes_for(9, (2, 4, 8)) == [2, 4]
    assert sizes_for(3, (2, 4)) == [2]
    assert sizes_for(1, (2, 4)) == [1]


# -- chapter 5 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", TYPED.values(), ids=TYPED)
def test_three_at_once(typed: Typed) -> None:
    prompts = pieces_of(typed)
    found = [at_once(prompts, seed) for seed in SEEDS]
    for one in found:
        alone = [-(-len(pieces) // one.block_size) for pieces in prompts]
        assert max(alone) <= one.held.shared <= one.held.unshared == sum(alone)
        blocks = [
            {tuple(pieces[: end * one.block_size]) for end in range(1, len(pieces) // one.block_size + 1)}
            for pieces in prompts
        ]
        tails = sum(bool(len(pieces) % one.block_size) for pieces in prompts)
        # the last token is computed: a prompt that would hit as a whole takes a slot for its last block
        again = sum(
            len(pieces) % one.block_size == 0 and any(tuple(pieces) in before for before in blocks[:number])
            for number, pieces in enumerate(prompts)
        )
        assert one.held.shared == len(set().union(*blocks)) + tails + again
        can_be_asked(asked_held(one))
    if min(map(len, prompts)) > 16:
        assert len(set(found)) > 3, "another seed asks something else"


@pytest.mark.parametrize("typed", TYPED.values(), ids=TYPED)
def test_whom_a_stranger_drives_out(typed: Typed) -> None:
    prompts = pieces_of(typed)
    for seed in SEEDS:
        one = stranger(prompts, seed)
        assert one.options[one.truth] == one.goes
        assert (0, 0) in one.options
        full = [len(pieces) // one.block_size for pieces in prompts]
        assert all(index < full[who] for who, index in one.options)
        can_be_asked(asked_goes(one, prompts))


def test_the_tail_of_who_left_first_goes_first() -> None:
    prompts = pieces_of(TYPED["ours"])
    found = {(case.block_size, case.visits): case for seed in range(40) if (case := stranger(prompts, seed))}
    last = {size: len(prompts[0]) // size - 1 for size, _ in found}
    own = {
        size
        for size in last
        if prompts[0][: size * (last[size] + 1)] != prompts[1][: size * (last[size] + 1)]
    }
    assert {case.goes for (size, visits), case in found.items() if visits != (0, 1, 0) and size in own} == {
        (0, last[size]) for size in own
    }
    assert {case.goes[0] for (_, visits), case in found.items() if visits == (0, 1, 0)} == {1}, (
        "seen again: kept"
    )
    assert len({case.truth for case in found.values()}) > 1, "not always the same place"


# -- chapter 6 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", TYPED.values(), ids=TYPED)
def test_the_first_token_of_a_question(typed: Typed) -> None:
    prompts, cost = pieces_of(typed), Machine().cost()
    texts = [typed[0] + question for question in typed[1]]
    for seed in SEEDS:
        one = first_token(prompts, cost, seed)
        assert one.total == len(prompts[one.question])
        earlier = texts[: one.question]
        assert one.hit == max(hit_after(text, texts[one.question], one.block_size) for text in earlier)
        assert one.rest_ms < one.hit_ms <= one.full_ms
        assert one.full_ms == pytest.approx(1e3 * cost.prefill_s(one.total))
        assert time_belief(one, one.hit_ms) == "right"
        for case in (one, with_manual(prompts, cost, seed)):
            asked = asked_time(case)
            can_be_asked(asked)
            assert abs(asked.truth - case.hit_ms) <= asked.step / 2
            assert len(asked.answers()) <= 402, "they stand on a slider"
        large = with_manual(prompts, cost, seed)
        assert large.manual in MANUALS
        assert large.total == large.manual + len(prompts[2])
        assert large.manual <= large.hit < large.total, "manuals are whole blocks"
    if len(prompts[1]) > 16:
        assert len({first_token(prompts, cost, seed) for seed in SEEDS}) > 2
    assert len({with_manual(prompts, cost, seed) for seed in SEEDS}) == len(MANUALS)


def test_beliefs_about_time() -> None:
    one = with_manual(pieces_of(TYPED["ours"]), Machine().cost(), 1)
    prompts, cost = pieces_of(TYPED["ours"]), Machine().cost()
    short = max(
        (first_token(prompts, cost, seed) for seed in SEEDS), key=lambda found: found.hit / found.total
    )
    assert short.hit / short.total > 0.5
    assert time_belief(short, short.counted_ms) == "share"
    assert time_belief(one, one.full_ms) == "none"
    assert time_belief(one, one.full_ms / 2) == "right", "no belief behind it that we know"


# -- chapter 7 -------------------------------------------------------------------------------------------


def parts_of(typed: Typed) -> list[tuple[list[str], list[str]]]:
    cut = TeachingTokenizer().pieces
    return [(cut(typed[0]), cut(question)) for question in typed[1]]


@pytest.mark.parametrize("typed", TYPED.values(), ids=TYPED)
@pytest.mark.parametrize("size", [1, 4])
def test_the_same_words_in_another_order(typed: Typed, size: int) -> None:
    parts = parts_of(typed)
    found = {order: in_order(parts, order, size) for order in ORDERS}
    for order, one in found.items():
        clock = CLOCK if order.startswith("clock") else 0
        assert one.totals == tuple(len(first) + len(last) + clock for first, last in parts)
        assert one.hits[0] == 0
        assert 0 <= one.percent < 100
        can_be_asked(asked_order(one))
    assert found["clock_front"].hits == (0, 0, 0), "nothing behind a clock is found again"
    whole = len(parts[0][0]) // size * size
    assert all(hit >= min(whole, total - 1) // size * size for hit, total in zip(
        found["behind"].hits[1:], found["behind"].totals[1:], strict=True))  # fmt: skip
    assert found["clock_behind"].hits[1:] == (whole, whole)


def test_another_seed_asks_for_another_order() -> None:
    found = {ordered(parts_of(TYPED["ours"]), seed).order for seed in SEEDS}
    assert found == set(ORDERS)
    assert in_order(parts_of(TYPED["equal"]), "front", 1).percent > 50, "equal questions are a beginning too"
