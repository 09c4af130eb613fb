"""OpenAI's Responses: the items of an input or an output as turns.

Source rule (the API's reference): `input` is a text, the user's, or items: messages, function calls and their
outputs, reasoning; `instructions` stand in front and do not carry over to the next response.
"""

from __future__ import annotations

from core.traces.prompts.chat import ChatRenderer, Turn
from core.traces.rows import Row


def input_turns(chat: ChatRenderer, body: Row, field: str = "input") -> list[Turn]:
    """The turns of an input.

    Raises:
        TraceError: no text and no items, or an item that cannot be read.
    """
    if isinstance(body.get(field), str):
        return [("user", "user", [("user", body.text(field), body.name(field))])]
    turns = item_turns(chat, body, field)
    if not turns:
        raise body.wrong(field, "at least one item")
    return turns


def item_turns(chat: ChatRenderer, body: Row, field: str) -> list[Turn]:
    """The turns of a list of items; () of none."""
    return [chat.turn(_as_message(item)) for item in body.objects(field)]


def _as_message(item: Row) -> Row:
    """A function call or its result, which are written without a role; a message as it is."""
    if "role" in item:
        return item
    role = "tool" if "output" in item else "assistant"
    data = {"role": role, "content": [{"type": "item"} | item.value]}
    return Row(data, item.place, item.path)
