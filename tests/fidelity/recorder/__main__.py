"""A recorder behind a pipe: one scenario a line comes in, one recording a line goes out.

`python -m tests.fidelity.recorder [--coverage FILE]`, started by the robot inside vLLM's environment. With
`--coverage` the branches of vLLM's own code that were taken are written to FILE when the input ends.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import traceback
from typing import Any

import coverage

ENVIRONMENT = {
    "VLLM_TARGET_DEVICE": "cpu",  # so that the wheel of another device runs here too
    "VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES": "0",  # whole digests: identity without doubt
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "HF_HUB_OFFLINE": "1",
}


def record(scenario: dict[str, Any]) -> dict[str, Any]:
    """The scenario with an outcome at each operation that makes sense, and without those that do not."""
    from tests.fidelity.recorder.cache import CacheRecorder
    from tests.fidelity.recorder.steps import StepRecorder

    config = scenario["config"]
    recorder = StepRecorder(config) if "max_num_seqs" in config else CacheRecorder(config)
    ops = []
    for asked in scenario["ops"]:
        op = {name: value for name, value in asked.items() if name != "out"}
        if recorder.makes_sense(op):
            op["out"] = recorder.apply(op)
            ops.append(op)
    recorded = {**scenario, "ops": ops, "contents": recorder.contents.rows}
    if isinstance(recorder, CacheRecorder):
        recorded["final"] = recorder.final()
    return recorded


def answer(line: str) -> dict[str, Any]:
    """One recording, or what went wrong inside vLLM."""
    try:
        return {"recorded": record(json.loads(line))}
    except Exception:  # noqa: BLE001 - whatever vLLM raises is a finding, not the end of the run
        return {"error": traceback.format_exc()}


def main() -> None:
    """Answer lines until there are no more."""
    parser = argparse.ArgumentParser(prog="python -m tests.fidelity.recorder")
    parser.add_argument("--coverage", metavar="FILE")
    target = parser.parse_args().coverage
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what vLLM prints goes where nobody takes it for a reply
    os.environ.update(ENVIRONMENT)
    logging.disable(logging.WARNING)
    measured = coverage.Coverage(
        data_file=None, branch=True, include=["*/vllm/v1/core/*", "*/vllm/v1/request.py"]
    )
    if target:
        measured.start()
    for line in sys.stdin:
        print(json.dumps(answer(line), separators=(",", ":")), file=replies, flush=True)
    if target:
        measured.stop()
        measured.json_report(outfile=target)


if __name__ == "__main__":
    main()
