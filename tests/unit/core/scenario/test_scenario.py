"""Scenarios: every op does what it says, and a broken file is refused with file, command and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.engine import events as ev
from core.engine.engine import Engine
from core.errors import BrothError, ConfigError, RequestError, ScenarioError
from core.scenario.reader import MAX_STEPS, MAX_TOKENS, OPS, load_scenario
from core.scenario.scenario import Scenario, execute, run
from core.types import MAX_LESSON_SLOTS, MultiModalItem

Json = dict[str, Any]
A: Json = {"op": "submit", "id": "A", "tokens": [1, 2, 3, 4, 5]}
START: Json = {**A, "op": "start"}


def read(*commands: Json, **head: Any) -> Scenario:
    data = {"schema": 1, "block_size": 2, "num_slots": 6, **head, "commands": list(commands)}
    return load_scenario(json.dumps(data), name="lesson.json")


def told(*commands: Json, **head: Any) -> list[ev.Event]:
    return list(run(read(*commands, **head)).events)


# -- every op ---------------------------------------------------------------------------------------------


def state_after(*commands: Json, **head: Any) -> Engine:
    scenario = read(*commands, **head)
    engine = Engine(scenario.config)
    for command in scenario.commands:
        execute(engine, command)
    return engine


def test_submit_step_run_abort() -> None:
    outputs = {**A, "output_tokens": [7, 8, 9]}
    assert state_after(A).view.waiting_ids() == ("A",)
    assert state_after(outputs, {"op": "step"}).view.num_tokens("A") == 6
    assert state_after(outputs, {"op": "step", "n": 2}).num_steps == 2
    assert state_after(outputs, {"op": "run"}).view.request_ids() == ()
    aborted = told(A, {"op": "abort", "id": "A"})
    assert aborted[-1] == ev.RequestFinished("A", True)


def test_reset_version_policy_wait() -> None:
    assert told(START, {"op": "reset"})[-1] == ev.CacheReset(False, 0)
    assert told(START, {"op": "reset", "running": True})[-1] == ev.CacheReset(True, 2)
    assert told({"op": "version", "version": "v2"})[-1] == ev.VersionChanged("v2")
    assert told({"op": "policy", "name": "ttl", "value": 5})[-1] == ev.PolicyChanged("ttl", 5)
    assert told({"op": "policy", "name": "ttl", "value": None})[-1] == ev.PolicyChanged("ttl", None)
    assert told({"op": "wait", "ticks": 7}) == [ev.ClockAdvanced(7, True)]


def test_the_lower_verbs() -> None:
    assert state_after(START).view.block_table("A") == (1, 2, 3)
    assert state_after({**START, "chunk": 2}).view.computed("A") == 2
    assert state_after({**START, "chunk": 2}, {"op": "prefill", "id": "A", "n": 1}).view.computed("A") == 3
    assert state_after(START, {"op": "decode", "id": "A", "tokens": [9, 9]}).view.computed("A") == 7
    appended = state_after(START, {"op": "append", "id": "A", "tokens": [9]})
    assert (appended.view.num_tokens("A"), appended.view.computed("A")) == (6, 5)
    assert state_after(START, {"op": "free", "id": "A"}).view.num_free == 6
    preempted = state_after(START, {"op": "preempt", "id": "A"})
    assert preempted.view.block_table("A") == ()
    resumed = state_after(START, {"op": "preempt", "id": "A"}, {"op": "resume", "id": "A", "chunk": 1})
    assert (resumed.view.computed("A"), resumed.view.running_ids()) == (5, ("A",))
    assert told(START, {"op": "lookup", "tokens": [1, 2, 3]})[-1] == ev.LookedUp(2, (1,))
    evicted = told(START, {"op": "evict", "blocks": [1]})[-1]
    assert isinstance(evicted, ev.BlockEvicted)


def test_fit_false_lets_a_first_chunk_in() -> None:
    giant = {"op": "start", "id": "A", "tokens": list(range(14)), "chunk": 2}
    assert isinstance(told(giant)[-1], ev.RequestRefused)
    assert state_after({**giant, "fit": False}).view.computed("A") == 2


def test_every_op_is_used_above() -> None:
    above = Path(__file__).read_text("utf-8").split("def test_every_op_is_used_above")[0]
    assert [op for op in OPS if f'"op": "{op}"' not in above] == []


def test_every_field_of_a_request_arrives() -> None:
    command = read(
        {
            **A,
            "output_tokens": [6],
            "salt": "s",
            "lora": ["n", "p"],
            "mm": [{"id": "i", "offset": 1, "length": 2}],
            "priority": -3,
            "skip_read": True,
        }
    ).commands[0]
    request = command.request
    assert request is not None
    assert (request.request_id, request.token_ids, request.outputs) == ("A", (1, 2, 3, 4, 5), (6,))
    assert (request.salt, request.lora, request.priority, request.skip_read) == ("s", ("n", "p"), -3, True)
    assert request.mm == (MultiModalItem("i", 1, 2),)


def test_text_in_two_languages_becomes_tokens_and_pieces() -> None:
    text = {
        "op": "submit",
        "id": "A",
        "text": {"en": "Hot soup", "zh": "热汤"},
        "output": {"en": " ok", "zh": "好"},
    }
    data = {"schema": 1, "commands": [text, {"op": "run"}]}
    english, chinese = load_scenario(data, lang="en"), load_scenario(data, lang="zh")
    assert english.pieces() == {"A": ["Hot", " soup", " ok"]}
    assert chinese.pieces() == {"A": ["热", "汤", "好"]}
    assert english.commands[0].prompt.ids != chinese.commands[0].prompt.ids
    assert english.to_json()["commands"] == data["commands"]


def test_token_streams_are_the_scenarios_own() -> None:
    scenario = read({**A, "tokens": "S[0:3] u[0:1] 7"}, {**A, "id": "B", "tokens": "S[0:3]"})
    one, two = (command.prompt.ids for command in scenario.commands)
    assert one[:3] == two
    assert (len(one), one[4]) == (5, 7)


def test_decoded_tokens_join_the_pieces() -> None:
    scenario = read(
        START, {"op": "decode", "id": "A", "tokens": [9]}, {"op": "append", "id": "A", "text": " ok"}
    )
    assert scenario.pieces() == {"A": [" 1", " 2", " 3", " 4", " 5", " 9", " ok"]}


# -- settings ---------------------------------------------------------------------------------------------


def test_slots_are_usable_blocks() -> None:
    assert read(num_slots=10).config.num_blocks == 11
    assert read(num_slots=0).config.num_usable == 0


def test_settings_stand_in_config_and_knobs_override_them() -> None:
    data = {"schema": 1, "block_size": 4, "num_slots": 9, "config": {"ttl": 5}, "commands": []}
    scenario = load_scenario(data, config={"num_slots": 3, "block_size": 8, "ttl": None, "cache_cap": 2})
    assert (scenario.config.block_size, scenario.config.num_usable) == (8, 3)
    assert (scenario.config.ttl, scenario.config.cache_cap) == (None, 2)


def test_only_what_differs_from_the_defaults_is_written() -> None:
    assert read(A, config={"ttl": 3, "admit_after": 1}).to_json() == {
        "schema": 1,
        "id": "",
        "block_size": 2,
        "num_slots": 6,
        "config": {"ttl": 3},
        "commands": [A],
    }


# -- refusals ---------------------------------------------------------------------------------------------

BAD_FILES: dict[str, tuple[str, str, str]] = {
    # name: (text, code, a part of the message)
    "no json": ("{", "scenario.json", "lesson.json is not JSON"),
    "a list": ("[]", "scenario.value", "a JSON object"),
    "no schema": ('{"commands": []}', "scenario.schema", "schema is None; this version reads 1"),
    "newer schema": ('{"schema": 2, "commands": []}', "scenario.schema", "schema is 2"),
    "no commands": ('{"schema": 1}', "scenario.missing", "'commands' is missing"),
    "commands are an object": ('{"schema": 1, "commands": {}}', "scenario.value", "a list of commands"),
    "unknown field": ('{"schema": 1, "commands": [], "slots": 4}', "scenario.field", "'slots'"),
    "config is a list": (
        '{"schema": 1, "commands": [], "config": []}',
        "scenario.value",
        "object of settings",
    ),
    "unknown setting": ('{"schema": 1, "commands": [], "config": {"x": 1}}', "scenario.setting", "'x'"),
    "wrong setting": ('{"schema": 1, "commands": [], "config": {"ttl": -1}}', "config.ttl", "ttl is -1"),
    "negative block size": ('{"schema": 1, "commands": [], "block_size": -4}', "config.block_size", "-4"),
    "slots as text": ('{"schema": 1, "commands": [], "num_slots": "9"}', "scenario.value", "num_slots"),
    "negative slots": ('{"schema": 1, "commands": [], "num_slots": -1}', "scenario.value", "num_slots"),
    "too many slots": (
        f'{{"schema": 1, "commands": [], "num_slots": {MAX_LESSON_SLOTS + 1}}}',
        "scenario.value",
        "num_slots",
    ),
    "too many blocks": (
        '{"schema": 1, "commands": [], "config": {"num_blocks": 999999999}}',
        "scenario.value",
        "num_slots",
    ),
    "not a number": ('{"schema": 1, "commands": [], "block_size": NaN}', "scenario.json", "NaN"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_broken_file_is_refused(name: str) -> None:
    text, code, part = BAD_FILES[name]
    with pytest.raises((ScenarioError, ConfigError)) as caught:
        load_scenario(text, name="lesson.json")
    assert caught.value.code == code
    assert part in caught.value.message


BAD_COMMANDS: dict[str, tuple[Any, str, str]] = {
    # name: (command, code, field)
    "a number": (7, "scenario.value", "command 2"),
    "no op": ({"id": "A"}, "scenario.op", ""),
    "unknown op": ({"op": "jump"}, "scenario.op", ""),
    "op is a list": ({"op": []}, "scenario.op", ""),
    "id missing": ({"op": "abort"}, "scenario.missing", "id"),
    "id is a number": ({"op": "abort", "id": 3}, "scenario.value", "id"),
    "unknown field": ({"op": "run", "n": 3}, "scenario.field", "n"),
    "tokens missing": ({"op": "submit", "id": "A"}, "scenario.value", "text"),
    "text and tokens": ({**A, "text": "x"}, "scenario.value", "text"),
    "tokens are a number": ({**A, "tokens": 5}, "scenario.value", "tokens"),
    "tokens hold a text": ({**A, "tokens": [1, "2"]}, "scenario.value", "tokens"),
    "tokens hold a float": ({**A, "tokens": [1, 2.5]}, "scenario.value", "tokens"),
    "tokens hold true": ({**A, "tokens": [True]}, "scenario.value", "tokens"),
    "text is a number": ({"op": "submit", "id": "A", "text": 5}, "scenario.value", "text"),
    "text lacks the language": ({"op": "submit", "id": "A", "text": {"zh": "x"}}, "scenario.value", "text"),
    "steps of none": ({"op": "step", "n": 0}, "scenario.value", "n"),
    "steps without end": ({"op": "step", "n": MAX_STEPS + 1}, "scenario.value", "n"),
    "half a tick": ({"op": "wait", "ticks": 0.5}, "scenario.value", "ticks"),
    "chunk of null": ({**START, "chunk": None}, "scenario.value", "chunk"),
    "fit of one": ({**START, "fit": 1}, "scenario.value", "fit"),
    "chunk in a submit": ({**A, "chunk": 1}, "scenario.field", "chunk"),
    "salt is a number": ({**A, "salt": 5}, "scenario.value", "salt"),
    "lora is a text": ({**A, "lora": "np"}, "scenario.value", "lora"),
    "lora of one": ({**A, "lora": ["n"]}, "scenario.value", "lora"),
    "mm is an object": ({**A, "mm": {}}, "scenario.value", "mm"),
    "mm lacks a field": ({**A, "mm": [{"id": "i", "offset": 1}]}, "scenario.value", "mm"),
    "mm offset is a text": ({**A, "mm": [{"id": "i", "offset": "1", "length": 1}]}, "scenario.value", "mm"),
    "mm length is half": ({**A, "mm": [{"id": "i", "offset": 1, "length": 1.5}]}, "scenario.value", "mm"),
    "mm length is none": ({**A, "mm": [{"id": "i", "offset": 1, "length": 0}]}, "scenario.value", "mm"),
    "mm has more": ({**A, "mm": [{"id": "i", "offset": 1, "length": 1, "x": 1}]}, "scenario.value", "mm"),
    "priority is a text": ({**A, "priority": "high"}, "scenario.value", "priority"),
    "blocks hold a text": ({"op": "evict", "blocks": ["1"]}, "scenario.value", "blocks"),
    "version is null": ({"op": "version", "version": None}, "scenario.value", "version"),
    "bad stream": ({**A, "tokens": "S[3:1]"}, "tokens.range", ""),
    "bad notation": ({**A, "tokens": "S(1)"}, "tokens.notation", ""),
    "empty prompt": ({**A, "tokens": []}, "request.empty", ""),
    "empty id": ({**A, "id": ""}, "request.id", ""),
}


@pytest.mark.parametrize("name", BAD_COMMANDS)
def test_a_broken_command_is_refused_with_its_number_and_field(name: str) -> None:
    command, code, field = BAD_COMMANDS[name]
    with pytest.raises(BrothError) as caught:
        read(A, command)
    error = caught.value
    assert error.code == code
    assert error.values["file"] == "lesson.json"
    assert error.values["command"] == 2
    if code.startswith("scenario."):
        assert "lesson.json" in error.message
        assert "command 2" in error.message
        assert field in error.message
        assert not field or str(error.values["field"]).endswith(field)


def test_a_scenario_holds_so_many_tokens_at_most() -> None:
    half = f"S[0:{2**19}]"
    with pytest.raises(ScenarioError, match=f"at most {MAX_TOKENS} tokens"):
        read(*[{**A, "id": f"R{number}", "tokens": half} for number in range(4)])


RUNTIME: dict[str, tuple[list[Json], str]] = {
    "unknown request": ([{"op": "free", "id": "A"}], "request.unknown"),
    "same id twice": ([A, A], "request.duplicate"),
    "never fits": ([{**A, "tokens": list(range(13))}], "request.too_large"),
    "negative token": ([{**A, "tokens": [-1]}], "request.token"),
    "no such block": ([{"op": "evict", "blocks": [7]}], "request.block"),
    "no such policy": ([{"op": "policy", "name": "block_size", "value": 2}], "request.policy"),
    "wrong policy value": ([{"op": "policy", "name": "ttl", "value": "long"}], "config.ttl"),
    "not running": ([A, {"op": "preempt", "id": "A"}], "request.not_running"),
}


@pytest.mark.parametrize("name", RUNTIME)
def test_a_command_that_cannot_be_carried_out_names_its_number(name: str) -> None:
    commands, code = RUNTIME[name]
    with pytest.raises((RequestError, ConfigError)) as caught:
        told({"op": "wait", "ticks": 1}, *commands)
    assert caught.value.code == code
    assert caught.value.values["command"] == 1 + len(commands)
    assert caught.value.values["op"] == commands[-1]["op"]
