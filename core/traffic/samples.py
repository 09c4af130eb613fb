"""Made-up logs with text: so that a page is never empty, and to see each cause of misses once.

Every log is the text of a JSON-lines file in the form of OpenAI chat requests, made from a seed; it goes
through the same reader as anybody's upload. Words are drawn from a short list and mean nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from core.traffic.large_samples import LARGE_KINDS, large_log

KINDS = ("mixed", "chat", "agent", "rag", "templates")
SAMPLES = (*KINDS, *LARGE_KINDS)
"""With the large ones, which have no text."""

_WORDS = (
    "bowl", "broth", "noodle", "spoon", "table", "guest", "order", "spice", "onion", "ginger", "kettle",
    "flame", "basil", "market", "river", "garden", "lantern", "winter", "morning", "quiet", "narrow",
    "simple", "golden", "steady", "honest", "careful", "curious", "silver", "distant", "gather",
    "simmer", "season", "measure", "serve", "taste", "carry", "answer", "remember", "promise", "borrow",
    "follow", "wander", "return",
)  # fmt: skip
_TOOLS = ("search", "read_file", "write_file", "run_tests", "list_files")
_START = 1_900_000_000  # a made-up date
Row = dict[str, Any]


@lru_cache(maxsize=len(SAMPLES))
def sample_log(kind: str, seed: int = 7) -> str:
    """The file's text. The same kind and seed give the same bytes."""
    if kind in LARGE_KINDS:
        return large_log(kind, seed)
    writer = _Writer(seed)
    if kind == "mixed":
        for part in ("chat", "agent", "rag", "templates"):
            _MAKERS[part](writer, 0.5)
    else:
        _MAKERS[kind](writer, 1.0)
    rows = sorted(writer.rows, key=lambda row: (row["timestamp"], row["request_id"]))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


class _Writer:
    """Rows, and made-up words."""

    def __init__(self, seed: int) -> None:
        self.dice = np.random.default_rng(seed)
        self.rows: list[Row] = []

    def text(self, num_words: int) -> str:
        words = [_WORDS[place] for place in self.dice.integers(len(_WORDS), size=max(num_words, 1))]
        return " ".join(words).capitalize() + "."

    def about(self, mean: int) -> int:
        return max(int(self.dice.gamma(3.0, mean / 3)), 3)

    def pause(self, mean_s: float) -> float:
        return float(self.dice.exponential(mean_s))

    def add(self, at_s: float, messages: list[Row], tenant: str, session: str, **more: Any) -> None:
        row = {
            "request_id": f"{tenant}-{len(self.rows) + 1}",
            "timestamp": round(_START + at_s, 3),
            "session_id": session,
            "tenant": tenant,
            **more,
            "messages": list(messages),
        }
        self.rows.append(row)


def _chat(writer: _Writer, share: float) -> None:
    """Conversations behind one system prompt; every turn sends all before it. Some clients keep only the
    last messages."""
    system = {"role": "system", "content": "You are a helpful cook. " + writer.text(180)}
    for number in range(int(36 * share)):
        at_s = float(writer.dice.uniform(0, 1800))
        said: list[Row] = []
        keeps_all = number % 4 != 0
        for _ in range(int(writer.dice.integers(2, 8))):
            said.append({"role": "user", "content": writer.text(writer.about(45))})
            shown = said if keeps_all else said[-5:]
            writer.add(at_s, [system, *shown], "chat", f"chat-{number}", template="assistant")
            said.append({"role": "assistant", "content": writer.text(writer.about(70))})
            at_s += writer.pause(60)


def _agent(writer: _Writer, share: float) -> None:
    """A coding agent: tools, a long system prompt, results of tools, pauses, and once a compaction. One
    client lists its tools in any order, another writes their keys in any order."""
    tools = [_tool(writer, name) for name in _TOOLS]
    system = "You are a careful programmer. " + writer.text(260)
    for number in range(int(10 * share)):
        at_s = float(writer.dice.uniform(0, 1200))
        said: list[Row] = [{"role": "user", "content": writer.text(60)}]
        for step in range(int(writer.dice.integers(8, 16))):
            if step == 9:
                said = [{"role": "user", "content": "Summary so far: " + writer.text(80)}]
            shown = [{"role": "system", "content": system}, *said]
            used = _shuffled(writer, tools) if number % 5 == 1 else tools
            used = [_other_keys(tool) if number % 5 == 2 and step % 2 else tool for tool in used]
            writer.add(at_s, shown, "agent", f"agent-{number}", template="coder", tools=used)
            said.append({"role": "assistant", "content": writer.text(writer.about(25))})
            said.append({"role": "tool", "content": writer.text(writer.about(90))})
            at_s += writer.pause(8) + (600 if step == 5 else 0)


def _rag(writer: _Writer, share: float) -> None:
    """A few popular documents in the order in which they were found, then a question."""
    system = {"role": "system", "content": "Answer from the documents. " + writer.text(40)}
    documents = [f"Document {k + 1}. " + writer.text(90) for k in range(12)]
    weights = 1 / np.arange(1, 13)
    for number in range(int(100 * share)):
        found = writer.dice.choice(12, 3, replace=False, p=weights / weights.sum())
        content = "\n\n".join([*(documents[int(k)] for k in found), writer.text(writer.about(15))])
        at_s = float(writer.dice.uniform(0, 1800))
        messages = [system, {"role": "user", "content": content}]
        writer.add(at_s, messages, "rag", f"rag-{number}", template="documents")


def _templates(writer: _Writer, share: float) -> None:
    """A nightly batch: one long instruction, a record each. Half of it begins with the time."""
    instruction = writer.text(160)
    for number in range(int(120 * share)):
        at_s = 1800 + 2.0 * number
        now = datetime(2030, 3, 17, 9, tzinfo=UTC) + timedelta(seconds=int(at_s))
        head = f"Now it is {now:%Y-%m-%d %H:%M:%S}. " if number % 2 else ""
        system = {"role": "system", "content": head + "Sort the record below. " + instruction}
        record = {"role": "user", "content": writer.text(writer.about(30))}
        name = "stamped" if number % 2 else "plain"
        writer.add(at_s, [system, record], "batch", f"batch-{number}", template=name)


def _tool(writer: _Writer, name: str) -> Row:
    about = {"type": "string", "description": writer.text(12)}
    return {
        "type": "function",
        "function": {"name": name, "description": writer.text(25), "parameters": {"query": about}},
    }


def _other_keys(tool: Row) -> Row:
    """The same tool, its keys the other way round."""
    function = dict(reversed(list(tool["function"].items())))
    return {"function": function, "type": tool["type"]}


def _shuffled(writer: _Writer, tools: list[Row]) -> list[Row]:
    return [tools[int(place)] for place in writer.dice.permutation(len(tools))]


_MAKERS: Mapping[str, Callable[[_Writer, float], None]] = MappingProxyType(
    {"chat": _chat, "agent": _agent, "rag": _rag, "templates": _templates}
)
