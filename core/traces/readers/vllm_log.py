"""vLLM's request log (`--enable-log-requests`): lines "Received request …", with the prompt in them.

Source rules (vllm/entrypoints/logger.py of several versions). Up to 0.10 the line itself holds
``prompt: '…', params: …, prompt_token_ids: [1, 2], …``; later the prompt stands in a line of its own at level
DEBUG, "Request … details: prompt: '…', prompt_token_ids: …", and the line at INFO has none. Either may be
None; where both are there the ids count. Both are cut with `--max-log-len`. The prompt is Python's repr of a
text. "Generated response …" tells the answer's tokens. Times have no year: only their distances count.
"""

from __future__ import annotations

import ast
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.meters.server_log import ServerLines
from core.traces.model import Segment, TraceRequest
from core.traces.problems import Place
from core.traces.rows import Row
from core.types import MAX_TOKEN_ID

_RECEIVED = re.compile(r"\bReceived request ([^\s:]{1,200}): ")
_DETAILS = re.compile(r"\bRequest ([^\s:]{1,200}) details: ")
_GENERATED = re.compile(r"\bGenerated response ([^\s:]{1,200}?)(?: \([^)]*\))?: output: ")
_TEXT = re.compile(r"\bprompt: (?:None|('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"))", re.DOTALL)
_IDS = re.compile(r"\bprompt_token_ids: \[([0-9, ]*)\]")
_LENGTH = re.compile(r"\bprompt_token_ids_len: ([0-9]{1,9})\b")
_OUTPUT_IDS = re.compile(r"\boutput_token_ids: \[([0-9, ]*)\]")
_ADAPTER = re.compile(r"\blora_name='([^']{1,200})'")
_TIME = re.compile(
    r"\b(?:INFO|DEBUG|WARNING) (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?\b", re.ASCII
)
_LEAP = 2000
_YEAR = 366 * 86400.0


@dataclass(slots=True)
class _Call:
    """What the lines about one request have told so far; `prompt`: its ids or its text."""

    name: str
    place: Place
    arrival_s: float | None
    prompt: array[int] | str | None = None
    length: int | None = None
    adapter: str | None = None
    num_output: int | None = None


class _VllmLog:
    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._calls: list[_Call] = []
        self._open: dict[str, _Call] = {}
        self._first_s: float | None = None
        self._last_s = 0.0
        self._lines = ServerLines()

    def add(self, row: Row) -> None:
        line = row.text("line")
        received, details = _RECEIVED.search(line), _DETAILS.search(line)
        if received is not None:
            self._announced(received, line, row)
        elif details is not None:
            self._announced(details, line, row)
        elif (answer := _GENERATED.search(line)) is not None:
            call = self._open.get(answer[1])
            ids = _OUTPUT_IDS.search(line, answer.end())
            if call is not None and ids is not None:
                call.num_output = len(_numbers(ids[1], row, "output_token_ids"))
        elif not self._lines.add(row, line) and line.strip():
            self._builder.note("other_rows")

    def _announced(self, found: re.Match[str], line: str, row: Row) -> None:
        """A line that says that a request came; two of the same name in a row are about one request."""
        text, ids, length = _prompt(line, found.end(), row)
        call = self._open.get(found[1])
        if call is None or (call.prompt is not None and (text or ids)):
            call = self._open[found[1]] = _Call(found[1], row.place, self._time(line))
            self._calls.append(call)
        call.prompt = ids or text or call.prompt
        call.length = length if call.length is None else call.length
        adapter = _ADAPTER.search(line, found.end())
        call.adapter = adapter[1] if adapter else call.adapter

    def _time(self, line: str) -> float | None:
        """Seconds since the log's first request; a December behind which comes a January goes on."""
        match = _TIME.search(line)
        if match is None:
            return None
        month, day, hour, minute, second = (int(part) for part in match.groups()[:5])
        try:
            moment = datetime(_LEAP, month, day, hour, minute, second, tzinfo=UTC).timestamp()
        except ValueError:
            return None
        moment += float(f"0.{match[6] or 0}")
        while moment < self._last_s - _YEAR / 2:
            moment += _YEAR
        self._last_s = max(moment, self._last_s)
        self._first_s = moment if self._first_s is None else self._first_s
        return moment - self._first_s

    def finish(self) -> None:
        builder = self._builder
        builder.add_meters(self._lines.meters())
        for call in self._calls:
            segments: tuple[Segment, ...] = ()
            if isinstance(call.prompt, str):
                segments = builder.chat.prompt(call.prompt)
            elif call.prompt is not None:
                segments = (Segment("prompt", None, call.prompt),)
            num_tokens = sum(len(part.token_ids) for part in segments) or call.length
            if not num_tokens:
                builder.note("announced")
                continue
            request = TraceRequest(
                call.name,
                num_tokens,
                call.arrival_s,
                segments,
                num_output=call.num_output,
                adapter=call.adapter,
                line=call.place.line,
            )
            builder.add(request, origin=(call.place.line, call.place))


def _prompt(line: str, start: int, row: Row) -> tuple[str | None, array[int] | None, int | None]:
    """The prompt's text, its ids and its length, as far as a line tells them."""
    text = None
    found = _TEXT.search(line, start)
    if found is not None and found[1] is not None:
        try:
            text = str(ast.literal_eval(found[1]))
        except (ValueError, SyntaxError, MemoryError):
            raise row.place.wrong("prompt", "a text in quotes", found[1]) from None
    after = found.end() if found is not None else start
    ids, length = _IDS.search(line, after), _LENGTH.search(line, after)
    numbers = _numbers(ids[1], row, "prompt_token_ids") if ids is not None else None
    return text, numbers, int(length[1]) if length else None


def _numbers(text: str, row: Row, field: str) -> array[int]:
    """Token ids out of a printed list.

    Raises:
        TraceError: one of them is none.
    """
    found = array("I")
    for part in text.split(",") if text.strip() else ():
        number = part.strip()
        if not number.isdecimal() or len(number) > 10 or int(number) > MAX_TOKEN_ID:
            raise row.place.wrong(field, f"token ids from 0 to {MAX_TOKEN_ID}", number)
        found.append(int(number))
    return found


def _claims(data: Mapping[str, Any]) -> bool:
    line = data["line"]
    match = _RECEIVED.search(line) or _DETAILS.search(line)
    return (
        not line.lstrip().startswith("{")
        and match is not None
        and any(name in line[match.end() :] for name in ("prompt", "params: "))
    )


VLLM_LOG = Format(
    "vllm_log", "vLLM request log", "lines", frozenset({"text", "tokens", "counters"}), _claims, _VllmLog
)
