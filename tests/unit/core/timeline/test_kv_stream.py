"""The stream of KV events: what vLLM 0.33 sends, byte for byte where that can be known."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.engine.engine import Engine
from core.engine.events import Event
from core.engine.kv_events import KVRemoved, KVStored
from core.errors import EventLogError
from core.extras import how_to_add
from core.timeline.event_log import EventLog
from core.timeline.kv_stream import batches, external_hash, main, wire_batch
from core.types import EngineConfig, MultiModalItem, Request

ROOT = Path(__file__).resolve().parents[4]
SAMPLES = ROOT / "tests" / "data" / "formats" / "kv_events_vllm.jsonl"
STORED = [
    *("type", "block_hashes", "parent_block_hash", "token_ids", "block_size", "lora_id", "medium"),
    *("lora_name", "extra_keys", "group_idx", "kv_cache_spec_kind"),
]


def small_run() -> tuple[Engine, EventLog]:
    """Two requests that share a block, an eviction, and a reset between two steps."""
    told: list[Event] = []
    config = EngineConfig(block_size=2, num_blocks=5)
    engine = Engine(config, told.append)
    engine.submit(Request("a", (1, 2, 3, 4), (5,), mm=(MultiModalItem("cat", 2, 1),), lora=("poet", "/p")))
    engine.run()
    engine.submit(Request("b", (7, 8, 9, 1, 2, 3)))
    engine.run()
    engine.reset()
    engine.wait(3)
    engine.submit(Request("c", (1, 2), salt="s"))
    engine.run()
    return engine, EventLog(config, tuple(told))


def wire() -> list[Any]:
    return [wire_batch(batch) for batch in batches(small_run()[1])]


def recorded() -> list[dict[str, Any]]:
    """Batches captured from a real vLLM 0.33 server."""
    return [json.loads(line) for line in SAMPLES.read_text("utf-8").splitlines()]


def test_one_batch_a_step_that_has_events_and_a_reset_rides_with_the_next() -> None:
    told = wire()
    kinds = [[event["type"] for event in events] for _, events, _ in told]
    assert kinds == [
        ["BlockStored"],
        ["BlockRemoved", "BlockStored"],
        ["AllBlocksCleared", "BlockStored"],
    ]
    assert [(type(ts), rank) for ts, _, rank in told] == [(float, 0)] * 3
    assert [ts for ts, _, _ in told] == sorted(ts for ts, _, _ in told)


def test_names_and_their_order_are_those_of_a_recorded_batch() -> None:
    theirs = {event["type"]: list(event) for line in recorded() for event in line["decoded"][1]}
    ours = {event["type"]: list(event) for _, events, _ in wire() for event in events}
    assert ours == theirs
    assert ours["BlockStored"] == STORED


def test_values_of_a_stored_and_a_removed_event() -> None:
    first, second, last = wire()
    (stored,) = first[1]
    assert stored["token_ids"] == [1, 2, 3, 4]
    assert (stored["lora_id"], stored["lora_name"]) == (1, "poet")
    assert stored["extra_keys"] == [["poet"], ["poet", ["cat", 0]]]
    assert second[1][0]["block_hashes"] == stored["block_hashes"][1:]  # the tail goes before the head
    assert last[1][1]["extra_keys"] == [["s"]]


def test_a_hash_is_the_digests_last_8_bytes_big_endian() -> None:
    assert external_hash(bytes(8) + bytes([1, 0, 0, 0, 0, 0, 0, 2])) == 2**56 + 2
    assert max(external_hash(b"\xff" * 16), 0) == 2**64 - 1
    _, log = small_run()
    published = [event for _, events in batches(log) for event in events]
    digests = [key for event in published if isinstance(event, KVStored) for key in event.block_hashes]
    told = [key for _, events, _ in wire() for event in events for key in event.get("block_hashes", [])]
    assert set(told) == {int.from_bytes(digest[8:], "big") for digest in digests}
    assert any(isinstance(event, KVRemoved) for event in published)


def test_a_log_without_block_events_is_refused() -> None:
    told: list[Event] = []
    engine = Engine(EngineConfig(), told.append, block_events=False)
    engine.start(Request("a", (1, 2)))
    with pytest.raises(EventLogError) as found:
        list(batches(EventLog(engine.config, tuple(told))))
    assert found.value.code == "log.no_block_events"
    assert list(batches(EventLog(engine.config, ()))) == []


def test_the_paper_lists_every_field() -> None:
    section = (ROOT / "docs" / "event-log.md").read_text("utf-8").split("## KV events")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", section, re.M)
    told = {event["type"]: list(event)[1:] for _, events, _ in wire() for event in events}
    assert {name: re.findall(r"`(\w+)`", cells) for name, cells in rows} == told


# -- the command ----------------------------------------------------------------------------------------


def test_the_command_writes_json_lines(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    log, out = tmp_path / "run.jsonl", tmp_path / "stream.jsonl"
    log.write_text(small_run()[1].to_jsonl(), "utf-8")
    assert main([str(log), "--out", str(out)]) == 0
    assert [json.loads(line) for line in out.read_text("ascii").splitlines()] == wire()
    assert main([str(log)]) == 0
    assert capfdbinary.readouterr().out == out.read_bytes()


def test_the_command_as_people_start_it(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    log.write_text(small_run()[1].to_jsonl(), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "core.timeline.kv_events", str(log)], cwd=ROOT, capture_output=True, check=True
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == wire()


@pytest.mark.parametrize("text", [None, "", "{", '{"broth":"event-log","schema":9,"config":{}}', "\udcff"])
def test_what_cannot_be_used_is_told(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, out = tmp_path / "run.jsonl", tmp_path / "out"
    if text is not None:
        log.write_text(text, "utf-8", "surrogateescape")
    assert main([str(log), "--out", str(out)]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert not out.exists()


def test_msgpack_payloads_are_those_vllm_sends(tmp_path: Path) -> None:
    msgpack = pytest.importorskip("msgpack", reason="msgpack, which is optional, is not installed")
    log, out = tmp_path / "run.jsonl", tmp_path / "stream.bin"
    log.write_text(small_run()[1].to_jsonl(), "utf-8")
    assert main([str(log), "--msgpack", "--out", str(out)]) == 0
    with out.open("rb") as stream:
        assert list(msgpack.Unpacker(stream)) == wire()
    for line in recorded():  # the same values give the recorded bytes, so the encoding is the same
        assert msgpack.Packer().pack(line["decoded"]).hex() == line["payload_hex"]


def test_without_msgpack_the_command_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "msgpack", None)
    assert main([str(tmp_path / "run.jsonl"), "--msgpack"]) == 2
    assert how_to_add("msgpack") in capsys.readouterr().err
