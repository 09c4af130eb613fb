"""Broth's own files among logs: each is refused with where it belongs. And streams whose parts do not fit."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from core.scenario.reader import load_scenario
from core.scenario.scenario import run
from tests.unit.core.traces.logs import error_of, jsonl, notes, read_rows
from ui.stage.own import OwnPrompts, own_to_file
from ui.words.i18n import LANGS, error_text

Json = dict[str, Any]
SCENARIO: Json = {
    "schema": 1,
    "id": "s",
    "block_size": 4,
    "num_slots": 8,
    "commands": [{"op": "submit", "id": "a", "text": "one two three four five six"}, {"op": "run"}],
}


def test_an_event_log_says_how_to_play_it_here() -> None:
    text = run(load_scenario(json.dumps(SCENARIO))).to_jsonl()
    error = error_of(text)
    assert error.code == "trace.own_event_log"
    for lang in LANGS:
        assert "core.timeline.kv_events log" in error_text(error, lang)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_report_says_to_load_its_log(indent: int | None) -> None:
    report = {"broth": "traffic-report", "schema": 1, "log": {"name": "x", "requests": 3}, "runs": []}
    assert error_of(json.dumps(report, indent=indent)).code == "trace.own_report"


def test_prompts_and_sequences_that_were_kept_say_where_they_load() -> None:
    assert error_of(json.dumps({"broth_prompts": 1, "messages": []}, indent=2)).code == "trace.own_prompts"
    assert error_of(json.dumps({"broth_sequence": 1, "stops": []})).code == "trace.own_sequence"
    assert error_of(own_to_file(OwnPrompts())).code == "trace.own_prompts"


def test_a_prompt_that_speaks_of_broth_is_a_prompt() -> None:
    assert len(read_rows({"prompt": "event-log", "broth": "hot"}).requests) == 1


@pytest.mark.parametrize(
    "text", ['{"b": 1, "a": [2]}', "[1, 2, 3]", '[{"x": 1}]', "{}", '{"state": {"now": "x"}}']
)
def test_a_prompt_that_is_json_is_a_prompt(text: str) -> None:
    """Such a text was entered for a body, and the log refused."""
    (request,) = read_rows({"prompt": text}).requests
    assert request.segments[0].text == text


# -- recorded streams --------------------------------------------------------------------------------------


def stored(num_hashes: int, num_tokens: int, size: int = 4) -> Json:
    hashes = list(range(100, 100 + num_hashes))
    return {"type": "BlockStored", "block_hashes": hashes, "token_ids": [1] * num_tokens, "block_size": size}


@pytest.mark.parametrize("seed", range(10))
def test_hashes_and_tokens_that_do_not_fit_are_told_with_their_numbers(seed: int) -> None:
    """A pool of a sliding window announces fewer hashes than blocks of tokens: these went without a word."""
    rng = random.Random(seed)
    shapes = [(rng.randint(1, 4), rng.randint(1, 4)) for _ in range(rng.randint(2, 9))]
    shapes.append((2, 3))
    trace = read_rows(*({"ts": n, "events": [stored(h, 4 * b)]} for n, (h, b) in enumerate(shapes)))
    wrong = [(h, b) for h, b in shapes if h != b]
    assert notes(trace)["tokens_dropped"] == len(wrong)
    (note,) = [note for note in trace.notes if note.code == "tokens_dropped"]
    assert note.values == {"hashes": sum(h for h, _ in wrong), "blocks": sum(b for _, b in wrong)}


def test_a_stream_that_tells_no_tokens_or_all_of_them_has_no_such_note() -> None:
    assert "tokens_dropped" not in notes(read_rows({"ts": 1, "events": [stored(2, 0), stored(3, 12)]}))


@pytest.mark.parametrize("wrong", ["notahash", "", "xyz", "12g4", "a b", "-", "hello world!"])
def test_a_text_that_can_be_no_hash_is_refused(wrong: str) -> None:
    event = {"type": "BlockRemoved", "block_hashes": [wrong]}
    error = error_of(jsonl({"ts": 1, "events": [event]}))
    assert (error.code, error.values["field"]) == ("trace.value", "events[0].block_hashes")


@pytest.mark.parametrize(
    "right",
    [7, -7, 2**63, "123", "-9", "0xff", "DEADbeef", "ab" * 32, "q83vEjRWeJCrze8SNFZ4kA=="],
)
def test_hashes_as_engines_and_recorders_write_them(right: int | str) -> None:
    trace = read_rows({"ts": 1, "events": [{"type": "BlockRemoved", "block_hashes": [right]}]})
    assert trace.events is not None
    assert trace.events.num_removed == 1


@pytest.mark.parametrize("time", ["1e999", "-1e999", '"soon"', "[1]", "1e21"])
def test_a_batch_at_no_time_is_refused(time: str) -> None:
    error = error_of('{"ts": 1, "events": []}\n{"ts": ' + time + ', "events": []}\n')
    assert (error.code, error.values["field"], error.values["line"]) == ("trace.value", "ts", 2)
