"""The body of an API call as segments, whichever API it is for. Its fields tell:

`messages` (OpenAI chat, Anthropic, Bedrock's Converse), `contents` (Gemini), `prompt` (completions: a text,
token ids, or several of them), `input` (Responses), `inputs` (Hugging Face), `inputText` (Titan), token ids
under their usual names. System text and tools beside them are read with them (parts.py).
"""

from __future__ import annotations

from core.traces.field_map import entered
from core.traces.model import Segment
from core.traces.prompts.chat import ChatRenderer, Turn
from core.traces.prompts.parts import SYSTEM_FIELDS, TOOL_FIELDS
from core.traces.prompts.responses import input_turns
from core.traces.rows import Row

Segments = tuple[Segment, ...]
MESSAGE_FIELDS = ("messages", "contents")
TEXT_FIELDS = ("prompt", "inputs", "inputText")
BESIDE = frozenset([*SYSTEM_FIELDS, *TOOL_FIELDS])
"""What is read beside the messages; the other fields of a body are told as unread."""
TOKEN_FIELDS = ("prompt_token_ids", "token_ids", "input_ids")


def body_prompts(chat: ChatRenderer, body: Row) -> list[Segments]:
    """The prompts of one call: one, or as many as a list of prompts holds.

    Raises:
        TraceError: no prompt in it, or one that cannot be read.
    """
    for field in MESSAGE_FIELDS:
        if body.get(field) is not None:
            return [messages_body(chat, body, field)]
    for field in TEXT_FIELDS:
        if body.get(field) is not None and not isinstance(body.get(field), dict):
            return _completions(chat, body, field)
    if body.get("input") is not None:
        return [_responses(chat, body)]
    for field in TOKEN_FIELDS:
        if body.get(field) is not None:
            return [token_segment(body, field)]
    raise body.wrong("messages", "messages, a prompt or an input")


def prompts_in(chat: ChatRenderer, holder: Row, field: str) -> list[Segments]:
    """The prompts that stand in one field, whatever it is called: messages (with the tools and the system
    text beside them), a whole body, a text, token ids; each also as the JSON text of it.

    Raises:
        TraceError: none of these.
    """
    value = holder.get(field)
    read = entered(value)
    if read is not value and (not isinstance(value, str) or _is_call(read)):
        value, holder = read, Row(holder.value | {field: read}, holder.place, holder.path)
    if isinstance(value, dict):
        return body_prompts(chat, holder.object(field))
    if field in MESSAGE_FIELDS:
        return [messages_body(chat, holder, field)]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        items = any("type" in item and "role" not in item for item in value if isinstance(item, dict))
        return [_responses(chat, holder, field) if items else messages_body(chat, holder, field)]
    return _completions(chat, holder, field)


def _is_call(value: object) -> bool:
    """Whether the JSON of a text is a call or its messages; any other JSON is a prompt that happens to be."""
    if isinstance(value, dict):
        return any(name in value for name in (*MESSAGE_FIELDS, *TEXT_FIELDS, "input", *TOKEN_FIELDS))
    return isinstance(value, list) and any(isinstance(item, dict) and "role" in item for item in value)


def messages_body(chat: ChatRenderer, body: Row, field: str = "messages") -> Segments:
    """A chat call; what stands beside the messages goes in front of them. A text is the user's."""
    beside = chat.system(body), chat.tools(body)
    config = body.get("config")
    if isinstance(config, dict) and field == "contents":  # the SDK's second argument
        inner = body.object("config")
        beside = beside[0] + chat.system(inner), beside[1] + chat.tools(inner)
        chat.unread.body(inner, BESIDE)
    turns = _turns(chat, body, field)
    if not turns:
        raise body.wrong(field, "at least one message")
    chat.unread.body(body, BESIDE | {field, "config"} if field == "contents" else BESIDE | {field})
    return chat.assemble(turns, *beside)


def _turns(chat: ChatRenderer, body: Row, field: str) -> list[Turn]:
    value = body.get(field)
    if isinstance(value, dict):
        return [chat.turn(body.object(field))]
    if isinstance(value, str) and field != "messages":
        return [("user", "user", [("user", body.text(field), body.name(field))])]
    return [
        ("user", "user", [("user", item, f"{body.name(field)}[{index}]")])
        if isinstance(item, str) and field != "messages"
        else chat.turn(body.element(field, index, item))
        for index, item in enumerate(body.items(field))
    ]


def token_segment(row: Row, field: str) -> Segments:
    """A prompt that the log gives as token ids."""
    ids = row.token_ids(field)
    if not ids:
        raise row.wrong(field, "at least one token id")
    return (Segment("prompt", None, ids),)


def _completions(chat: ChatRenderer, body: Row, field: str) -> list[Segments]:
    value = body.get(field)
    chat.unread.body(body, frozenset([field]))
    if isinstance(value, str):
        return [_text(chat, body, field, value)]
    prompts = body.items(field)
    if not prompts:
        raise body.wrong(field, "a text or a list that is not empty")
    if all(isinstance(prompt, str) for prompt in prompts):
        return [_text(chat, body, field, prompt) for prompt in prompts]
    if all(isinstance(prompt, list) for prompt in prompts):
        parts = [Row({field: prompt}, body.place, body.path) for prompt in prompts]
        return [token_segment(part, field) for part in parts]
    return [token_segment(body, field)]


def _text(chat: ChatRenderer, body: Row, field: str, text: str) -> Segments:
    if not text:
        raise body.wrong(field, "a text that is not empty", "an empty text")
    return chat.prompt(text, body.name(field))


def _responses(chat: ChatRenderer, body: Row, field: str = "input") -> Segments:
    turns = input_turns(chat, body, field)
    chat.unread.body(body, BESIDE | {field})
    return chat.assemble(turns, chat.system(body), chat.tools(body))
