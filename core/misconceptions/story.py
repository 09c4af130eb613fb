"""What a demonstration is made of: knobs, a run on the engine, a believed and a true value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from core.engine.events import RequestAdmitted
from core.scenario.reader import load_scenario
from core.scenario.scenario import Json, Scenario, run

Unit = Literal[
    "reused", "computed", "percent", "faster", "blocks", "foreign", "stale", "visits", "saved", "apart"
]
Value = int | str


@dataclass(frozen=True, slots=True)
class Knob:
    """What a person can turn: all its values in order, and the one it opens with."""

    name: str
    values: tuple[Value, ...]
    opens: Value


@dataclass(frozen=True, slots=True)
class Shown:
    """What one setting of the knobs shows.

    ``bars`` name the settings (or parts) that are drawn beside each other, in ``bars_unit`` or the same unit;
    ``here`` is the bar of this setting, and ``across`` says what
    bars named by numbers differ in. ``numbers`` fill the lesson's text. ``scenario`` is the run behind
    the true value, where one run has all of it.
    """

    believed: float
    true: float
    unit: Unit
    bars: tuple[tuple[Value, float], ...] = ()
    bars_unit: str = ""
    here: Value | None = None
    across: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    scenario: Scenario | None = None


@dataclass(frozen=True, slots=True)
class Belief:
    """A belief under its name, the knobs of its demonstration, and the demonstration."""

    name: str
    knobs: tuple[Knob, ...]
    show: Callable[..., Shown]

    def opened(self) -> Shown:
        """As it stands when the page opens."""
        return self.show(**{knob.name: knob.opens for knob in self.knobs})


def story(
    name: str, block_size: int, num_slots: int, told: Sequence[str | Json], **config: object
) -> Scenario:
    """A run: a text in token notation is a request of its own, served to its end before the next one; a
    mapping is a command as it stands."""
    commands: list[Json] = []
    for line in told:
        if isinstance(line, str):
            number = sum(command["op"] == "submit" for command in commands)
            commands += [{"op": "submit", "id": f"R{number}", "tokens": line}, {"op": "run"}]
        else:
            commands.append(line)
    data = {
        "schema": 1,
        "id": name,
        "block_size": block_size,
        "num_slots": num_slots,
        "config": config,
        "commands": commands,
    }
    return load_scenario(data, name=name)


def admitted(scenario: Scenario) -> dict[str, RequestAdmitted]:
    """How each request of a run was admitted, by its id."""
    events = run(scenario, block_events=False).events
    return {event.request_id: event for event in events if isinstance(event, RequestAdmitted)}


def reused(scenario: Scenario, request_id: str = "R1") -> int:
    """Tokens that a request of a run found in the cache."""
    return admitted(scenario)[request_id].hit_tokens


def computed(scenario: Scenario, request_id: str = "R1") -> int:
    """Prompt tokens that had to be computed for it."""
    event = admitted(scenario)[request_id]
    return event.num_tokens - event.hit_tokens
