"""A log of requests from the shell: one offline HTML file, or JSON.

python -m ui.report TRACE [TRACE …] [--blocks 16 32] [--slots 5000] [--model Llama-3-8B] --out report.html
python -m ui.report TRACE --json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from core.backends.models.log_tokenizers import NAMES as TOKENIZERS
from core.cost import GPUS, MODELS, CostModel, Prices
from core.errors import BrothError
from core.texts import escaped
from core.traces.door.formats import NAMES
from core.traces.door.read import read_trace
from core.traces.options import ReadOptions
from core.traces.templates import TEMPLATES
from core.traffic.settings import Settings, usual_block_size
from core.traffic.summary import Json, summarise
from ui.report.page import report_html
from ui.traffic.tokenizers import MODEL_VARIABLE, offered, tokenizer_for
from ui.words.i18n import LANGS, error_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0, or 1 with a sentence on the error stream."""
    args = _parser().parse_args(arguments)
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
    options = ReadOptions(
        skip_broken=args.skip_broken,
        template=args.template,
        tokenizer=tokenizer_for(args.tokenizer),
        tokenizer_name=args.tokenizer,
    )
    trace = read_trace(args.trace, format_name=args.format, options=options)
    sizes = args.blocks or [usual_block_size(trace)]
    settings = [Settings(size, args.slots, args.ttl) for size in sizes]
    cost = CostModel(MODELS[args.model], GPUS[args.gpu], args.gpus)
    return summarise(trace, settings, cost, Prices(per_gpu_hour=args.gpu_hour), options.tokenizer)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ui.report", description="What would a log of requests gain?"
    )
    parser.add_argument("trace", nargs="+", type=Path, help="log files; several are read as one log")
    parser.add_argument("--format", choices=NAMES, help="the log's format (usually recognised)")
    parser.add_argument(
        "--template", choices=tuple(TEMPLATES), default="plain", help="chat template of texts"
    )
    parser.add_argument(
        "--tokenizer",
        choices=TOKENIZERS,
        default="teaching",
        help="how text becomes tokens: the small one of the lessons, Qwen's, the small model's, or that of "
        f"the model named in {MODEL_VARIABLE} (here: {', '.join(offered())})",
    )
    parser.add_argument("--skip-broken", action="store_true", help="leave broken lines out and count them")
    parser.add_argument("--blocks", type=int, nargs="+", metavar="N", help="block sizes; one run for each")
    parser.add_argument(
        "--slots", type=int, metavar="N", help="slots in the cache (default: room for everything)"
    )
    parser.add_argument("--ttl", type=float, metavar="S", help="idle time to live in seconds")
    parser.add_argument("--model", choices=tuple(MODELS), default="Llama-2-7B")
    parser.add_argument("--gpu", choices=tuple(GPUS), default="A100")
    parser.add_argument("--gpus", type=int, default=1, metavar="N", help="number of GPUs")
    parser.add_argument("--gpu-hour", type=float, default=2.0, metavar="$", help="price of a GPU hour")
    parser.add_argument("--lang", choices=LANGS, default="en", help="the report's language")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write one offline HTML file")
    parser.add_argument(
        "--json", action="store_true", help="print everything as JSON (the default without --out)"
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
