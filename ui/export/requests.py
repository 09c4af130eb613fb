"""One line per request, as CSV for spreadsheets: what it asked, what it reused, why it stopped there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from core.csv_table import csv_text
from core.engine import events as ev
from core.timeline.diagnose import MissReason, explain
from core.timeline.event_log import EventLog


@dataclass
class Row:
    """A request as the log tells it. Tokens, blocks and ticks; ``hit_tokens`` of its first admission."""

    request: str
    arrived_tick: int
    version: str
    salt: str
    prompt_tokens: int
    status: str = "waiting"
    hit_tokens: int = 0
    computed_tokens: int = 0
    answer_tokens: int = 0
    hit_percent: str = ""
    stopped_at_block: str = ""
    reason: str = ""
    equal_tokens_in_missed_block: int = 0
    evictions_caused: int = 0
    preemptions: int = 0
    done_tick: str = ""


def request_rows(log: EventLog) -> list[Row]:
    """Every request of the log, in order of arrival. Hits, reasons and statuses need no block events."""
    reasons = explain(log) if any(event.is_block_event for event in log.events) else {}
    rows: dict[str, Row] = {}
    clock = 0
    for index, event in enumerate(log.events):
        if isinstance(event, ev.ClockAdvanced):
            clock = event.clock
        elif isinstance(event, ev.RequestArrived):
            size = len(event.token_ids)
            rows[event.request_id] = Row(event.request_id, clock, event.version, event.salt or "", size)
        elif isinstance(event, ev.BlockEvicted):
            taker = log.events[index + 1] if index + 1 < len(log.events) else None
            if event.cause == "reused" and isinstance(taker, ev.BlockAllocated):
                rows[taker.request_id].evictions_caused += 1
        else:
            _tell(rows, event, clock, reasons.get(index))
    return list(rows.values())


def _tell(rows: Mapping[str, Row], event: ev.Event, clock: int, reason: MissReason | None) -> None:
    """What an event changes in its request's row."""
    row = rows.get(getattr(event, "request_id", ""))
    if row is None:
        return
    match event:
        case ev.RequestAdmitted():
            row.status = "running"
            row.computed_tokens += event.num_scheduled
            if not event.resumed:
                _admit(row, event, reason)
        case ev.RequestScheduled():
            row.computed_tokens += event.num_scheduled
        case ev.TokensAppended():
            row.answer_tokens += len(event.token_ids)
        case ev.RequestPreempted():
            row.status, row.preemptions = "preempted", event.num_preemptions
        case ev.RequestFinished():
            row.status = "aborted" if event.aborted else "finished"
            row.done_tick = str(clock)
        case ev.RequestRefused():
            row.status = "refused"


def _admit(row: Row, event: ev.RequestAdmitted, reason: MissReason | None) -> None:
    row.hit_tokens = event.hit_tokens
    if event.looked_up:
        row.hit_percent = f"{100 * event.hit_tokens / event.num_tokens:.1f}"
    if reason is not None:
        row.reason, row.stopped_at_block = reason.kind, str(reason.block)
        row.equal_tokens_in_missed_block = reason.num_near


def requests_csv(log: EventLog) -> str:
    """The rows as CSV text, header first; the same log gives the same text."""
    rows = [asdict(row).values() for row in request_rows(log)]
    return csv_text([[field.name for field in fields(Row)], *rows])
