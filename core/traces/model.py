"""What a log holds, whatever its format: `Trace` and one `TraceRequest` per request.

A prompt's identity comes in one of three forms.

* `segments`: token ids, cut where the log cuts them (one message, one marker). Equal segments of different
  requests are one object, so a chat of k turns costs one turn each, not k.
* `block_ids`: one number per block of `block_size` tokens. The numbers are made here, one per *chain*: equal
  numbers mean equal content from the first token on, whatever the log's own ids promise
  (core/traces/prompts/blocks.py).
* neither: the log gives lengths only. Such a request has no hit rate, which is not a hit rate of 0.

`null` in a log stays None here and never becomes 0.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.traces import problems
from core.traces.engine_facts import EngineCounters, EventTotals, Meters
from core.traces.field_map import FieldMap
from core.traces.left_out import RepeatedRow, SkippedLine, UnreadField
from core.traces.recording import RecordedBatch
from core.traces.usage import Usage, UsageTotals
from core.types import Request, RequestId

Fact = Literal["blocks", "tokens", "text", "lengths", "usage", "counters", "events"]
Convention = Literal["ceil", "floor"]
Order = Literal["arrival", "file"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of tokens with one origin: a message's text, a role marker, a tool's schema.

    `text` is None where the log gave token ids. `token_ids` is shared between requests: read only.
    """

    role: str
    text: str | None
    token_ids: array[int]


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """One request of a log.

    `num_tokens` counts the prompt; `num_output` the answer. `arrival_s` is in seconds from the trace's first
    request. `scope` is a text that keeps apart what cannot share a cache (model, adapter, salt): two requests
    with different scopes share nothing. `tail_id` is the number of the partial last block where the log lists
    full blocks only: no other request has it. `branch` names a conversation of its own within its session (a
    subagent). `line` is where the request stands in its file.
    """

    request_id: RequestId
    num_tokens: int
    arrival_s: float | None = None
    segments: tuple[Segment, ...] = ()
    block_ids: array[int] | None = None
    block_size: int | None = None
    tail_id: int | None = None
    num_output: int | None = None
    output_ids: array[int] | None = None
    session: str | None = None
    tenant: str | None = None
    branch: str | None = None
    tag: str | None = None
    template: str | None = None
    model: str | None = None
    adapter: str | None = None
    salt: str | None = None
    scope: str = ""
    usage: Usage | None = None
    line: int = 0

    @property
    def has_identity(self) -> bool:
        """Whether the log says what the prompt consists of, and not only how long it is."""
        return self.block_ids is not None or bool(self.segments)

    def tokens(self) -> NDArray[np.uint32]:
        """The prompt's tokens. For a block log these are stand-ins, equal where the blocks are equal.

        Stand-ins may be cut into blocks of any size; with blocks smaller than the log's own, a difference
        inside one of the log's blocks counts from that block's first token, so hits are a lower bound.
        O(num_tokens). Empty where the log gives lengths only.
        """
        if self.block_ids is not None and self.block_size is not None:
            return self._stand_ins(self.block_size)
        if not self.segments:
            return np.empty(0, dtype=np.uint32)
        return np.concatenate([np.frombuffer(part.token_ids, dtype=np.uint32) for part in self.segments])

    def _stand_ins(self, block_size: int) -> NDArray[np.uint32]:
        numbers = list(self.block_ids or ())
        if self.tail_id is not None:
            numbers.append(self.tail_id)
        blocks = np.asarray(numbers, dtype=np.uint32)
        return np.repeat(blocks, block_size)[: self.num_tokens]

    def request(self) -> Request:
        """The request as the engine takes it; the scope travels as its salt."""
        outputs = tuple(self.output_ids or ())
        prompt = array("I", self.tokens().tobytes())
        return Request(self.request_id, prompt, outputs, salt=self.scope or None)

    def segment_at(self, place: int) -> tuple[Segment, int]:
        """The segment that holds token `place`, and the token's place inside it. O(segments).

        Raises:
            IndexError: there is no such token, or the log gives no segments.
        """
        start = 0
        for segment in self.segments:
            if start <= place < start + len(segment.token_ids):
                return segment, place - start
            start += len(segment.token_ids)
        raise IndexError(f"request {self.request_id} has no token {place}")


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader decided or found: a stable code, how often, and the values its sentence needs."""

    code: str
    count: int
    message: str
    values: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trace:
    """One log after reading. `requests` are in the order in which they are replayed (`order`).

    `recording`: the KV events themselves, which hold no request. `field_map`: the map that the log was read
    by, chosen or proposed; null where its format has a reader.
    """

    name: str
    format: str
    requests: tuple[TraceRequest, ...]
    facts: frozenset[Fact]
    order: Order = "file"
    start_s: float | None = None
    block_size: int | None = None
    convention: Convention | None = None
    deltas: bool = False
    tokenizer: str | None = None
    template: str | None = None
    notes: tuple[Note, ...] = ()
    num_skipped: int = 0
    skipped: tuple[SkippedLine, ...] = ()
    repeats: tuple[RepeatedRow, ...] = ()
    unread: tuple[UnreadField, ...] = ()
    meters: Meters | None = None
    events: EventTotals | None = None
    recording: tuple[RecordedBatch, ...] = ()
    field_map: FieldMap | None = None

    @property
    def counters(self) -> tuple[EngineCounters, ...]:
        """What engines said of themselves."""
        return () if self.meters is None else self.meters.engines

    @property
    def has_identity(self) -> bool:
        """Whether a hit rate can be computed at all."""
        return any(request.has_identity for request in self.requests)

    def with_identity(self) -> tuple[TraceRequest, ...]:
        """The requests that can be replayed.

        Raises:
            TraceError: there is none (lengths, usage or counters only).
        """
        found = tuple(request for request in self.requests if request.has_identity)
        if not found:
            raise problems.no_identity(self.name)
        return found

    def reported(self) -> UsageTotals:
        """What the log itself reports about cached tokens, over all its requests."""
        deciding = next((r.line for r in self.requests if r.usage is not None and r.usage.decides), None)
        return UsageTotals.of((request.usage for request in self.requests), deciding)

    def ambiguous(self) -> Usage | None:
        """The first row whose usage can be read in two ways; None where there is none."""
        rows = (request.usage for request in self.requests)
        return next((row for row in rows if row is not None and row.other is not None), None)


def facts_of(requests: Iterable[TraceRequest]) -> frozenset[Fact]:
    """Which kinds of facts these requests carry."""
    found: set[Fact] = set()
    for request in requests:
        if request.block_ids is not None:
            found.add("blocks")
        elif request.segments:
            found.add("text" if any(part.text is not None for part in request.segments) else "tokens")
        else:
            found.add("lengths")
        if request.usage is not None:
            found.add("usage")
    return frozenset(found)
