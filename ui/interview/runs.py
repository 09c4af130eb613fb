"""Small runs that chapter 12's answers count, and the machine that modelled times are for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from core.cost import GPUS, MODELS, CostModel
from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.scenario.scenario import run
from core.types import EngineConfig, Request
from ui.stage.setup import Setup, load_setup

COST = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
"""What modelled times are for."""


def hits(prompts: Sequence[Sequence[int]], *, answers: Sequence[int] = (), **settings: Any) -> list[int]:
    """Hit tokens of prompts that come one after another; ``answers``: how many tokens each one samples."""
    events: list[Event] = []
    engine = Engine(EngineConfig(**settings), events.append, block_events=False)
    for number, prompt in enumerate(prompts):
        length = answers[number] if number < len(answers) else 0
        outputs = tuple(range(900_000, 900_000 + length))
        engine.submit(Request(f"R{number}", tuple(prompt), outputs))
        engine.run()
    return [event.hit_tokens for event in events if isinstance(event, RequestAdmitted)]


@cache
def admitted(preset: str, **knobs: int) -> tuple[tuple[int, int], ...]:
    """(hit, prompt) tokens of each request of a preset."""
    log = run(load_setup(Setup(preset, knobs), "en"), block_events=False)
    return tuple((e.hit_tokens, e.num_tokens) for e in log.events if isinstance(e, RequestAdmitted))


def second(preset: str, **knobs: int) -> dict[str, int]:
    """What the second request of a preset hits and computes."""
    hit, total = admitted(preset, **knobs)[1]
    return {"hit": hit, "total": total, "computed": total - hit}


def percent(part: float, whole: float) -> str:
    """A share as whole percent."""
    return f"{100 * part / whole:.0f}"
