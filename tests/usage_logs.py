"""Logs of usage made by a provider's rules turn by turn, with what truly happened.

A session holds one prefix. A turn reads it if it is still there, and writes what the turn adds; what ends it
is chosen beforehand, so that it is known: a pause beyond the time to live, a shorter prompt, nothing to see.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]
FRESH = 6
"""Tokens behind the last mark: neither read nor written."""

BASE = 14_200
START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
PLAN: Mapping[int, str] = {8: "ttl", 13: "unexplained", 17: "ttl", 20: "shrank", 24: "unexplained"}
"""The session of the design: 25 turns, five resets."""
LOSE_ALL = ("ttl", "unexplained", "model", "tools")
OTHER_MODEL = "claude-opus-4-5-20251101"
"""The model of a session from a turn on whose event is "model"."""


@dataclass
class Told:
    """Usage of one turn, when it came, and what ended the prefix before it ("" where nothing did)."""

    at: datetime
    read: int
    written: int
    fresh: int
    event: str = ""


@dataclass
class Made:
    """One session with its truth."""

    name: str
    turns: list[Told] = field(default_factory=list)

    @property
    def truth(self) -> list[tuple[int, str]]:
        """Turn numbers from 1 and causes."""
        return [(place, turn.event) for place, turn in enumerate(self.turns, 1) if turn.event]


def make_session(
    num_turns: int = 25,
    plan: Mapping[int, str] = PLAN,
    name: str = "7f3a",
    ttl_s: int = 300,
    begins_s: int = 0,
) -> Made:
    """Turn after turn; ``plan``: turn -> what ends the prefix before it."""
    made, at, total = Made(name), START + timedelta(seconds=begins_s), BASE
    for number in range(1, num_turns + 1):
        event, before = plan.get(number, ""), total
        pause = (ttl_s * 7 // 5 if number % 2 == 0 else 9 * ttl_s) if event == "ttl" else 17 + number * 7 % 48
        at += timedelta(seconds=pause if number > 1 else 0)
        total = 15_980 + 9_674 + FRESH if event == "shrank" else before + 760 + number * 613 % 2_300
        held = 0 if number == 1 or event in LOSE_ALL else before - FRESH
        read = 15_980 if event == "shrank" else held
        made.turns.append(Told(at, read, total - read - FRESH, FRESH, event))
    return made


def transcript(
    sessions: Iterable[Made], model: str = "claude-sonnet-4-5-20250929", hour: Sequence[int] = ()
) -> str:
    """As Claude Code writes it; ``hour``: turns that write for an hour."""
    rows = []
    for made in sessions:
        now = model
        for number, turn in enumerate(made.turns, 1):
            now = OTHER_MODEL if turn.event == "model" else now
            long = turn.written if number in hour else 0
            usage = {
                "input_tokens": turn.fresh,
                "cache_read_input_tokens": turn.read,
                "cache_creation_input_tokens": turn.written,
                "output_tokens": 300,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": turn.written - long,
                    "ephemeral_1h_input_tokens": long,
                },
            }
            request = f"req_{made.name}_{number}"
            message = {"id": f"msg_{request}", "role": "assistant", "model": now, "usage": usage}
            head = {"type": "assistant", "uuid": request, "requestId": request, "sessionId": made.name}
            when = turn.at.isoformat().replace("+00:00", "Z")
            rows.append(head | {"timestamp": when, "message": message | {"content": [{"type": "text"}]}})
    return lines(rows)


def chat_rows(
    made: Made,
    *,
    timed: bool = True,
    text: bool = True,
    session: bool = True,
    model: str | None = "gpt-5.1",
    full: bool = False,
) -> str:
    """The same turns as an OpenAI-like proxy writes them: a count of what was read, none of writes.

    ``full``: the text is as long as the count says, not only its beginning.
    """
    rows, tools, before = [], ["read_file"], 0
    said = [{"role": "system", "content": "You are a careful assistant."}]
    for number, turn in enumerate(made.turns, 1):
        total = turn.read + turn.written + turn.fresh
        words = f"Turn {number} adds these words." + " word" * (total - before if full else 0)
        said, before = [*said, {"role": "user", "content": words}], total
        row: Json = {"model": model, "request_id": f"{made.name}-{number}"}
        if turn.event == "tools":
            tools = [*tools, "browser_open"]
        if text:
            row["messages"] = said
            row["tools"] = [{"type": "function", "function": {"name": name}} for name in tools]
        if timed:
            row["timestamp"] = turn.at.isoformat()
        if session:
            row["session_id"] = made.name
        details = {"cached_tokens": turn.read}
        row["usage"] = {"prompt_tokens": total, "completion_tokens": 9, "prompt_tokens_details": details}
        rows.append(row)
    return lines(rows)


def lines(rows: Iterable[Json]) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(row) + "\n" for row in rows)
