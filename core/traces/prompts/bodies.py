"""The body of an API call as segments, whichever API it is for.

OpenAI chat (`messages`, `tools`), completions (`prompt`: a text, token ids, or several of them), Responses
(`instructions`, `input`) and Anthropic Messages (`system` beside `messages`) are told apart by their fields.
"""

from __future__ import annotations

from core.traces.model import Segment
from core.traces.prompts.chat import ChatRenderer, Parts
from core.traces.rows import Row

Segments = tuple[Segment, ...]
_CHAT = frozenset(["messages", "system", "tools"])
_RESPONSES = frozenset(["instructions", "input", "tools"])
_COMPLETIONS = frozenset(["prompt"])
"""What the prompt is made of; the other fields of the body are told as unread."""


def body_prompts(chat: ChatRenderer, body: Row) -> list[Segments]:
    """The prompts of one call: one, or as many as a list of prompts holds.

    Raises:
        TraceError: no prompt in it, or one that cannot be read.
    """
    if body.get("messages") is not None:
        return [messages_body(chat, body)]
    if body.get("prompt") is not None:
        return _completions(chat, body)
    if body.get("input") is not None:
        return [_responses(chat, body)]
    raise body.wrong("messages", "messages, a prompt or an input")


def messages_body(chat: ChatRenderer, body: Row) -> Segments:
    """A chat call, OpenAI's or Anthropic's (that one has its system text beside the messages)."""
    messages = body.objects("messages")
    if not messages:
        raise body.wrong("messages", "at least one message")
    chat.unread.body(body, _CHAT)
    return chat.chat(messages, chat.content(body, "system", "system"), chat.tools(body))


def token_segment(row: Row, field: str) -> Segments:
    """A prompt that the log gives as token ids."""
    ids = row.token_ids(field)
    if not ids:
        raise row.wrong(field, "at least one token id")
    return (Segment("prompt", None, ids),)


def _completions(chat: ChatRenderer, body: Row) -> list[Segments]:
    value = body.get("prompt")
    chat.unread.body(body, _COMPLETIONS)
    if isinstance(value, str):
        return [_text(chat, body, value)]
    prompts = body.items("prompt")
    if not prompts:
        raise body.wrong("prompt", "a text or a list that is not empty")
    if all(isinstance(prompt, str) for prompt in prompts):
        return [_text(chat, body, prompt) for prompt in prompts]
    if all(isinstance(prompt, list) for prompt in prompts):
        parts = [Row({"prompt": prompt}, body.place, body.path) for prompt in prompts]
        return [token_segment(part, "prompt") for part in parts]
    return [token_segment(body, "prompt")]


def _text(chat: ChatRenderer, body: Row, text: str) -> Segments:
    if not text:
        raise body.wrong("prompt", "a text that is not empty", "an empty text")
    return chat.prompt(text)


def _responses(chat: ChatRenderer, body: Row) -> Segments:
    instructions = body.get("instructions")
    chat.unread.body(body, _RESPONSES)
    system: Parts = []
    if instructions is not None:
        system.append(("system", body.text("instructions"), body.name("instructions")))
    if isinstance(body.get("input"), str):
        turns = [("user", "user", [("user", body.text("input"), body.name("input"))])]
        return chat.assemble(turns, system, chat.tools(body))
    items = [item if "role" in item else _as_message(item) for item in body.objects("input")]
    if not items:
        raise body.wrong("input", "at least one item")
    return chat.chat(items, system, chat.tools(body))


def _as_message(item: Row) -> Row:
    """A function call or its result, which the Responses API writes without a role."""
    role = "tool" if "output" in item else "assistant"
    data = {"role": role, "content": [{"type": "item"} | item.value]}
    return Row(data, item.place, item.path)
