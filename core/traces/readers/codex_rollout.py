"""Codex rollouts (`~/.codex/sessions/**/rollout-*.jsonl`): lines of {timestamp, type, payload}.

Source rules (the program's own documentation of its session files and public readers of them): a
`token_count` event follows each answer; `info.last_token_usage` is that request's usage,
`info.total_token_usage` the sum so far. Events whose sums did not change repeat an answer (they carry new
rate limits), events without `info` carry nothing else. Where only sums are written, a request is their
difference. `input_tokens` include `cached_input_tokens`. The session's name stands in `session_meta`, the
model in the latest `turn_context`. The lines hold no complete prompt, so only what is reported tells true
hits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.mapping.mapped import object_or_none
from core.traces.model import TraceRequest
from core.traces.reported.reading import read_usage
from core.traces.rows import Row
from core.traces.timestamps import time_or_none
from core.traces.usage import Usage

_TYPES = ("session_meta", "event_msg", "response_item", "turn_context", "compacted")
_COUNTS = ("input_tokens", "cached_input_tokens", "output_tokens")
_Sums = tuple[int | None, ...]


class _Rollout:
    """One or several files; each begins with its own `session_meta`."""

    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._file = ""
        self._session: str | None = None
        self._model: str | None = None
        self._sums: _Sums = ()
        self._num = 0

    def add(self, row: Row) -> None:
        if row.place.file != self._file:
            self._begin(row.place.file, None)
        kind, payload = row.text("type"), row.object_or_none("payload")
        if payload is not None and kind == "session_meta":
            self._begin(row.place.file, payload.label("id"))
        elif payload is not None and kind == "turn_context":
            self._model = payload.label("model") or self._model
        if payload is None or kind != "event_msg" or payload.get("type") != "token_count":
            self._builder.note("other_rows")
            return
        info = object_or_none(payload, "info")
        if info is None:
            self._builder.note("other_rows")
            return
        self._answer(row, info)

    def _begin(self, file: str, session: str | None) -> None:
        self._file, self._session = file, session or file
        self._model, self._sums, self._num = None, (), 0

    def _answer(self, row: Row, info: Row) -> None:
        last, total = object_or_none(info, "last_token_usage"), object_or_none(info, "total_token_usage")
        sums = () if total is None else tuple(total.whole_or_none(name) for name in _COUNTS)
        if sums and sums == self._sums:
            self._builder.note("repeated")
            return
        usage = read_usage(last) if last is not None else self._difference(sums)
        self._sums = sums or self._sums
        if usage is None:
            self._builder.note("other_rows")
            return
        self._num += 1
        self._builder.add(
            TraceRequest(
                request_id=f"{self._session} {self._num}",
                num_tokens=usage.prompt_tokens or 0,
                arrival_s=time_or_none(row, "timestamp"),
                num_output=usage.output_tokens,
                session=self._session,
                model=self._model,
                usage=usage,
                line=row.place.line,
            )
        )

    def _difference(self, sums: _Sums) -> Usage | None:
        """What the sums grew by; None where they fell or say nothing."""
        before = self._sums or (0,) * len(_COUNTS)
        grown = [None if now is None else now - (old or 0) for now, old in zip(sums, before, strict=False)]
        if not grown or any(one is not None and one < 0 for one in grown):
            return None
        prompt, cached, output = grown
        return Usage(prompt, cached, None, output, shape="openai_responses")

    def finish(self) -> None:
        """Every request stands by itself."""


def _claims(data: Mapping[str, Any]) -> bool:
    return data.get("type") in _TYPES and isinstance(data.get("payload"), dict)


CODEX_ROLLOUT = Format(
    "codex_rollout", "Codex rollout", "json", frozenset({"usage", "lengths"}), _claims, _Rollout
)
