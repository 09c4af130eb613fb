"""Requests with text become tokens: tools, system text and messages through a template and a tokenizer.

Each piece (a role marker, a message's text, one tool's schema) is encoded by itself, as special tokens make
real templates do, and equal pieces are encoded once and shared. parts.py: what a message consists of.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from sys import intern

from core.scenario.tokenizer import Tokenizer
from core.traces.model import Segment
from core.traces.pieces import Pieces, message_of
from core.traces.prompts.hidden import Hidden
from core.traces.prompts.parts import PartReader, Parts, call_text
from core.traces.prompts.unread import Unread
from core.traces.rows import Row
from core.traces.templates import TEMPLATES

Turn = tuple[str, str, Parts]
"""One message: its role, the role as its marker shows it (with a name), its parts."""


class ChatRenderer(PartReader):
    """Text to segments, for one trace. Equal (role, text) pairs give the same segment."""

    def __init__(self, tokenizer: Tokenizer, template: str) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self._template = TEMPLATES[template]
        self._segments: dict[tuple[str, str], Segment] = {}
        self._paths: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.unread = Unread()
        self.hidden = Hidden()

    def segment(self, role: str, text: str) -> Segment:
        """One piece of text as a segment."""
        key = (role, text)
        known = self._segments.get(key)
        if known is None:
            known = self._segments[key] = Segment(role, text, array("I", self._tokenizer.encode(text)))
            self.hidden.note(id(known), role, text)
        return known

    def num_tokens(self, text: str) -> int:
        """How many tokens a text is, without keeping it."""
        return len(self._tokenizer.encode(text))

    def prompt(self, text: str, where: str = "prompt") -> tuple[Segment, ...]:
        """A plain prompt, without any template."""
        return self._pieces([(self.segment("prompt", text), where)]) if text else ()

    def chat(self, messages: Sequence[Row], system: Parts, tools: Parts) -> tuple[Segment, ...]:
        """A chat request: tools and system text in front, then the messages, then the answer's marker."""
        return self.assemble([self.turn(message) for message in messages], system, tools)

    def turn(self, message: Row) -> Turn:
        """One message: its role, the role as its marker shows it, its parts.

        Raises:
            TraceError: no role, or content that cannot be read.
        """
        field = "parts" if "parts" in message and "content" not in message else "content"
        role = message.text("role", "user" if field == "parts" else None)
        role = "assistant" if role == "model" else role
        name = message.label("name")
        self.unread.message(message)
        parts: Parts = []
        if message.get("reasoning_content") is not None:
            thought = message.text("reasoning_content")
            parts.append(("thinking", thought, message.name("reasoning_content")))
        parts += self.content(message, field, role)
        if message.get("tool_calls") is not None:
            parts += [(role, call_text(call), call.path) for call in message.objects("tool_calls")]
        if message.get("function_call") is not None:
            parts.append((role, call_text(message.object("function_call")), message.name("function_call")))
        if not parts and field not in message:
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


def output_text(row: Row | None, field: str = "content") -> str | None:
    """A response message's text, if it has one."""
    value = None if row is None else row.get(field)
    if isinstance(value, list):
        texts = [
            part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str)
        ]
        return "".join(texts) or None
    return value if isinstance(value, str) and value else None
