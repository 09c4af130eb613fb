"""Claude Code transcripts (`~/.claude/projects/**/*.jsonl`): one line per message part.

Source rule: one API request is written as several assistant lines that repeat `usage` under the same
`requestId` (older files: the same `message.id`): they are one request, and the last line's usage counts,
because the output grows while it streams. The system prompt and the tools are not in the file, so prompts
cannot be rebuilt and only the reported usage tells true hits; a made-up prompt would give wrong ones. Lines
of other types (user, system, summary, …) are passed over; messages that the program made itself (model
"<synthetic>") never were a request. `isSidechain` marks a subagent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.model import TraceRequest
from core.traces.reported.reading import read_usage
from core.traces.rows import Row
from core.traces.timestamps import time_or_none

_TYPES = ("user", "assistant", "system", "summary", "progress", "attachment", "file-history-snapshot")


class _Transcript:
    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._requests: dict[str, TraceRequest] = {}

    def add(self, row: Row) -> None:
        builder = self._builder
        if row.text("type") != "assistant":
            builder.note("other_rows")
            return
        message = row.object("message")
        if message.get("model") == "<synthetic>":
            builder.note("other_rows")
            return
        usage = read_usage(message.object_or_none("usage"))
        key = row.label("requestId") or message.label("id") or row.label("uuid")
        key = key or f"{row.place.file}, line {row.place.line}"
        request = TraceRequest(
            request_id=key,
            num_tokens=(usage and usage.prompt_tokens) or 0,
            arrival_s=time_or_none(row, "timestamp"),
            num_output=None if usage is None else usage.output_tokens,
            session=row.label("sessionId"),
            tag="sidechain" if row.get("isSidechain") is True else None,
            model=message.label("model"),
            usage=usage,
            line=row.place.line,
        )
        before = self._requests.get(key)
        if before is not None:
            builder.note("repeated")
            request = replace(request, arrival_s=before.arrival_s, line=before.line)
            if usage is None:
                request = before
        self._requests[key] = request

    def finish(self) -> None:
        for request in self._requests.values():
            self._builder.add(request)
        if self._requests:
            self._builder.note("hidden_prompt", len(self._requests))


def _claims(data: Mapping[str, Any]) -> bool:
    kind = data.get("type")
    return kind in _TYPES and ("sessionId" in data or "uuid" in data or "leafUuid" in data)


CLAUDE_CODE_TRANSCRIPT = Format(
    "claude_code_transcript",
    "Claude Code transcript",
    "json",
    frozenset({"usage", "lengths"}),
    _claims,
    _Transcript,
)
