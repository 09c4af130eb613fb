"""Scenario: settings and commands as JSON, and the event log they lead to. Same input, same bytes out.

    {"schema": 1, "id": "P1", "block_size": 4, "num_slots": 10, "config": {"ttl": 30},
     "commands": [{"op": "submit", "id": "R0", "text": "Hot soup, please", "output": "Here it is"},
                  {"op": "run"}]}

``num_slots`` are usable slots (the engine adds the null block). A prompt is ``text`` (cut by the tokenizer;
``{"en": …, "zh": …}`` holds both languages) or ``tokens`` (a list of ids, or the stream notation of
``core.scenario.token_streams``); ``output`` and ``output_tokens`` likewise are what the stand-in model
samples. ``docs/event-log.md`` lists every op with its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.engine.engine import Engine
from core.engine.events import ClockAdvanced, Event, StepStarted
from core.errors import BrothError
from core.timeline.event_log import EventLog
from core.types import EngineConfig, Request, config_field_names

SCHEMA_VERSION = 1
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids with the text of each, for people to read."""

    ids: tuple[int, ...] = ()
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """One command. ``args`` are its JSON fields as given; tokens and request are what they stand for."""

    op: str
    args: Mapping[str, Any]
    request: Request | None = None
    prompt: Tokens = field(default_factory=Tokens)
    output: Tokens = field(default_factory=Tokens)

    def to_json(self) -> Json:
        """The command as it was given."""
        return {"op": self.op, **self.args}


@dataclass(frozen=True, slots=True)
class Scenario:
    """Settings and commands: everything a run depends on."""

    scenario_id: str
    config: EngineConfig
    commands: tuple[Command, ...]

    def to_json(self) -> Json:
        """The scenario as JSON values; ``load_scenario`` reads them back to an equal scenario."""
        default = EngineConfig()
        extra = {
            name: getattr(self.config, name)
            for name in config_field_names()
            if name not in ("block_size", "num_blocks")
            and getattr(self.config, name) != getattr(default, name)
        }
        return {
            "schema": SCHEMA_VERSION,
            "id": self.scenario_id,
            "block_size": self.config.block_size,
            "num_slots": self.config.num_usable,
            "config": extra,
            "commands": [command.to_json() for command in self.commands],
        }

    def pieces(self) -> dict[str, list[str]]:
        """The text of every token of every request, sampled ones behind the prompt, by request id."""
        texts: dict[str, list[str]] = {}
        for command in self.commands:
            name = str(command.args.get("id", ""))
            if command.request is not None and command.op != "lookup":
                texts[name] = [*command.prompt.pieces, *command.output.pieces]
            elif command.op in ("decode", "append"):
                texts.setdefault(name, []).extend(command.output.pieces)
        return texts


def run(
    scenario: Scenario, *, emit: Callable[[Event], None] | None = None, block_events: bool = True
) -> EventLog:
    """Run all commands on a fresh engine. The same scenario gives the same log, byte for byte.

    Raises:
        BrothError: a command that cannot be carried out; its values name the command's number and op.
    """
    events: list[Event] = []

    def listen(event: Event) -> None:
        events.append(event)
        if emit is not None:
            emit(event)

    for _ in _run_each(scenario, listen, block_events):
        pass
    return EventLog(scenario.config, tuple(events))


def _run_each(
    scenario: Scenario, emit: Callable[[Event], None], block_events: bool = True
) -> Iterator[Command]:
    """Carry out the commands one by one; yields each when it is done."""
    engine = Engine(scenario.config, emit, block_events=block_events)
    for number, command in enumerate(scenario.commands, 1):
        try:
            execute(engine, command)
        except BrothError as error:
            error.values.update(command=number, op=command.op)
            raise
        yield command


def begins(scenario: Scenario) -> list[int]:
    """For each command, how many events of the log come before it: ``split_at`` leaves it to come for every
    event number below that."""
    events: list[Event] = []
    starts = [0]
    for _ in _run_each(scenario, events.append):
        starts.append(len(events))
    return starts[:-1]


def split_at(scenario: Scenario, event_index: int) -> tuple[tuple[Command, ...], tuple[Command, ...]]:
    """Cut a scenario behind the engine command that tells event number ``event_index`` of its log.

    (done, to come). ``run`` is many engine steps: it is cut between two of them, the steps done become
    ``step`` commands and ``run`` stands again at the front of what is to come. Before the first event (-1)
    nothing is done. Running *done* gives exactly the beginning of the log; running both parts gives the
    whole log.
    """
    done: list[Command] = []
    events: list[Event] = []
    if event_index < 0:
        return (), scenario.commands
    for number, command in enumerate(_run_each(scenario, events.append)):
        if len(events) <= event_index:
            done.append(command)
            event_index -= len(events)
            events.clear()  # not a new list: the engine tells into this one
            continue
        if command.op not in ("run", "step"):
            return (*done, command), scenario.commands[number + 1 :]
        return _split_steps(done, command, events, event_index, scenario.commands[number + 1 :])
    return tuple(done), ()


def _split_steps(
    done: list[Command], command: Command, events: list[Event], event_index: int, rest: tuple[Command, ...]
) -> tuple[tuple[Command, ...], tuple[Command, ...]]:
    """Cut a command of several steps behind the step that tells ``events[event_index]``."""
    num_all = sum(isinstance(event, StepStarted) for event in events)
    num_done = sum(isinstance(event, ClockAdvanced) for event in events[: event_index + 1])
    steps = (Command("step", {"n": num_done}),)
    if command.op == "run":
        left: tuple[Command, ...] = (command,)
    else:
        left = (Command("step", {"n": num_all - num_done}),) if num_all > num_done else ()
    return (*done, *steps), (*left, *rest)


def execute(engine: Engine, command: Command) -> None:
    """Carry out one command."""
    args = command.args
    match command.op:
        case "submit":
            assert command.request is not None
            engine.submit(command.request)
        case "step":
            for _ in range(args.get("n", 1)):
                engine.step()
        case "run":
            engine.run()
        case "abort":
            engine.abort(args["id"])
        case "reset":
            engine.reset(preempt_running=args.get("running", False))
        case "version":
            engine.set_version(args["version"])
        case "policy":
            engine.set_policy(args["name"], args["value"])
        case "wait":
            engine.wait(args["ticks"])
        case _:
            _execute_verb(engine, command)


def _execute_verb(engine: Engine, command: Command) -> None:
    args = command.args
    match command.op:
        case "start":
            assert command.request is not None
            engine.start(command.request, args.get("chunk"), args.get("fit", True))
        case "prefill":
            engine.prefill(args["id"], args["n"])
        case "decode":
            engine.decode(args["id"], command.output.ids)
        case "append":
            engine.append(args["id"], command.output.ids)
        case "free":
            engine.free(args["id"])
        case "preempt":
            engine.preempt(args["id"])
        case "resume":
            engine.resume(args["id"], args.get("chunk"), args.get("fit", True))
        case "lookup":
            assert command.request is not None
            engine.lookup(command.request)
        case "evict":
            engine.evict(args["blocks"])
        case _:
            raise AssertionError(f"op {command.op} is read but never carried out")
