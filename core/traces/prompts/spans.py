"""What a span of a model call tells of its request, as the body of a chat call.

Four ways to write the same: the conventions' `gen_ai.input.messages` (with `gen_ai.system_instructions` and
`gen_ai.tool.definitions`), as attributes or on one event; older conventions' events, one a message
(`gen_ai.user.message`, …) or one for the prompt (`gen_ai.content.prompt`); OpenLLMetry's numbered attributes
(`gen_ai.prompt.0.role`); OpenInference's (`llm.input_messages.0.message.role`, in tables one list of such;
`input.value`). The Vercel SDK's `ai.prompt.messages` and Logfire's `request_data` are read too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.traces.field_map import entered

_WHOLE = (
    *("gen_ai.input.messages", "gen_ai.prompt", "gen_ai.request.messages"),
    *("ai.prompt.messages", "llm.input_messages"),
)
_BODIES = ("input.value", "request_data")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_NUMBERED = (
    re.compile(r"gen_ai\.prompt\.(\d{1,5})\.(.+)"),
    re.compile(r"llm\.input_messages\.(\d{1,5})\.message\.(.+)"),
)
_TOOLS = (
    re.compile(r"llm\.request\.functions\.(\d{1,5})\.(.+)"),
    re.compile(r"llm\.tools\.(\d{1,5})\.(?:tool\.)?(.+)"),
)
_CALL = re.compile(r"(?:message\.)?tool_calls\.(\d{1,5})\.(?:tool_call\.)?(?:function\.)?(.+)")
_CONTENT = re.compile(r"(?:message\.)?contents\.(\d{1,5})\.message_content\.text")
Event = tuple[str, Mapping[str, Any]]
Body = dict[str, Any]


def body_of(attributes: Mapping[str, Any], events: Sequence[Event]) -> Body | None:
    """The call's body; None where the span does not hold what was sent (it is not recorded by default)."""
    for holder in (attributes, *(inner for _, inner in events)):
        found = _whole(holder)
        if found is not None:
            return found
    messages = [found for name, inner in events if (found := event_message(name, inner)) is not None]
    return ({"messages": messages} if messages else None) or _numbered(attributes) or _value(attributes)


def event_message(name: str, content: Mapping[str, Any]) -> Body | None:
    """The message that an event or a log record is; None for any other (the answer is gen_ai.choice)."""
    match = _EVENT.fullmatch(name)
    if match is None:
        return None
    found = {
        key.removeprefix("gen_ai.message.").removeprefix("gen_ai."): entered(content[key]) for key in content
    }
    message = {key: found[key] for key in ("role", "content", "name") if found.get(key) is not None}
    if isinstance(found.get("tool_calls"), list):
        message["tool_calls"] = found["tool_calls"]
    return {"role": match[1], "content": ""} | message


def _whole(holder: Mapping[str, Any]) -> Body | None:
    """All messages in one attribute."""
    for name in _WHOLE:
        value = entered(holder.get(name))
        if isinstance(value, dict) and "messages" in value:
            return value
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            value = [_message(item) if "message.role" in item else item for item in value]
            system = entered(holder.get("gen_ai.system_instructions"))
            tools = entered(holder.get("gen_ai.tool.definitions"))
            return {
                "messages": value,
                "system_instructions": system if isinstance(system, list | str) else None,
                "tools": tools if isinstance(tools, list) else None,
            }
        if isinstance(value, str) and value:
            return {"prompt": value}
    return None


def _numbered(attributes: Mapping[str, Any]) -> Body | None:
    """Messages taken apart into attributes with a number each."""
    for pattern in _NUMBERED:
        parts = _by_number(attributes, pattern)
        if parts:
            tools = [tool for form in _TOOLS for _, tool in sorted(_by_number(attributes, form).items())]
            messages = [_message(fields) for _, fields in sorted(parts.items())]
            return {"messages": messages, "tools": [_tool(tool) for tool in tools] or None}
    return None


def _by_number(attributes: Mapping[str, Any], pattern: re.Pattern[str]) -> dict[int, Body]:
    found: dict[int, Body] = {}
    for name, value in attributes.items():
        match = pattern.fullmatch(name)
        if match is not None:
            found.setdefault(int(match[1]), {})[match[2]] = value
    return found


def _message(fields: Body) -> Body:
    fields = {name.removeprefix("message."): value for name, value in fields.items()}
    calls = sorted(_by_number(fields, _CALL).items())
    texts = {int(match[1]): text for name, text in fields.items() if (match := _CONTENT.fullmatch(name))}
    content = entered(fields.get("content", [text for _, text in sorted(texts.items())] or ""))
    message = {"role": fields.get("role", "user"), "content": content if content is not None else ""}
    if calls:
        message["tool_calls"] = [
            {"name": call.get("name"), "arguments": call.get("arguments")} for _, call in calls
        ]
    return message


def _tool(fields: Body) -> Body:
    """A tool's schema, whole as JSON or in parts."""
    whole = entered(fields.get("json_schema"))
    return whole if isinstance(whole, dict) else {name: entered(value) for name, value in fields.items()}


def _value(attributes: Mapping[str, Any]) -> Body | None:
    """The whole input, if it is a body."""
    names = ("messages", "contents", "prompt", "input")
    for field in _BODIES:
        value = entered(attributes.get(field))
        if isinstance(value, dict) and any(value.get(name) for name in names):
            return value
    return None
