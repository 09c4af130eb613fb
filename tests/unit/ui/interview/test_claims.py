"""True or false: each truth is shown by running the engine or the model, and a round tells nothing early."""

from __future__ import annotations

import pytest

from core.engine.engine import Engine
from core.types import EngineConfig, Request
from ui.interview.claims import Round, new_round
from ui.interview.numbers import numbers
from ui.interview.runs import COST, admitted, hits
from ui.interview.work import decode_same
from ui.study.names import CLAIMS


@pytest.mark.parametrize("size", [1, 4, 16, 528])
def test_a_prompt_of_one_block_never_hits(size: int) -> None:
    assert hits([range(size)] * 4, block_size=size) == [0] * 4
    assert hits([range(size + 1)] * 2, block_size=size)[1] == size, "one token more, and it does"


def test_a_block_is_hit_before_it_is_computed() -> None:
    engine = Engine(EngineConfig(block_size=4))
    for name in ("R0", "R1"):
        engine.submit(Request(name, tuple(range(13))))
    assert dict(engine.step().scheduled) == {"R0": 13, "R1": 1}, "both in one step"


def test_one_token_more_may_hit_a_block_more() -> None:
    gained = {hits([range(n + 1)] * 2)[1] - hits([range(n)] * 2)[1] for n in range(1, 70)}
    assert gained == {0, 16}


def test_twice_the_block_never_lengthens_a_hit_and_may_end_it() -> None:
    for shared in range(1, 40):
        old, new = [*range(shared), 7_001], [*range(shared), 8_001]
        found = [hits([old, new], block_size=size)[1] for size in (1, 2, 4, 8, 16, 32)]
        assert found == sorted(found, reverse=True)
    assert (numbers("true_double")["hit_8"], numbers("true_double")["hit_16"]) == (8, 0)


def test_a_request_throws_out_the_end_of_what_it_shares() -> None:
    told = numbers("true_own")
    assert 0 < told["after"] < told["before"]


def test_a_request_hits_what_it_computed_itself() -> None:
    assert numbers("true_again")["again"] > 0


def test_much_longer_may_gain_less() -> None:
    ratios = {times: COST.compare(640 * times, 512 * times).ratio for times in (10, 100)}
    assert ratios[100] < ratios[10]


def test_a_look_up_changes_nothing() -> None:
    def after(look: bool) -> list[int]:
        engine = Engine(EngineConfig(block_size=4, num_blocks=7))
        found = []
        for name, start in (("a", 0), ("b", 100)):
            engine.submit(Request(name, tuple(range(start, start + 9))))
            engine.run()
        if look:
            for turn in range(5):
                assert engine.lookup(Request(f"look{turn}", tuple(range(9)))).hit == 8
        engine.submit(Request("c", tuple(range(200, 216))))
        engine.run()
        for name, start in (("a", 0), ("b", 100)):
            found.append(engine.lookup(Request(f"{name}2", tuple(range(start, start + 9)))).hit)
        return found

    assert after(look=True) == after(look=False)
    assert min(after(look=False)) < 8, "something was evicted, so a refreshed block would have stayed"


def test_nobody_holds_a_block_and_the_next_one_hits() -> None:
    engine = Engine(EngineConfig(block_size=4))
    engine.submit(Request("R0", tuple(range(13))))
    engine.run()
    assert engine.view.num_free == engine.config.num_blocks - 1, "nobody holds a block"
    assert engine.lookup(Request("R1", tuple(range(13)))).hit == 12


def test_what_is_false_is_false() -> None:
    assert admitted("P6")[1][0] < admitted("P6")[1][1], "not 100 %"
    told = numbers("wrong_prompt")
    assert told["hit"] > told["prompt"], "answers are stored too"
    assert decode_same()["decode"] == f"{1e3 * COST.decode_s([4_096]):.1f}"
    assert numbers("wrong_linear")["kept"] != numbers("wrong_linear")["again"]


# -- a round ---------------------------------------------------------------------------------------------


def test_each_visit_has_an_order_of_its_own_with_all_claims() -> None:
    orders = {new_round(seed).order for seed in range(20)}
    assert len(orders) == 20
    assert all(sorted(order) == sorted(CLAIMS) for order in orders)


def test_a_decision_cannot_be_taken_back() -> None:
    first = new_round(3).order[0]
    right = CLAIMS[first]
    now = new_round(3).decide(not right)
    assert now.decide(right) == now
    assert (now.name, now.num_right, now.next().num_right) == (first, 0, 0)
    assert now.next().name == new_round(3).order[1]


def test_a_round_ends() -> None:
    now = new_round(5)
    while now.name is not None:
        now = now.decide(CLAIMS[now.name]).next()
    assert now.num_right == len(now.said) == len(CLAIMS)
    assert now.decide(True) == now == Round(now.order, now.said)


def test_a_link_lays_its_claim_on_the_table() -> None:
    opened = new_round(7)
    last = opened.order[-1]
    now = opened.beginning_with(last)
    assert now.name == last
    assert sorted(now.order) == sorted(opened.order)
    assert now.decide(True).beginning_with(opened.order[0]) == now.decide(True), "a reason is read to its end"
    assert now.decide(True).next().beginning_with(last).name == opened.order[0]
    assert opened.beginning_with(None) == opened
