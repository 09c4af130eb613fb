"""Logs broken in one known way, each beside the same log without that; other words for every seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

Rows = list[dict[str, Any]]
_WORDS = (
    "anchor", "barrel", "candle", "dagger", "easel", "feather", "goblet", "hammer", "island", "jacket",
    "kettle", "ladder", "mirror", "needle", "orchard", "pebble", "quill", "ribbon", "saddle", "timber", "urn",
    "valley", "willow", "yarn", "zither", "amber", "brisk", "calm", "dim", "eager", "faint", "gentle",
)  # fmt: skip
NUM = 24


@dataclass(frozen=True, slots=True)
class Made:
    """``path``: where it breaks; None: nowhere, and nothing may be offered."""

    broken: Rows
    mended: Rows
    path: str | None


class Writer:
    """Texts of one seed."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.start = datetime(2028, 1, 1, tzinfo=UTC) + timedelta(days=self.dice.randrange(300), minutes=seed)

    def text(self, count: int) -> str:
        return " ".join(self.dice.choices(_WORDS, k=count)).capitalize() + "."

    def body(self, paragraphs: int = 7) -> str:
        return "\n\n".join(self.text(30) for _ in range(paragraphs))

    def when(self, number: int) -> datetime:
        return self.start + timedelta(minutes=41 * number)

    def tools(self, count: int = 5) -> list[dict[str, Any]]:
        return [
            {
                "type": "function",
                "function": {
                    "name": f"tool_{number}",
                    "description": self.text(22),
                    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
                },
            }
            for number in range(count)
        ]

    def shuffled(self, values: list[Any]) -> list[Any]:
        return self.dice.sample(values, len(values))


def said(role: str, content: object) -> dict[str, Any]:
    return {"role": role, "content": content}


def _systems(path: str, write: Callable[[Writer, int, str], tuple[Any, Any]]) -> Callable[[Writer], Made]:
    """Prompts of a system message and a question; ``write`` gives the message broken and mended."""

    def make(writer: Writer) -> Made:
        body, broken, mended = writer.body(), [], []
        for number in range(NUM):
            ask = said("user", writer.text(9))
            bad, good = write(writer, number, body)
            broken.append({"messages": [said("system", bad), ask]})
            mended.append({"messages": [said("system", good), ask]})
        return Made(broken, mended, path)

    return make


def _stamp(form: str, layout: str = "{value}\n{body}") -> Callable[[Writer, int, str], tuple[str, str]]:
    """A date in some form, and the same text with the day of the first one."""

    def write(writer: Writer, number: int, body: str) -> tuple[str, str]:
        day, first = f"{writer.when(number):{form}}", f"{writer.when(0):{form}}"
        return layout.format(value=day, body=body), layout.format(value=first, body=body)

    return write


def _several_names(writer: Writer, number: int, body: str) -> tuple[str, str]:
    name = ["Ana", "Boris", "Cem", "Dora", "Emil"][number % 5]
    layout = "You help {name}.\n\n{middle}\n\nCall {name} by name.\n\n{body}"
    middle = body.partition("\n\n")[0]
    return (
        layout.format(name=name, middle=middle, body=body),
        layout.format(name="them", middle=middle, body=body),
    )


def _nested_json(writer: Writer, number: int, body: str) -> tuple[str, str]:
    state = {"now": writer.when(number).isoformat(), "policy": body}
    turned = {"policy": body, "now": state["now"]}
    return json.dumps({"state": state, "tone": "kind"}), json.dumps({"tone": "kind", "state": turned})


def _odd_blanks(writer: Writer, number: int, body: str) -> tuple[str, str]:
    return (body.replace(" ", "\u00a0", 2) if number % 3 == 1 else body), body


def _two_blanks(writer: Writer, number: int, body: str) -> tuple[str, str]:
    return (body.replace(". ", ".  ").replace("\n\n", "\n\n\n", 1) if number % 2 else body), body


def _prompt(writer: Writer) -> Made:
    """No messages at all."""
    body = writer.body()
    asked = [writer.text(9) for _ in range(NUM)]
    broken = [{"prompt": f"[{writer.when(n):%d.%m.%Y %H:%M}] {body}\n\n{asked[n]}"} for n in range(NUM)]
    return Made(broken, [{"prompt": f"{body}\n\n{one}"} for one in asked], "prompt")


def _anthropic(writer: Writer) -> Made:
    """The system text beside the messages."""
    body, broken, mended = writer.body(), [], []
    for _number in range(NUM):
        row = {"model": "c", "max_tokens": 9, "messages": [said("user", writer.text(9))]}
        broken.append(row | {"system": f"Session {writer.dice.getrandbits(64):016x}. {body}"})
        mended.append(row | {"system": body})
    return Made(broken, mended, "system")


def _description(writer: Writer) -> Made:
    """A date inside a tool's description."""
    body, tools, broken, mended = writer.body(3), writer.tools(), [], []
    for number in range(NUM):
        row = {"messages": [said("system", body), said("user", writer.text(9))]}
        first = json.loads(json.dumps(tools[0]))
        first["function"]["description"] += f" Data of {writer.when(number).isoformat()} or later."
        broken.append(row | {"tools": [first, *tools[1:]]})
        mended.append(row | {"tools": tools})
    return Made(broken, mended, "tools")


def _chats(
    change: Callable[[Writer, int, Rows], Rows], path: str | None, sessions: bool = True
) -> Callable[[Writer], Made]:
    """Four talks of six turns behind one system message; ``change`` breaks a prompt's messages."""

    def make(writer: Writer) -> Made:
        system, talks = said("system", writer.body(4)), [list[dict[str, Any]]() for _ in range(4)]
        broken, mended = [], []
        for number in range(NUM):
            talk = talks[number % 4]
            talk.append(said("user", writer.text(14)))
            whole = [system, *talk]
            name = {"session_id": f"s{number % 4}"} if sessions else {}
            broken.append({"messages": change(writer, number, whole), **name})
            mended.append({"messages": whole, **name})
            talk.append(said("assistant", writer.text(26)))
        return Made(broken, mended, path)

    return make


def _trimmed(writer: Writer, number: int, messages: Rows) -> Rows:
    return [messages[0], *messages[1:][-5:]]


def _dated(writer: Writer, number: int, messages: Rows) -> Rows:
    head = f"It is {writer.when(number):%A, %B %d, %Y at %I:%M %p}.\n\n{messages[0]['content']}"
    return [said("system", head), *messages[1:]]


def _seen(writer: Writer, number: int, messages: Rows) -> Rows:
    if len(messages) < 4:
        return messages
    return [messages[0], said("user", f"{messages[1]['content']} (read {number} times)"), *messages[2:]]


def _shuffled_tools(writer: Writer) -> Made:
    """Tools and the keys in them."""
    tools, body, broken, mended = writer.tools(), writer.body(3), [], []
    for _ in range(NUM):
        row = {"messages": [said("system", body), said("user", writer.text(9))]}
        keys = [
            {"function": dict(writer.shuffled(list(tool["function"].items()))), "type": "function"}
            for tool in writer.shuffled(tools)
        ]
        broken.append(row | {"tools": keys})
        mended.append(row | {"tools": tools})
    return Made(broken, mended, "tools")


def _found_papers(writer: Writer) -> Made:
    """The same few papers in the order of a search."""
    papers, system = [writer.text(50) for _ in range(4)], said("system", writer.text(30))
    broken, mended = [], []
    for _ in range(NUM):
        ask = writer.text(9)
        broken.append({"messages": [system, said("user", "\n\n".join([*writer.shuffled(papers), ask]))]})
        mended.append({"messages": [system, said("user", "\n\n".join([*papers, ask]))]})
    return Made(broken, mended, "messages[1].content")


def _good(make: Callable[[Writer], Made]) -> Callable[[Writer], Made]:
    return lambda writer: Made((made := make(writer)).mended, made.mended, None)


def _own_texts(writer: Writer) -> Made:
    rows = [
        {"messages": [said("system", writer.text(120)), said("user", writer.text(9))]} for _ in range(NUM)
    ]
    return Made(rows, rows, None)


def _several_templates(writer: Writer) -> Made:
    heads = [writer.text(110) for _ in range(4)]
    rows = [
        {"messages": [said("system", heads[number % 4]), said("user", writer.text(9))]}
        for number in range(NUM)
    ]
    return Made(rows, rows, None)


_SYSTEM = "messages[0].content"
MAKERS: Mapping[str, Callable[[Writer], Made]] = MappingProxyType(
    {
        "german_date": _systems(_SYSTEM, _stamp("%d.%m.%Y %H:%M Uhr", "Stand: {value}\n{body}")),
        "date_in_tags": _systems(_SYSTEM, _stamp("<day>%Y-%m-%d</day><time>%H:%M</time>")),
        "chinese_time": _systems(_SYSTEM, _stamp("现在是%Y年%m月%d日%H点%M分。", "{value}{body}")),
        "date_in_a_sentence": _systems(
            _SYSTEM, _stamp("%B %d, %H:%M", "You are a clerk who knows it is {value} here and now. {body}")
        ),
        "several_names": _systems(_SYSTEM, _several_names),
        "nested_json": _systems(_SYSTEM, _nested_json),
        "odd_blanks": _systems(_SYSTEM, _odd_blanks),
        "two_blanks": _systems(_SYSTEM, _two_blanks),
        "prompt": _prompt,
        "anthropic": _anthropic,
        "description": _description,
        "talks_dated": _chats(_dated, _SYSTEM),
        "talks_trimmed": _chats(_trimmed, "messages[1]"),
        "talks_trimmed_without_sessions": _chats(_trimmed, "messages[1]", sessions=False),
        "talks_edited": _chats(_seen, "messages[1].content"),
        "tools_shuffled": _shuffled_tools,
        "papers_shuffled": _found_papers,
        "good_talks": _chats(lambda _writer, _number, messages: messages, None),
        "good_tools": _good(_shuffled_tools),
        "good_papers": _good(_found_papers),
        "own_texts": _own_texts,
        "several_templates": _several_templates,
    }
)


def made(kind: str, seed: int) -> Made:
    """One of them."""
    return MAKERS[kind](Writer(seed))


def as_text(rows: Rows) -> str:
    """As a file."""
    return "".join(
        json.dumps({"request_id": f"r{number}", "timestamp": 1.9e9 + 7 * number, **row}) + "\n"
        for number, row in enumerate(rows)
    )
