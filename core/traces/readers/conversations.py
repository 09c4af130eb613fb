"""Stored conversations: ShareGPT (JSON array or JSONL) and LMSYS-Chat-1M.

Source rule: a record is a whole conversation, so it becomes one request per turn of the user, each with all
messages before it: `conversations: [{from, value}]` with human / gpt / system (ShareGPT), or
`conversation: [{role, content}]` (LMSYS, also `messages`). The distributed ShareGPT file is one JSON array.
The answer behind a turn gives the output length. There are no times: conversation after conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.mapping.mapped import num_tokens
from core.traces.model import TraceRequest
from core.traces.prompts.chat import Turn
from core.traces.rows import Row

MOST_TURNS = 1000
"""Every turn repeats all before it; a longer record is no conversation."""
_USED = frozenset(["conversations", "conversation", "tools", "language"])
_ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "assistant": "assistant",
    "model": "assistant",
}


def _read_sharegpt(builder: Builder, row: Row) -> None:
    turns: list[Turn] = []
    for message in row.objects("conversations"):
        if "from" in message:
            role = _ROLES.get(message.text("from"), message.text("from"))
            turns.append((role, role, [(role, message.text("value"), message.name("value"))]))
        else:
            turns.append(builder.chat.turn(message))
    _expand(builder, row, turns, row.label("id"))


def _read_lmsys(builder: Builder, row: Row) -> None:
    turns = [builder.chat.turn(message) for message in row.objects("conversation")]
    _expand(builder, row, turns, row.label("conversation_id"))


def _expand(builder: Builder, row: Row, turns: list[Turn], name: str | None) -> None:
    if len(turns) > MOST_TURNS:
        raise row.wrong("the conversation", f"at most {MOST_TURNS} messages", f"{len(turns)} messages")
    asked = [place for place, turn in enumerate(turns) if turn[0] == "user"]
    if not asked:
        builder.note("other_rows")
        return
    builder.note("expanded")
    builder.chat.unread.body(row, _USED)
    session = name or builder.next_id(row)
    for number, place in enumerate(asked, 1):
        segments = builder.chat.assemble(turns[: place + 1], [], builder.chat.tools(row))
        answer = turns[place + 1] if place + 1 < len(turns) else None
        builder.add(
            TraceRequest(
                request_id=f"{session}/{number}",
                num_tokens=num_tokens(segments),
                segments=segments,
                num_output=_length(builder, answer),
                session=session,
                tag=row.label("language") if isinstance(row.get("language"), str) else None,
                model=row.label("model"),
                line=row.place.line,
            )
        )


def _length(builder: Builder, answer: Turn | None) -> int | None:
    if answer is None or answer[0] != "assistant":
        return None
    return num_tokens(tuple(builder.chat.segment(kind, text) for kind, text, _ in answer[2] if text))


def _claims_sharegpt(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("conversations"), list)


def _claims_lmsys(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("conversation"), list)


SHAREGPT = Format(
    "sharegpt", "ShareGPT", "json", frozenset({"text"}), _claims_sharegpt, each_row(_read_sharegpt)
)
LMSYS = Format("lmsys", "LMSYS-Chat-1M", "json", frozenset({"text"}), _claims_lmsys, each_row(_read_lmsys))
