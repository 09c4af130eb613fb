"""One request of a log on the stage: the small scenario around it, as the stage wants it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.errors import BrothError
from core.scenario.scenario import run
from core.traffic.analysis import Analysis
from core.traffic.misses import Miss
from core.traffic.stage import scene_around
from ui.frame.session import say, show_error, tell
from ui.moment.link import OF_A_LOG, show_moment
from ui.moment.shown import ShownMoment
from ui.stage.payload import stage_log
from ui.stage.run import go_to_step
from ui.traffic.state import Log, misses_in, state

PAGE = "traffic"


def moment_of(log: Log, analysis: Analysis, number: int) -> ShownMoment:
    """What the execute page shows; what was left out of it is its note.

    Raises:
        BrothError: the small scenario cannot be run.
    """
    misses: list[Miss] = misses_in(log, analysis)
    scene = scene_around(analysis, misses, number, log.options.tokenizer)
    name = log.trace.with_identity()[number].request_id
    data = stage_log(scene.scenario, run(scene.scenario), say("traffic.moment", name=name))
    wanted = ("arrive",)
    steps: list[dict[str, Any]] = data["events"]
    first = (step["i"] + 1 for step in steps if step.get("rid") == scene.request_id and step["op"] in wanted)
    left_out = {"blocks": scene.left_out_blocks, "between": scene.num_between}
    note = say("traffic.scene", size=scene.shown_block_size, real=analysis.tree.block_size, **left_out)
    if analysis.lower_bound:
        note = tell(note, say("traffic.basis.lower_bound.stage"))
    return ShownMoment(name, 0.0, data, next(first, 0), origin=PAGE, note=note)


def open_request(log: Log, analysis: Analysis, number: int, to_stage: Any) -> None:
    """Put the request on the stage and go there; ``to_stage``: the page to switch to."""
    now = state()
    now.looks += 1  # charts begin without a selection when one comes back
    now.picked = number if log is now.log else None
    try:
        moment = moment_of(log, analysis, number)
    except BrothError as error:
        show_error(error)
        return
    show_moment(moment, OF_A_LOG)
    go_to_step(moment.step)
    st.switch_page(to_stage)


def clicked(told: Any) -> list[float]:
    """What a clicked point of a chart carries: the request, then what its setting is; empty without one."""
    points = told["selection"]["points"] if told else []
    value = points[0].get("customdata") if points else None
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, int | float)]
