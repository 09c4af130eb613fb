"""Made-up conversations: always the same ones, and what they share."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from core.engine.engine import Engine
from core.errors import ConfigError
from core.scenario.workloads import Conversations, conversation_requests
from core.timeline.snapshot import take_snapshot
from core.types import EngineConfig, Request

SMALL = Conversations(seed=3, num_requests=60, system_tokens=8, median_new_tokens=20, answer_tokens=4)


def prompts(spec: Conversations) -> list[list[int]]:
    return [list(request.token_ids) for request in conversation_requests(spec)]


def hit_rate(requests: list[Request], block_size: int) -> float:
    """With a pool that never fills."""
    engine = Engine(EngineConfig(block_size=block_size, num_blocks=200_000, max_num_batched_tokens=10**7))
    for request in requests:
        engine.submit(request)
        engine.run()
    totals = take_snapshot(engine)["totals"]
    return totals["hits"] / totals["queries"]


def test_the_same_seed_gives_the_same_requests_and_another_seed_others() -> None:
    assert prompts(SMALL) == prompts(SMALL)
    assert prompts(SMALL) != prompts(replace(SMALL, seed=4))
    assert prompts(replace(SMALL, num_requests=10)) == prompts(SMALL)[:10]


def test_ids_are_distinct_and_all_begin_with_the_system_prompt() -> None:
    requests = list(conversation_requests(SMALL))
    assert [request.request_id for request in requests] == [f"R{number}" for number in range(60)]
    assert all(list(request.token_ids[:8]) == list(range(8)) for request in requests)


def test_a_prompt_goes_on_with_an_earlier_one_or_shares_only_the_system_prompt() -> None:
    seen: list[list[int]] = []
    going_on = 0
    for prompt in prompts(SMALL):
        shared = max((common(prompt, other) for other in seen), default=8)
        going_on += shared > 8
        assert shared == 8 or any(prompt[:shared] == other for other in seen)
        seen.append(prompt)
    assert 10 < going_on < 35  # about 37 % of 60


def common(one: list[int], other: list[int]) -> int:
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def test_nothing_and_everything_goes_on() -> None:
    lonely = prompts(replace(SMALL, continued=0.0))
    assert all(common(one, other) == 8 for one, other in pairwise(lonely))
    one_talk = prompts(replace(SMALL, continued=1.0))
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(one_talk))


def test_the_defaults_are_about_as_long_and_share_about_as_much_as_a_chat_service() -> None:
    requests = list(conversation_requests(Conversations(seed=1, num_requests=1000)))
    lengths = np.array([len(request.token_ids) for request in requests])
    assert 10_000 < lengths.mean() < 14_000
    assert 0.33 < hit_rate(requests, 512) < 0.42


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", -1),
        ("seed", 1.5),
        ("seed", True),
        ("num_requests", -1),
        ("median_new_tokens", 0),
        ("num_open", 0),
        ("continued", 1.1),
        ("continued", float("nan")),
        ("spread", -0.1),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        replace(SMALL, **{name: value})
    assert caught.value.code == "workload.field"
    assert caught.value.values["field"] == name
    assert f"{name} is {value!r}" in caught.value.message
