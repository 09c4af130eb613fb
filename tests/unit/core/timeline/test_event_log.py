"""The JSONL form of a log: how it looks, and that a broken file is refused with file, line and field."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from core.engine.events import BlockHashed, BlockReleased, ClockAdvanced, PolicyChanged, RequestArrived
from core.errors import EventLogError
from core.scenario.reader import load_scenario
from core.scenario.scenario import run
from core.timeline.event_log import EventLog, encode_event, load_jsonl, load_lines
from core.types import EngineConfig

HASH = bytes(range(16))
SMALL = EventLog(
    EngineConfig(block_size=2, num_blocks=4),
    (
        ClockAdvanced(1, False),
        RequestArrived("A", (1, 2), 0, None, ("n", "p"), "", 0, False, 0, (("img", 0, 2),)),
        BlockHashed("A", 0, HASH, None),
    ),
)


def test_the_lines_of_a_log() -> None:
    header, clock, arrived, hashed = SMALL.to_jsonl().splitlines()
    assert header.startswith('{"broth":"event-log","schema":2,"config":{"block_size":2,"num_blocks":4,')
    assert clock == '{"type":"ClockAdvanced","clock":1,"waited":false}'
    assert json.loads(arrived) == {
        "type": "RequestArrived",
        "request_id": "A",
        "token_ids": [1, 2],
        "num_outputs": 0,
        "salt": None,
        "lora": ["n", "p"],
        "version": "",
        "priority": 0,
        "skip_read": False,
        "waiting_place": 0,
        "mm": [["img", 0, 2]],
    }
    assert hashed == (
        '{"type":"BlockHashed","request_id":"A","index":0,'
        '"hash":"000102030405060708090a0b0c0d0e0f","parent_hash":null}'
    )


def test_reading_a_log_back_gives_an_equal_log_and_equal_bytes() -> None:
    log = load_jsonl(SMALL.to_jsonl())
    assert log == SMALL
    assert log.to_jsonl() == SMALL.to_jsonl()
    assert load_lines(SMALL.to_jsonl().encode().decode().split("\n")) == SMALL


def test_a_log_of_schema_1_says_nothing_of_images() -> None:
    lines = [OLD_HEADER, event_without(ARRIVED, "mm"), json.dumps(HASHED)]
    log = load_lines(lines)
    assert log.events == (replace(SMALL.events[1], mm=()), SMALL.events[2])
    assert load_jsonl(log.to_jsonl()) == log


def test_blank_lines_are_no_events() -> None:
    assert load_jsonl("\n" + SMALL.to_jsonl().replace("\n", "\n\n")) == SMALL


@pytest.mark.parametrize("text", ["\u2028", "\x85", "\x0b\x0c\x1c", "\r\n", "\ud83d", '"\\', "面馆", "😀"])
def test_any_text_in_an_id_survives(text: str) -> None:
    events = (RequestArrived(text, (1,), 0, text, None, text, 0, False, None),)
    log = EventLog(EngineConfig(version=text), events)
    written = log.to_jsonl()
    assert load_jsonl(written) == log
    assert load_jsonl(written.encode("utf-8").decode("utf-8")) == log  # as a file
    assert len(written.splitlines()) == 2


def lines_of(scenario: dict[str, Any]) -> list[str]:
    return run(load_scenario({"schema": 1, **scenario})).to_jsonl().splitlines()


def test_a_real_log_survives() -> None:
    commands = [{"op": "submit", "id": "A", "tokens": [1, 2, 3], "output_tokens": [4, 5]}, {"op": "run"}]
    lines = lines_of({"block_size": 2, "num_slots": 4, "commands": commands})
    assert list(load_lines(lines).lines()) == lines


HEADER = json.dumps({"broth": "event-log", "schema": 2, "config": {}})
OLD_HEADER = HEADER.replace("2", "1", 1)
RELEASED = encode_event(BlockReleased("A", 0, 1, 0, "back", 0))
ARRIVED = encode_event(SMALL.events[1])
HASHED = encode_event(SMALL.events[2])


def event_with(event: dict[str, Any], **changes: Any) -> str:
    return json.dumps({**event, **changes})


def event_without(event: dict[str, Any], name: str) -> str:
    return json.dumps({key: value for key, value in event.items() if key != name})


BROKEN: dict[str, tuple[list[str], str, int | None, str | None]] = {
    # name: (lines, code, line, field)
    "empty": ([], "log.empty", None, None),
    "only blank lines": (["", "  "], "log.empty", None, None),
    "header is no JSON": (["{"], "log.json", 1, None),
    "header is a list": (["[]"], "log.json", 1, None),
    "some other file": (['{"schema":1,"config":{}}'], "log.header", 1, "broth"),
    "a scenario": (['{"schema":1,"commands":[]}'], "log.header", 1, "broth"),
    "newer schema": ([HEADER.replace("2", "3", 1)], "log.schema", 1, None),
    "no schema": (['{"broth":"event-log","config":{}}'], "log.schema", 1, None),
    "no settings": (['{"broth":"event-log","schema":1}'], "log.config", 1, "config"),
    "settings are a list": (['{"broth":"event-log","schema":1,"config":[]}'], "log.config", 1, "config"),
    "unknown setting": (['{"broth":"event-log","schema":1,"config":{"x":1}}'], "log.config", 1, "config"),
    "wrong setting": (['{"broth":"event-log","schema":1,"config":{"ttl":-1}}'], "log.config", 1, "config"),
    "too many blocks": (
        ['{"broth":"event-log","schema":1,"config":{"num_blocks":999999999}}'],
        "log.config",
        1,
        "config",
    ),
    "broken event": ([HEADER, '{"type":"ClockAdv'], "log.json", 2, None),
    "event is a number": ([HEADER, "", "7"], "log.json", 3, None),
    "NaN": ([HEADER, '{"type":"ClockAdvanced","clock":NaN,"waited":false}'], "log.json", 2, None),
    "no type": ([HEADER, '{"clock":1}'], "log.type", 2, "type"),
    "unknown type": ([HEADER, '{"type":"BlockMelted"}'], "log.type", 2, "type"),
    "a base class": ([HEADER, '{"type":"BlockEvent"}'], "log.type", 2, "type"),
    "type is a list": ([HEADER, '{"type":[]}'], "log.type", 2, "type"),
    "field missing": ([HEADER, event_without(RELEASED, "place")], "log.field", 2, "place"),
    "field unknown": ([HEADER, event_with(RELEASED, colour="red")], "log.field", 2, "colour"),
    "text for a number": ([HEADER, event_with(RELEASED, index="0")], "log.value", 2, "index"),
    "float for a number": ([HEADER, event_with(RELEASED, index=1.0)], "log.value", 2, "index"),
    "true for a number": ([HEADER, event_with(RELEASED, index=True)], "log.value", 2, "index"),
    "null for a number": ([HEADER, event_with(RELEASED, index=None)], "log.value", 2, "index"),
    "number for a text": ([HEADER, event_with(RELEASED, request_id=1)], "log.value", 2, "request_id"),
    "unknown place": ([HEADER, event_with(RELEASED, place="middle")], "log.value", 2, "place"),
    "one for true": ([HEADER, event_with(ARRIVED, skip_read=1)], "log.value", 2, "skip_read"),
    "text for tokens": ([HEADER, event_with(ARRIVED, token_ids="12")], "log.value", 2, "token_ids"),
    "float token": ([HEADER, event_with(ARRIVED, token_ids=[1, 2.5])], "log.value", 2, "token_ids"),
    "null token": ([HEADER, event_with(ARRIVED, token_ids=[None])], "log.value", 2, "token_ids"),
    "image without length": ([HEADER, event_with(ARRIVED, mm=[["img", 0]])], "log.value", 2, "mm"),
    "images missing": ([HEADER, event_without(ARRIVED, "mm")], "log.field", 2, "mm"),
    "images in an old log": ([OLD_HEADER, json.dumps(ARRIVED)], "log.field", 2, "mm"),
    "adapter of one": ([HEADER, event_with(ARRIVED, lora=["n"])], "log.value", 2, "lora"),
    "adapter of numbers": ([HEADER, event_with(ARRIVED, lora=[1, 2])], "log.value", 2, "lora"),
    "hash is no hex": ([HEADER, event_with(HASHED, hash="xyz")], "log.value", 2, "hash"),
    "hash too short": ([HEADER, event_with(HASHED, hash="00ff")], "log.value", 2, "hash"),
    "hash with blanks": ([HEADER, event_with(HASHED, hash=" " * 32)], "log.value", 2, "hash"),
    "hash is a number": ([HEADER, event_with(HASHED, hash=12)], "log.value", 2, "hash"),
    "hash is null": ([HEADER, event_with(HASHED, hash=None)], "log.value", 2, "hash"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_file_line_and_field(name: str) -> None:
    lines, code, line, field = BROKEN[name]
    with pytest.raises(EventLogError) as caught:
        load_jsonl("\n".join(lines), name="lesson.jsonl")
    error = caught.value
    assert error.code == code
    assert error.values["file"] == "lesson.jsonl"
    assert error.values.get("line") == line
    assert error.values.get("field") == field
    assert "lesson.jsonl" in error.message
    assert line is None or f"line {line}" in error.message
    assert field is None or field in error.message


def test_the_schema_message_says_what_to_do() -> None:
    with pytest.raises(EventLogError, match=r"schema is 3; this version reads 1 and 2\. Open it with the"):
        load_jsonl(BROKEN["newer schema"][0][0])


def test_null_is_read_where_it_is_allowed() -> None:
    log = EventLog(EngineConfig(), (PolicyChanged("ttl", None), PolicyChanged("ttl_kind", "idle")))
    assert load_jsonl(log.to_jsonl()) == log
