"""What if: the same run with one thing changed at some step; A and B are both computed by the engine.

Changes of a policy or of the coming prompts act from that step on: everything before it stays as it was,
event for event. Changes of the machine (block size, slots, queue rule) run the same requests again from the
start. The log itself is never edited: a fork is another scenario.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.errors import ScenarioError
from core.fields import is_whole
from core.scenario.reader import load_scenario
from core.scenario.scenario import Command, Json, Scenario, split_at
from core.texts import showable
from core.timeline.event_log import EventLog
from core.types import EngineConfig
from ui.stage.own import MAX_SLOTS
from ui.words.i18n import Lang

MACHINE = ("block_size", "slots", "queue_rule")
POLICIES = ("cache_cap", "admit_after", "ttl")
PROMPTS = ("prompt", "swap", "timestamp")
ARRIVALS = ("submit", "start")
"""Commands that bring a prompt."""
MAX_PROMPT_CHARS = 2_000
NUMBERS = {
    "block_size": (1, 64),
    "slots": (1, MAX_SLOTS),
    "cache_cap": (0, 64),
    "admit_after": (1, 9),
    "ttl": (0, 999),
}
"""Changes whose value is a number, with its range; 0 switches a cap or a time to live off."""
WORDS = {
    "queue_rule": ("vllm", "all_to_back"),
    "timestamp": ("first", "last"),
    "swap": ("prompts", "documents"),
}


@dataclass(frozen=True, slots=True)
class Fork:
    """``step``: number of the step on the stage (0 = before the first); ``change`` and its ``value``."""

    step: int
    change: str
    value: str | int

    def to_link(self) -> str:
        """A short text for the address bar."""
        return f"{self.step}.{self.change}.{self.value}"


def read_fork(told: object) -> Fork | None:
    """What the stage told, checked: it comes from a browser. None: nothing usable."""
    if not isinstance(told, dict):
        return None
    step, change, value = _whole(told.get("step")), told.get("change"), told.get("value")
    if not isinstance(step, int) or step < 0 or not isinstance(change, str):
        return None
    if change in NUMBERS:
        value = _whole(value)
        least, most = NUMBERS[change]
        return Fork(step, change, value) if isinstance(value, int) and least <= value <= most else None
    known = change == "prompt" or value in WORDS.get(change, ())
    return Fork(step, change, showable(value)) if known and isinstance(value, str) else None


def _whole(value: object) -> int | None:
    """A whole number as JSON may bring it (2 or 2.0); true and false are none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if is_whole(value) else None


def fork_from_link(text: str) -> Fork | None:
    """Back from ``Fork.to_link``; None if it was damaged."""
    step, _, rest = text.partition(".")
    change, _, value = rest.partition(".")
    number = _digits(value) if change in NUMBERS else None
    return read_fork({"step": _digits(step), "change": change, "value": value if number is None else number})


def _digits(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None


def forked(scenario: Scenario, log: EventLog, steps: Sequence[Json], fork: Fork, lang: Lang) -> Scenario:
    """The scenario of B.

    Raises:
        BrothError: the change cannot be made (no coming prompt, a value out of range).
    """
    if fork.change in MACHINE:
        return replace(scenario, config=other_machine(scenario, fork))
    done, coming = split_at(scenario, _event_of(log, steps, fork.step))
    if fork.change in POLICIES:
        value = None if fork.value == 0 else fork.value
        return replace(scenario, commands=(*done, _policy(fork.change, value), *coming))
    change = {"prompt": _edit_next, "swap": _swap_next, "timestamp": _stamp_all}[fork.change]
    changed = change([command.to_json() for command in coming], fork.value, lang)
    return reread(scenario, [*(command.to_json() for command in done), *changed], lang)


def _event_of(log: EventLog, steps: Sequence[Json], step: int) -> int:
    """The event behind a step of the stage; before the first step that is none (-1)."""
    if step <= 0 or not steps:
        return -1
    return int(steps[min(step, len(steps)) - 1]["ev"])


def other_machine(scenario: Scenario, fork: Fork) -> EngineConfig:
    """The engine with one of its sizes or rules changed."""
    if fork.change == "slots":
        return replace(scenario.config, num_blocks=int(fork.value) + 1)
    return replace(scenario.config, **{fork.change: fork.value})  # type: ignore[arg-type]


def _policy(name: str, value: object) -> Command:
    return Command("policy", {"name": name, "value": value})


def reread(scenario: Scenario, commands: list[Json], lang: Lang) -> Scenario:
    """The same engine with other commands."""
    changed = load_scenario(
        {**scenario.to_json(), "commands": commands}, lang=lang, name=scenario.scenario_id
    )
    return replace(changed, config=scenario.config)


def coming_prompt(command: Command) -> bool:
    """Whether a command brings a prompt that a what-if may change."""
    return command.op in ARRIVALS


def _prompts(commands: list[Json]) -> list[int]:
    """Where the coming prompts stand.

    Raises:
        ScenarioError: none is left.
    """
    places = [place for place, command in enumerate(commands) if command["op"] in ARRIVALS]
    if not places:
        raise ScenarioError("fork.no_prompt", "No prompt is coming after this step; go back a little first.")
    return places


def _edit_next(commands: list[Json], value: str | int, lang: Lang) -> list[Json]:
    place = _prompts(commands)[0]
    text = str(value)
    if not text.strip():
        raise ScenarioError("fork.empty", "The prompt is empty; type at least one word.")
    if len(text) > MAX_PROMPT_CHARS:
        message = f"A prompt may have {MAX_PROMPT_CHARS} characters; this one has {len(text)}."
        raise ScenarioError("fork.prompt", message, size=len(text), limit=MAX_PROMPT_CHARS)
    edited = {key: part for key, part in commands[place].items() if key not in ("text", "tokens")}
    return [*commands[:place], {**edited, "text": text}, *commands[place + 1 :]]


def _swap_next(commands: list[Json], value: str | int, lang: Lang) -> list[Json]:
    """The next two prompts change places; ids stay with their prompts."""
    places = _prompts(commands)
    if len(places) < 2:
        raise ScenarioError("fork.no_second", "Only one prompt is coming; two are needed to change places.")
    first, second = places[:2]
    swapped = list(commands)
    swapped[first], swapped[second] = commands[second], commands[first]
    return swapped


def _stamp_all(commands: list[Json], value: str | int, lang: Lang) -> list[Json]:
    """Every coming prompt gets a time of its own, at its very beginning or its very end."""
    changed = list(commands)
    for number, place in enumerate(_prompts(commands)):
        changed[place] = stamped(commands[place], number, value == "first", lang)
    return changed


def stamped(command: Json, number: int, first: bool, lang: Lang) -> Json:
    """One prompt with a time in front or behind.

    Raises:
        ScenarioError: it is given as token ids.
    """
    if "tokens" in command and not isinstance(command["tokens"], str):
        raise ScenarioError("fork.no_text", "This prompt is given as token ids; a time stamp needs a text.")
    if "tokens" in command:
        parts = [f"time{number}[0:2]", str(command["tokens"])]
        return {**command, "tokens": " ".join(parts if first else parts[::-1])}
    text = command["text"][lang] if isinstance(command["text"], dict) else str(command["text"])
    stamp = f"12:{number + 1:02d}"
    return {**command, "text": f"{stamp} {text}" if first else f"{text} {stamp}"}
