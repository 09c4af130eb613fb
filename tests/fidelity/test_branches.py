"""Reading coverage's report: what was taken, what was not, and which condition is to blame."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fidelity.branches import Part, listing, read_parts, why_not
from tests.fidelity.environment import LEFT_OUT
from tests.fidelity.reasons import reason

SOURCE = """\
class Scheduler:
    def schedule(self):
        if self.connector is not None:
            if partly:
                done()
        while budget > 0:
            if (
                fits
                and small
            ):
                run()
"""


@pytest.fixture
def part(tmp_path: Path) -> Part:
    """Nothing was connected; the loop ran, and nothing was ever too large."""
    file = "vllm/v1/core/sched/scheduler.py"
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(SOURCE, "utf-8")
    found = {
        "executed_branches": [[3, 6], [6, 7], [6, -2], [7, 11]],
        "missing_branches": [[3, 4], [4, 5], [4, 6], [8, 6]],
        "executed_lines": [3, 6, 7, 8, 11],
    }
    report = tmp_path / "report.json"
    functions = {"Scheduler.schedule": found, "Scheduler.shutdown": found}
    report.write_text(json.dumps({"files": {file: {"functions": functions}}}), "utf-8")
    return read_parts(report, tmp_path)[0]


def test_branches_of_the_named_functions_are_counted(part: Part) -> None:
    assert (part.title, part.num_branches, part.num_taken) == ("one step", 8, 4)


def test_what_was_never_reached_is_explained_by_what_stands_above_it(part: Part) -> None:
    connectors = reason(["self.connector is not None"])
    assert [(branch.line, branch.why) for branch in part.untaken] == [
        (3, connectors),
        (4, connectors),
        (4, connectors),
        (8, ""),  # it was reached, and its own condition gives no reason: ours to take
    ]
    assert part.untaken[-1].condition == "fits and small"
    assert part.num_out == 3
    assert why_not([part]) == {connectors: 3}
    assert listing([part]).splitlines()[0] == "???: one step: Scheduler.schedule:8: fits and small"


@pytest.mark.parametrize(
    "ours",
    [
        "new_blocks is not None",
        "self.policy == SchedulingPolicy.PRIORITY",
        "victim_index < req_index",
        "preempted_req in scheduled_running_reqs",
        "preempted_req == request",
        "not preempted_reqs",
        "required_blocks > self.block_pool.get_num_free_blocks()",
        "full_sequence_must_fit",
        "self.priority != other.priority",
        "num_used_blocks != 1",
    ],
)
def test_no_reason_is_given_for_what_is_ours(ours: str) -> None:
    assert reason([ours]) == ""


@pytest.mark.parametrize(
    "name", ["torch==2.14.0", "torchvision", "nvidia-cudnn-frontend>=1", "flashinfer-python"]
)
def test_what_belongs_to_the_device_is_left_out(name: str) -> None:
    assert LEFT_OUT.match(name)


@pytest.mark.parametrize("name", ["transformers>=5", "numpy", "pyzmq", "xgrammar==0.2.8", "msgspec"])
def test_what_vllm_imports_is_not(name: str) -> None:
    assert not LEFT_OUT.match(name)
