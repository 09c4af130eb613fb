"""Questions on the stage: every answer is checked against what the steps then show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given

from core.engine.events import RequestAdmitted
from core.scenario.scenario import Scenario, run
from core.timeline.frame import Frame
from tests.stage_runs import PRESETS, Step, frames_of, log_of, scenario, scenario_of, steps_of
from tests.strategies import examples, scenarios
from ui.stage.payload import piece_texts
from ui.stage.questions import MOST, with_questions
from ui.stage.setup import Setup, load_setup
from ui.stage.steps import stage_steps
from ui.words.i18n import LANGS, Lang, placeholders, table

KINDS = {
    *("hit", "anywhere", "chain", "partial", "after", "zero", "bigger", "full"),
    *("touch", "merge", "evict", "free", "done", "append"),
}
PLACED = {"anywhere": "P3", "chain": "P2", "bigger": "P7"}


def right_answer(step: Step, before: Frame, after: Frame, steps: list[Step], frames: list[Frame]) -> object:
    """The answer as a person would read it off the stage, by looking at the step before and after."""
    kind, index = step["ask"]["id"], step["i"]
    if kind in ("hit", "anywhere"):
        return 0 if step["op"] == "match" else 1
    if kind in LOOK_UPS:
        return LOOK_UPS[kind](step, before, steps)
    if kind == "merge":  # merged, both stay
        return 1 if len(after["table"][step["hash"]]) == 2 else 0
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


def partial_answer(step: Step, before: Frame, steps: list[Step]) -> int:
    """Those tokens, nothing: what its plan reuses are the blocks before it, and no token more."""
    end = next(one for one in steps[step["i"] + 1 :] if one["rid"] == step["rid"])
    assert step["args"]["near"] > 0
    assert end["op"] in ("plan", "wait", "reject")
    assert end["op"] != "plan" or end["args"]["reused"] == step["b"]
    return 1


def after_answer(step: Step, before: Frame, steps: list[Step]) -> int:
    """Yes, no: the look-ups of this prompt are over, and full blocks were left out."""
    start = step["i"]
    while steps[start - 1]["op"] in ("probe", "match", "miss", "collision"):
        start -= 1
    probed = {one["b"] for one in steps[start : step["i"]]}
    full = next(one for one in steps if one["op"] == "cut" and one["rid"] == step["rid"])["args"]["full"]
    return 1 if set(range(full)) - probed == set(range(step["args"]["reused"] + 1, full)) else 0


def zero_answer(step: Step, before: Frame, steps: list[Step]) -> int:
    """Nothing in common, a beginning: the first different token is not the first."""
    miss = next(one for one in reversed(steps[: step["i"]]) if one["op"] == "miss")
    assert (step["args"]["hit"], miss["rid"]) == (0, step["rid"])
    return 1 if miss["args"]["token"] > 1 else 0


def full_answer(step: Step, before: Frame, steps: list[Step]) -> int:
    """0, 1, a whole block."""
    size = next(one for one in steps if one["op"] == "cut")["args"]["size"]
    return {0: 0, 1: 1, size: 2}[step["args"]["n"]]


def chain_answer(step: Step, before: Frame, steps: list[Step]) -> int:
    """The first alone, all: of the tags of this request, which did the one before not have?"""
    tags = {
        rid: [one["hash"] for one in steps if one["op"] == "hash" and one["rid"] == rid][:3]
        for rid in ("R0", "R1")
    }
    changed = sum(old != new for old, new in zip(tags["R0"], tags["R1"], strict=True))
    return 1 if changed == len(tags["R1"]) > 1 else 0


def bigger_answer(step: Step, before: Frame, steps: list[Step]) -> int:
    return max(range(4), key=list(reused_by_size().values()).__getitem__)


LOOK_UPS: dict[str, Callable[[Step, Frame, list[Step]], int]] = {
    "partial": partial_answer,
    "after": after_answer,
    "zero": zero_answer,
    "full": full_answer,
    "chain": chain_answer,
    "bigger": bigger_answer,
}


@cache
def reused_by_size() -> dict[int, int]:
    """P7's second request: tokens that hit, by block size."""
    found = {}
    for size in (2, 4, 8, 16):
        log = run(load_setup(Setup("P7", {"block_size": size}), "en"))
        found[size] = [one.hit_tokens for one in log.events if isinstance(one, RequestAdmitted)][1]
    return found


def check(steps: list[Step], frames: list[Frame]) -> None:
    asked = [step for step in steps if "ask" in step]
    for step in asked:
        before, after = frames[step["i"]], frames[step["i"] + 1]
        assert right_answer(step, before, after, steps, frames) == step["ask"]["answer"], step
        check_words(step)
    for kind, count in Counter(step["ask"]["id"] for step in asked).items():
        assert count <= MOST.get(kind, 1)


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
    """One question in eight block decisions or more; every kind that an ordinary run can ask."""
    steps = steps_of("P0")
    asked = [step for step in steps if "ask" in step]
    assert len(asked) * 8 >= sum(step["level"] != "micro" for step in steps)
    assert {"hit", "partial", "touch", "evict", "free", "done", "append"} <= {
        step["ask"]["id"] for step in asked
    }


def test_the_presets_ask_about_every_misconception() -> None:
    asked = {name: {one["ask"]["id"] for one in steps_of(name) if "ask" in one} for name in PRESETS}
    assert set().union(*asked.values()) == KINDS
    for kind, preset in PLACED.items():
        assert [name for name, kinds in asked.items() if kind in kinds] == [preset]


def prompts(scenario_id: str, lang: Lang) -> list[tuple[int, ...]]:
    return [one.prompt.ids for one in scenario_of(scenario_id, lang).commands if one.request is not None][:2]


@pytest.mark.parametrize("lang", LANGS)
def test_what_the_questions_say_of_their_texts(lang: Lang) -> None:
    """P3: another first line, then 12 equal tokens; P7: 10 equal tokens, then another one."""
    first, second = prompts("P3", lang)
    assert (first[:4] != second[:4], first[4:], len(second[4:])) == (True, second[4:], 12)
    first, second = prompts("P7", lang)
    assert (first[:10], first[10] != second[10]) == (second[:10], True)
    assert [re.findall(r"\d+", table(lang)[f"stage.ask.{name}"]) for name in ("anywhere", "bigger")] == [
        ["12"],
        ["10"],
    ]


def test_block_sizes_as_they_are_told() -> None:
    assert reused_by_size() == {2: 10, 4: 8, 8: 8, 16: 0}
    for lang in LANGS:
        told = table(lang)["stage.ask.bigger.told"]
        assert list(map(int, re.findall(r"\d+", told))) == [2, 10, 4, 8, 8, 16, 0]


def test_the_first_request_is_not_asked_whether_it_hits() -> None:
    """Nothing is cached yet: that would be no guess."""
    for scenario_id in PRESETS:
        first = next(step for step in steps_of(scenario_id) if step["op"] in ("match", "miss"))
        assert "ask" not in first


def test_only_the_first_and_the_last_look_up_of_a_request_ask() -> None:
    """R1's last one asks something of its own: some of its tokens agree."""
    asked = [(s["rid"], s["b"], s["op"]) for s in steps_of("P0") if s.get("ask", {}).get("id") == "hit"]
    assert asked == [("R1", 0, "match"), ("R2", 0, "match"), ("R2", 3, "miss")]


def test_what_is_told_after_a_miss_fits_its_reason() -> None:
    told = {
        s["args"]["reason"]: s["ask"]["feedback"]["wrong"]
        for s in steps_of("P9")
        if s["op"] == "miss" and "ask" in s
    }
    assert told == {"chain_broken": "stage.ask.hit.near", "evicted": "stage.ask.hit.evicted"}


def test_asking_changes_nothing_else() -> None:
    bare = [{key: value for key, value in step.items() if key != "ask"} for step in steps_of("P0")]
    assert with_questions(bare, "P0") == steps_of("P0")
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
    assert "free" not in [step["ask"]["id"] for step in steps if "ask" in step]


def test_no_steps_no_questions() -> None:
    assert with_questions([]) == []
