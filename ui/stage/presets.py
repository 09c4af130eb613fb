"""The presets as a path of four groups: a title and a question each, and a result only where it was seen."""

from __future__ import annotations

from functools import cache

import streamlit as st

from core.engine.stats import Statistics
from ui.frame.kept import Kept
from ui.frame.session import lang, say
from ui.frame.shared import Shared
from ui.stage.record import RECORD, run_name
from ui.stage.run import run_of, title_of
from ui.stage.setup import SETUP, Setup, preset_ids

PATH = {
    "share": ("three", "P1", "P4", "P0", "P8", "P6", "P6b", "T10", "teacher", "L640s", "L640"),
    "break": ("P3", "P5", "space", "P3b", "P2", "P2b", "P9d", "bank", "safety", "law"),
    "evict": ("P9", "P10", "P9b"),
    "tune": ("P7", "P11", "P9c"),
}
"""Each preset once. The first three of a group stand on the first screen."""
FIRST = 3
_RESULTS = Shared(64)

SEEN: Kept[frozenset[str]] = Kept("seen", frozenset)
"""Runs that this visitor has watched to their end."""


@cache
def path() -> dict[str, tuple[str, ...]]:
    """The groups, with the presets that there are."""
    known = preset_ids()
    return {group: tuple(name for name in names if name in known) for group, names in PATH.items()}


def hear_seen(told: object) -> None:
    """The stage tells that a run has come to its end under somebody's eyes."""
    if told == run_name(SETUP.get()):  # with its own settings
        SEEN.set(SEEN.get() | {str(told)})


def was_seen(scenario_id: str) -> bool:
    """Its result is no secret any more: watched to the end, or every question of it answered."""
    if scenario_id in SEEN.get():
        return True
    answered = {one.step for one in RECORD.get().answers if one.run == scenario_id}
    return bool(answered) and answered >= _asked(scenario_id)


def _asked(scenario_id: str) -> set[int]:
    return {step["i"] for step in run_of(Setup(scenario_id))[2]["events"] if "ask" in step}


def result_of(scenario_id: str) -> tuple[int, int]:
    """(tokens reused, tokens asked for) of a preset's own run, over all its requests."""

    def make() -> tuple[int, int]:
        statistics = Statistics()
        for event in run_of(Setup(scenario_id))[1].events:
            statistics.add(event)
        asked, reused = statistics.lifetime
        return reused, asked

    return _RESULTS.get((scenario_id, lang()), make)


def path_cards() -> None:
    """A column for each group, from the easy to the hard; choosing changes scenario and nothing else."""
    for column, (group, names) in zip(st.columns(len(PATH)), path().items(), strict=True):
        with column:
            st.markdown(f"#### {say(f'path.{group}')}\n{say(f'path.{group}.what')}")
            for scenario_id in names:
                _card(scenario_id)


def _card(scenario_id: str) -> None:
    # one element beside the button instead of three: each costs time at every change, and cards are many
    said = f":small[:gray[{say(f'scenario.{scenario_id}.question')}]]"
    if was_seen(scenario_id):
        reused, asked = result_of(scenario_id)
        said += f"  \n:small[**{say('preset.seen', reused=reused, total=asked)}**]"
    chosen = SETUP.get().scenario == scenario_id
    with st.container(gap="xsmall"):
        st.button(
            title_of(scenario_id),
            key=f"preset_{scenario_id}",
            on_click=_choose,
            args=(scenario_id,),
            width="stretch",
            type="primary" if chosen else "secondary",
        )
        st.markdown(said)


def _choose(scenario_id: str) -> None:
    SETUP.set(SETUP.get().with_scenario(scenario_id))
