"""The log of a server: vLLM, SGLang, llama.cpp, Ollama. What its lines say about the cache, added up.

What each line says: core/traces/meters/server_lines.py. Counts of a line are added to those before. A rate
that an engine worked out is kept with the window it is of: it cannot be added to anything. Other lines are
passed over and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.meters.server_lines import may_say, said_in
from core.traces.meters.server_log import ServerLines
from core.traces.rows import Row


class _Reader:
    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._lines = ServerLines()

    def add(self, row: Row) -> None:
        line = row.text("line")
        if not self._lines.add(row, line) and line.strip():
            self._builder.note("other_lines")

    def finish(self) -> None:
        meters = self._lines.meters()
        self._builder.add_meters(meters)
        if meters is not None:
            self._builder.note("no_requests")


def _claims(data: Mapping[str, Any]) -> bool:
    line = str(data["line"])
    return may_say(line) and (said_in(line) is not None or "slot " in line or "id_slot" in line)


ENGINE_LOG = Format(
    "engine_log", "Server log of an engine", "lines", frozenset({"counters"}), _claims, _Reader
)
