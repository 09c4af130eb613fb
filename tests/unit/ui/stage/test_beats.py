"""Beats: groups of steps that are one press, and the captions that speak for them."""

from __future__ import annotations

import json
import subprocess
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from core.scenario.scenario import Scenario, run
from core.timeline.frame import initial_frame
from tests.stage_runs import PRESETS, Step, log_of, scenario_of, stage_log_of, told
from tests.strategies import examples, scenarios
from ui.stage.payload import piece_texts
from ui.stage.questions import with_questions
from ui.stage.steps import stage_steps
from ui.stage.steps.beats import with_beats
from ui.words.i18n import LANGS, Lang, t

MOST_PRESSES = {"three": 26, "P0": 35, "P1": 33, "P6b": 22}


def groups(steps: list[Step]) -> list[list[Step]]:
    """The steps, one list a press."""
    found: list[list[Step]] = [[]]
    for step in steps:
        found[-1].append(step)
        if not step.get("inner"):
            found.append([])
    assert found[-1] == [], "the last step is a stop"
    return found[:-1]


def check_beats(steps: list[Step]) -> None:
    """What holds for the beats of every run."""
    for group in groups(steps):
        last = group[-1]
        assert not any("beat" in step for step in group[:-1])
        assert ("beat" in last) == (len(group) > 1), last
        if "beat" in last:
            assert last["beat"]["from"] == group[0]["i"]
        assert not any("ask" in step for step in group[1:]), "a question stands before a group, never inside"
        beat = last.get("beat", last)
        for lang in LANGS:
            for part in ("what", "why", "noodle"):
                assert "None" not in t(f"cap.{beat['cap']}.{part}", lang, **beat["args"])


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("scenario_id", PRESETS)
def test_the_beats_of_a_preset_are_well_told(scenario_id: str, lang: Lang) -> None:
    check_beats(stage_log_of(scenario_id, lang)["events"])


@given(scenarios())
@examples(100)
def test_the_beats_of_any_run_are_well_told(scenario: Scenario) -> None:
    steps = stage_steps(run(scenario), piece_texts(scenario))
    check_beats(with_beats(steps))
    check_beats(with_beats(with_questions(steps, initial_frame(scenario.config))))


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_beats_mark_and_change_nothing_else(scenario_id: str) -> None:
    steps = stage_steps(log_of(scenario_id), piece_texts(scenario_of(scenario_id)))
    before = [dict(step) for step in steps]
    marked = with_beats(steps)
    assert steps == before
    bare = [{name: value for name, value in step.items() if name not in ("inner", "beat")} for step in marked]
    assert bare == steps


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_both_languages_have_the_same_beats(scenario_id: str) -> None:
    en, zh = (
        [
            (step.get("inner"), step.get("beat", {}).get("cap"))
            for step in stage_log_of(scenario_id, lang)["events"]
        ]
        for lang in LANGS
    )
    assert en == zh


@pytest.mark.parametrize("scenario_id", MOST_PRESSES)
def test_a_guided_run_is_short(scenario_id: str) -> None:
    """Once 127 presses for the first preset: the same act was told four times over."""
    steps = with_beats(stage_steps(log_of(scenario_id), piece_texts(scenario_of(scenario_id))))
    assert len(groups(steps)) <= MOST_PRESSES[scenario_id]


def story(steps: list[Step]) -> list[str]:
    """What is read at each press, in English."""
    beats = [group[-1].get("beat", group[-1]) for group in groups(steps)]
    return [t(f"cap.{beat['cap']}.what", "en", **beat["args"]).replace("**", "") for beat in beats]


def test_three_requests_and_four_slots_in_twenty_odd_sentences() -> None:
    steps = with_beats(stage_steps(log_of("three"), piece_texts(scenario_of("three"))))
    assert story(steps) == [
        "Request R0 arrives with 11 tokens.",
        "We cut 11 tokens into blocks of 4: 2 full, 3 left over.",
        "Block 0 gets tag 10a3, made from “start” and its 4 tokens.",
        "Block 1 gets tag 98ce, made from tag 10a3 and 4 tokens.",
        "R0: MISS. No slot carries 10a3; block 0 is new.",
        "#1, #2, #3 are reserved. ×1: one request uses each.",
        "R0: now 11 tokens are COMPUTED. Their KV fills the slots.",
        "R0 answers “␣Mild”; block 2 has all its tokens: tag 6e13.",
        "R1 asks: 11 tokens, 2 full blocks and 3 left over.",
        "R1: its blocks get the tags 10a3, 98ce.",
        "R1: HIT, HIT. 10a3 is in #1, 98ce is in #2.",
        "R1 reads #1, #2 as well: ref count 2.",
        "#4 is reserved for block 2 of R1.",
        "One step: R1 reads 3 prompt tokens, R0 writes 1 answer token.",
        "R0 answers “.”: one token more.",
        "R0 is done. It lets go of #3, then #2, then #1.",
        "R1 answers “␣Yes.”; block 2 has all its tokens: tag 2782.",
        "R1 is done. It lets go of #4, then #2, then #1.",
        "R2 asks: 11 tokens, 2 full blocks and 3 left over.",
        "R2: its blocks get the tags 0e0b, 0b6e.",
        "R2: MISS. Block 0 first differs at token 4.",
        "EVICT, from the front: #3, #4, #2. Reserved for R2.",
        "R2: now 11 tokens are COMPUTED. Their KV fills the slots.",
        "R2 answers “␣Yes”; its last token fills block 2.",
        "R2 is done. No tag is stored for #2: to the front.",
    ]


def test_a_group_never_runs_over_a_question() -> None:
    """The question's step begins a group of its own, wherever the others would have ended."""
    steps = told([{"op": "submit", "id": "R0", "tokens": [1, 2, 3, 4, 5, 6, 7]}, {"op": "run"}])
    at = next(step["i"] for step in steps if step["op"] == "alloc" and step["b"] == 2)
    asked = [{**step, "ask": {"id": "x"}} if step["i"] == at else step for step in steps]
    begins = [group[0]["i"] for group in groups(with_beats(asked))]
    assert at in begins
    assert at not in [group[0]["i"] for group in groups(with_beats(steps))]


def test_many_slots_are_named_by_the_first_two_and_the_last() -> None:
    steps = with_beats(told([{"op": "submit", "id": "R0", "tokens": list(range(1, 14))}, {"op": "run"}]))
    taken = next(step["beat"] for step in steps if step.get("beat", {}).get("cap") == "beat.alloc.first")
    assert taken["args"]["slots"] == [1, 2, "…", 7]
    assert t("cap.beat.alloc.first.what", "en", **taken["args"]).startswith("#1, #2, …, #7 are")


def test_a_block_that_its_last_token_fills_is_tagged_and_never_stored() -> None:
    """Once "block 4 gets tag 2f94", then "R0 frees #5: it has no tag", with the tag still on the screen."""
    steps = stage_log_of("P0")["events"]
    told_of = [step["cap"] for step in steps if step.get("rid") == "R0" and step.get("b") == 4]
    assert told_of[-3:] == ["full.last", "hash.last", "free.known"]
    last = next(step for step in steps if step["cap"] == "free.known")
    assert last["args"]["tag"] == "2f94"
    assert all(b["cap"] != "hash.last" or a["op"] in ("full", "hash") for a, b in pairwise(steps))


# -- as the stage steps through them ------------------------------------------------------------------------

SCRIPT = Path(__file__).resolve().parents[3] / "js" / "told_lanes.mjs"
FIRST_WORDS = 16
"""Characters of a caption in which a request that comes into view is named."""


def on_stage(node: str, logs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lane after every step, and the stops of the beats, as the stage's JavaScript has them."""
    lines = "".join(json.dumps(log) + "\n" for log in logs)
    done = subprocess.run(
        [node, str(SCRIPT)], input=lines, capture_output=True, encoding="utf-8", check=True, timeout=120
    )
    return [json.loads(line) for line in done.stdout.rstrip("\n").split("\n")]


def first_words(told_of: Step, lang: Lang) -> str:
    caption = t(f"cap.{told_of['cap']}.what", lang, **told_of["args"])
    return caption.replace("**", "")[:FIRST_WORDS]


def test_each_press_is_a_beat_there_and_back(node: str) -> None:
    for scenario_id, shown in zip(PRESETS, on_stage(node, [*map(stage_log_of, PRESETS)]), strict=True):
        ends = [group[-1]["i"] + 1 for group in groups(stage_log_of(scenario_id)["events"])]
        assert shown["stops"] == shown["back"] == ends, scenario_id


@pytest.mark.parametrize("lang", LANGS)
def test_who_comes_into_view_is_named_in_the_first_words(node: str, lang: Lang) -> None:
    """Once the view went from one request to the other at almost every token, without a word."""
    logs = [stage_log_of(scenario_id, lang) for scenario_id in PRESETS]
    for log, shown in zip(logs, on_stage(node, logs), strict=True):
        lanes, events = shown["lanes"], log["events"]
        for step in events:
            if lanes[step["i"]] != (mine := lanes[step["i"] + 1]):
                assert mine in first_words(step, lang), step
        seen = lanes[0]
        for stop in shown["stops"]:
            if lanes[stop] != seen:
                seen, step = lanes[stop], events[stop - 1]
                assert seen in first_words(step.get("beat", step), lang), step


def test_answers_do_not_move_the_view(node: str) -> None:
    """In the first preset two requests answer side by side: the lane changes hands at look-ups alone."""
    (shown,) = on_stage(node, [stage_log_of("P0")])
    assert [lane for lane, _ in groupby(shown["lanes"])] == ["R0", "R1", "R2"]
