"""The command: `python -m tests.fidelity [--vllm VERSION] [--scenarios N] [--seed N]`.

Makes scenarios from the seed, lets the real vLLM carry them out, replays its outcomes on our engine, measures
which branches of vLLM's code were taken, shrinks whatever differs, and writes what came of it into README and
`docs/fidelity.md`. The first start installs vLLM into `.venv-vllm`. Recordings, branches and shrunk scenarios
lie in `test-results/fidelity`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from run import ROOT
from tests.fidelity import document
from tests.fidelity.branches import listing, read_parts
from tests.fidelity.document import Run
from tests.fidelity.environment import NoVllmError, python_with
from tests.fidelity.oracle import Oracle, RecordingFailedError, Scenario, differences
from tests.fidelity.scenarios import scenarios
from tests.fidelity.shrink import shrink

RESULTS = ROOT / "test-results" / "fidelity"
PAGE = ROOT / "docs" / "fidelity.md"
README = ROOT / "README.md"
FIRST_RECORDINGS = ROOT / "tests" / "conformance" / "data"
FIRST_NAMES = ("hand", "sched", "random_*")  # those that were there before the robot
MOST_SHRUNK = 5  # of one run; the others most often have the same cause


def main() -> int:
    """Returns the exit status: 0 equal, 1 something differs, 2 vLLM could not be installed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fidelity", description=__doc__)
    parser.add_argument("--vllm", default="0.33.0", metavar="VERSION")
    parser.add_argument("--scenarios", type=int, default=400, metavar="N")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other scenarios")
    parser.add_argument(
        "--no-page", action="store_true", help="leave README and docs/fidelity.md as they are"
    )
    asked = parser.parse_args()
    try:
        python = python_with(asked.vllm)
    except NoVllmError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    RESULTS.mkdir(parents=True, exist_ok=True)
    run = Run(asked.vllm, datetime.now(tz=UTC).date().isoformat(), asked.seed, asked.scenarios)
    suspects = compare_new(python, run)
    with Oracle(python, RESULTS / "vllm.log") as oracle:
        for suspect in suspects[:MOST_SHRUNK]:
            write_shrunk(oracle, suspect)
    take_again(python, run)
    run.earlier = read_parts(RESULTS / "first.json", ROOT)
    run.parts = read_parts(RESULTS / "new.json", ROOT)
    (RESULTS / "branches.txt").write_text(listing(run.parts) + "\n", "utf-8")
    if not asked.no_page:
        document.write(PAGE, document.text_of(run))
        document.write(README, f"**{run.verdict()}**")
    print(document.text_of(run))
    return 0 if run.is_equal else 1


def compare_new(python: Path, run: Run) -> list[Scenario]:
    """Record and replay the new scenarios; returns those that differ."""
    suspects = []
    with (
        Oracle(python, RESULTS / "vllm.log", RESULTS / "new.json") as oracle,
        gzip.open(RESULTS / "recordings.jsonl.gz", "wt", encoding="utf-8") as kept,
    ):
        for scenario, cases in scenarios(run.seed, run.asked):
            run.num_scenarios += 1
            run.cases.update(cases)
            try:
                recorded = oracle.record(scenario)
            except RecordingFailedError as error:
                run.refused.append(scenario["name"])
                print(f"{scenario['name']}: {error}", file=sys.stderr)
                continue
            run.num_operations += len(recorded["ops"])
            kept.write(json.dumps(recorded, separators=(",", ":")) + "\n")
            if found := differences(recorded):
                run.different.append(scenario["name"])
                suspects.append(scenario)
                print(found[0])
    return suspects


def write_shrunk(oracle: Oracle, scenario: Scenario) -> None:
    """The smallest scenario that still differs, as vLLM has it."""

    def fails(smaller: Scenario) -> bool:
        try:
            return bool(differences(oracle.record(smaller)))
        except RecordingFailedError:
            return False

    smallest = oracle.record(shrink(scenario, fails))
    target = RESULTS / f"differs-{scenario['name']}.jsonl"
    target.write_text(json.dumps(smallest) + "\n", "utf-8")
    print(f"{len(smallest['ops'])} operations still differ: {target.relative_to(ROOT)}")


def take_again(python: Path, run: Run) -> None:
    """The first recordings once more, on this vLLM: which branches they take, and whether they still hold."""
    with Oracle(python, RESULTS / "vllm.log", RESULTS / "first.json") as oracle:
        for scenario in first_recordings():
            if found := differences(oracle.record(scenario)):
                run.different.append(scenario["name"])
                print(found[0])


def first_recordings() -> Iterator[Scenario]:
    """The scenarios that lie in tests/conformance/data from before."""
    for path in sorted(path for name in FIRST_NAMES for path in FIRST_RECORDINGS.glob(f"{name}.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


if __name__ == "__main__":
    sys.exit(main())
