"""Sessions made by a provider's rules, turn by turn, with what happened to each known: the judge of resets.

A prompt is a list of parts (name, tokens): the tools, the system, one part a message. The provider stores
the prefix that ends with the last message under its parts' names, for five minutes or an hour, and one that
ends with the system; a turn reads the longest stored prefix of its own. Nothing here knows how resets are
found.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

Part = tuple[str, int]
SMALL, LARGE = 1024, 5000
"""Written tokens that are new by their size, and those that are written again."""
BEGIN = datetime(2026, 1, 2, 8, tzinfo=UTC)


@dataclass
class Provider:
    """The entries of one model: prefix (names) → (tokens, used at, life)."""

    entries: dict[tuple[str, ...], tuple[int, float, int]] = field(default_factory=dict)

    def ask(self, parts: list[Part], marks: list[int], now: float, life: int) -> tuple[int, int, int]:
        """Read, written and new tokens; `marks`: numbers of parts after which a prefix is stored."""
        names = tuple(name for name, _ in parts)
        ends = [sum(tokens for _, tokens in parts[: count + 1]) for count in range(len(parts))]
        self.entries = {key: one for key, one in self.entries.items() if now - one[1] <= one[2]}
        found = [key for key in self.entries if names[: len(key)] == key and len(key) <= marks[-1] + 1]
        best = max(found, key=len, default=())
        read = self.entries[best][0] if best else 0
        for key in found:
            tokens, _, kept = self.entries[key]
            self.entries[key] = (tokens, now, kept)
        for mark in marks:
            if ends[mark] > read:
                self.entries[names[: mark + 1]] = (ends[mark], now, life)
        written = max(ends[marks[-1]] - read, 0)
        return read, written, ends[-1] - read - written


@dataclass
class Made:
    """One request with its truth: the cause of its reset, or None."""

    at_s: float | None
    session: str
    agent: str | None
    model: str
    read: int
    written: int
    new: int
    life: int
    truth: str | None

    @property
    def total(self) -> int:
        """All prompt tokens."""
        return self.read + self.written + self.new


class Conversation:
    """One conversation of a session: what its prompt consists of, and what is done to it."""

    def __init__(self, dice: random.Random, session: str, agent: str | None, life: int) -> None:
        self.dice, self.session, self.agent, self.life = dice, session, agent, life
        self.model = "claude-a"
        self.count = 0
        name = agent or session
        self.system: list[Part] = [(f"tools {name}", 9000), (f"system {name}", dice.randint(3000, 8000))]
        self.messages: list[Part] = [self.part(200, 4000)]
        self.last_s: float | None = None

    def part(self, least: int, most: int) -> Part:
        """A new message."""
        self.count += 1
        return f"{self.agent or self.session} {self.count}", self.dice.randint(least, most)

    def ask(self, providers: dict[str, Provider], now: float, truth: str | None) -> Made:
        """Send the prompt as it stands."""
        parts = self.system + self.messages + [("", self.dice.randint(1, 9))]
        provider = providers.setdefault(self.model, Provider())
        read, written, new = provider.ask(parts, [len(self.system) - 1, len(parts) - 2], now, self.life)
        self.last_s = now
        return Made(now, self.session, self.agent, self.model, read, written, new, self.life, truth)


EVENTS = (
    "ttl",
    "near",
    "shrank",
    "model",
    "lost",
    "rewound",
    "tail",
    "parallel",
    "aside",
    "checker",
    "tools",
)


def session(dice: random.Random, name: str, providers: dict[str, Provider], turns: int = 30) -> list[Made]:
    """One session with an event every few turns."""
    life = dice.choice((300, 3600))
    talk = Conversation(dice, name, None, life)
    now = dice.uniform(0, 500)
    made = [talk.ask(providers, now, None)]
    stored = 0
    while len(made) < turns:
        event = dice.choice(EVENTS) if dice.random() < 0.3 and len(talk.messages) > 4 else ""
        pause = dice.uniform(2, min(life, 300) * 0.9)
        truth: str | None = None
        if event == "ttl":
            pause, truth = life + dice.choice((1.0, 2.0, dice.uniform(1, 9 * life))), "ttl"
        elif event == "near":
            pause = life - dice.choice((1.0, 2.0, 30.0))
        now += pause
        if event == "shrank" and sum(tokens for _, tokens in talk.messages) > 8000:
            talk.messages, truth = [talk.part(3000, 4000)], "shrank"
        elif event == "model":
            talk.model, truth = f"claude-{len(made)}", "model"
        elif event == "lost":
            providers[talk.model].entries.clear()
            truth = "unexplained"
        elif event == "tools":
            talk.system[0] = (f"tools {len(made)} {name}", 9000 + dice.randint(1, 40))
            truth = "unexplained"  # a transcript does not show them
        elif event == "rewound":
            talk.messages = talk.messages[: len(talk.messages) // 2]
            made.append(talk.ask(providers, now, None))
            if made[-1].written > SMALL:
                made[-1].truth = "shrank"  # what was stored ends behind that place
            continue
        elif event == "tail":
            stored = sum(tokens for _, tokens in talk.system + talk.messages)
            talk.messages[-1] = talk.part(20, 200)
        elif event == "parallel":
            agents = [Conversation(dice, name, f"agent {name} {len(made)} {k}", life) for k in range(2)]
            for _ in range(3):
                for agent in agents:
                    now += dice.uniform(0.5, 4)
                    made.append(agent.ask(providers, now, None))
                    agent.messages.append(agent.part(100, 3000))
            if talk.last_s is not None and now - talk.last_s > life:
                truth = "ttl"
        elif event == "aside":
            aside = Conversation(dice, f"{name} title {len(made)}", None, life)
            aside.session, aside.model = name, talk.model
            aside.system = [(f"title {len(made)}", 2000)]
            made.append(aside.ask(providers, now, None))
            now += dice.choice((3.0, float(life)))
            if talk.last_s is not None and now - talk.last_s > life:
                truth = "ttl"
        elif event == "checker":  # another model looks at about the same text, and stores nothing
            total = int(0.9 * sum(tokens for _, tokens in talk.system + talk.messages))
            made.append(Made(now, name, None, "claude-small", 0, 0, total, life, None))
            now += 3.0
        talk.messages.append(talk.part(30, 3000))
        made.append(talk.ask(providers, now, truth))
        if event == "tail" and made[-1].written > LARGE:  # nothing else of the prefix was stored
            total = made[-1].read + made[-1].written
            made[-1].truth = "shrank" if total < stored else "unexplained"
    return made


def transcript(made: list[Made], dice: random.Random, timeless: float = 0.0, named: bool = True) -> str:
    """The requests as Claude Code writes them: some in several lines, some (if wished) without a time.

    `named`: subagents have a name; else only their lines' parents tell them apart, as in older files.
    """
    lines: list[str] = []
    last: dict[str, str] = {}
    for number, one in enumerate(sorted(made, key=lambda each: each.at_s or 0.0)):
        short = one.written if one.life == 300 else 0
        usage = {
            "input_tokens": one.new,
            "cache_read_input_tokens": one.read,
            "cache_creation_input_tokens": one.written,
            "output_tokens": 50,
            "cache_creation": {
                "ephemeral_5m_input_tokens": short,
                "ephemeral_1h_input_tokens": one.written - short,
            },
        }
        row = {
            "type": "assistant",
            "uuid": f"u{number}",
            "sessionId": one.session,
            "requestId": f"req_{number}",
            "isSidechain": one.agent is not None,
            "message": {"id": f"msg_{number}", "model": one.model, "role": "assistant", "usage": usage},
        }
        if one.agent is not None and named:
            row["agentId"] = one.agent
        elif one.agent is not None:
            row["parentUuid"] = last.get(one.agent)
        last[one.agent or ""] = f"u{number}"
        if dice.random() >= timeless:
            row["timestamp"] = (BEGIN + timedelta(seconds=one.at_s or 0.0)).isoformat()
        lines += [json.dumps(row)] * (2 if dice.random() < 0.3 else 1)
    return "\n".join(lines)
