"""Reads JSON values out of a text that arrives in pieces: elements of arrays, or objects one after the other.

An array is read element by element, so a file of one huge array needs no more memory than its longest
element; so is an array inside an object (`{"data": […]}`), if it is said where. Remains of arrays (a comma
too many, a bracket that is missing) change nothing about the elements. A broken element costs itself: the
next one begins where an object opens with the same first name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator

from core.errors import TraceError
from core.traces import problems
from core.traces.packing.decode import decoder_for
from core.traces.packing.sources import Meter, TraceFile
from core.traces.packing.text import LONGEST_LINE, chunks
from core.traces.problems import Place

Say = Callable[[str, int], None]
"""Takes a note's code and how often."""
Valued = tuple[Place, object]
BLANK = " \t\r\n"
_FIRST_TRY = 2**16
_EDGE = 16
_GAP = 300
_DEEPEST_LIST = 3
_FOREIGN = re.compile("[\udc80-\udcff]")
"""Bytes that are not UTF-8, as `chunks` gives them."""
_FIRST_NAME = re.compile(r'\{\s*("(?:[^"\\]|\\.){1,200}")\s*:')


class Scanner:
    """One pass over a file."""

    def __init__(self, file: TraceFile, meter: Meter | None, say: Say) -> None:
        self._file = file
        self._pieces = chunks(file, meter)
        self._say = say
        self._text = ""
        self._decoder = decoder_for("")
        self._at = 0
        self._line = 1
        self._over = False
        self._late: TraceError | None = None
        self._broken = False
        self._first_name = ""
        self._has_foreign = False

    def values(self, inside: tuple[str, ...] = ()) -> Generator[Valued | TraceError, None, None]:
        """The values in order; of objects, those in the list (or object) at the names `inside`."""
        try:
            while (char := self._peek()) != "":
                if char in ",]\x1e":  # what is left of an array, or the separators of JSON text sequences
                    self._at += 1
                elif char == "[":
                    yield from self._array()
                elif char == "{" and inside:
                    yield from self._within(inside)
                else:
                    yield from self._element()
        except TraceError as error:
            self._late = None
            yield error
        if self._late is not None:
            yield self._late

    def lists(self) -> Generator[tuple[tuple[str, ...], object], None, None]:
        """Where the file's first value, an object, has lists of objects: names, and the first element."""
        if self._peek() == "{":
            yield from self._lists_below(())

    def _lists_below(self, names: tuple[str, ...]) -> Generator[tuple[tuple[str, ...], object], None, None]:
        self._skip("{")
        while self._peek() not in ("", "}"):
            name = self._value(self._place())
            if not isinstance(name, str) or not self._skip(":"):
                raise problems.not_json(self._place(), "a name and a colon were expected")
            char, here = self._peek(), (*names, name)
            if char == "{" and len(here) < _DEEPEST_LIST:
                yield from self._lists_below(here)
            elif char == "[":
                first = True
                for found in self._array():
                    if first and isinstance(found, tuple) and isinstance(found[1], dict):
                        yield here, found[1]
                    first = False
            else:
                self._value(self._place())
            self._skip(",")
        self._skip("}")

    def _array(self) -> Generator[Valued | TraceError, None, None]:
        self._skip("[")
        while self._peek() not in ("", "]"):
            yield from self._element()
            self._skip(",")
        if not self._skip("]") and not self._broken and self._late is None:
            self._say("cut_short", 1)

    def _within(self, inside: tuple[str, ...]) -> Generator[Valued | TraceError, None, None]:
        self._skip("{")
        while self._peek() not in ("", "}"):
            name = self._value(self._place())
            if not isinstance(name, str) or not self._skip(":"):
                raise problems.not_json(self._place(), "a name and a colon were expected")
            if name != inside[0]:
                self._value(self._place())
            elif self._peek() == "{" and inside[1:]:
                yield from self._within(inside[1:])
            elif self._peek() == "[" and not inside[1:]:
                yield from self._array()
            else:
                place = self._place()
                yield place, self._value(place)
            self._skip(",")
        if not self._skip("}") and not self._broken and self._late is None:
            self._say("cut_short", 1)

    def _element(self) -> Generator[Valued | TraceError, None, None]:
        place, start = self._place(), self._at
        name = _FIRST_NAME.match(self._text, start)
        try:
            value = self._value(place)
        except TraceError as error:
            self._broken = True
            yield error
            self._go_on(name[1] if name else self._first_name)
            return
        if self._has_foreign:
            yield problems.not_text(place, "a byte in or after this line")
        else:
            self._first_name = self._first_name or (name[1] if name else "")
            yield place, value

    def _place(self) -> Place:
        return Place(self._file.name, self._line)

    def _peek(self) -> str:
        """The next character that is not blank; "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in BLANK:
                self._line += self._text[self._at] == "\n"
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(1):
                return ""

    def _skip(self, char: str) -> bool:
        found = self._peek() == char
        self._at += found
        return found

    def _more(self, least: int) -> bool:
        """Read on until at least `least` more characters are there; False if there are none."""
        parts = [self._text[self._at :]]
        self._at = 0
        num_new = 0
        while num_new < least and not self._over:
            try:
                piece = next(self._pieces, None)
            except TraceError as error:
                piece, self._late = None, error
            if piece is None:
                self._over = True
            else:
                parts.append(piece)
                num_new += len(piece)
        self._text = "".join(parts)
        self._decoder = decoder_for(self._text)
        return num_new > 0

    def _value(self, place: Place) -> object:
        self._peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except RecursionError:
                raise problems.not_json(place, "nested too deeply") from None
            except ValueError as error:
                held = len(self._text) - self._at
                if not self._may_go_on(error):
                    raise self._reason(error) from None
                if held > LONGEST_LINE:
                    raise problems.too_long(place, LONGEST_LINE) from None
                if not self._more(max(_FIRST_TRY, held)):
                    raise self._end_of(place) from None
            else:
                if end == len(self._text) and not isinstance(value, str | list | dict) and self._more(1):
                    continue  # a number may go on in the next piece
                self._line += self._text.count("\n", self._at, end)
                self._has_foreign = _FOREIGN.search(self._text, self._at, end) is not None
                self._at = end
                return value

    def _end_of(self, place: Place) -> TraceError:
        late, self._late = self._late, None
        return late or problems.not_json(place, "it ends in the middle of a value")

    def _may_go_on(self, error: ValueError) -> bool:
        """Whether more text could mend it: the parser stumbled over the end, or inside an open string."""
        if not isinstance(error, json.JSONDecodeError):
            return False
        return error.msg.startswith("Unterminated string") or error.pos + _EDGE >= len(self._text)

    def _reason(self, error: ValueError) -> TraceError:
        """The parser's reason with the file's line instead of one counted from the last piece read."""
        if not isinstance(error, json.JSONDecodeError):
            return problems.not_json(self._place(), "a number is too long")
        line = self._line + self._text.count("\n", self._at, error.pos)
        return problems.not_json(Place(self._file.name, line), error.msg)

    def _go_on(self, first_name: str) -> None:
        """Move to the next object that opens with this name; to the end if there is none."""
        opening = re.compile(rf"\{{\s*{re.escape(first_name)}\s*:" if first_name else r"(?!)")
        searched = 1
        while True:
            for match in opening.finditer(self._text, self._at + searched):
                before = self._text[max(self._at, match.start() - _GAP) : match.start()].rstrip(BLANK + ",")
                if before and before[-1] not in "\\[{:":  # behind a value, not inside one
                    self._line += self._text.count("\n", self._at, match.start())
                    self._at = match.start()
                    return
            searched = max(1, len(self._text) - self._at - _GAP)
            if searched > LONGEST_LINE or not self._more(_FIRST_TRY):
                self._at, self._over = len(self._text), True
                return
