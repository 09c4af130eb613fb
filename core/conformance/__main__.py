"""The command: `python -m core.conformance PATH…`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from core.conformance import Report, Skipped, results
from core.conformance.findings import Findings
from core.errors import RecordingError
from core.texts import escaped


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay, print each difference as it is found, then the sum; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m core.conformance",
        description="Replay recorded scenarios and cases on the engine and compare every recorded field.",
        epilog="Exit status: 0 nothing differs, 1 something differs, 2 some input could not be used.",
    )
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file, or a directory of *.jsonl and *.jsonl.gz"
    )
    report = Report()
    for result in results(parser.parse_args(arguments).paths):
        report.add(result)
        if isinstance(result, Skipped):
            print(escaped(str(result)))
        elif isinstance(result, Findings):
            for mismatch in result.mismatches:
                print(escaped(str(mismatch)))
        elif isinstance(result, RecordingError):
            print(f"error: {result.message}", file=sys.stderr)
    print(report)
    return report.exit_status


if __name__ == "__main__":
    sys.exit(main())
