"""What the stage offers as a what-if, and at which steps each choice cannot work, with the reason.

The step moves in the browser, so each choice carries the stretches of steps at which it is barred. Whether a
request fits is asked of the engine itself; whether a prompt is still coming is read off where each command
begins in the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from core.engine.engine import Engine
from core.errors import BrothError
from core.scenario.scenario import Command, Json, Scenario, begins
from core.types import EngineConfig
from ui.stage.fork import (
    MACHINE,
    Fork,
    coming_prompt,
    other_machine,
    reread,
    stamped,
)
from ui.stage.own import MAX_SLOTS
from ui.words.i18n import Lang

Barred = list[Any]
"""First step, last step (None: to the end), reason as the end of a text's key, what the text needs."""

Choice = list[Any]
"""A value and its list of ``Barred``; none: it works at every step. ``"text"`` stands for a free text."""


def fork_choices(scenario: Scenario, steps: Sequence[Json], lang: Lang) -> list[list[Any]]:
    """[change, choices] in the order of the drawer; the present value is left out."""
    last = _last_steps(scenario, steps)
    end = last[-1] if last else -1
    gone: Barred = [end + 1, None, "no_prompt", {}]
    lonely: Barred = [last[-2] + 1 if len(last) > 1 else 0, end, "no_second", {}]
    offered = _values(scenario.config)
    return [
        *([name, _machine(scenario, name, offered[name])] for name in MACHINE),
        *([name, [[value, []] for value in offered[name]]] for name in ("ttl", "admit_after", "cache_cap")),
        [
            "timestamp",
            [[value, [*_stamps(scenario, last, value, lang), gone]] for value in ("first", "last")],
        ],
        ["swap", [["prompts", [lonely, gone]]]],
        ["prompt", [["text", [gone]]]],
    ]


def _values(config: EngineConfig) -> dict[str, list[Any]]:
    now = config.num_usable
    slots = sorted({now - 2, now - 1, now + 1, now + 2, now * 2})
    return {
        "block_size": [size for size in (1, 2, 4, 8, 16) if size != config.block_size],
        "slots": [n for n in slots if 2 <= n <= MAX_SLOTS],
        "queue_rule": [rule for rule in ("vllm", "all_to_back") if rule != config.queue_rule],
        "ttl": [0, 5, 20] if config.ttl else [5, 20],
        "admit_after": [n for n in (1, 2, 3) if n != config.admit_after],
        "cache_cap": [2, 4, 8],
    }


# -- the coming prompts ------------------------------------------------------------------------------------


def _last_steps(scenario: Scenario, steps: Sequence[Json]) -> list[int]:
    """For each prompt of the run, the last step at which it is still to come."""
    starts = begins(scenario)
    arrivals = [start for start, one in zip(starts, scenario.commands, strict=True) if coming_prompt(one)]
    found: list[int] = []
    for start in arrivals:
        later = (number for number, step in enumerate(steps) if step["ev"] >= start)
        found.append(next(later, len(steps)))
    return found


def _stamps(scenario: Scenario, last: Sequence[int], value: str, lang: Lang) -> list[Barred]:
    """Every coming prompt gets a stamp: none may be without text, or too long with it."""
    prompts = [one for one in scenario.commands if coming_prompt(one)]
    for number in reversed(range(len(prompts))):

        def stamp(number: int = number) -> Iterable[Command]:
            made = stamped(prompts[number].to_json(), number, value == "first", lang)
            return reread(scenario, [made], lang).commands

        if refused := _refused(scenario.config, stamp):
            return [[0, last[number], *refused]]
    return []


# -- the machine -------------------------------------------------------------------------------------------


def _machine(scenario: Scenario, change: str, values: Sequence[Any]) -> list[Choice]:
    """The same requests from the start: what does not fit does so at every step."""
    choices: list[Choice] = []
    for value in values:
        config = other_machine(scenario, Fork(0, change, value))
        refused = _refused(config, lambda: scenario.commands)
        choices.append([value, [[0, None, *refused]] if refused else []])
    return choices


def _refused(config: EngineConfig, make: Callable[[], Iterable[Command]]) -> list[Any] | None:
    """Why an empty engine would not take one of these prompts; None: it takes each."""
    try:
        for command in make():
            if coming_prompt(command) and command.args.get("fit", True):
                assert command.request is not None
                Engine(config).submit(command.request)
    except BrothError as error:
        code = error.code.rpartition(".")[2]
        return [code, {name: error.values[name] for name in _NEEDS.get(code, ())}]
    return None


_NEEDS = {"too_large": ("request_id", "needed", "usable")}
