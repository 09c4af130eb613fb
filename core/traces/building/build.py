"""Collects what a reader finds and makes the trace of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import TraceError
from core.traces import problems
from core.traces.building.arrange import in_order, with_own_names, with_scopes
from core.traces.engine_facts import EngineCounters, EventTotals
from core.traces.model import (
    Convention,
    Note,
    SkippedLine,
    Trace,
    TraceRequest,
    facts_of,
)
from core.traces.notes import NOTES
from core.traces.options import ReadOptions
from core.traces.prompts.blocks import BlockNumbers
from core.traces.prompts.chat import ChatRenderer
from core.traces.recording import RecordedBatch
from core.traces.reported.conventions import decided
from core.traces.rows import Row

MOST_SHOWN = 20
"""Skipped lines that are kept with their reason; all are counted."""


@dataclass(slots=True)
class Shape:
    """What a block log's ids cover, once that is known."""

    block_size: int | None = None
    convention: Convention | None = None
    deltas: bool = False


class Builder:
    """One reading in progress. Readers add requests and notes; `finish` makes the trace."""

    def __init__(self, name: str, options: ReadOptions) -> None:
        self.options = options
        self.numbers = BlockNumbers()
        self.chat = ChatRenderer(options.tokenizer, options.template)
        self.shape = Shape()
        self.counters: list[EngineCounters] = []
        self.events: EventTotals | None = None
        self.recording: tuple[RecordedBatch, ...] = ()
        self.keep_file_order = False
        self._name = name
        self._requests: list[TraceRequest] = []
        self._notes: Counter[str] = Counter()
        self._values: dict[str, dict[str, object]] = {}
        self._seen: set[str] = set()
        self._num_skipped = 0
        self._skipped: list[SkippedLine] = []

    def add(self, request: TraceRequest) -> None:
        """One more request, in the file's order."""
        self._requests.append(request)

    def next_id(self, row: Row, *fields: str) -> str:
        """The request's own id, or one made from its number."""
        return row.label(*fields) or f"r{len(self._requests) + 1}"

    def note(self, code: str, count: int = 1, **values: object) -> None:
        """Something worth saying; counts of the same code add up."""
        self._notes[code] += count
        self._values.setdefault(code, values)

    def is_repeated(self, key: str | None) -> bool:
        """Whether a row with this key was seen before; such rows are counted and passed over."""
        if key is None:
            return False
        if key in self._seen:
            self.note("repeated")
            return True
        self._seen.add(key)
        return False

    def skip(self, error: TraceError) -> None:
        """Leave a broken line out.

        Raises:
            TraceError: this very error, unless broken lines are to be skipped.
        """
        if not self.options.skip_broken:
            raise error
        self._num_skipped += 1
        if len(self._skipped) < MOST_SHOWN:
            file, line = str(error.values.get("file", self._name)), error.values.get("line", 0)
            self._skipped.append(SkippedLine(file, line if isinstance(line, int) else 0, error.message))

    # -- the end --------------------------------------------------------------------------------------

    def finish(self, format_name: str) -> Trace:
        """The trace.

        Raises:
            TraceError: there is nothing in it.
        """
        if not self._requests and not self.counters and self.events is None:
            reason = f"all {self._num_skipped} lines are broken" if self._num_skipped else "nothing was found"
            left_out = sum(self._notes.values())
            raise problems.empty(self._name, reason if not left_out else f"{left_out} rows were left out")
        found = decided(self._requests, self.options.usage_reading)
        requests, order, start = in_order(found, self.keep_file_order, self.note)
        requests = with_scopes(requests, self.options.split_by_model, self.numbers, self.note)
        requests = with_own_names(requests, self.note)
        self._note_what_was_found(requests)
        facts = facts_of(requests)
        if self.counters:
            facts |= {"counters"}
        if self.events is not None:
            facts |= {"events"}
        has_text = "text" in facts
        return Trace(
            name=self._name,
            format=format_name,
            requests=tuple(requests),
            facts=facts,
            order=order,
            start_s=start,
            block_size=self.shape.block_size,
            convention=self.shape.convention,
            deltas=self.shape.deltas,
            tokenizer=self.options.tokenizer_name if has_text else None,
            template=self.options.template if has_text else None,
            notes=tuple(self._made_notes()),
            num_skipped=self._num_skipped,
            skipped=tuple(self._skipped),
            counters=tuple(self.counters),
            events=self.events,
            recording=self.recording,
        )

    def _note_what_was_found(self, requests: Sequence[TraceRequest]) -> None:
        num_bare = sum(not request.has_identity for request in requests)
        num_contradictory = sum(r.usage is not None and r.usage.contradictory for r in requests)
        for code, count in (
            ("lengths_only", num_bare),
            ("contradictory", num_contradictory),
            ("absent_is_zero", sum(r.usage is not None and r.usage.absent == "zero" for r in requests)),
            ("rechained", self.numbers.num_rechained),
            ("media", self.chat.num_media),
        ):
            if count:
                self.note(code, count)
        deciding = next((r for r in requests if r.usage is not None and r.usage.decides), None)
        if deciding is not None and deciding.usage is not None:
            self.note(f"usage_{deciding.usage.convention}", line=deciding.line)

    def _made_notes(self) -> list[Note]:
        found = []
        for code, count in self._notes.items():
            values = self._values[code]
            found.append(Note(code, count, NOTES[code].format(count=count, **values), values))
        return found
