"""Claude Code block traces (kv-cache-tester, cc-traces, Weka): one JSON object per session.

Source rule: `block_size` and `hash_id_scope` stand at the top; ids are numbered from 1 inside the file
(scope "local"), so they match nothing in another session; floor(in / block_size) ids are listed, the partial
tail is not (files that list it are recognised, and the note says so). `t` counts seconds from the session's
start, in a subagent's own list from the subagent's start.
A "subagent" entry holds requests of its own under the same ids. Sessions of several files all start at 0.
Requests to different models share nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.model import Convention, TraceRequest
from core.traces.prompts.blocks import GLOBAL, check_count, raw_ids
from core.traces.rows import Row, as_whole

DEEPEST = 8
"""Subagents inside subagents; more is a broken file."""


class _Sessions:
    def __init__(self, builder: Builder, head: Sequence[Row]) -> None:
        self._builder = builder
        self._num_sessions = 0
        builder.shape.convention = builder.options.convention or self._convention(head)

    def _convention(self, head: Sequence[Row]) -> Convention:
        """Floor, unless every request of the first sessions lists its partial tail."""
        lengths = [pair for row in head for pair in _lengths(row, self._builder.options.block_size)]
        fits_floor = all(num_ids == length // size for length, num_ids, size in lengths)
        fits_ceil = all(num_ids == -(-length // size) for length, num_ids, size in lengths)
        if fits_floor or not fits_ceil:
            return "floor"
        self._builder.note("inferred", block_size=lengths[0][2], convention="ceil")
        return "ceil"

    def add(self, row: Row) -> None:
        builder, shape = self._builder, self._builder.shape
        size = builder.options.block_size or row.whole("block_size", least=1, most=2**20)
        if shape.block_size not in (None, size):
            raise row.wrong("block_size", f"{shape.block_size}, as in the sessions before")
        is_local = _is_local(row)
        parent = builder.numbers.local_root() if is_local else GLOBAL
        session = row.label("id") or f"session {self._num_sessions + 1}"
        requests = [
            self._request(entry, start, tag, session, size, parent)
            for entry, start, tag in _entries(row, 0.0, None, 0)
        ]
        if builder.is_redelivered(row, row.label("id")):
            return
        shape.block_size = size
        self._num_sessions += 1
        if is_local:
            builder.note("local_ids")
        for request in requests:
            builder.add(request)

    def _request(
        self, row: Row, start: float, tag: str | None, session: str, size: int, parent: int
    ) -> TraceRequest:
        convention = self._builder.shape.convention
        assert convention is not None
        length = row.whole("in", least=1)
        ids = raw_ids(row, "hash_ids")
        check_count(row, "hash_ids", ids, length, size, convention)
        time = row.number_or_none("t")
        return TraceRequest(
            request_id=f"{session}/{row.path}",
            num_tokens=length,
            arrival_s=None if time is None else start + time,
            block_ids=self._builder.numbers.chain(ids, parent),
            block_size=size,
            tail_id=self._builder.numbers.private() if len(ids) * size < length else None,
            num_output=row.whole_or_none("out"),
            session=session,
            tag=tag,
            model=row.label("model"),
            line=row.place.line,
        )

    def finish(self) -> None:
        """Nothing was kept back."""


def _lengths(row: Row, block_size: int | None) -> list[tuple[int, int, int]]:
    """(prompt tokens, ids, block size) of a session's own requests, as far as they can be read."""
    size, requests = block_size or as_whole(row.get("block_size")), row.get("requests")
    if size is None or size < 1 or not isinstance(requests, list):
        return []
    pairs = [(as_whole(one.get("in")), one.get("hash_ids")) for one in requests if isinstance(one, dict)]
    return [(length, len(ids), size) for length, ids in pairs if length is not None and isinstance(ids, list)]


def _is_local(row: Row) -> bool:
    """Ids are the file's own unless it says otherwise: believing in sharing that is not there is worse."""
    scope = row.label("hash_id_scope") or "local"
    if scope not in ("local", "global"):
        raise row.wrong("hash_id_scope", "local or global")
    return scope == "local"


def _entries(row: Row, start: float, tag: str | None, depth: int) -> Iterator[tuple[Row, float, str | None]]:
    """All requests of a session with the moment their clock starts, subagents' ones in their place."""
    for entry in row.objects("requests"):
        if entry.get("type") != "subagent":
            yield entry, start, tag
        elif depth >= DEEPEST:
            raise entry.wrong("type", f"at most {DEEPEST} subagents inside each other")
        else:
            begin = start + (entry.number_or_none("t") or 0.0)
            yield from _entries(
                entry, begin, entry.label("subagent_type", "agent_id") or "subagent", depth + 1
            )


def _claims(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("requests"), list) and ("block_size" in data or "hash_id_scope" in data)


CLAUDE_CODE_BLOCKS = Format(
    "claude_code_blocks", "Claude Code block trace", "json", frozenset({"blocks"}), _claims, _Sessions
)
