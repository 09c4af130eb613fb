"""What can be said in the shell, and what it asks of the readers. *Your traffic* has the same choices."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from core.backends.models.log_tokenizers import NAMES as TOKENIZERS
from core.cost import GPUS, MODELS
from core.texts import showable
from core.traces import problems
from core.traces.door.formats import NAMES
from core.traces.field_map import ROLES, parse_map
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.traces.templates import TEMPLATES
from ui.report.gate import ERROR, UNDER, WORSE, points, share
from ui.traffic.judge import SUGGESTED, Judge
from ui.traffic.rules import OWN, rule_names
from ui.traffic.setup import USAGE_READINGS
from ui.traffic.tokenizers import AUTO, MODEL_VARIABLE, offered, resolved, tokenizer_for
from ui.words.i18n import LANGS

STDIN = "-"
"""In the place of a file: what is piped in."""
_DELTAS = {"auto": None, "yes": True, "no": False}


def parser() -> argparse.ArgumentParser:
    """Everything that can be said; one group for the log, one for the cache, one for what is answered."""
    made = _Parser(prog="python -m ui.report", description="What would a log of requests gain?")
    made.add_argument(
        "trace", nargs="*", help=f"log files; several are read as one log; {STDIN} is the standard input"
    )
    _reading(made.add_argument_group("reading the log"))
    _cache(made.add_argument_group("the cache and the machine"))
    _verdict(made.add_argument_group("the verdict"))
    _answer(made.add_argument_group("the answer"))
    _gate(made.add_argument_group("for a pipeline"))
    made.set_defaults(noted=False)
    return made


class _Parser(argparse.ArgumentParser):
    """Wrong options end with the status of an error: 2 means that a log is under its least rate."""

    def error(self, message: str) -> NoReturn:
        self.exit(ERROR, f"{self.prog}: {message} (--help lists all options)\n")


def _reading(group: argparse._ArgumentGroup) -> None:
    """One option for each field of `ReadOptions`, under the same name (tests hold this)."""
    group.add_argument("--format", choices=NAMES, help="the log's format (usually recognised)")
    group.add_argument("--template", choices=tuple(TEMPLATES), default="plain", help="chat template of texts")
    group.add_argument(
        "--tokenizer",
        choices=(AUTO, *TOKENIZERS),
        default=AUTO,
        help="how text becomes tokens: the small one of the lessons, Qwen's, the small model's, or that of "
        f"the model named in {MODEL_VARIABLE} (here: {', '.join(offered())}); {AUTO}: a real one where there "
        "is one",
    )
    group.add_argument("--skip-broken", action="store_true", help="leave broken lines out and count them")
    group.add_argument(
        "--block-size",
        type=int,
        metavar="N",
        help="tokens that one id of a block log covers (default: found out)",
    )
    group.add_argument(
        "--convention",
        choices=("ceil", "floor"),
        help="whether the incomplete last block of a prompt has an id of its own (ceil) or none (floor)",
    )
    group.add_argument(
        "--deltas",
        choices=tuple(_DELTAS),
        default="auto",
        help="whether rows of a session hold only what is new in each turn",
    )
    group.add_argument(
        "--split-by-model",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether requests to different models share nothing, as it is in an engine",
    )
    group.add_argument("--ignore-times", action="store_true", help="go by the file's order and read no times")
    group.add_argument(
        "--usage-reading",
        choices=USAGE_READINGS,
        help="how reported usage is read where a format can mean two things; the report shows both",
    )
    group.add_argument(
        "--map",
        metavar="ROLE=PATH,…",
        help="which field of a record is what, for a log that no format describes; roles: "
        + ", ".join(ROLES),
    )


def _cache(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--blocks", type=int, nargs="+", metavar="N", help="block sizes; one run for each")
    group.add_argument(
        "--slots", type=int, metavar="N", help="slots in the cache (default: room for everything)"
    )
    group.add_argument("--ttl", type=float, metavar="S", help="idle time to live in seconds")
    group.add_argument("--model", choices=tuple(MODELS), default="Llama-2-7B")
    group.add_argument("--gpu", choices=tuple(GPUS), default="A100")
    group.add_argument("--gpus", type=int, default=1, metavar="N", help="number of GPUs")
    group.add_argument("--gpu-hour", type=float, default=2.0, metavar="$", help="price of a GPU hour")


def _answer(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--csv", type=Path, metavar="FILE", help="write every source as one table")
    group.add_argument("--lang", choices=LANGS, default="en", help="the report's language")
    group.add_argument("--out", type=Path, metavar="FILE", help="write one offline HTML file")
    group.add_argument(
        "--json", action="store_true", help="print everything as JSON (the default without --out)"
    )


def _verdict(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--rule",
        choices=rule_names(),
        default=SUGGESTED,
        help="whose minimum and prices the verdict assumes (assets/providers.toml, each dated); "
        f"{OWN}: an engine of one's own, which is also taken where the log names no provider",
    )
    group.add_argument("--minimum", type=int, metavar="N", help="tokens below which nothing is stored")
    group.add_argument(
        "--write-price", type=float, metavar="X", help="of storing a token, relative to its usual price"
    )
    group.add_argument(
        "--read-price", type=float, metavar="X", help="of reading a stored token, relative to its usual price"
    )


def judge_of(args: argparse.Namespace) -> Judge:
    """By what the verdict judges.

    Raises:
        TraceError: a number that makes no sense.
    """
    for name in ("minimum", "write_price", "read_price"):
        value = getattr(args, name)
        if value is not None and not 0 <= value < 1e6:
            raise problems.bad_option(name, value, "a number from 0 up")
    return Judge(args.rule, args.minimum, args.write_price, args.read_price)


def _gate(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--fail-under",
        type=share,
        metavar="RATE",
        help=f"end with status {UNDER} if the hit rate is lower: 0.35, or 35%%",
    )
    group.add_argument(
        "--compare",
        nargs=2,
        metavar=("BEFORE", "AFTER"),
        help=f"two logs, or two reports made with --json; ends with status {WORSE} if the second is worse",
    )
    group.add_argument(
        "--tolerance",
        type=points,
        default=0.0,
        metavar="POINTS",
        help="percentage points by which the second may be worse (default: 0)",
    )


def read_options(args: argparse.Namespace) -> ReadOptions:
    """How the log is to be read.

    Raises:
        TraceError: a value that makes no sense.
        BackendError: the tokenizer is not here.
    """
    return ReadOptions(
        skip_broken=args.skip_broken,
        block_size=args.block_size,
        convention=args.convention,
        deltas=_DELTAS[args.deltas],
        template=args.template,
        tokenizer=tokenizer_for(args.tokenizer),
        tokenizer_name=resolved(args.tokenizer),
        split_by_model=args.split_by_model,
        ignore_times=args.ignore_times,
        usage_reading=args.usage_reading or "usual",
        field_map=None if args.map is None else parse_map(args.map),
    )


def trace_files(names: Sequence[str]) -> list[TraceFile]:
    """The files that were named. What is piped in is held in memory: readers begin it more than once."""
    return [_file(name) for name in names]


def _file(name: str) -> TraceFile:
    if name == STDIN:
        return TraceFile("stdin", sys.stdin.buffer.read())
    path = Path(name)
    return TraceFile(showable(path.name), path)
