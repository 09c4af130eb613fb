"""Runs of the presets as the stage gets them, made once for all tests that only look at them."""

from __future__ import annotations

from functools import cache
from typing import Any

from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario, run
from core.timeline.event_log import EventLog
from core.timeline.frame import Frame, apply, initial_frame
from ui.stage.payload import piece_texts, stage_log
from ui.stage.questions import with_questions
from ui.stage.setup import Setup, load_setup, preset_ids
from ui.stage.steps import stage_steps
from ui.words.i18n import Lang

Step = dict[str, Any]
Json = dict[str, Any]

PRESETS = preset_ids()


@cache
def scenario_of(scenario_id: str, lang: Lang = "en") -> Scenario:
    return load_setup(Setup(scenario_id), lang)


@cache
def log_of(scenario_id: str, lang: Lang = "en") -> EventLog:
    return run(scenario_of(scenario_id, lang))


@cache
def steps_of(scenario_id: str, lang: Lang = "en") -> list[Step]:
    scenario = scenario_of(scenario_id, lang)
    steps = stage_steps(log_of(scenario_id, lang), piece_texts(scenario))
    return with_questions(steps, initial_frame(scenario.config), scenario_id)


@cache
def stage_log_of(scenario_id: str, lang: Lang = "en") -> Json:
    return stage_log(scenario_of(scenario_id, lang), log_of(scenario_id, lang), scenario_id, machine=True)


def scenario(commands: list[Json], **config: object) -> Scenario:
    """A scenario written down in a test: block size 2 and 8 slots unless it says otherwise."""
    settings = {"block_size": 2, "num_slots": 8, **config}
    return load_scenario({"schema": 1, "id": "test", "config": {}, "commands": commands}, config=settings)


def told(commands: list[Json], **config: object) -> list[Step]:
    """The steps of such a scenario."""
    made = scenario(commands, **config)
    return stage_steps(run(made), piece_texts(made))


def frames_of(log: EventLog, steps: list[Step]) -> list[Frame]:
    """What the stage shows at step 0, 1, 2, …: its own fold over the steps' patches."""
    frames = [initial_frame(log.config)]
    for step in steps:
        frames.append(apply(frames[-1], step["patch"]))
    return frames
