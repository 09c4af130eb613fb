"""Numbers of the theme beyond one card: what they are made of, apart from the answers that show them."""

from __future__ import annotations

import pytest

from core.cost import GPUS, MODELS, CostModel
from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.types import EngineConfig, Request
from ui.interview.numbers import numbers
from ui.interview.runs import COST, hits
from ui.interview.scale import closed_round, tokens_a_step


def number(name: str, key: str) -> float:
    return float(str(numbers(name)[key]).replace(",", ""))


def test_the_rounds_add_up_as_they_are_shown() -> None:
    def one(key: str) -> float:
        return number("scale_closed", key)

    assert round(one("cold") + one("decode"), 2) == one("round_cold")
    assert round(one("warm") + one("decode"), 2) == one("round_warm")
    assert round(100 * (one("round_cold") / one("round_warm") - 1)) == one("gain") == 6
    assert one("rate") == 94
    assert one("hit") % 16 == 0, "a hit is whole blocks"
    assert hits([range(1_504 + 96), [*range(1_504), *range(5_000, 5_096)]], num_blocks=256)[1] == 1_504


def test_a_short_answer_makes_the_same_hits_count() -> None:
    gains = []
    for answer in (1, 20, 200, 2_000):
        cold, decode = closed_round(16, 1_600, 0, answer)
        warm, same = closed_round(16, 1_600, 1_504, answer)
        assert decode == same, "a hit does not shorten decode"
        gains.append((cold + decode) / (warm + decode))
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 3


def test_pieces_keep_steps_short_and_the_prompt_long() -> None:
    def one(key: str) -> float:
        return number("scale_chunked", key)

    assert one("last") < one("whole") < one("sum")
    assert one("sum") / one("pieces") < one("last"), "the last piece reads most"


@pytest.mark.parametrize("drafts", [0, 1, 4])
def test_drafts_yield_one_to_all(drafts: int) -> None:
    assert tokens_a_step(drafts, 0) == 1
    assert tokens_a_step(drafts, 1) == drafts + 1
    assert 1 <= tokens_a_step(drafts, 0.7) <= drafts + 1


def test_loading_wins_above_the_break_even() -> None:
    even = number("scale_tiers", "even")
    assert 3 < even < 25
    assert number("scale_tiers", "host") < number("scale_tiers", "again") < number("scale_tiers", "disk")
    alone = CostModel(MODELS["Llama-2-70B"], GPUS["H100"])
    rates = [model.model.kv_bytes_per_token * 4096 / model.prefill_s(4096) for model in (alone, COST)]
    assert rates[0] < rates[1], "a larger model needs less bandwidth for it"


def test_kv_is_split_until_heads_run_out() -> None:
    assert number("scale_tensor", "four") * 4 == number("scale_tensor", "whole")
    assert number("scale_tensor", "sum") == 2 * number("scale_tensor", "whole")
    assert number("scale_tensor", "times") > 4


def test_a_shared_part_read_once() -> None:
    def one(key: str) -> float:
        return number("scale_cascade", key)

    assert one("plain") == one("requests") * (one("prefix") + one("own"))
    assert one("merged") == one("prefix") + one("requests") * one("own")
    assert one("merged_ms") < one("plain_ms")


def test_large_blocks_hit_all_or_nothing() -> None:
    assert (numbers("scale_window")["hit"], numbers("scale_window")["hit_longer"]) == (0, 528)


def test_an_equal_prompt_hits_what_the_pieces_have_filled() -> None:
    """What the answer about chunked prefill says of a twin that comes in between."""
    events: list[Event] = []
    engine = Engine(EngineConfig(num_blocks=99), events.append, block_events=False)
    engine.start(Request("R0", tuple(range(400))), 100)
    engine.prefill("R0", 100)
    engine.start(Request("R1", tuple(range(400))), 100)
    hit = [event.hit_tokens for event in events if isinstance(event, RequestAdmitted)][1]
    assert hit == 200 // 16 * 16


def test_a_place_counts_from_one() -> None:
    """A change in the last place of a block: counted from 0 the rule would give one block more."""
    place, size = number("work_change", "place"), number("work_change", "size")
    assert place % size == 0
    assert number("work_change", "hit") == (place - 1) // size * size == place - size
