"""A log of requests from the shell: one offline HTML file, or JSON.

python -m ui.report TRACE [TRACE …] [--blocks 16 32] [--slots 5000] [--model Llama-3-8B] --out report.html
cat TRACE | python -m ui.report - --json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from core.cost import GPUS, MODELS, CostModel, Prices
from core.errors import BrothError
from core.texts import escaped
from core.traces.door.read import read_trace
from core.traffic.settings import Settings, usual_block_size
from core.traffic.summary import Json, summarise
from ui.report.options import parser, read_options, trace_files
from ui.report.page import report_html
from ui.usage.prices import priced
from ui.words.i18n import error_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0, or 1 with a sentence on the error stream."""
    args = parser().parse_args(arguments)
    try:
        summary = _summary(args)
        if args.out is not None:
            args.out.write_text(report_html(summary, args.lang), encoding="utf-8")
            print(escaped(str(args.out)))
        if args.json or args.out is None:
            print(escaped(json.dumps(summary, ensure_ascii=False, allow_nan=False, indent=2)))
    except BrothError as error:
        print(error_text(error, args.lang), file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def _summary(args: argparse.Namespace) -> Json:
    options = read_options(args)
    trace = read_trace(trace_files(args), format_name=args.format, options=options)
    sizes = args.blocks or [usual_block_size(trace)]
    settings = [Settings(size, args.slots, args.ttl) for size in sizes]
    cost = CostModel(MODELS[args.model], GPUS[args.gpu], args.gpus)
    return summarise(
        trace,
        settings,
        cost,
        Prices(per_gpu_hour=args.gpu_hour),
        options.tokenizer,
        rules=priced(trace).rules,
    )


if __name__ == "__main__":
    raise SystemExit(main())
