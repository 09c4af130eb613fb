"""A log of requests from the shell: one offline HTML file, or JSON.

python -m ui.report TRACE [TRACE …] [--blocks 16 32] [--slots 5000] [--model Llama-3-8B] --out report.html
cat TRACE | python -m ui.report - --json
python -m ui.report TRACE --fail-under 35% [--csv sources.csv]
python -m ui.report --compare BEFORE AFTER --tolerance 0.5
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from core.cost import GPUS, MODELS, CostModel, Prices
from core.errors import BrothError
from core.texts import in_terminal
from core.traces.door.read import read_trace
from core.traces.model import Trace
from core.traffic.analysis import analyse
from core.traffic.decisions import as_csv, reported_csv
from core.traffic.settings import Settings, usual_block_size
from core.traffic.summary import Json, summarise
from ui.report.changes import compare, in_words
from ui.report.gate import ERROR, OK, UNDER, WORSE, passed, under
from ui.report.options import judge_of, parser, read_options, trace_files
from ui.report.page import report_html
from ui.report.saved import report_in
from ui.traffic.rules import rule_of, suggested_rule
from ui.traffic.tokenizers import tokenizer_note
from ui.usage.prices import priced, with_prices
from ui.words.i18n import error_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status (``ui/report/gate.py``); what went wrong is a sentence on the error stream."""
    args = parser().parse_args(arguments)
    try:
        return _compare(args) if args.compare else _report(args)
    except BrothError as error:
        print(in_terminal(error_text(error, args.lang)), file=sys.stderr)
    except OSError as error:
        print(in_terminal(f"{error.filename}: {error.strerror}"), file=sys.stderr)
    return ERROR


def _report(args: argparse.Namespace) -> int:
    """One log: the report, then whether it passes."""
    if not args.trace:
        parser().error("name a log, or two with --compare")
    trace, summary = _summary(args, args.trace)
    if args.out is not None:
        args.out.write_text(report_html(summary, args.lang), encoding="utf-8")
        print(in_terminal(str(args.out)))
    if args.csv is not None:
        args.csv.write_text(_table(args, trace, summary), encoding="utf-8-sig", newline="")
        print(in_terminal(str(args.csv)))
    if args.json or (args.out is None and args.csv is None and args.fail_under is None):
        _print(summary)
    return _judged(summary, args)


def _compare(args: argparse.Namespace) -> int:
    """Two logs, or reports: in words, or as JSON."""
    before, after = (_side(args, name) for name in args.compare)
    found = compare(before, after, args.tolerance, tuple(args.compare))
    if args.json:
        _print(found)
    else:
        print(in_terminal(in_words(found, args.lang)))
    return _judged(after, args) or (WORSE if found["change"] in ("worse", "unsure") else OK)


def _judged(summary: Json, args: argparse.Namespace) -> int:
    if args.fail_under is None:
        return OK
    told = under(summary, args.fail_under, args.lang)
    print(in_terminal("\n".join(told or [passed(summary, args.fail_under, args.lang)])), file=sys.stderr)
    return UNDER if told else OK


def _side(args: argparse.Namespace, name: str) -> Json:
    """A report that was made with ``--json``, or a log to make one from."""
    return report_in(name) or _summary(args, [name])[1]


def _summary(args: argparse.Namespace, names: Sequence[str]) -> tuple[Trace, Json]:
    options = read_options(args)
    trace = read_trace(trace_files(names), format_name=args.format, options=options)
    cost = CostModel(MODELS[args.model], GPUS[args.gpu], args.gpus)
    prices, rule = Prices(per_gpu_hour=args.gpu_hour), rule_of(judge_of(args), suggested_rule(trace))
    rules = priced(trace)  # of the bill, if the log has usage
    found = summarise(
        trace, settings_for(args, trace), cost, prices, options.tokenizer, rules=rules, rule=rule
    )
    if found["usage"] is not None:
        found["usage"] = with_prices(found["usage"], rules)
    found["log"]["tokenizer_asked"] = args.tokenizer
    found["log"]["reported_reading"] = args.usage_reading  # None: nobody chose one
    note = tokenizer_note(trace.tokenizer, args.lang)
    if note and not args.noted:
        print(note, file=sys.stderr)
        args.noted = True  # once, also for two logs
    return trace, found


def settings_for(args: argparse.Namespace, trace: Trace) -> list[Settings]:
    """One for each block size."""
    return [Settings(size, args.slots, args.ttl) for size in args.blocks or [usual_block_size(trace)]]


def _table(args: argparse.Namespace, trace: Trace, summary: Json) -> str:
    """Every source of the first block size; of a log that only reports, what it reports."""
    if not trace.has_identity:
        return reported_csv(trace)
    rule = rule_of(judge_of(args), suggested_rule(trace))
    return as_csv(analyse(trace, settings_for(args, trace)[0]), rule)


def _print(found: Json) -> None:
    print(in_terminal(json.dumps(found, ensure_ascii=False, allow_nan=False, indent=2)))


if __name__ == "__main__":
    raise SystemExit(main())
