"""Chapter 2's numbers: computed tokens, modelled times, sizes, and that sampling does not matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cost import GPUS, MODELS, CostModel
from tests.unit.ui.course.prompts import PROMPTS
from ui.course.asked import SEEDS
from ui.course.ch02 import (
    SHOWN_TOKENS,
    answer_cost,
    attention_kinds,
    attention_rows,
    bet_on_answer,
    computed_tokens,
    decode_rows,
    hits_with_answer,
    reads,
    sample,
    shown_part,
)
from ui.course.measured import DECODERS, next_tokens
from ui.course.mine import our_prompt
from ui.machine.machine import Machine
from ui.stage.own import OwnPrompts
from ui.words.i18n import LANGS, Lang, t


@pytest.mark.parametrize(("prompt", "answer", "kept", "tokens"), [
    (8, 6, False, 8 + 9 + 10 + 11 + 12 + 13),
    (8, 6, True, 13),
    (1000, 500, False, 624_750),
    (1000, 500, True, 1_499),
    (3, 1, False, 3),
    (3, 1, True, 3),
])  # fmt: skip
def test_computed_tokens(prompt: int, answer: int, kept: bool, tokens: int) -> None:
    assert computed_tokens(prompt, answer, kept) == tokens


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize(("prompt", "answer"), [(8, 6), (2, 1), (14, 10)])
def test_the_grid_shows_what_is_counted(prompt: int, answer: int, kept: bool) -> None:
    rows = decode_rows(prompt, answer, kept)
    marks = [mark for row in rows for mark in row]
    assert {len(row) for row in rows} == {prompt + answer - 1}
    assert marks.count("computed") + marks.count("again") == computed_tokens(prompt, answer, kept)
    assert marks.count("computed") == prompt + answer - 1, "every token has a first time, and only one"
    assert ("again" in marks) == (not kept and answer > 1)
    assert ("read" in marks) == (kept and answer > 1)


def test_time_saves_less_than_counting_promises() -> None:
    cost = answer_cost(Machine().cost(), 1024, 256)
    assert cost.token_with == pytest.approx(0.0124, rel=0.05)
    assert cost.token_without == pytest.approx(0.0898, rel=0.05)
    assert 1 < cost.token_without / cost.token_with < 1024 + 256 - 1
    assert cost.all_without > cost.all_with


def test_a_token_stops_getting_dearer_and_an_answer_stops_growing_with_the_square() -> None:
    """Large enough that computing, not the weights, decides."""
    model = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])
    short, long = answer_cost(model, 1024, 256), answer_cost(model, 2048, 512)
    assert long.token_without / short.token_without > 1.9
    assert long.token_with / short.token_with < 1.2
    assert long.all_without / short.all_without > 3.8
    assert long.all_with / short.all_with < 2.2


def test_measured_ratios() -> None:
    """Whatever machine they come from: without K and V the next token costs more the further one is; with
    them hardly more.
    """
    points = next_tokens(DECODERS["torch"])
    assert [point.position for point in points] == [16, 128, 512, 1024]
    ratios = [point.ratio for point in points]
    assert ratios == sorted(ratios)
    assert ratios[-1] > 10 * ratios[0]
    assert points[-1].with_ms < 2 * points[0].with_ms
    assert all(point.ratio < point.position for point in points), "decode is bound by bandwidth"


def test_only_the_asking_row_reads() -> None:
    rows = attention_rows(8, 5)
    assert rows[4] == ["read"] * 4 + ["computed"] + ["none"] * 3
    assert set(rows[3]) == {"past", "none"}
    assert set(rows[5]) == {"none"}
    assert sum(row[0] != "none" for row in rows) == reads(1, 5)[1] == 5, "K and V of token 1, once a row"
    assert reads(1, 5)[0] == 1
    assert reads(5, 5) == (1, 1)
    assert reads(6, 5) == (0, 0)


def test_sizes() -> None:
    kib = {kind: model.kv_bytes_per_token / 1024 for kind, model in attention_kinds().items()}
    assert kib == {"mha": 512, "gqa": 128, "mqa": 16, "mla": 36}
    assert [model.attention for model in attention_kinds().values()] == list(kib)
    assert attention_kinds()["mha"].kv_bytes_per_token * 4096 == 2 * 2**30


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("seed", range(3))
def test_sampling_changes_the_answer_and_no_hit(lang: Lang, seed: int) -> None:
    words = t("course.ch02.words", lang).split()
    answers = {temperature: sample(words, temperature, seed) for temperature in (0.0, 0.7, 1.5)}
    assert answers[0.0] == words[:4]
    assert len({tuple(answer) for answer in answers.values()}) > 1
    gap = " " if lang == "en" else ""
    assert {tuple(hits_with_answer(gap + gap.join(answer), lang)) for answer in answers.values()} == {
        (0, 12, 12)
    }


@given(PROMPTS, st.integers(0, SEEDS - 1))
def test_the_bet_counts_the_steps_of_an_answer(prompt: OwnPrompts, seed: int) -> None:
    """Counted step by step: what goes in, token for token, until the answer is complete."""
    asked = bet_on_answer(prompt, seed)
    tokens, answer = int(str(asked.args["tokens"])), int(str(asked.args["answer"]))
    kept = ".with." in asked.ask
    rows = decode_rows(tokens, answer, kept)
    counted = sum(mark in ("computed", "again") for row in rows for mark in row)
    said = [int(args["n"]) for _, args in asked.options]  # type: ignore[call-overload]
    assert said[int(asked.truth)] == counted
    assert len(set(said)) == len(said) == 4
    assert min(said) > 0
    keys = [asked.told(one)[0].rpartition(".")[2] for one in range(4)]
    assert [key == "right" for key in keys] == [one == counted for one in said]


def test_the_right_option_stands_in_any_place_and_both_kinds_are_asked() -> None:
    asked = [bet_on_answer(our_prompt("en"), seed) for seed in range(60)]
    assert {one.truth for one in asked} == {0, 1, 2, 3}
    assert len({one.ask for one in asked}) == 2
    ranks = set()
    for one in asked:
        numbers = [int(str(args["n"]).replace(",", "")) for _, args in one.options]
        ranks.add(sorted(numbers).index(numbers[int(one.truth)]))
    assert len(ranks) > 1, "the size of a number tells nothing"


def test_the_grid_draws_the_end_of_a_long_prompt() -> None:
    rows = shown_part(decode_rows(100, 5, False), 100)
    assert {len(row) for row in rows} == {SHOWN_TOKENS + 4}
    assert shown_part(decode_rows(3, 5, True), 3) == decode_rows(3, 5, True)
