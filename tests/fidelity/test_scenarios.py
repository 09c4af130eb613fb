"""The generators: the same seed gives the same scenarios, and the hard cases are among them."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from core.conformance.sched_replay import CONFIG_FIELDS, OP_FIELDS
from core.engine.engine import Engine
from core.types import EngineConfig
from tests.fidelity.scenarios import Scenario, scenarios
from tests.fidelity.scenarios.cache_runs import CACHE_KINDS
from tests.fidelity.scenarios.hard_cases import CASES, HardCases
from tests.fidelity.scenarios.step_runs import BLOCK_SIZES, STEP_KINDS, as_request

pytestmark = pytest.mark.slow

Made = list[tuple[Scenario, Counter[str]]]


@pytest.fixture(scope="module")
def made() -> Made:
    """What one ordinary run of the robot compares."""
    return list(scenarios(7, 400))


def test_the_same_seed_gives_the_same_scenarios_and_more_only_adds(made: Made) -> None:
    again = list(islice(scenarios(7, 1000), 60))
    assert again == made[:60]
    assert [scenario["ops"] for scenario, _ in scenarios(8, 60)] != [scenario["ops"] for scenario, _ in again]


def test_names_are_different(made: Made) -> None:
    assert len({scenario["name"] for scenario, _ in made}) == len(made)


# In 400 scenarios, at the very least. What is rare here is found by few.
LEAST = dict.fromkeys(CASES, 20) | {"a victim's budget used by others": 10, "two victims in one step": 10}


@pytest.mark.parametrize("case", CASES)
def test_every_hard_case_is_made_again_and_again(case: str, made: Made) -> None:
    assert sum(cases[case] for _, cases in made) >= LEAST[case]
    assert sum(cases[case] > 0 for _, cases in made) >= min(LEAST[case], 10)


def test_every_kind_block_size_and_setting_is_made(made: Made) -> None:
    kinds = {scenario["kind"] for scenario, _ in made}
    assert kinds == {f"sched_{kind}" for kind in STEP_KINDS} | {f"cache_{kind}" for kind in CACHE_KINDS}
    configs = [scenario["config"] for scenario, _ in made]
    assert {config["block_size"] for config in configs} == set(BLOCK_SIZES)
    assert {1, 2, 3} <= {config["num_blocks"] for config in configs}
    assert {name for config in configs for name in config} == set(CONFIG_FIELDS)


def test_every_operation_and_field_of_the_format_is_made(made: Made) -> None:
    fields = {
        (op["op"], name)
        for scenario, _ in made
        if "max_num_seqs" in scenario["config"]
        for op in scenario["ops"]
        for name in op
    }
    assert fields == {(verb, name) for verb, names in OP_FIELDS.items() for name in ("op", *names)}


def test_an_image_ends_with_its_prompt_and_its_id_tells_its_length(made: Made) -> None:
    """vLLM ends a request whose image has another length than the one it knows by that id."""
    for scenario, _ in made:
        for op in scenario["ops"]:
            place = 0
            for item in op.get("mm", ()):
                assert item["id"].endswith(str(item["length"]))
                assert place <= item["offset"]
                place = item["offset"] + item["length"]
                assert place <= len(op["tokens"])


def test_vllm_takes_every_budget(made: Made) -> None:
    """It refuses one below `max_num_seqs`, and requests without outputs."""
    for scenario, _ in made:
        config = scenario["config"]
        assert config.get("max_num_batched_tokens", 0) >= config.get("max_num_seqs", 0)
        assert all(op["outputs"] for op in scenario["ops"] if op["op"] == "add")


def counted(priorities: list[int], steps: int, **settings: int) -> Counter[str]:
    """The hard cases of requests of one step each, three tokens long, in blocks of two."""
    config = EngineConfig(block_size=2, num_blocks=5, policy="priority", **settings)
    watch = HardCases(config.policy, config.max_num_batched_tokens)
    engine = Engine(config, emit=watch)
    for number, priority in enumerate(priorities):
        op = {"id": f"r{number}", "tokens": [10 * number] * 3, "outputs": [9] * 4, "priority": priority}
        watch.begin("add", engine.view.running_ids())
        engine.submit(as_request(op))
        watch.begin("step", engine.view.running_ids())
        engine.step()
    for _ in range(steps):
        watch.begin("step", engine.view.running_ids())
        engine.step()
    return +watch.counts


def test_cases_are_counted_where_they_happen() -> None:
    """The worst stands first and preempts itself; the other goes on in the same step."""
    counts = counted([5, 0], steps=1)
    assert counts["self-preemption, priority"] == counts["preemption, priority"] == 1
    assert counts["somebody scheduled after a self-preemption"] == 1
    assert counts["a victim scheduled earlier in the same step"] == 0


def test_cases_are_not_counted_where_they_do_not_happen() -> None:
    """The worst stands last: it preempts itself, and nobody comes after it."""
    counts = counted([0, 5], steps=1)
    assert counts["preemption, priority"] == 1
    assert counts["somebody scheduled after a self-preemption"] == 0
