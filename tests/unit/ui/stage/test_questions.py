"""Questions on the stage: every key is proved by what the steps behind its question then do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given

from core.engine.events import RequestAdmitted
from core.misconceptions import BELIEFS
from core.scenario.scenario import Scenario, run
from core.timeline.frame import Frame, initial_frame
from tests.stage_runs import PRESETS, Step, frames_of, log_of, scenario, steps_of
from tests.strategies import examples, scenarios
from ui.stage.payload import piece_texts
from ui.stage.questions import KINDS, MOST, MOST_LOOK_UPS, with_questions
from ui.stage.questions.lane import LESSONS
from ui.stage.setup import Setup, load_setup
from ui.stage.steps import stage_steps
from ui.words.i18n import LANGS, Lang, placeholders, table

OWN_BELIEFS = {"unsent", "copy", "merge"}
"""What may fall here and has no demonstration in the chapter on misconceptions."""


def asked_in(steps: list[Step]) -> list[Step]:
    return [step for step in steps if "ask" in step]


def ids(scenario_id: str) -> list[str]:
    return [step["ask"]["id"] for step in asked_in(steps_of(scenario_id))]


# -- the keys, applied --------------------------------------------------------------------------------------


def lane_key(step: Step, steps: list[Step], frames: list[Frame]) -> set[int]:
    """The blocks that then hit one after another: the last of them, -1 for none."""
    rid, found = step["ask"]["rid"], -1
    for one in steps[step["i"] :]:
        if one.get("rid") == rid and one["op"] == "match":
            assert one["b"] == found + 1
            found = one["b"]
        if one.get("rid") == rid and one["op"] in ("miss", "plan", "wait", "reject"):
            assert one["op"] != "plan" or one["args"]["reused"] == found + 1
            break
    if step["ask"]["kind"] == "lane":
        return {found}
    words = {"none": -1, "first": 0, "upto": step["ask"]["args"]["upto"], "all": step["ask"]["args"]["last"]}
    options = [words[option.rsplit(".", 1)[1]] for option in step["ask"]["options"]]
    return {options.index(found)}


def free_key(step: Step, steps: list[Step], frames: list[Frame]) -> set[int]:
    """The slot that is the first to be in the queue and was not there before."""
    waiting = set(frames[step["i"]]["queue"])
    after = next(frame for frame in frames[step["i"] :] if set(frame["queue"]) - waiting)
    return set(after["queue"]) - waiting


def kept(frame: Frame) -> list[int]:
    return [slot for slot in frame["queue"] if frame["slots"][str(slot)]["hash"]]


def evict_key(step: Step, steps: list[Step], frames: list[Frame]) -> set[int]:
    """The first kept slot in line: it has lost its tag one step later."""
    at = step["i"]
    gone = [slot for slot in kept(frames[at]) if not frames[at + 1]["slots"][str(slot)]["hash"]]
    assert gone == kept(frames[at])[:1]
    return set(gone)


def stays_key(step: Step, steps: list[Step], frames: list[Frame]) -> set[int]:
    """What was kept in the queue and still is when all its blocks are taken."""
    at = step["i"]
    end = next(i for i in range(at, len(steps)) if steps[i]["op"] not in ("evict", "alloc"))
    return set(kept(frames[at])) & set(kept(frames[end]))


def touch_key(step: Step, steps: list[Step], frames: list[Frame]) -> set[int]:
    """Copy, ref + 1, move: nothing but one count has changed in the pool."""
    before, after = (frames[step["i"] + n]["slots"] for n in (0, 1))
    changed = {slot for slot in before if before[slot] != after[slot]}
    tags = {slot for slot in before if before[slot]["hash"] != after[slot]["hash"]}
    grew = after[str(step["slot"])]["ref"] - before[str(step["slot"])]["ref"]
    return {1} if changed == {str(step["slot"])} and not tags and grew == 1 else set()


def done_key(step: Step, steps: list[Step], frames: list[Frame]) -> set[int]:
    """None, only its own, all: the tags of the table before its first block is freed and after its end."""
    end = next(i for i in range(step["i"], len(steps)) if steps[i]["op"] == "done")
    assert steps[end]["rid"] == step["ask"]["rid"]
    before, after = frames[step["i"]]["table"], frames[end + 1]["table"]
    return {0} if set(before) == set(after) else set()


def merge_key(step: Step, steps: list[Step], frames: list[Frame]) -> set[int]:
    end = next(i for i in range(step["i"], len(steps)) if steps[i]["op"] == "dup")
    return {1 if len(frames[end + 1]["table"][step["hash"]]) == 2 else 0}


def bigger_key(step: Step, steps: list[Step], frames: list[Frame]) -> set[int]:
    """Run with each size: which one reuses most?"""
    return {max(range(4), key=list(reused_by_size().values()).__getitem__)}


def append_key(step: Step, steps: list[Step], frames: list[Frame]) -> set[int]:
    """Behind the prompt each step computes one token, whoever had hits."""
    work = [
        one["args"]["n"] for one in steps[step["i"] :] if one["op"] == "compute" and one["rid"] == step["rid"]
    ]
    return {1} if set(work) <= {1} else {0}


@cache
def reused_by_size() -> dict[int, int]:
    """P7's second request: tokens that hit, by block size."""
    found = {}
    for size in (2, 4, 8, 16):
        log = run(load_setup(Setup("P7", {"block_size": size}), "en"))
        found[size] = [one.hit_tokens for one in log.events if isinstance(one, RequestAdmitted)][1]
    return found


KEYS: dict[str, Callable[[Step, list[Step], list[Frame]], set[int]]] = {
    **dict.fromkeys(LESSONS, lane_key),
    "free": free_key,
    "evict": evict_key,
    "stays": stays_key,
    "touch": touch_key,
    "done": done_key,
    "merge": merge_key,
    "bigger": bigger_key,
    "append": append_key,
}


def check(steps: list[Step], frames: list[Frame]) -> None:
    asked = asked_in(steps)
    for step in asked:
        ask = step["ask"]
        assert KEYS[ask["id"]](step, steps, frames) == set(ask["answers"]), step
        check_choices(step, frames[step["i"]])
        check_words(step)
        first, last = ask["shows"]
        assert step["i"] <= first < last <= len(steps)
        assert first == step["i"] or ask["why"] == "stage.ask.lane.turn"
        if ask["id"] in LESSONS:  # a tag that is seen gives the answer away
            assert (step["op"], frames[step["i"]]["reqs"][ask["rid"]]["hashes"]) == ("hash", [])
    counts = Counter(step["ask"]["id"] for step in asked)
    assert all(count <= MOST.get(kind, 1) for kind, count in counts.items())
    assert sum(counts[lesson] for lesson in LESSONS) <= MOST_LOOK_UPS
    assert "append" not in [step["ask"]["id"] for step in asked[:-1]], "decode comes last"
    assert [step["ask"]["id"] for step in asked] != ["append"], "and never alone"


def check_choices(step: Step, frame: Frame) -> None:
    """Whatever can be clicked has a sentence; wrong choices alone have a belief."""
    ask, size = step["ask"], step["ask"].get("args", {}).get("size", 1)
    blocks = -(-frame["reqs"][ask["rid"]]["num_tokens"] // size) if ask["kind"] == "lane" else 0
    choices = {
        "lane": range(-1, blocks),
        "pool": _slots_to_choose(ask, frame),
        "choice": range(len(ask.get("options", ()))),
    }[ask["kind"]]
    assert set(ask["said"]) == {str(choice) for choice in choices}
    assert {str(choice) for choice in ask["answers"]} <= set(ask["said"])
    assert set(ask["fell"]) <= set(ask["said"]) - {str(choice) for choice in ask["answers"]}
    assert set(ask["fell"].values()) <= set(BELIEFS) | OWN_BELIEFS


def _slots_to_choose(ask: Step, frame: Frame) -> list[int]:
    """All, or those that can still join the queue."""
    slots = [int(slot) for slot in frame["slots"]]
    return [slot for slot in slots if ask["id"] != "free" or slot not in frame["queue"]]


def check_words(step: Step) -> None:
    """Question, options, sentences and beliefs exist in both languages and get all they need."""
    ask, args = step["ask"], step["args"].keys() | step["ask"].get("args", {}).keys()
    keys = [ask["question"], *ask.get("options", ()), *ask["said"].values()]
    keys += [ask["why"]] if "why" in ask else []
    for belief in ask["fell"].values():
        keys += [f"stage.belief.{belief}", f"stage.belief.{belief}.truth"]
    for lang in LANGS:
        for key in keys:
            assert placeholders(table(lang)[key]) <= args, (key, step)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("scenario_id", PRESETS)
def test_answers_of_the_presets(scenario_id: str, lang: Lang) -> None:
    steps = steps_of(scenario_id, lang)
    check(steps, frames_of(log_of(scenario_id, lang), steps))


@given(scenarios())
@examples(60)
def test_answers_of_any_run(made: Scenario) -> None:
    log = run(made)
    steps = with_questions(stage_steps(log, piece_texts(made)), initial_frame(made.config))
    check(steps, frames_of(log, steps))


def test_a_wrong_key_is_seen() -> None:
    """The proof can fail: another answer than the run's is noticed, for every kind of question."""
    for scenario_id in ("P0", "P6", "P7", "P9", "L640"):
        steps = steps_of(scenario_id)
        frames = frames_of(log_of(scenario_id), steps)
        for step in asked_in(steps):
            key = KEYS[step["ask"]["id"]](step, steps, frames)
            assert all(key != {int(choice)} for choice in step["ask"]["said"] if int(choice) not in key)


# -- what is asked ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_the_first_question_is_the_first_miss(scenario_id: str) -> None:
    """It used to be about decode in 22 of 25 presets, and the first miss was never asked."""
    first = asked_in(steps_of(scenario_id))[0]
    assert (first["op"], first["ask"]["id"], first["ask"]["rid"]) == ("hash", "empty", "R0")
    assert steps_of(scenario_id)[first["i"] - 1]["op"] == "cut"


def test_the_worked_example_asks_what_matters() -> None:
    assert ids("P0") == ["empty", "until", "touch", "done", "free", "until", "evict", "append"]


def test_the_presets_teach_every_lesson() -> None:
    assert {kind for name in PRESETS for kind in ids(name)} == set(KINDS)


@pytest.mark.parametrize(
    ("scenario_id", "lesson"),
    [
        ("P2", "chain"),
        ("P1", "whole"),
        ("P6", "full"),
        ("P9", "gone"),
        ("P10", "old"),
        ("P11", "lock"),
        ("P9c", "once"),
    ],
)
def test_a_preset_teaches_its_lesson(scenario_id: str, lesson: str) -> None:
    assert lesson in ids(scenario_id)


def said(scenario_id: str, rid: str) -> dict[str, str]:
    """Of a request's look-up: what each choice would have meant."""
    asked = next(
        s for s in asked_in(steps_of(scenario_id)) if s["ask"]["rid"] == rid and s["ask"]["id"] in LESSONS
    )
    return {choice: key.removeprefix("stage.said.lane.") for choice, key in asked["ask"]["said"].items()}


def test_a_choice_means_what_it_means_in_this_run() -> None:
    assert said("P0", "R1") == {
        "-1": "private",
        "0": "first",
        "1": "right.until",
        "2": "some",
        "3": "notfull",
    }
    assert said("P2", "R1") == {"-1": "right.chain", "0": "some", "1": "apart", "2": "apart", "3": "notfull"}
    assert said("P6", "R1") == {"-1": "private", "0": "first", "1": "right.full", "2": "last"}
    assert said("P0", "R0")["3"] == "open"


def test_nobody_is_called_private_who_is_gone() -> None:
    """P8: both run at once; P1: the first one is done before the second asks."""
    fell = {
        name: next(
            s["ask"]["fell"]["-1"]
            for s in asked_in(steps_of(name))
            if s["ask"]["rid"] == "R1" and s["ask"]["kind"] == "lane"
        )
        for name in ("P1", "P8")
    }
    assert fell == {"P1": "cleared", "P8": "together"}


def test_of_many_blocks_a_few_places_are_offered() -> None:
    asked = asked_in(steps_of("L640"))[1]["ask"]
    assert [option.rsplit(".", 1)[1] for option in asked["options"]] == ["none", "first", "upto", "all"]
    assert (asked["args"]["upto"], asked["answers"]) == (31, [2])


def test_few_survivors_are_asked_for() -> None:
    """Four kept blocks, three needed: which one is left?"""
    go = {"op": "run"}
    commands = [
        {"op": "submit", "id": "R0", "tokens": list(range(8))}, go,
        {"op": "submit", "id": "R1", "tokens": list(range(50, 55))}, go,
    ]  # fmt: skip
    made = scenario(commands, num_slots=4)
    log = run(made)
    steps = with_questions(stage_steps(log, {}), initial_frame(made.config))
    asked = next(step for step in steps if step.get("ask", {}).get("id") == "stays")
    check(steps, frames_of(log, steps))
    assert asked["ask"]["answers"] == [1], "the beginning is let go last"


@pytest.mark.parametrize(("scenario_id", "rid"), [("P8", "R1"), ("T10", "R2"), ("L640", "R1")])
def test_a_request_that_waits_is_asked_about_before_its_tags_are_made(scenario_id: str, rid: str) -> None:
    """Others are served before it is looked up: the question says so, and the deciding steps begin there."""
    asked = next(s for s in asked_in(steps_of(scenario_id)) if s["ask"]["rid"] == rid)
    assert (asked["op"], asked["ask"]["why"]) == ("hash", "stage.ask.lane.turn")
    begins = steps_of(scenario_id)[asked["ask"]["shows"][0]]
    assert (begins["op"], begins["rid"], begins["b"]) == ("probe", rid, 0)


def test_asking_changes_nothing_else() -> None:
    bare = [{key: value for key, value in step.items() if key != "ask"} for step in steps_of("P0")]
    assert with_questions(bare, initial_frame(log_of("P0").config), "P0") == steps_of("P0")
    assert all("ask" not in step for step in bare), "the steps given are left as they are"


def test_a_cap_that_drops_tags_as_a_request_ends_is_no_time_to_ask() -> None:
    """ "None" would be wrong there: its blocks come free, and the cap takes their tags at once."""
    commands = [
        {"op": "start", "id": "R0", "tokens": [1, 2, 3, 4, 5]},
        {"op": "policy", "name": "cache_cap", "value": 1},
        {"op": "free", "id": "R0"},
    ]
    made = scenario(commands)
    steps = with_questions(stage_steps(run(made), {}), initial_frame(made.config))
    assert [step["op"] for step in steps[-3:]] == ["free", "evict", "done"]
    assert "done" not in [step["ask"]["id"] for step in asked_in(steps)]


def test_two_questions_never_stand_at_one_step() -> None:
    for name in PRESETS:
        places = [step["i"] for step in asked_in(steps_of(name))]
        assert all(one < other for one, other in pairwise(places))


def test_no_steps_no_questions() -> None:
    assert with_questions([], initial_frame(log_of("P0").config)) == []
