"""The real vLLM behind a pipe, and the comparison with our engine."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from core.conformance.fields import Fields, Place
from core.conformance.formats import replay
from run import ROOT

Scenario = dict[str, Any]


class RecordingFailedError(Exception):
    """vLLM, or the recorder, raised on this scenario; the message is the traceback."""


class Oracle:
    """A recorder's process, to be used as a context. `coverage`: the file for vLLM's branches taken."""

    def __init__(self, python: Path, log: Path, coverage: Path | None = None) -> None:
        options = [] if coverage is None else ["--coverage", str(coverage)]
        command = [str(python), "-m", "tests.fidelity.recorder", *options]
        self._log = log.open("a", encoding="utf-8")
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def record(self, scenario: Scenario) -> Scenario:
        """The scenario with vLLM's outcomes, without operations that made no sense.

        Raises:
            RecordingFailedError: vLLM would not do it.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(scenario) + "\n")
        self._process.stdin.flush()
        reply = json.loads(self._process.stdout.readline() or '{"error": "the recorder has ended"}')
        if "error" in reply:
            raise RecordingFailedError(reply["error"])
        recorded: Scenario = reply["recorded"]
        return recorded

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()  # the recorder ends, and writes its coverage
        self._process.wait()
        self._log.close()


def differences(recorded: Scenario) -> list[str]:
    """Everything in which our engine's outcome is not the recorded one."""
    findings = replay(Fields(recorded, Place(recorded["name"])))
    assert findings is not None
    return [str(mismatch) for mismatch in findings.mismatches]
