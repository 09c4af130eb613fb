"""From a scenario that differs to the smallest one that still does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Scenario = dict[str, Any]
Fails = Callable[[Scenario], bool]

NEEDED = {"op", "id", "tokens", "outputs", "token", "n", "blocks"}  # of an operation
NEEDED_SETTINGS = {"block_size", "num_blocks", "max_num_seqs", "max_num_batched_tokens"}
LISTS = ("tokens", "outputs", "blocks")


def shrink(scenario: Scenario, fails: Fails) -> Scenario:
    """Leave out operations, then fields, tokens and settings, as long as `fails` says that it still differs.

    `fails` is asked about whole scenarios; leaving out may leave operations behind that make no sense.
    """
    smaller = scenario
    while True:
        ops = _fewest(smaller["ops"], lambda ops: fails(smaller | {"ops": ops}))  # noqa: B023 - asked at once
        shorter = smaller | {"ops": ops}
        simpler = next((one for one in _simpler(shorter) if fails(one)), None)
        if simpler is None:
            return shorter
        smaller = simpler


def _fewest(items: list[Any], fails: Callable[[list[Any]], bool]) -> list[Any]:
    """Leave out halves, quarters, … single items: first what is large and does not matter."""
    size = max(len(items) // 2, 1)
    while items:
        start, before = 0, len(items)
        while start < len(items):
            fewer = items[:start] + items[start + size :]
            if fewer and fails(fewer):
                items = fewer
            else:
                start += size
        if size == 1 and len(items) == before:
            break
        size = max(size // 2, 1)
    return items


def _simpler(scenario: Scenario) -> Iterator[Scenario]:
    """The scenario with one thing less, all of them in turn."""
    config = scenario["config"]
    for name in [name for name in config if name not in NEEDED_SETTINGS]:
        yield scenario | {"config": {key: value for key, value in config.items() if key != name}}
    for index, op in enumerate(scenario["ops"]):
        for simpler in _simpler_ops(op):
            yield scenario | {"ops": [*scenario["ops"][:index], simpler, *scenario["ops"][index + 1 :]]}


def _simpler_ops(op: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in [name for name in op if name not in NEEDED]:
        yield {key: value for key, value in op.items() if key != name}
    for name in LISTS:
        values = op.get(name, [])
        for count in sorted({len(values) // 2, len(values) - 1} - {0, -1}):
            yield _with_images_inside(op | {name: values[:count]})


def _with_images_inside(op: dict[str, Any]) -> dict[str, Any]:
    """Images that the shortened prompt cuts are left out."""
    if "mm" not in op:
        return op
    inside = [item for item in op["mm"] if item["offset"] + item["length"] <= len(op["tokens"])]
    return op | {"mm": inside}
