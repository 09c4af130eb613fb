"""The peak of held slots, shared and unshared: the lecture's figure, and the engine's count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine.engine import Engine
from core.replay.held_blocks import PeakBlocks, peak_blocks
from core.replay.prefix_tree import build_tree
from core.types import EngineConfig
from tests.prompt_logs import prompts, requests_of
from tests.strategies import examples


def ten_users(private_from: int = 1000) -> list[tuple[int, ...]]:
    system = tuple(range(512))
    return [
        (*system, *range(private_from + 128 * user, private_from + 128 * (user + 1))) for user in range(10)
    ]


def test_ten_users_of_one_system_prompt() -> None:
    """512 shared and 128 private tokens each: 32 + 10 * 8 blocks of 16 instead of 10 * 40."""
    assert peak_blocks(build_tree(requests_of(ten_users()), 16)) == PeakBlocks(shared=112, unshared=400)


def test_one_after_another_there_is_nothing_to_share() -> None:
    times = [float(user) for user in range(10)]
    tree = build_tree(requests_of(ten_users()), 16)
    assert peak_blocks(tree, times, [time + 1 for time in times]) == PeakBlocks(40, 40)
    assert peak_blocks(tree, times, [time + 2 for time in times]) == PeakBlocks(48, 80)


@pytest.mark.parametrize("size", [16, 15])
def test_last_blocks_are_not_shared(size: int) -> None:
    """The same 48 tokens three times: a last block of 16 is computed again by each, one of 3 is not full."""
    tree = build_tree(requests_of([tuple(range(48))] * 3), size)
    assert peak_blocks(tree) == (PeakBlocks(5, 9) if size == 16 else PeakBlocks(6, 12))


@examples(100)
@given(st.data())
def test_the_engine_holds_as_many(data: st.DataObject) -> None:
    """Requests that begin one by one and end in any order, in a pool with room for all."""
    size = data.draw(st.integers(1, 4))
    log = requests_of(data.draw(prompts(size, max_size=12)))
    begins = [float(number) for number in range(len(log))]
    ends = [begin + data.draw(st.integers(1, 8)) for begin in begins]
    engine, held, shared, unshared = Engine(EngineConfig(size, 500)), set(), 0, 0
    for number, request in enumerate(log):
        for ended in sorted(other for other in held if ends[other] <= number):
            engine.free(log[ended].request_id)
            held.discard(ended)
        assert engine.start(request).ok
        held.add(number)
        shared = max(shared, 499 - engine.view.num_free)
        unshared = max(unshared, sum(-(-len(log[other].token_ids) // size) for other in held))
    assert peak_blocks(build_tree(log, size), begins, ends) == PeakBlocks(shared, unshared)
