"""Collects what a reader finds and makes the trace of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xxhash import xxh3_128_hexdigest

from core.errors import TraceError
from core.texts import escaped, text_bytes
from core.traces import problems
from core.traces.building.arrange import in_order, with_own_names, with_scopes
from core.traces.building.incomplete import without_hidden
from core.traces.building.no_request import stands_for_several, why_no_request
from core.traces.building.repeats import Origin, without_repeats
from core.traces.building.streams import is_part, put_together, stream_of
from core.traces.engine_facts import EventTotals, Meters
from core.traces.field_map import FieldMap
from core.traces.left_out import MOST_SHOWN, RepeatedRow, SkippedLine
from core.traces.model import Convention, Note, Trace, TraceRequest, facts_of
from core.traces.notes import NOTES
from core.traces.options import ReadOptions
from core.traces.prompts.blocks import BlockNumbers
from core.traces.prompts.chat import ChatRenderer
from core.traces.recording import RecordedBatch
from core.traces.reported.conventions import decided
from core.traces.rows import Row


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
        self.meters: Meters | None = None
        self.events: EventTotals | None = None
        self.recording: tuple[RecordedBatch, ...] = ()
        self.keep_file_order = options.ignore_times
        self.field_map: FieldMap | None = None
        self.maps: dict[tuple[int, tuple[str, ...]], FieldMap] = {}
        self.times: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.wants_times = self.told_times = False
        self.answers: dict[str, TraceRequest] = {}
        self._name = name
        self._requests: list[TraceRequest] = []
        self._notes: Counter[str] = Counter()
        self._values: dict[str, dict[str, object]] = {}
        self.origin: Origin = (0, problems.Place(name))
        self._origins: list[Origin] = []
        self._made: set[str] = set()
        self._also: dict[int, str] = {}
        self.is_part = False
        self._parts: set[int] = set()
        self._silent: set[str] = set()
        self._records: dict[tuple[str, str], problems.Place] = {}
        self._repeats: list[RepeatedRow] = []
        self._so_far = (0, 0)
        self._noted: list[tuple[str, int]] = []
        self._num_skipped = 0
        self._skipped: list[SkippedLine] = []

    def begin(self, row: Row) -> None:
        """The next record is read: what is added from here on is its own."""
        self.origin = (self.origin[0] + 1, row.place)
        self._so_far = (len(self._requests), self.chat.num_media)
        self._noted.clear()
        self.is_part = False
        self.chat.unread.record(row)

    def wants(self, row: Row, has_usage: Callable[[], bool] = lambda: True) -> bool:
        """Whether a record is a request, by what it says of itself; what is not is counted here. Of a
        streamed answer only the parts that tell their usage are read."""
        code = why_no_request(row.value)
        if code is not None:
            self.note(code)
            return False
        self.is_part = is_part(row.value)
        if self.is_part and not has_usage():
            self._silent.add(stream_of(row.value) or "")
            return False
        column = stands_for_several(row.value)
        if column is not None:
            self.note("sums", column=escaped(column))
        return True

    def add(self, request: TraceRequest, *, also: str | None = None, origin: Origin | None = None) -> None:
        """One more request, in the file's order. `also`: the id of its answer, which is as good as its own
        for finding out what was delivered twice; `origin`: its record, if that is not the one read now."""
        if also is not None:
            self._also[len(self._requests)] = also
        if self.is_part:
            self._parts.add(len(self._requests))
        self._requests.append(request)
        self._origins.append(origin or self.origin)

    def next_id(self, row: Row, *fields: str) -> str:
        """The request's own id, or one made from its number."""
        own = row.label(*fields)
        if own is not None:
            return own
        made = f"r{len(self._requests) + 1}"
        self._made.add(made)
        return made

    def add_meters(self, meters: Meters | None) -> None:
        """What engines say of themselves. Scrapes and lines of a log tell the same: scrapes stay."""
        if meters is None:
            return
        if self.meters is not None:
            self.note("other_meters")
        if self.meters is None or meters.source == "scrapes":
            self.meters = meters

    def note(self, code: str, count: int = 1, **values: object) -> None:
        """Something worth saying; counts of the same code add up."""
        self._notes[code] += count
        self._noted.append((code, count))
        self._values.setdefault(code, values)

    def is_redelivered(self, row: Row, name: str | None, *times: str) -> bool:
        """Whether this very record was read before: the same name and content, but for the fields `times`.

        For formats whose records depend on each other; all others are compared at the end.
        """
        if name is None:
            return False
        content = digest({key: value for key, value in row.value.items() if key not in times})
        first = self._records.setdefault((name, content), row.place)
        if first is row.place:
            return False
        self._repeats.append(RepeatedRow(name, row.place.file, row.place.line, first.file, first.line))
        return True

    def undo(self) -> None:
        """The record is broken: whatever it added goes, so that it costs nothing but itself."""
        num_requests, self.chat.num_media = self._so_far
        for place in range(num_requests, len(self._requests)):
            self._also.pop(place, None)
            self._parts.discard(place)
        del self._requests[num_requests:], self._origins[num_requests:]
        for code, count in self._noted:
            self._notes[code] -= count
            if not self._notes[code]:
                del self._notes[code], self._values[code]
        self._noted.clear()
        self.chat.unread.drop()

    def skip(self, error: TraceError) -> None:
        """Leave a broken line out.

        Raises:
            TraceError: this very error, unless broken lines are to be skipped.
        """
        if not self.options.skip_broken and error.code != "trace.before_first":
            raise error
        self._num_skipped += 1
        if len(self._skipped) < MOST_SHOWN:
            file, line = str(error.values.get("file", self._name)), error.values.get("line", 0)
            line = line if isinstance(line, int) else 0
            self._skipped.append(SkippedLine(file, line, error.message, error.code, error.values))

    # -- the end --------------------------------------------------------------------------------------

    def finish(self, format_name: str) -> Trace:
        """The trace.

        Raises:
            TraceError: there is nothing in it.
        """
        asked = {request.request_id for request in self._requests}
        for name in [name for name in self.answers if name not in asked]:
            self.add(self.answers.pop(name))
        if not self._requests and self.meters is None and self.events is None:
            reason = f"all {self._num_skipped} lines are broken" if self._num_skipped else "nothing was found"
            told = " ".join(note.message for note in self._made_notes()).rstrip(".")
            raise problems.empty(self._name, told or reason)
        found = decided(self._answered(self._delivered()), self.options.usage_reading)
        found = without_hidden(found, self.chat.hidden.found(), self.note)
        requests, order, start = in_order(found, self.keep_file_order, self.note)
        if self.wants_times and start is None and not self.options.ignore_times and len(requests) > 1:
            self.note("untimed", len(requests))
        requests = with_scopes(requests, self.options.split_by_model, self.numbers, self.note)
        requests = with_own_names(requests, self.note)
        self._note_what_was_found(requests)
        facts = facts_of(requests)
        if self.meters is not None:
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
            repeats=tuple(self._repeats[:MOST_SHOWN]),
            unread=self.chat.unread.fields(),
            meters=self.meters,
            events=self.events,
            recording=self.recording,
            field_map=self.field_map,
        )

    def _answered(self, requests: list[TraceRequest]) -> list[TraceRequest]:
        """Requests with what their answers count, where those stand in records of their own (batch files);
        an answer to several prompts counts once."""
        found = []
        for request in requests:
            answer = self.answers.pop(request.request_id, None) if self.answers else None
            if answer is not None and request.usage is None:
                usage, output = answer.usage, answer.num_output
                request = replace(
                    request, usage=usage, num_output=output, model=request.model or answer.model
                )
            found.append(request)
        return found

    def _delivered(self) -> list[TraceRequest]:
        """Every request once, however often its record was delivered."""
        whole = put_together(self._requests, self._origins, self._also, self._made, self._parts)
        if whole.num_streams:
            self.note("streamed", whole.num_streams, parts=whole.num_parts)
        silent = self._silent - {""} - {request.request_id for request in whole.requests}
        if silent:
            self.note("stream_unreported", len(silent))
        found = without_repeats(whole.requests, whole.origins, self._made, whole.also)
        self._repeats += found.repeats
        if self._repeats:
            self.note("delivered_again", len(self._repeats))
        if found.num_equal:
            self.note("equal_rows", found.num_equal)
        return found.requests

    def _note_what_was_found(self, requests: Sequence[TraceRequest]) -> None:
        num_bare = sum(not request.has_identity for request in requests) - self._notes["hidden_text"]
        num_contradictory = sum(r.usage is not None and r.usage.contradictory for r in requests)
        for code, count in (
            ("lengths_only", num_bare),
            ("contradictory", num_contradictory),
            ("absent_is_zero", sum(r.usage is not None and r.usage.absent == "zero" for r in requests)),
            ("rechained", self.numbers.num_rechained),
            ("media", self.chat.num_media),
            ("stored", self.chat.num_stored),
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


def digest(value: object) -> str:
    """Stands for a JSON value, whatever the order of its keys."""
    return xxh3_128_hexdigest(text_bytes(json.dumps(value, sort_keys=True, ensure_ascii=False)))
