"""SGLang's request log: lines with `Finish:`, which hold the tokens themselves.

Source rule: `rid='…'`, `input_ids=[…]`, `'request_received_ts'` (epoch seconds), `'completion_tokens'`,
`'cached_tokens'` (included in `'prompt_tokens'`). No tokenizer is needed. Other lines of the log are passed
over, counted, but for those that say what a batch reused; a Finish line without ids (text requests) leaves
its lengths and usage.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.meters.server_log import ServerLines
from core.traces.model import Segment, TraceRequest
from core.traces.rows import LARGEST, Row
from core.traces.usage import Usage
from core.types import MAX_TOKEN_ID

_RID = re.compile(r"\brid='([^']{1,200})'")
_NUMBER = {
    name: re.compile(rf"'{name}': ([0-9]{{1,20}}(?:\.[0-9]{{1,20}})?)(?![0-9.])")
    for name in ("request_received_ts", "prompt_tokens", "completion_tokens", "cached_tokens")
}
_IDS = "input_ids=["
_WHOLE_IDS = re.compile(r"[0-9]{1,10}", re.ASCII)


class _Reader:
    """Finished requests; of the other lines those that say how much each batch reused."""

    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._lines = ServerLines()

    def add(self, row: Row) -> None:
        line = row.text("line")
        if "Finish:" in line:
            _read(self._builder, row)
        elif not self._lines.add(row, line) and line.strip():
            self._builder.note("other_rows")

    def finish(self) -> None:
        self._builder.add_meters(self._lines.meters())


def _read(builder: Builder, row: Row) -> None:
    line = row.text("line")
    ids = _ids(line, row)
    tail = line[line.rfind("]") + 1 :] if ids is not None else line
    prompt, output = _count(tail, "prompt_tokens", row), _count(tail, "completion_tokens", row)
    if ids is None and not prompt:
        raise row.wrong("input_ids", "token ids")
    if ids is not None and prompt is not None and prompt != len(ids):
        raise row.place.wrong("prompt_tokens", f"{len(ids)}, the number of input_ids", prompt)
    rid = _RID.search(line)
    received = _NUMBER["request_received_ts"].search(tail)
    builder.add(
        TraceRequest(
            request_id=rid[1] if rid else builder.next_id(row),
            num_tokens=prompt or 0 if ids is None else len(ids),
            arrival_s=float(received[1]) if received else None,
            segments=() if ids is None else (Segment("prompt", None, ids),),
            num_output=output,
            usage=Usage(
                prompt if ids is None else len(ids), _count(tail, "cached_tokens", row), None, output
            ),
            line=row.place.line,
        )
    )


def _ids(line: str, row: Row) -> array[int] | None:
    start = line.find(_IDS)
    if start < 0:
        return None
    end = line.find("]", start)
    parts = line[start + len(_IDS) : end].split(",") if end >= 0 else []
    ids = array("I")
    for part in parts:
        text = part.strip()
        if not _WHOLE_IDS.fullmatch(text) or int(text) > MAX_TOKEN_ID:
            raise row.place.wrong("input_ids", f"token ids from 0 to {MAX_TOKEN_ID}", text)
        ids.append(int(text))
    if not ids:
        raise row.place.wrong("input_ids", "at least one token id and a closing ]", "nothing")
    return ids


def _count(text: str, name: str, row: Row) -> int | None:
    found = _NUMBER[name].search(text)
    if found is None:
        return None
    number = float(found[1])
    if not number.is_integer() or number > LARGEST:
        raise row.place.wrong(name, "a whole number", found[1])
    return int(number)


def _claims(data: Mapping[str, Any]) -> bool:
    if data["line"].lstrip().startswith("{"):
        return False  # a log line inside JSON has other quotes
    return "Finish:" in data["line"] and ("rid=" in data["line"] or _IDS in data["line"])


SGLANG_LOG = Format(
    "sglang_log", "SGLang request log", "lines", frozenset({"tokens", "usage", "counters"}), _claims, _Reader
)
