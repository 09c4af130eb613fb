"""Preset cards: title, question, and a thumbnail of the last prompt with what of it is reused."""

from __future__ import annotations

from functools import cache

import streamlit as st

from core.engine.events import RequestAdmitted
from core.scenario.scenario import run
from ui.frame.session import say
from ui.stage.run import title_of
from ui.stage.setup import SETUP, Setup, load_setup, preset_ids

_COLUMNS = 4
_MAX_SQUARES = 10


@cache
def last_prompt(scenario_id: str) -> tuple[int, int, int]:
    """(blocks reused, blocks computed, block size) of a preset's last request. Presets never change."""
    scenario = load_setup(Setup(scenario_id), "en")
    admitted = [e for e in run(scenario, block_events=False).events if isinstance(e, RequestAdmitted)]
    size = scenario.config.block_size
    reused = admitted[-1].hit_tokens // size
    return reused, -(-admitted[-1].num_tokens // size) - reused, size


def preset_cards() -> None:
    """All presets as cards; choosing one changes scenario and nothing else."""
    ids = preset_ids()
    for start in range(0, len(ids), _COLUMNS):
        for column, scenario_id in zip(st.columns(_COLUMNS), ids[start : start + _COLUMNS], strict=False):
            with column, st.container(border=True, height="stretch"):
                _card(scenario_id)


def _card(scenario_id: str) -> None:
    reused, computed, _ = last_prompt(scenario_id)
    shown = min(reused, _MAX_SQUARES - 2), min(computed, _MAX_SQUARES - 2)
    squares = f":blue[{'■' * shown[0]}]:orange[{'▨' * shown[1]}]"
    thumb = f"{squares} :small[:gray[{say('preset.thumb', reused=reused, total=reused + computed)}]]"
    # one element instead of three: there are many cards, and each element costs time at every change
    question = say(f"scenario.{scenario_id}.question")
    st.markdown(f"**{title_of(scenario_id)}**\n\n:small[:gray[{question}]]\n\n{thumb}")
    st.button(
        say("preset.choose"),
        key=f"preset_{scenario_id}",
        on_click=_choose,
        args=(scenario_id,),
        width="stretch",
        disabled=SETUP.get().scenario == scenario_id,
    )


def _choose(scenario_id: str) -> None:
    SETUP.set(SETUP.get().with_scenario(scenario_id))
