"""Claude Code transcripts (`~/.claude/projects/**/*.jsonl`): one line per message part.

Source rule: one API request is written as several assistant lines that repeat `usage` under the same
`requestId` (older files: the same `message.id`): they are one request, and the last line's usage counts,
because the output grows while it streams. The system prompt and the tools are not in the file, so prompts
cannot be rebuilt and only the reported usage tells true hits; a made-up prompt would give wrong ones. Lines
of other types (user, system, summary, …) are passed over; messages that the program made itself (model
"<synthetic>") never were a request. `isSidechain` marks a subagent; whose, say `agentId` (newer files), the
tool call that started it (`parent_tool_use_id`, in streamed output) or, in older files, the first line of
its chain of `parentUuid`. Session files that go on with another one repeat its lines: the first one counts.
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
_NAMES = {"sessionId", "session_id", "uuid", "leafUuid"}


class _Transcript:
    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._requests: dict[str, TraceRequest] = {}
        self._roots: dict[str, str] = {}

    def add(self, row: Row) -> None:
        builder = self._builder
        branch = self._branch(row)
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
            session=row.label("sessionId", "session_id"),
            branch=branch,
            tag="sidechain" if row.get("isSidechain") is True else None,
            model=message.label("model"),
            usage=usage,
            line=row.place.line,
        )
        before = self._requests.get(key)
        if before is not None:
            builder.note("repeated")
            request = replace(
                before, usage=usage, num_tokens=request.num_tokens, num_output=request.num_output
            )
            if usage is None:
                request = before
        self._requests[key] = request

    def _branch(self, row: Row) -> str | None:
        """Which subagent a line belongs to; None for the main conversation."""
        name = row.label("agentId", "parent_tool_use_id")
        if name is not None or row.get("isSidechain") is not True:
            return name
        uuid, parent = row.label("uuid"), row.label("parentUuid")
        if uuid is None:
            return None
        root = uuid if parent is None else self._roots.get(parent, parent)
        self._roots[uuid] = root
        return root

    def finish(self) -> None:
        for request in self._requests.values():
            self._builder.add(request)
        if self._requests:
            self._builder.note("hidden_prompt", len(self._requests))


def _claims(data: Mapping[str, Any]) -> bool:
    kind = data.get("type")
    return kind in _TYPES and _NAMES & data.keys() != set()


CLAUDE_CODE_TRANSCRIPT = Format(
    "claude_code_transcript",
    "Claude Code transcript",
    "json",
    frozenset({"usage", "lengths"}),
    _claims,
    _Transcript,
)
