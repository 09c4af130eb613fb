"""The command: `python -m core.demo.judge my_cache.py`."""

from __future__ import annotations

import argparse
import os
import sys
import tokenize
from collections.abc import Sequence
from pathlib import Path
from unicodedata import east_asian_width

from core.demo.judge.address import BASE
from core.demo.judge.cases import NUM_HIDDEN, RECORDED, Lang, hidden
from core.demo.judge.play import LIMIT
from core.demo.judge.verdict import Judging, Told, judge
from core.demo.judge.words import words
from core.texts import escaped

LONGEST = 3_600.0
"""Seconds that one run may be given at most."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge a file and tell. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m core.demo.judge",
        description="Judge your own prefix cache (class PrefixCache) against recorded runs of the engine.",
        epilog="Exit status: 0 all right, 1 a run fails, 2 the file cannot be used.",
    )
    parser.add_argument("file", nargs="?", metavar="my_cache.py")
    parser.add_argument("--lang", choices=("en", "zh"), default="en")
    parser.add_argument("--base", default=BASE, help="where Broth runs, for the links (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="name the recorded runs and end")
    parser.add_argument("--seed", type=int, help="the hidden runs of an earlier time, once more")
    parser.add_argument(
        "--limit", type=_seconds, default=LIMIT, help="seconds for one run (default: %(default)s)"
    )
    given = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a Windows terminal need not know Chinese; no reason to end
            stream.reconfigure(errors="replace")
    if given.list:
        _list(given.lang)
        return 0
    if given.file is None:
        parser.error("the file to judge is missing")
    # The one throw of dice here: which hidden runs. Everything after follows from this number.
    seed = int.from_bytes(os.urandom(3)) if given.seed is None else abs(given.seed)
    return _judge(Judging(Path(given.file), given.lang, given.base, given.limit), seed)


def _list(lang: Lang) -> None:
    for number, case in enumerate(RECORDED, 1):
        print(words("head.list", lang, n=number, title=words(f"case.{case.name}", lang)))
    print(words("head.list_hidden", lang, n=NUM_HIDDEN))


def _judge(how: Judging, seed: int) -> int:
    lang, name = how.lang, how.file.name
    if problem := _unreadable(how):
        return _refuse(how, problem)
    print(words("head.begin", lang, file=name, recorded=len(RECORDED), hidden=NUM_HIDDEN))
    cases = (*RECORDED, *hidden(seed))
    for number, case in enumerate(cases, 1):
        told = judge(case, how)
        if told is not None and not told.usable:
            return _refuse(how, told.why)
        head = {"n": number, "total": len(cases), "title": words(f"case.{case.name}", lang)}
        print(words("head.right" if told is None else "head.wrong", lang, **head))
        if told is not None:
            _tell(told, how)
            ending = "head.failed_hidden" if number > len(RECORDED) else "head.failed"
            print(words(ending, lang, n=number - 1, total=len(cases), seed=seed))
            return 1
    print(words("head.all_right", lang, total=len(cases), seed=seed))
    return 0


def _unreadable(how: Judging) -> str:
    """Why the file is no Python, found without running it; "" if it is."""
    name = escaped(how.file.name)
    try:
        with tokenize.open(how.file) as file:  # as Python reads it: a line that names another coding counts
            source = file.read()
    except OSError:
        return words("wrong.no_file", how.lang, file=escaped(str(how.file)))
    except (UnicodeDecodeError, SyntaxError, LookupError):
        return words("wrong.not_text", how.lang, file=name)
    try:
        compile(source, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        return words("wrong.syntax", how.lang, file=name, line=error.lineno or 1, got=error.msg)
    except ValueError:
        return words("wrong.not_text", how.lang, file=name)
    except (MemoryError, RecursionError):
        return words("wrong.deep", how.lang, file=name)
    return ""


def _seconds(text: str) -> float:
    """A time limit."""
    seconds = float(text)
    if not 0 < seconds <= LONGEST:
        raise ValueError(text)
    return seconds


def _refuse(how: Judging, problem: str) -> int:
    print(problem, file=sys.stderr)
    print(words("head.unusable", how.lang, file=escaped(how.file.name)), file=sys.stderr)
    return 2


def _tell(told: Told, how: Judging) -> None:
    place = ""
    if told.line is not None:
        place = words("head.place", how.lang, file=how.file.name, line=told.line)
    lines = {
        "asked": told.asked,
        "mine": told.mine,
        "truth": told.right,
        "line": place,
        "why": told.why,
        "see": told.link,
        "printed": told.printed.rstrip()[-400:],
    }
    print()
    for name, text in lines.items():
        if text:
            print(f"{_padded(words(f'head.{name}', how.lang))} {escaped(text)}")
    print()


def _padded(text: str, columns: int = 16) -> str:
    """As wide as its neighbours in a terminal, where a Chinese character takes two columns."""
    width = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
    return text + " " * (columns - width)


if __name__ == "__main__":
    sys.exit(main())
