"""What if: B shares A's beginning event for event, machines start anew, nonsense is refused in our words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine.events import ClockAdvanced, PolicyChanged
from core.errors import BrothError
from core.scenario.scenario import Scenario, run
from core.texts import showable
from core.timeline.event_log import EventLog
from tests.address import through_the_address
from tests.stage_runs import PRESETS, Json, log_of, scenario, scenario_of, steps_of
from tests.strategies import any_texts, shown_texts
from ui.stage.fork import (
    MACHINE,
    NUMBERS,
    POLICIES,
    PROMPTS,
    WORDS,
    Fork,
    fork_from_link,
    forked,
    read_fork,
)
from ui.stage.fork_choices import fork_choices
from ui.stage.own import MAX_SLOTS
from ui.stage.payload import piece_texts
from ui.stage.run import shown_run
from ui.stage.steps import stage_steps
from ui.words.i18n import Lang, error_text, fill, table


def fork_of(scenario_id: str, fork: Fork, lang: Lang = "en") -> Scenario:
    return forked(
        scenario_of(scenario_id, lang), log_of(scenario_id, lang), steps_of(scenario_id, lang), fork, lang
    )


def prompts(made: Scenario) -> list[str]:
    return ["".join(c.prompt.pieces) for c in made.commands if c.request is not None]


def shared(a: EventLog, b: EventLog) -> int:
    """How many events both logs begin with."""
    pairs = zip(a.events, b.events, strict=False)
    return next((n for n, (x, y) in enumerate(pairs) if x != y), min(len(a.events), len(b.events)))


def end_of_command(log: EventLog, index: int) -> int:
    """Where the engine's next command or step begins: each begins with a tick of the clock."""
    ticks = (n for n in range(index + 1, len(log.events)) if isinstance(log.events[n], ClockAdvanced))
    return next(ticks, len(log.events))


def some_steps(scenario_id: str) -> list[int]:
    num = len(steps_of(scenario_id))
    return sorted({0, 1, 2, *range(5, num, 9), num - 1, num})


# -- what is offered -------------------------------------------------------------------------------------


def choices_of(scenario_id: str, lang: Lang = "en") -> dict[str, list[Any]]:
    return dict(fork_choices(scenario_of(scenario_id, lang), steps_of(scenario_id, lang), lang))


def bar_at(barred: list[list[Any]], step: int) -> str | None:
    """The reason that the stage shows at a step, if any: as ``barAt`` in drawers.js."""
    found = (bar for bar in barred if bar[0] <= step and (bar[1] is None or step <= bar[1]))
    return next((str(bar[2]) for bar in found), None)


def outcome(scenario_id: str, fork: Fork) -> str | None:
    """Why the engine's what-if fails; None: it runs."""
    try:
        run(fork_of(scenario_id, fork))
    except BrothError as error:
        return error.code.rpartition(".")[2]
    return None


def borders(choices: dict[str, list[Any]], num_steps: int) -> list[int]:
    """First, middle and last step, and both sides of every border that a choice names."""
    named = {bar[i] for row in choices.values() for _, barred in row for bar in barred for i in (0, 1)}
    around = {step + one for step in named - {None} for one in (-1, 0, 1)}
    return sorted(step for step in {0, num_steps // 2, num_steps, *around} if 0 <= step <= num_steps)


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_what_is_offered_can_be_read_back_and_has_words(scenario_id: str) -> None:
    choices = choices_of(scenario_id)
    assert {*choices} == {*MACHINE, *POLICIES, *PROMPTS}
    for change, row in choices.items():
        assert f"stage.fork.{change}" in table("zh")
        for value, barred in row:
            typed = "Hello" if value == "text" else value
            fork = read_fork({"step": 3, "change": change, "value": typed})
            assert fork == Fork(3, change, typed)
            assert fork_from_link(fork.to_link()) == fork
            if isinstance(value, str) and value != "text":
                assert f"stage.fork.{change}.{value}" in table("en")
            for _, _, reason, args in barred:
                assert fill(table("zh")[f"stage.fork.why.{reason}"], args)


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_what_is_offered_works_and_what_is_barred_does_not(scenario_id: str) -> None:
    """225 of 1,566 what-ifs over the presets were offered and failed."""
    choices = choices_of(scenario_id)
    for step in borders(choices, len(steps_of(scenario_id))):
        for change, row in choices.items():
            for value, barred in row:
                fork = Fork(step, change, "Hello soup" if value == "text" else value)
                assert bar_at(barred, step) == outcome(scenario_id, fork), fork


def test_each_reason_occurs() -> None:
    rows = [row for scenario_id in PRESETS for row in choices_of(scenario_id).values()]
    reasons = {bar[2] for row in rows for _, barred in row for bar in barred}
    assert reasons == {"no_prompt", "no_second", "too_large"}


def test_a_time_stamp_is_barred_while_a_prompt_is_to_come_that_it_makes_too_long() -> None:
    commands: list[Json] = [
        {"op": "submit", "id": "R0", "text": "one two three four five"},
        {"op": "run"},
        {"op": "submit", "id": "R1", "text": "one"},
        {"op": "run"},
    ]
    made = scenario(commands, num_slots=3)
    steps = stage_steps(run(made), piece_texts(made))
    _, stamps = next(row for row in fork_choices(made, steps, "en") if row[0] == "timestamp")
    assert [bar[2] for bar in stamps[0][1]] == ["too_large", "no_prompt"]
    assert stamps[0][1][0][:2] == [0, 0]
    with pytest.raises(BrothError):
        run(forked(made, run(made), steps, Fork(0, "timestamp", "first"), "en"))
    run(forked(made, run(made), steps, Fork(1, "timestamp", "first"), "en"))


def test_what_is_so_already_is_not_offered() -> None:
    made = scenario([], block_size=8, ttl=7, admit_after=2)
    choices = {change: [value for value, _ in row] for change, row in fork_choices(made, [], "en")}
    assert 8 not in choices["block_size"]
    assert 2 not in choices["admit_after"]
    assert 0 in choices["ttl"]
    assert choices["queue_rule"] == ["all_to_back"]
    assert choices["slots"] == [6, 7, 9, 10, 16]


def test_the_largest_pool_is_never_told_to_grow() -> None:
    """ "Add slots" was said of a pool of 128, the most that the knob has."""
    words = "word " * 600
    for slots, code in ((MAX_SLOTS - 1, "too_large"), (MAX_SLOTS, "too_large_at_most")):
        with pytest.raises(BrothError) as caught:
            shown_run(scenario([{"op": "submit", "id": "R0", "text": words}], num_slots=slots))
        assert caught.value.code == f"request.{code}"
        assert ("add slots" in error_text(caught.value, "en")) == (slots < MAX_SLOTS)


# -- policies: from this step on ---------------------------------------------------------------------------


@pytest.mark.parametrize("fork", [("ttl", 5), ("cache_cap", 2), ("admit_after", 2), ("ttl", 0)])
@pytest.mark.parametrize("scenario_id", ["P0", "P9", "P10", "T10"])
def test_a_changed_policy_shares_the_beginning(scenario_id: str, fork: tuple[str, int]) -> None:
    a, steps = log_of(scenario_id), steps_of(scenario_id)
    for step in some_steps(scenario_id):
        b = run(fork_of(scenario_id, Fork(step, *fork)))
        told = next(n for n, event in enumerate(b.events) if isinstance(event, PolicyChanged))
        before = max(n for n in range(told) if isinstance(b.events[n], ClockAdvanced))
        assert before == end_of_command(a, steps[step - 1]["ev"] if step else -1)
        assert b.events[:before] == a.events[:before]
        assert b.events[told].value == (fork[1] or None)


def test_the_change_acts_at_once_and_not_before() -> None:
    """P9 with five slots hits from the second round on; kept out from step 0 nothing is ever found."""
    kept_out = run(fork_of("P1", Fork(0, "cache_cap", 0)))
    assert isinstance(kept_out.events[1], PolicyChanged)
    late = run(fork_of("P1", Fork(len(steps_of("P1")), "ttl", 5)))
    assert shared(log_of("P1"), late) == len(log_of("P1").events)


# -- prompts: the coming ones ------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [("prompt", "Fresh words"), ("swap", "prompts"), ("timestamp", "first")])
@pytest.mark.parametrize("scenario_id", ["P0", "P4", "P5", "P8"])
def test_changed_prompts_share_the_beginning(scenario_id: str, change: tuple[str, str]) -> None:
    a, steps = log_of(scenario_id), steps_of(scenario_id)
    num_forks, refusals = 0, set()
    for step in some_steps(scenario_id):
        try:
            made = fork_of(scenario_id, Fork(step, *change))
        except BrothError as error:
            refusals.add(error.code)
            continue
        num_forks += 1
        assert made.config == scenario_of(scenario_id).config
        num_same = shared(a, run(made))
        assert num_same >= end_of_command(a, steps[step - 1]["ev"] if step else -1)
        assert num_same < len(a.events), "something must differ"
    assert num_forks
    assert refusals <= {"fork.no_prompt", "fork.no_second"}


def test_before_the_first_step_every_prompt_is_still_to_come() -> None:
    """At step 0 it once edited the second prompt, because the first counted as sent."""
    made = fork_of("P1", Fork(0, "prompt", "Other words."))
    assert prompts(made)[0] == "Other words."
    assert prompts(made)[1:] == prompts(scenario_of("P1"))[1:]


def test_after_the_first_arrival_the_second_prompt_is_the_next() -> None:
    made = fork_of("P1", Fork(1, "prompt", "Other words."))
    assert [text == "Other words." for text in prompts(made)] == [False, True, False]


def test_swapping_keeps_each_id_with_its_prompt() -> None:
    before, after = scenario_of("P1"), fork_of("P1", Fork(0, "swap", "prompts"))
    ids = [[c.args["id"] for c in made.commands if c.request] for made in (before, after)]
    assert ids == [["R0", "R1", "R2"], ["R1", "R0", "R2"]]
    assert sorted(prompts(before)) == sorted(prompts(after))
    assert prompts(before)[0] == prompts(after)[1]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_time_stamps_stand_first_or_last(lang: Lang) -> None:
    plain = prompts(scenario_of("P1", lang))
    first, last = (prompts(fork_of("P1", Fork(0, "timestamp", where), lang)) for where in ("first", "last"))
    assert first == [f"12:{n + 1:02d} {text}" for n, text in enumerate(plain)]
    assert last == [f"{text} 12:{n + 1:02d}" for n, text in enumerate(plain)]


def test_time_stamps_for_prompts_of_the_stream_notation() -> None:
    commands: list[Json] = [
        {"op": "submit", "id": "R0", "tokens": "S[0:4] u0[0:3]"},
        {"op": "submit", "id": "R1", "tokens": "S[0:4] u1[0:3]"},
        {"op": "run"},
    ]
    made = scenario(commands)
    log = run(made)
    changed = forked(made, log, stage_steps(log, piece_texts(made)), Fork(0, "timestamp", "first"), "en")
    first, second = (c.prompt for c in changed.commands if c.request is not None)
    assert len(first.ids) == len(second.ids) == 9
    assert first.ids[:2] != second.ids[:2], "each time is another time"
    assert first.ids[2:6] == second.ids[2:6]


# -- machines: the same requests again ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "value", "field"),
    [
        ("block_size", 8, "block_size"),
        ("slots", 9, "num_usable"),
        ("queue_rule", "all_to_back", "queue_rule"),
    ],
)
def test_another_machine_runs_everything_again(change: str, value: object, field: str) -> None:
    for step in (0, 40, 9_999):
        made = fork_of("P0", Fork(step, change, value))  # type: ignore[arg-type]
        assert getattr(made.config, field) == value
        assert made.commands == scenario_of("P0").commands
        run(made)


def test_another_block_size_changes_the_hits_as_p7_promises() -> None:
    hits = []
    for size in (2, 8, 16):
        made = fork_of("P7", Fork(30, "block_size", size))
        steps = stage_steps(run(made), piece_texts(made))
        hits.append([step["args"]["reused"] for step in steps if step["op"] == "done"][1])
    assert hits == [10, 8, 0]


# -- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fork", "code"),
    [
        (Fork(999, "prompt", "too late"), "fork.no_prompt"),
        (Fork(999, "swap", "prompts"), "fork.no_prompt"),
        (Fork(999, "timestamp", "first"), "fork.no_prompt"),
        (Fork(0, "prompt", "  \n "), "fork.empty"),
        (Fork(0, "prompt", "x" * 2_001), "fork.prompt"),
        (Fork(0, "slots", 2), "request.too_large"),
        (Fork(0, "prompt", "word " * 300), "request.too_large"),
    ],
)
def test_what_cannot_be_is_told_in_both_languages(fork: Fork, code: str) -> None:
    with pytest.raises(BrothError) as caught:
        run(fork_of("P1", fork))
    assert caught.value.code == code
    zh, en = error_text(caught.value, "zh"), error_text(caught.value, "en")
    assert zh != en != ""


def test_the_last_prompt_has_nobody_to_change_places_with() -> None:
    arrivals = [step["i"] + 1 for step in steps_of("P1") if step["op"] == "arrive"]
    with pytest.raises(BrothError) as caught:
        fork_of("P1", Fork(arrivals[1], "swap", "prompts"))
    assert caught.value.code == "fork.no_second"


def test_prompts_given_as_ids_take_no_time_stamp() -> None:
    made = scenario([{"op": "submit", "id": "R0", "tokens": [1, 2, 3]}, {"op": "run"}])
    log = run(made)
    with pytest.raises(BrothError) as caught:
        forked(made, log, stage_steps(log, {}), Fork(0, "timestamp", "last"), "en")
    assert caught.value.code == "fork.no_text"


# -- reading what a browser says -----------------------------------------------------------------------------

GARBAGE: list[Any] = [
    None, 5, "slots", [], {}, {"step": 3}, {"step": 3, "change": "slots"},
    {"step": -1, "change": "slots", "value": 4},
    {"step": "3", "change": "slots", "value": 4},
    {"step": True, "change": "slots", "value": 4},
    {"step": 3, "change": "slots", "value": True},
    {"step": 2.5, "change": "slots", "value": 4},
    {"step": float("nan"), "change": "slots", "value": 4},
    {"step": float("inf"), "change": "slots", "value": 4},
    {"step": 3, "change": "slots", "value": float("nan")},
    {"step": 3, "change": "slots", "value": "many"},
    {"step": 3, "change": "slots", "value": 0},
    {"step": 3, "change": "slots", "value": MAX_SLOTS + 1},
    {"step": 3, "change": "slots", "value": 10**9},
    {"step": 3, "change": "slots", "value": None},
    {"step": 3, "change": ["slots"], "value": 4},
    {"step": 3, "change": "num_blocks", "value": 4},
    {"step": 3, "change": "block_size", "value": -4},
    {"step": 3, "change": "queue_rule", "value": "sideways"},
    {"step": 3, "change": "queue_rule", "value": []},
    {"step": 3, "change": "timestamp", "value": 5},
    {"step": 3, "change": "prompt", "value": {"en": "x"}},
]  # fmt: skip


@pytest.mark.parametrize("told", GARBAGE, ids=repr)
def test_garbage_is_no_fork(told: object) -> None:
    assert read_fork(told) is None


def test_whole_numbers_may_come_as_floats() -> None:
    assert read_fork({"step": 3.0, "change": "slots", "value": 4.0}) == Fork(3, "slots", 4)


forks = st.one_of(
    st.builds(Fork, st.integers(0, 99_999), st.just("prompt"), shown_texts),
    *[
        st.builds(Fork, st.integers(0, 99_999), st.just(name), st.integers(*NUMBERS[name]))
        for name in NUMBERS
    ],
    *[st.builds(Fork, st.integers(0, 99_999), st.just(name), st.sampled_from(WORDS[name])) for name in WORDS],
)


@given(forks)
def test_a_fork_survives_the_link(fork: Fork) -> None:
    """Prompts of digits, with dots, empty ones: all as they were."""
    assert fork_from_link(fork.to_link()) == fork


@given(
    st.one_of(
        any_texts, any_texts.map("3.prompt.".__add__), st.from_regex(r"\d*\.(slots|prompt|ttl|swap)\.?.*")
    )
)
def test_a_damaged_link_never_raises(text: str) -> None:
    fork = fork_from_link(text)
    assert fork is None or fork_from_link(fork.to_link()) == fork


@given(st.integers(0, 99_999), any_texts)
def test_a_prompt_from_the_stage_fits_into_an_address(step: int, text: str) -> None:
    """It comes as JSON, which can hold half a surrogate pair."""
    fork = read_fork(json.loads(json.dumps({"step": step, "change": "prompt", "value": text})))
    assert fork == Fork(step, "prompt", showable(text))
    assert through_the_address({"fork": fork.to_link()}) == {"fork": fork.to_link()}


@given(forks)
def test_any_fork_runs_or_is_refused_by_us(fork: Fork) -> None:
    codes = {"request.empty"}
    try:
        run(fork_of("P3", fork))
    except BrothError as error:
        codes.add(error.code)
    assert all(f"error.{code}" in table("en") for code in codes)
