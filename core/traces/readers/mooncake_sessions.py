"""Mooncake rows with sessions, as AIPerf and Dynamo write them: `session_id`, `delay`, texts instead of ids.

Source rule: `timestamp` and `delay` in milliseconds; a turn with `delay` comes that long after the turn
before it in its session (the time of the answer is not in the file, so the arrival is a lower bound). Instead
of `input_length` + `hash_ids` a row may hold `text_input`, `messages` (+ `tools`) or a body (`payload`).

Some files hold only what is *new* in each turn. They are recognised when no later row of any session begins
with its session's earlier id and all of them have `delay` instead of `timestamp`; the person may decide
otherwise. Turn k then really sends everything before it, the earlier answers included. The answers' ids are
not in the file, so blocks behind the first answer are known inside their session only. Rows with texts are
complete prompts in any case.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import TraceError
from core.traces.building.block_rows import decide_shape
from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.building.repeats import Origin
from core.traces.model import TraceRequest
from core.traces.prompts.blocks import GLOBAL, MOST_PROMPT_TOKENS, RawId, check_count, raw_ids
from core.traces.prompts.bodies import Segments, body_prompts
from core.traces.readers.mooncake import BLOCK_SIZE
from core.traces.rows import Row
from core.traces.timestamps import milliseconds

_TEXTS = ("text_input", "messages", "payload")


@dataclass(slots=True)
class _Turn:
    """A row that is read but not placed yet; `ids` is None for a row with text."""

    request: TraceRequest
    row: Row
    ids: Sequence[RawId] | None
    has_delay: bool
    origin: Origin


@dataclass(slots=True)
class _History:
    """What a session has sent and received so far, in delta files."""

    num_tokens: int = 0
    blocks: array[int] = field(default_factory=lambda: array("I"))
    exact: bool = True  # every token so far stands in a listed, full block


class _Sessions:
    def __init__(self, builder: Builder, head: Sequence[Row]) -> None:
        self._builder = builder
        self._turns: list[_Turn] = []
        self._last_arrival: dict[str, float | None] = {}
        decide_shape(builder, head, BLOCK_SIZE, "ceil")

    def add(self, row: Row) -> None:
        session = row.label("session_id", "session")
        arrival, has_delay = self._arrival(row, session)
        texts = [name for name in _TEXTS if row.get(name) is not None]
        if len(texts) > 1 or (texts and row.get("hash_ids") is not None):
            raise row.wrong(texts[0], "one of hash_ids, text_input, messages, payload", "several of them")
        request = TraceRequest(
            request_id=row.label("request_id") or f"r{len(self._turns) + 1}",
            num_tokens=0,
            arrival_s=arrival,
            num_output=row.whole_or_none("output_length", most=MOST_PROMPT_TOKENS),
            session=session,
            model=row.label("model"),
            line=row.place.line,
        )
        if row.get("output_token_ids") is not None:
            output = row.token_ids("output_token_ids")
            request = replace(request, output_ids=output, num_output=len(output))
        ids = None
        if texts:
            segments = self._segments(row, texts[0])
            request = replace(request, segments=segments, num_tokens=sum(len(s.token_ids) for s in segments))
        else:
            ids, length = self._checked_ids(row)
            request = replace(request, num_tokens=length)
        if self._builder.is_redelivered(row, row.label("request_id"), "timestamp"):
            return
        self._turns.append(_Turn(request, Row({}, row.place), ids, has_delay, self._builder.origin))
        if session is not None:
            self._last_arrival[session] = arrival

    def _arrival(self, row: Row, session: str | None) -> tuple[float | None, bool]:
        time, delay = milliseconds(row, "timestamp"), milliseconds(row, "delay")
        if time is not None or delay is None:
            return time, False
        before = self._last_arrival.get(session or "")
        if before is None:
            return None, True
        self._builder.note("delay")
        return before + delay, True

    def _checked_ids(self, row: Row) -> tuple[Sequence[RawId], int]:
        shape = self._builder.shape
        assert shape.block_size is not None
        assert shape.convention is not None
        length = row.whole("input_length", least=1, most=MOST_PROMPT_TOKENS)
        ids = raw_ids(row, "hash_ids")
        check_count(row, "hash_ids", ids, length, shape.block_size, shape.convention)
        return _packed(ids), length

    def _segments(self, row: Row, name: str) -> Segments:
        chat = self._builder.chat
        if name == "text_input":
            text = row.text(name)
            if not text:
                raise row.wrong(name, "a text that is not empty", "an empty text")
            return chat.prompt(text)
        prompts = body_prompts(chat, row.object(name) if name == "payload" else row)
        if len(prompts) != 1:
            raise row.wrong(name, "one prompt", f"{len(prompts)} prompts")
        return prompts[0]

    # -- placing --------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Decide what the rows hold, then hand over every turn in the file's order."""
        wanted = self._builder.options.deltas
        deltas = self._look_like_deltas() if wanted is None else wanted
        shape = self._builder.shape
        shape.deltas = deltas
        if all(turn.ids is None for turn in self._turns):
            shape.block_size = shape.convention = None  # texts only
        histories: dict[str, _History] = {}
        for turn in self._turns:
            history = _History()
            if deltas and turn.request.session is not None:
                history = histories.setdefault(turn.request.session, history)
            try:
                request = turn.request if turn.ids is None else self._placed(turn, turn.ids, history)
                self._builder.add(request, origin=turn.origin)
            except TraceError as error:
                self._builder.skip(error)

    def _look_like_deltas(self) -> bool:
        first_ids: dict[str, RawId | None] = {}
        num_later = 0
        for turn in self._turns:
            session = turn.request.session
            if session is None or turn.ids is None:
                continue
            first = turn.ids[0] if turn.ids else None
            if session in first_ids:
                num_later += 1
                if not turn.has_delay or first == first_ids[session]:
                    return False
            else:
                first_ids[session] = first
        return num_later > 0

    def _placed(self, turn: _Turn, ids: Sequence[RawId], history: _History) -> TraceRequest:
        """The request with everything its session sent before in front of it."""
        shape, numbers = self._builder.shape, self._builder.numbers
        size = shape.block_size
        assert size is not None
        num_tokens = history.num_tokens + turn.request.num_tokens
        if num_tokens > MOST_PROMPT_TOKENS:
            raise turn.row.wrong("input_length", f"at most {MOST_PROMPT_TOKENS} with its history", num_tokens)
        blocks = history.blocks[:]
        if history.exact:
            blocks += numbers.chain(ids, blocks[-1] if blocks else GLOBAL)
        else:
            self._builder.note("deltas")
            num_blocks = num_tokens // size if shape.convention == "floor" else -(-num_tokens // size)
            blocks.extend(numbers.private() for _ in range(num_blocks - len(blocks)))
        history.exact = history.exact and num_tokens % size == 0 and turn.request.num_output == 0
        history.num_tokens = num_tokens + (turn.request.num_output or 0)
        history.blocks = blocks[: num_tokens // size]
        tail_id = numbers.private() if len(blocks) * size < num_tokens else None
        return replace(
            turn.request, num_tokens=num_tokens, block_ids=blocks, block_size=size, tail_id=tail_id
        )


def _packed(ids: Sequence[RawId]) -> Sequence[RawId]:
    """Whole numbers in eight bytes each: all rows are held until the file's end."""
    numbers = array("q")
    for block in ids:
        if not isinstance(block, int) or abs(block) >= 2**63:
            return ids
        numbers.append(block)
    return numbers


def _claims(data: Mapping[str, Any]) -> bool:
    if "text_input" in data or ("payload" in data and "type" not in data):
        return True
    if "hash_ids" in data and "input_length" in data:
        return "session_id" in data or "delay" in data or "output_token_ids" in data
    return "messages" in data and ("delay" in data or "output_length" in data)


MOONCAKE_SESSIONS = Format(
    "mooncake_sessions",
    "Mooncake with sessions (AIPerf, Dynamo)",
    "json",
    frozenset({"blocks", "text"}),
    _claims,
    _Sessions,
)
