"""Questions on the stage: every answer is checked against what the steps then show."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from core.frame import Frame
from core.scenario import Scenario, run
from tests.stage_runs import PRESETS, Step, frames_of, log_of, scenario, steps_of
from tests.strategies import examples, scenarios
from ui.i18n import LANGS, placeholders, table
from ui.payload import piece_texts
from ui.questions import with_questions
from ui.steps import stage_steps

MOST = {"hit": 8, "touch": 1, "evict": 3, "free": 1, "done": 1, "append": 1}


def right_answer(step: Step, before: Frame, after: Frame, steps: list[Step], frames: list[Frame]) -> object:
    """The answer as a person would read it off the stage, by looking at the step before and after."""
    kind, index = step["ask"]["id"], step["i"]
    if kind == "hit":
        return 0 if step["op"] == "match" else 1
    if kind == "touch":  # copy, ref + 1, move
        slot = str(step["slot"])
        same = {name: s["hash"] for name, s in before["slots"].items()} == {
            name: s["hash"] for name, s in after["slots"].items()
        }
        return 1 if same and after["slots"][slot]["ref"] == before["slots"][slot]["ref"] + 1 else None
    if kind == "evict":
        gone = [name for name, s in before["slots"].items() if s["hash"] and not after["slots"][name]["hash"]]
        assert before["queue"][0] == int(gone[0])
        return f"slot:{gone[0]}"
    if kind == "free":  # its first, its last
        rows = before["reqs"][step["rid"]]["btable"]
        return 1 if step["b"] == len(rows) - 1 > 0 else 0
    if kind == "done":  # none, those only it used, all: from its first freed block to its end
        start = index - 1
        while steps[start]["op"] in ("free", "evict"):
            start -= 1
        start += 1
        return 0 if frames[start]["table"] == after["table"] else None
    assert kind == "append"  # yes less time, no the same: one token a step, hits or not
    return 1 if step["args"]["n"] == 1 else None


def check(steps: list[Step], frames: list[Frame]) -> None:
    asked = [step for step in steps if "ask" in step]
    for step in asked:
        before, after = frames[step["i"]], frames[step["i"] + 1]
        assert right_answer(step, before, after, steps, frames) == step["ask"]["answer"], step
        check_words(step)
    for kind, count in Counter(step["ask"]["id"] for step in asked).items():
        assert count <= MOST[kind]


def check_words(step: Step) -> None:
    """Question, options and feedback exist in both languages and get all they need from the step."""
    ask = step["ask"]
    keys = [f"stage.ask.{ask['id']}", *ask.get("options", []), *ask["feedback"].values()]
    for lang in LANGS:
        for key in keys:
            assert placeholders(table(lang)[key]) <= step["args"].keys(), (key, step)
    if ask["kind"] == "choice":
        assert ask["answer"] in range(len(ask["options"]))
        assert len(ask["options"]) == len(set(ask["options"])) >= 2


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("scenario_id", PRESETS)
def test_answers_of_the_presets(scenario_id: str, lang: str) -> None:
    steps = steps_of(scenario_id, lang)  # type: ignore[arg-type]
    check(steps, frames_of(log_of(scenario_id, lang), steps))  # type: ignore[arg-type]


@given(scenarios())
@examples(60)
def test_answers_of_any_run(made: Scenario) -> None:
    log = run(made)
    steps = with_questions(stage_steps(log, piece_texts(made)))
    check(steps, frames_of(log, steps))


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_every_preset_asks(scenario_id: str) -> None:
    assert any("ask" in step for step in steps_of(scenario_id))


def test_the_guided_example_asks_often_enough() -> None:
    """One question in eight block decisions or more, of every kind."""
    steps = steps_of("P0")
    asked = [step for step in steps if "ask" in step]
    assert len(asked) * 8 >= sum(step["level"] != "micro" for step in steps)
    assert {step["ask"]["id"] for step in steps if "ask" in step} == set(MOST)


def test_the_first_request_is_not_asked_whether_it_hits() -> None:
    """Nothing is cached yet: that would be no guess."""
    for scenario_id in PRESETS:
        first = next(step for step in steps_of(scenario_id) if step["op"] in ("match", "miss"))
        assert "ask" not in first


def test_only_the_first_and_the_last_look_up_of_a_request_ask() -> None:
    asked = [(s["rid"], s["b"], s["op"]) for s in steps_of("P0") if s.get("ask", {}).get("id") == "hit"]
    assert asked == [("R1", 0, "match"), ("R1", 2, "miss"), ("R2", 0, "match"), ("R2", 3, "miss")]


def test_what_is_told_after_a_miss_fits_its_reason() -> None:
    told = {
        s["args"]["reason"]: s["ask"]["feedback"]["wrong"]
        for s in steps_of("P9")
        if s["op"] == "miss" and "ask" in s
    }
    assert told == {"chain_broken": "stage.ask.hit.near", "evicted": "stage.ask.hit.evicted"}


def test_asking_changes_nothing_else() -> None:
    bare = [{key: value for key, value in step.items() if key != "ask"} for step in steps_of("P0")]
    assert with_questions(bare) == steps_of("P0")
    assert all("ask" not in step for step in bare), "the steps given are left as they are"


def test_a_cap_that_drops_tags_as_a_request_ends_is_no_time_to_ask() -> None:
    """ "None" would be wrong there: its blocks come free, and the cap takes their tags at once."""
    commands = [
        {"op": "start", "id": "R0", "tokens": [1, 2, 3, 4, 5]},
        {"op": "policy", "name": "cache_cap", "value": 1},
        {"op": "free", "id": "R0"},
    ]
    made = scenario(commands)
    steps = with_questions(stage_steps(run(made), {}))
    assert [step["op"] for step in steps[-3:]] == ["free", "evict", "done"]
    assert "ask" not in steps[-1]


def test_a_table_of_one_row_asks_nothing_about_its_order() -> None:
    made = scenario([{"op": "submit", "id": "R0", "tokens": [1, 2]}, {"op": "run"}])
    steps = with_questions(stage_steps(run(made), {}))
    assert [step["ask"]["id"] for step in steps if "ask" in step] == ["done"]
