"""The process in which a visitor's code runs: reads what to ask from one file, writes the answers to another.

Started as a script of its own (``play``), with nothing but the standard library, and with nothing in it that
knows what is right. Every answer is written at once, so that what came before an endless loop is not lost.
"""

from __future__ import annotations

import importlib.util
import io
import json
import operator
import os
import sys
import threading
import traceback
from pathlib import Path
from types import FrameType
from typing import IO, Any

METHODS = ("look_up", "store", "free", "evict")
MOST_PRINTED = 2_000
"""Characters of what the visitor's code printed that are told: the last ones."""


class Kept(io.RawIOBase):
    """Bytes that were printed: the last ones."""

    def __init__(self) -> None:
        super().__init__()
        self.data = b""

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Any) -> int:
        """Keep the end of it."""
        new = bytes(data)
        self.data = (self.data + new)[-4 * MOST_PRINTED :]
        return len(new)


class Printed(io.TextIOWrapper):
    """Stands for the screen while the visitor's code runs; it can all that a screen can (``reconfigure``,
    ``buffer``, ``writelines``)."""

    def __init__(self) -> None:
        self.kept = Kept()
        super().__init__(self.kept, "utf-8", errors="backslashreplace", write_through=True)  # type: ignore[type-var]

    @property
    def text(self) -> str:
        """The end of what was printed."""
        return self.kept.data.decode("utf-8", "replace")[-MOST_PRINTED:]


class ToldError(Exception):
    """What went wrong, as it is told: kind and values."""

    def __init__(self, kind: str, **values: object) -> None:
        super().__init__(kind)
        self.told = {"wrong": kind, **values}


class Child:
    """One cache of the visitor's, asked one thing after the other."""

    def __init__(self, task: dict[str, Any], out: IO[str]) -> None:
        self.task, self.out = task, out
        self.file = task["file"]
        self.printed = Printed()
        self.place = -1  # number of the call; -1 while the file is read or the cache is made
        self.kind: Any = None
        self.cache: Any = None
        self.process = os.getpid()

    def tell(self, **values: object) -> None:
        """One line of the answers. A copy of this process that the visitor's code has made has no say."""
        if os.getpid() != self.process:
            os._exit(0)
        line = json.dumps({"place": self.place, "printed": self.printed.text, **values})
        self.out.write(line + "\n")
        self.out.flush()

    def run(self) -> None:
        """Everything, until something goes wrong."""
        watch = threading.Timer(
            self.task["limit"], self._too_long, (sys._current_frames, threading.get_ident())
        )
        watch.daemon = True
        watch.start()
        try:
            self._run()
        except ToldError as wrong:
            self.tell(**wrong.told)
        except BaseException as error:  # noqa: BLE001 (whatever a visitor's code may do, sys.exit() too)
            self.tell(**self._raised(error))
        watch.cancel()

    def _run(self) -> None:
        self._load()
        self.tell(answer="loaded")
        self.cache = self.kind(self.task["block_size"], self.task["num_blocks"])
        for place, (method, request, tokens) in enumerate(self.task["calls"]):
            self.place = place
            self.tell(answer=self._call(method, request, tokens))
        self.place += 1
        self.tell(answer="end")

    def _load(self) -> None:
        sys.path[0] = str(Path(self.file).parent)  # the visitor's own modules are found, and none of ours
        spec = importlib.util.spec_from_file_location("visitors_cache", self.file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["visitors_cache"] = module
        spec.loader.exec_module(module)
        self.kind = getattr(module, "PrefixCache", None)
        if not isinstance(self.kind, type):
            raise ToldError("no_class")
        for name in METHODS:
            if not callable(getattr(self.kind, name, None)):
                raise ToldError("no_method", name=name, line=self._first_line("__init__"))

    def _call(self, method: str, request: str, tokens: list[int]) -> object:
        given = list(tokens)
        arguments = {"look_up": (given,), "store": (request, given), "free": (request,), "evict": ()}[method]
        answer = getattr(self.cache, method)(*arguments)
        if given != tokens:
            raise ToldError("changed", name=method, line=self._first_line(method))
        return self._checked(method, answer)

    def _checked(self, method: str, answer: object) -> object:
        """The answer as whole numbers; a list that the cache keeps for itself is copied here."""
        if method == "free" or (method in ("store", "evict") and answer is None):
            return None
        if method == "evict":
            return self._block(method, answer, answer)
        if not isinstance(answer, (list, tuple)):
            raise self._type(method, answer)
        return [self._block(method, one, answer) for one in answer]

    def _block(self, method: str, number: object, answer: object) -> int:
        if isinstance(number, bool):
            raise self._type(method, answer)
        try:
            block = operator.index(number)  # type: ignore[arg-type]
        except TypeError:
            raise self._type(method, answer) from None
        if not 1 <= block <= self.task["num_blocks"]:
            raise ToldError("range", name=method, line=self._first_line(method), got=block)
        return block

    def _type(self, method: str, answer: object) -> ToldError:
        return ToldError("type_" + method, name=method, line=self._first_line(method), got=_short(answer))

    # -- where in the visitor's file ---------------------------------------------------------------------

    def _first_line(self, method: str) -> int | None:
        code = getattr(getattr(self.kind, method, None), "__code__", None)
        return getattr(code, "co_firstlineno", None)

    def _raised(self, error: BaseException) -> dict[str, object]:
        method = self.task["calls"][self.place][0] if self.place >= 0 else "__init__"
        lines = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == self.file
        ]
        if isinstance(error, SyntaxError) and error.filename == self.file:
            lines.append(error.lineno)
        line = lines[-1] if lines else self._first_line(method)
        if isinstance(error, NotImplementedError):
            return {"wrong": "not_written", "name": method, "line": line}
        text = type(error).__name__ + (f": {_text(error)}" if _text(error) else "")
        return {"wrong": "raised", "name": method, "line": line, "got": _cut(text)}

    def _too_long(self, frames: Any, main: int) -> None:
        """The time is up: say in which line of the visitor's, and end."""
        frame: FrameType | None = frames().get(main)
        while frame is not None and frame.f_code.co_filename != self.file:
            frame = frame.f_back
        name = self.task["calls"][self.place][0] if self.place >= 0 else "__init__"
        self.tell(wrong="endless", name=name, line=None if frame is None else frame.f_lineno)
        os._exit(0)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 (a visitor's own __str__)
        return ""


def _short(value: object) -> str:
    try:
        return _cut(repr(value))
    except Exception:  # noqa: BLE001 (a visitor's own __repr__)
        return type(value).__name__


def _cut(text: str) -> str:
    return text if len(text) <= 120 else text[:119] + "…"


def main() -> None:
    """``child.py TASK ANSWERS``: two files."""
    sys.dont_write_bytecode = True
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with Path(sys.argv[2]).open("w", encoding="utf-8") as out:
        child = Child(task, out)
        sys.stdout = sys.stderr = child.printed
        child.run()
        out.flush()
        os._exit(0)  # threads that the visitor's code has started do not keep us waiting


if __name__ == "__main__":
    main()
