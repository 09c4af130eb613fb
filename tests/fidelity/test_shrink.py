"""The shrinker, against oracles that are made up: what is left is what matters."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.fidelity.shrink import shrink

Scenario = dict[str, Any]

NOISE = [{"op": "step"}, {"op": "add", "id": "n", "tokens": [1], "outputs": [1]}]


def scenario(ops: list[dict[str, Any]], **config: Any) -> Scenario:
    return {"name": "x", "config": {"block_size": 2, "num_blocks": 8} | config, "ops": ops}


@given(st.lists(st.integers(0, 20), max_size=60), st.sets(st.integers(0, 20), min_size=1, max_size=4))
def test_only_the_operations_that_matter_are_left(numbers: list[int], matter: set[int]) -> None:
    ops = [{"op": "step", "id": str(number)} for number in [*numbers, *sorted(matter)]]

    def fails(one: Scenario) -> bool:
        return {str(number) for number in matter} <= {op["id"] for op in one["ops"]}

    smallest = shrink(scenario(ops), fails)
    assert sorted(int(op["id"]) for op in smallest["ops"]) == sorted(matter)


def test_fields_tokens_and_settings_go_too() -> None:
    asked = {"op": "add", "id": "a", "tokens": [7] * 40, "outputs": [1] * 9, "salt": "s", "priority": 3}
    image = {"id": "p2", "offset": 30, "length": 2}
    before = scenario([*NOISE, asked | {"mm": [image]}, *NOISE], watermark=0.5, policy="priority")

    def fails(one: Scenario) -> bool:
        asks = [op for op in one["ops"] if op.get("priority") == 3 and len(op["tokens"]) >= 5]
        return bool(asks) and one["config"].get("policy") == "priority"

    smallest = shrink(before, fails)
    assert smallest["config"] == {"block_size": 2, "num_blocks": 8, "policy": "priority"}
    assert smallest["ops"] == [{"op": "add", "id": "a", "tokens": [7] * 5, "outputs": [1], "priority": 3}]


def test_an_image_that_the_shorter_prompt_cuts_is_not_asked_about() -> None:
    item = {"id": "p2", "offset": 4, "length": 2}
    op = {"op": "add", "id": "a", "tokens": [1, 2, 3, 4, 5, 6], "outputs": [1], "mm": [item]}
    asked: list[Scenario] = []

    def fails(one: Scenario) -> bool:
        asked.append(one)
        return any("mm" in op for op in one["ops"])

    shrink(scenario([op]), fails)
    for one in asked:
        for told in one["ops"]:
            ends = [image["offset"] + image["length"] for image in told.get("mm", ())]
            assert all(end <= len(told["tokens"]) for end in ends)


def test_what_is_smallest_already_stays_and_the_first_is_not_changed() -> None:
    one = scenario([{"op": "step"}])
    before = scenario([{"op": "step"}])
    assert shrink(one, lambda _: True) == before == one
    assert shrink(scenario([*NOISE]), lambda _: False) == scenario([*NOISE])
