"""The parts of a message, and the tools and system text beside the messages, whichever provider's they are.

Structured parts are written as JSON exactly in the log's key order, because a cache sees that order. Ids of
tool calls are left out: templates differ. An image counts as a short placeholder that names its content; how
many tokens it really costs is unknown.

Parts with a `type` are OpenAI's (chat, Responses), Anthropic's and OpenTelemetry's; parts without one are
named by their only field: Bedrock's Converse (``toolUse``, ``toolResult``, ``reasoningContent``,
``cachePoint``) and Gemini (``functionCall``, ``functionResponse``, ``inlineData``, ``fileData``; the SDKs
write them with underscores).
"""

from __future__ import annotations

import json

from xxhash import xxh3_64_hexdigest

from core.texts import text_bytes
from core.traces import problems
from core.traces.field_map import entered
from core.traces.rows import Row

Parts = list[tuple[str, str, str]]
"""(role, text, where it stands in the record) in order."""

_MEDIA = (
    *("image", "image_url", "input_image", "input_audio", "audio", "document", "file", "input_file", "video"),
    *("blob", "uri"),
)
_TEXTS = ("text", "input_text", "output_text", "refusal", "thinking", "reasoning", "summary_text")
_TEXT_FIELDS = ("text", "refusal", "thinking", "reasoning", "content")
_UNTYPED_MEDIA = (
    *("image", "document", "video", "audio", "inlineData", "inline_data", "fileData", "file_data"),
)
_UNTYPED_CALLS = ("toolUse", "functionCall", "function_call")
_UNTYPED_ANSWERS = ("functionResponse", "function_response")
SYSTEM_FIELDS = ("system", "systemInstruction", "system_instruction", "system_instructions", "instructions")
STORED_FIELDS = ("cachedContent", "cached_content")
TOOL_FIELDS = ("tools", "functions", "toolConfig")
_DECLARATIONS = ("functionDeclarations", "function_declarations")


class PartReader:
    """Counts what it could only stand in for: images and files, and stored content named by the log."""

    def __init__(self) -> None:
        self.num_media = 0
        self.num_stored = 0

    def content(self, row: Row, field: str, role: str) -> Parts:
        """A text, or a list of parts."""
        value = row.get(field)
        if value is None:
            return []
        if isinstance(value, str):
            return [(role, value, row.name(field))]
        if not isinstance(value, list):
            raise row.wrong(field, "a text or a list of parts")
        parts: Parts = []
        for index, item in enumerate(value):
            if isinstance(item, str):
                parts.append((role, item, f"{row.name(field)}[{index}]"))
            else:
                parts += self._part(row.element(field, index, item), role)
        return parts

    def _part(self, part: Row, role: str) -> Parts:
        kind = part.label("type") if isinstance(part.get("type"), str) else None
        if kind is None:
            return self._untyped(part, role)
        if kind in _TEXTS:
            name = next((name for name in _TEXT_FIELDS if name in part), "text")
            if name in part or "summary" not in part:
                shown = "thinking" if kind in ("thinking", "reasoning", "summary_text") else role
                return [(shown, part.text(name), part.name(name))]
        if kind == "redacted_thinking":
            return [("thinking", part.text("data"), part.name("data"))]
        if kind == "tool_use":
            return [(role, _named(part, "input"), part.path)]
        if kind == "tool_result":
            return self.content(part, "content", "tool")
        if kind in _MEDIA:
            return self._placeholder(kind, part)
        return [(role, as_json(without_ids(part.value), part), part.path)]

    def _untyped(self, part: Row, role: str) -> Parts:
        """A part that its only field names."""
        if "text" in part:
            return [
                ("thinking" if part.get("thought") is True else role, part.text("text"), part.name("text"))
            ]
        if "cachePoint" in part:
            return []
        for name in _UNTYPED_CALLS:
            if name in part:
                call = part.object(name)
                return [(role, _named(call, "input" if "input" in call else "args"), call.path)]
        for name in _UNTYPED_ANSWERS:
            if name in part:
                answer = part.object(name)
                return [("tool", _named(answer, "response"), answer.path)]
        if "toolResult" in part:
            return self.content(part.object("toolResult"), "content", "tool")
        if "reasoningContent" in part:
            thought = part.object("reasoningContent")
            inner = thought.object_or_none("reasoningText") or thought
            name = "text" if "text" in inner else "redactedContent"
            return [("thinking", inner.text(name), inner.name(name))]
        for name in _UNTYPED_MEDIA:
            if name in part:
                return self._placeholder(name, part)
        if "json" in part or "executableCode" in part or "codeExecutionResult" in part:
            return [(role, as_json(part.value, part), part.path)]
        return [(role, part.text("text"), part.name("text"))]

    def _placeholder(self, kind: str, part: Row) -> Parts:
        self.num_media += 1
        content = text_bytes(as_json(_source(part), part))
        return [("media", f"<{kind} {xxh3_64_hexdigest(content)}>", part.path)]

    # -- beside the messages --------------------------------------------------------------------------

    def tools(self, body: Row) -> Parts:
        """One part per tool, so that a changed order shows where it begins. OpenAI's older `functions` and
        what stands in Bedrock's `toolConfig` are tools too."""
        config = body.get("toolConfig")
        holders = [(body, "tools"), (body, "functions")]
        if isinstance(config, dict) and "tools" in config:
            holders.append((body.object("toolConfig"), "tools"))
        found: Parts = []
        for holder, field in holders:
            for tool in holder.objects(field) if holder.get(field) is not None else ():
                found += self._declared(tool)
        return found

    def _declared(self, tool: Row) -> Parts:
        for name in _DECLARATIONS:
            if isinstance(tool.get(name), list):
                return [_tool(declaration) for declaration in tool.objects(name)]
        return [] if "cachePoint" in tool else [_tool(tool)]

    def system(self, body: Row) -> Parts:
        """The system text beside the messages, behind what the provider stores under a name (Gemini's
        cached content): that is a placeholder, because the log does not hold it."""
        found: Parts = []
        for field in STORED_FIELDS:
            if isinstance(body.get(field), str):
                self.num_stored += 1
                name = xxh3_64_hexdigest(text_bytes(body.text(field)))
                found.append(("system", f"<stored {name}>", body.name(field)))
        for field in SYSTEM_FIELDS:
            if isinstance(body.get(field), dict):
                found += self.content(body.object(field), "parts", "system")
            else:
                found += self.content(body, field, "system")
        return found


def call_text(call: Row) -> str:
    """A tool call of OpenAI's, without its id. Its arguments are an object, whether they are logged as one or
    as the JSON text of one: servers read the text before a template shows it."""
    call = call.object_or_none("function") or call
    given = call.get("arguments")
    read = entered(given) if isinstance(given, str) else given
    return as_json({"name": call.get("name"), "arguments": read if isinstance(read, dict) else given}, call)


def _tool(tool: Row) -> tuple[str, str, str]:
    return "tools", as_json(without_ids(tool.value), tool) + "\n", tool.path


def _named(call: Row, field: str) -> str:
    return as_json({"name": call.get("name"), field: call.get(field)}, call)


def _source(part: Row) -> object:
    """What says which image it is: everything but settings that do not change it."""
    return {key: value for key, value in part.value.items() if key not in ("type", "cache_control", "detail")}


def without_ids(data: dict[str, object]) -> dict[str, object]:
    """Without what differs although nothing the model reads does."""
    return {key: value for key, value in data.items() if key not in ("cache_control", "id")}


def as_json(value: object, row: Row) -> str:
    """A value as the JSON that a cache would see.

    Raises:
        TraceError: it is nested too deeply.
    """
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise problems.not_json(row.place, "nested too deeply") from None
