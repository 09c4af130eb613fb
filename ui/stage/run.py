"""The run on the stage, made from this visitor's setup; the step that is asked for; what is answered."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from core.errors import RequestError
from core.scenario.scenario import Scenario, run
from core.timeline.event_log import EventLog
from ui.frame.kept import Kept, LastFew
from ui.frame.session import lang, say
from ui.frame.shared import Shared
from ui.stage.fork import Fork, forked
from ui.stage.fork_choices import fork_choices
from ui.stage.own import MAX_SLOTS, OWN
from ui.stage.payload import Payload, stage_log
from ui.stage.record import RECORD, read_answer, run_name
from ui.stage.setup import SETUP, TEXTS, Setup, load_setup

Run = tuple[Scenario, EventLog, Payload]
_RUNS = LastFew("runs", 4)
_PRESETS = Shared(64)
_CHOICES, _PRESETS_CHOICES = LastFew("fork_choices", 4), Shared(64)

FORGET: Kept[str | None] = Kept("forget", lambda: None)
"""Changes each time the stage is to forget its answers."""

ASKED_STEP: Kept[list[object] | None] = Kept("go", lambda: None)
"""What ``go_to_step`` asked for last: a token that the stage obeys once, and the step."""


def title_of(scenario_id: str) -> str:
    """The scenario's title."""
    return say(f"scenario.{scenario_id}.title")


def current_run() -> Run:
    """The run of the setup: scenario, event log, and the log as the stage wants it. The last few are kept.

    Raises:
        BrothError: prompts or knobs that cannot be used.
    """
    return run_of(SETUP.get())


def run_of(setup: Setup) -> Run:
    """The run of a setup: a preset's is everybody's, one of own prompts stays with its visitor.

    Raises:
        BrothError: prompts or knobs that cannot be used.
    """
    runs = _PRESETS if is_public(setup) else _RUNS
    return runs.get(_key(setup), lambda: shown_run(load_setup(setup, lang()), machine=True))


def is_public(setup: Setup) -> bool:
    """Nobody typed a text for it: no prompts, no salt, no version."""
    return setup.scenario != OWN and not any(setup.knobs.get(name) for name in TEXTS)


def forked_run(fork: Fork) -> Run:
    """The run of the setup with one thing changed, like ``current_run``.

    Raises:
        BrothError: the change cannot be made at that step.
    """
    scenario, log, shown = current_run()
    key = (*_key(SETUP.get()), fork)
    return _RUNS.get(key, lambda: shown_run(forked(scenario, log, shown["events"], fork, lang())))


def current_choices() -> list[list[Any]]:
    """What the stage offers as a what-if of the run of the setup.

    Raises:
        BrothError: prompts or knobs that cannot be used.
    """
    chosen = SETUP.get()
    choices = _PRESETS_CHOICES if is_public(chosen) else _CHOICES
    scenario, _, shown = current_run()
    return choices.get(_key(chosen), lambda: fork_choices(scenario, shown["events"], lang()))


def shown_run(scenario: Scenario, *, machine: bool = False) -> Run:
    """One of our scenarios, or what became of it, run as the stage wants it (``machine``: its argument).

    Raises:
        BrothError: a command that cannot be carried out.
    """
    try:
        log = run(scenario)
    except RequestError as error:
        if error.code == "request.too_large" and scenario.config.num_usable >= MAX_SLOTS:
            error.code += "_at_most"  # "add slots" is no advice where there can be no more
        raise
    return scenario, log, stage_log(scenario, log, title_of(scenario.scenario_id), machine=machine)


def _key(chosen: Setup) -> tuple[object, ...]:
    own = chosen.own if chosen.scenario == OWN else None
    return (chosen.scenario, str(sorted(chosen.knobs.items())), own, lang())


def go_to_step(step: int) -> None:
    """Ask the execute page for one step, wherever the visitor was before."""
    ASKED_STEP.set([uuid4().hex, step])


def hear_answer(told: object) -> None:
    """An answer to a question on the stage; the first one to each question counts."""
    answer = read_answer(told, run_name(SETUP.get()), current_run()[2]["events"])
    if answer is not None:
        RECORD.set(RECORD.get().with_answer(answer))


def forget_answers() -> None:
    """No question answered; the stage forgets too, once it hears the new token."""
    RECORD.set(RECORD.get().without_answers())
    FORGET.set(uuid4().hex)
