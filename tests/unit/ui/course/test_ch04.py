"""Chapter 4's numbers: tags that change, the last token, the forced reuse, the race, collisions."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from core.scenario.scenario import Scenario
from pages.ch04 import BITS, BLOCK, MANY_BLOCKS, RACE_LENGTH, TRIALS, WEAK_BLOCK, repeated
from ui.course.ch04 import collide, collision_chance, compare_blocks, forced_reuse, race, replace_token
from ui.course.ch04_picture import MOST, draw_chain, shown_rows
from ui.stage.setup import Setup, load_setup
from ui.svg.marks import Pen
from ui.words.i18n import LANGS, Lang, t


def pieces_of(lang: Lang) -> list[str]:
    scenario: Scenario = load_setup(Setup("P9d"), lang)
    return list(scenario.commands[0].prompt.pieces)


FIRST_TRY = 13


@pytest.mark.parametrize("lang", LANGS)
def test_the_first_try_breaks_block_three(lang: Lang) -> None:
    pieces = pieces_of(lang)
    rows = compare_blocks(pieces, replace_token(pieces, FIRST_TRY, t("course.ch04.word", lang)), BLOCK)
    assert [row.verdict for row in rows] == ["hit"] * 3 + ["new"] + ["same_text"] * 3 + ["tail"]
    assert sum(row.first_tag != row.second_tag for row in rows) == 4
    assert [row.first == row.second for row in rows] == [True] * 3 + [False] + [True] * 4


@pytest.mark.parametrize("lang", LANGS)
def test_every_token_can_be_changed(lang: Lang) -> None:
    pieces = pieces_of(lang)
    for place in range(len(pieces)):
        rows = compare_blocks(pieces, replace_token(pieces, place, "茶"), BLOCK)
        full_before = min(place, len(pieces) - 1) // BLOCK
        assert [row.verdict for row in rows].count("hit") == full_before, place


def test_more_or_fewer_tokens_shift_everything_behind() -> None:
    pieces = pieces_of("en")
    for text in ("", "once or twice"):
        rows = compare_blocks(pieces, replace_token(pieces, 5, text), BLOCK)
        assert [row.verdict for row in rows if row.verdict == "hit"] == ["hit"]
        assert "same_text" not in [row.verdict for row in rows]


def test_the_same_prompt_never_hits_as_a_whole() -> None:
    assert [repeated(n, 16) for n in range(30, 37)] == [16, 16, 16, 32, 32, 32, 32]
    assert repeated(1, 1) == 0
    assert all(repeated(n, 4) < n for n in range(1, 73))
    pieces = pieces_of("en")[:8]
    assert [row.verdict for row in compare_blocks(pieces, pieces, BLOCK)] == ["hit", "last"]


def test_reuse_after_a_break_is_wrong_above_the_first_layer() -> None:
    result = forced_reuse(0)
    assert result.reused_tokens == 64
    assert result.moved_by == 0, "the positions are right"
    assert result.layers[0].value < 1e-6
    assert all(layer.value > 0.1 for layer in result.layers[1:])
    assert result.broken.relative > 0.1
    assert result.broken.flipped
    assert result.legal.difference.max_abs < 1e-4
    assert {forced_reuse(seed).broken.flipped for seed in (0, 2)} == {True, False}


@pytest.mark.parametrize(("stored", "shared", "compared", "lookups"), [
    (20, 512, 20 * 513, 33), (1, 0, 1, 1), (100, 1023, 100 * 1024, 64), (50, 100, 50 * 101, 7),
])  # fmt: skip
def test_the_race(stored: int, shared: int, compared: int, lookups: int) -> None:
    done = race(stored, RACE_LENGTH, shared, 16)
    assert (done.compared, done.hashed, done.looked_up) == (compared, RACE_LENGTH, lookups)


@pytest.mark.parametrize("lang", LANGS)
def test_two_orders_collide_under_the_weak_hash_only(lang: Lang) -> None:
    orders = t("course.ch04.order1", lang), t("course.ch04.order2", lang)
    trials = {name: collide(*orders, WEAK_BLOCK, hash_name, verify) for name, hash_name, verify in TRIALS}
    assert [(trial.hit_tokens, trial.right, trial.noticed) for trial in trials.values()] == [
        (8, False, False),
        (0, True, True),
        (0, True, False),
    ]
    assert trials["weak"].tags[0] == trials["weak"].tags[1]
    assert trials["strong"].tags[0] != trials["strong"].tags[1]
    assert collide(orders[0], orders[0], WEAK_BLOCK, "weak", False).right
    assert collide("a", "b", WEAK_BLOCK, "weak", False).tags == ("–", "–")


def test_chance_of_a_collision() -> None:
    assert collision_chance(MANY_BLOCKS, BITS) == pytest.approx(1.47e-21, rel=0.01)
    assert collision_chance(23, 3) == pytest.approx(1, abs=1e-6), "eight tags for 23 blocks"
    assert collision_chance(1, 128) == 0


def test_the_picture_holds_the_changed_block_and_says_what_it_leaves_out() -> None:
    letters = "abcdefghij"
    pieces = [f" {one}{other}" for one in letters for other in letters]
    for place in (0, 3, 50, 99):
        rows = compare_blocks(pieces, replace_token(pieces, place, "tea"), BLOCK)
        before, shown = shown_rows(rows)
        assert len(shown) == MOST
        assert shown[0].index == before
        assert place // BLOCK in {row.index for row in shown}
    short = compare_blocks(pieces[:9], pieces[:9], BLOCK)
    assert shown_rows(short) == (0, short)


def test_what_is_typed_stays_text_in_the_picture() -> None:
    pieces = ["<script>", "&", "\x00", " a\u202e"]
    pen = Pen("light")
    draw_chain(pen, compare_blocks(pieces, pieces, BLOCK))
    drawn = pen.document(420, 200, "a")
    assert "<script" not in drawn
    assert not {char for char in drawn if ord(char) < 32} - {"\n"}
    ElementTree.fromstring(drawn)
