"""Requests with text become tokens: tools, system text and messages through a template and a tokenizer.

Each piece (a role marker, a message's text, one tool's schema) is encoded by itself, as special tokens make
real templates do, and equal pieces are encoded once and shared. Structured parts are written as JSON exactly
in the log's key order, because a cache sees that order. Ids of tool calls are left out: templates differ.
An image counts as a short placeholder that names its content; how many tokens it really costs is unknown.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from sys import intern

from xxhash import xxh3_64_hexdigest

from core.scenario.tokenizer import Tokenizer
from core.texts import text_bytes
from core.traces import problems
from core.traces.model import Segment
from core.traces.pieces import Pieces, message_of
from core.traces.prompts.unread import Unread
from core.traces.rows import Row
from core.traces.templates import TEMPLATES

Parts = list[tuple[str, str, str]]
"""(role, text, where it stands in the record) in order."""
Turn = tuple[str, str, Parts]
"""One message: its role, the role as its marker shows it (with a name), its parts."""

_MEDIA = (
    "image",
    "image_url",
    "input_image",
    "input_audio",
    "audio",
    "document",
    "file",
    "input_file",
    "video",
)
_TEXTS = ("text", "input_text", "output_text", "refusal", "thinking", "reasoning")


class ChatRenderer:
    """Text to segments, for one trace. Equal (role, text) pairs give the same segment."""

    def __init__(self, tokenizer: Tokenizer, template: str) -> None:
        self._tokenizer = tokenizer
        self._template = TEMPLATES[template]
        self._segments: dict[tuple[str, str], Segment] = {}
        self._paths: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.num_media = 0
        self.unread = Unread()

    def segment(self, role: str, text: str) -> Segment:
        """One piece of text as a segment."""
        key = (role, text)
        known = self._segments.get(key)
        if known is None:
            known = self._segments[key] = Segment(role, text, array("I", self._tokenizer.encode(text)))
        return known

    def num_tokens(self, text: str) -> int:
        """How many tokens a text is, without keeping it."""
        return len(self._tokenizer.encode(text))

    def prompt(self, text: str) -> tuple[Segment, ...]:
        """A plain prompt, without any template."""
        return self._pieces([(self.segment("prompt", text), "prompt")]) if text else ()

    def chat(self, messages: Sequence[Row], system: Parts, tools: Parts) -> tuple[Segment, ...]:
        """A chat request: tools and system text in front, then the messages, then the answer's marker."""
        return self.assemble([self.turn(message) for message in messages], system, tools)

    def turn(self, message: Row) -> Turn:
        """One message: its role, the role as its marker shows it, its parts.

        Raises:
            TraceError: no role, or content that cannot be read.
        """
        role = message.text("role")
        name = message.label("name")
        self.unread.message(message)
        parts: Parts = []
        if message.get("reasoning_content") is not None:
            thought = message.text("reasoning_content")
            parts.append(("thinking", thought, message.name("reasoning_content")))
        parts += self.content(message, "content", role)
        if message.get("tool_calls") is not None:
            parts += [(role, _call(call), call.path) for call in message.objects("tool_calls")]
        if not parts and "content" not in message:
            raise message.wrong("content", "a text or a list of parts")
        return role, f"{role} {name}" if name else role, parts

    def assemble(self, turns: Sequence[Turn], system: Parts, tools: Parts) -> tuple[Segment, ...]:
        """Frame and encode. An assistant's message at the end is continued, not closed."""
        turns = list(turns)
        if system:
            turns.insert(0, ("system", "system", system))
        if tools and self._template.tools == "system":
            if turns and turns[0][0] == "system":
                turns[0] = (*turns[0][:2], turns[0][2] + tools)
            else:
                turns.insert(0, ("system", "system", tools))
        elif tools:
            turns.insert(0, ("tools", "tools", tools))
        template = self._template
        found = [(self.segment("marker", template.start), "")] if template.start else []
        for number, (role, shown, parts) in enumerate(turns, 1):
            where = message_of([path for _, _, path in parts])
            found.append((self.segment("marker", template.open(shown)), where))
            found += [(self.segment(kind, text), path) for kind, text, path in parts if text]
            if number == len(turns) and role == "assistant":
                return self._pieces(found)
            found.append((self.segment("marker", template.closing), where))
        found.append((self.segment("marker", template.open("assistant")), ""))
        return self._pieces(found)

    def _pieces(self, found: list[tuple[Segment, str]]) -> Pieces:
        paths = tuple(intern(path) for _, path in found)
        return Pieces((part for part, _ in found), self._paths.setdefault(paths, paths))

    # -- parts ----------------------------------------------------------------------------------------

    def content(self, row: Row, field: str, role: str) -> Parts:
        """A text, or a list of parts (OpenAI's and Anthropic's kinds)."""
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
        kind = part.label("type") or "text"
        if kind in _TEXTS:
            name = next((n for n in ("text", "refusal", "thinking", "reasoning") if n in part), "text")
            shown = "thinking" if kind in ("thinking", "reasoning") else role
            return [(shown, part.text(name), part.name(name))]
        if kind == "redacted_thinking":
            return [("thinking", part.text("data"), part.name("data"))]
        if kind == "tool_use":
            return [(role, _json({"name": part.get("name"), "input": part.get("input")}, part), part.path)]
        if kind == "tool_result":
            return self.content(part, "content", "tool")
        if kind in _MEDIA:
            self.num_media += 1
            content = text_bytes(_json(_source(part), part))
            return [("media", f"<{kind} {xxh3_64_hexdigest(content)}>", part.path)]
        return [(role, _json(_without_ids(part.value), part), part.path)]

    def tools(self, body: Row, field: str = "tools") -> Parts:
        """One part per tool, so that a changed order shows where it begins."""
        if body.get(field) is None:
            return []
        tools = body.objects(field)
        return [("tools", _json(_without_ids(tool.value), tool) + "\n", tool.path) for tool in tools]


def output_text(row: Row | None, field: str = "content") -> str | None:
    """A response message's text, if it has one."""
    value = None if row is None else row.get(field)
    if isinstance(value, list):
        texts = [
            part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str)
        ]
        return "".join(texts) or None
    return value if isinstance(value, str) and value else None


def _call(call: Row) -> str:
    function = call.object_or_none("function") or call
    return _json({"name": function.get("name"), "arguments": function.get("arguments")}, call)


def _source(part: Row) -> object:
    """What says which image it is: everything but settings that do not change it."""
    return {key: value for key, value in part.value.items() if key not in ("type", "cache_control", "detail")}


def _without_ids(data: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in data.items() if key not in ("cache_control", "id")}


def _json(value: object, row: Row) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise problems.not_json(row.place, "nested too deeply") from None
