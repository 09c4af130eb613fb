"""A recorded stream as a run: the frames hold what the engine held, chains are what the parents say."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from core.engine.engine import Engine
from core.scenario.scenario import Scenario, execute
from core.timeline.frame import Frame, apply
from core.timeline.kv_events import KVEvent
from core.timeline.kv_stream import external_hash, wire_event
from core.traces.door.read import read_trace
from core.traces.packing.sources import TraceFile
from core.traces.recording import AllCleared, BlocksRemoved, BlocksStored, RecordedBatch, digest_of
from core.traffic.kv_run import KVRun, kv_run
from core.types import BlockHash
from tests.strategies import configs, examples, scenarios

FORMATS = Path(__file__).resolve().parents[3] / "data" / "formats"
POOL = (0, "GPU", 0)


def stored(parent: int | None, *hashes: int, size: int = 2, pool: Any = POOL) -> BlocksStored:
    tokens = array("I", [token for one in hashes for token in range(one * 10, one * 10 + size)])
    behind = None if parent is None else digest_of(parent)
    return BlocksStored(pool, tuple(map(digest_of, hashes)), behind, tokens, size)


def removed(*hashes: int, pool: Any = POOL) -> BlocksRemoved:
    return BlocksRemoved(pool, tuple(map(digest_of, hashes)))


def frames(run: KVRun) -> list[Frame]:
    found = [run.frame]
    for move in run.moves:
        found.append(apply(found[-1], move.patches))
    return found


def contents(frame: Frame) -> dict[str, int]:
    """Copies by hash; slots and table must agree."""
    carried = Counter(slot["hash"] for slot in frame["slots"].values() if slot["hash"])
    listed = frame["table"]
    assert carried == {digest: len(slots) for digest, slots in listed.items()}
    assert all(frame["slots"][str(slot)]["hash"] == key for key, slots in listed.items() for slot in slots)
    assert frame["queue"] == []
    assert all(slot["ref"] == 0 for slot in frame["slots"].values())
    return dict(carried)


def published(digest: BlockHash) -> str:
    return digest_of(external_hash(digest)).hex()


@given(scenarios(configs(hash_name="xxh3_128")))
@examples(60)
def test_after_every_command_the_frame_holds_what_the_engine_holds(scenario: Scenario) -> None:
    """Through the whole way: published, written, read, played; from any batch on."""
    told: list[KVEvent] = []
    lines: list[str] = []
    states: list[dict[str, int]] = []
    engine = Engine(scenario.config)
    engine.publish(told.append)
    for command in scenario.commands:
        told.clear()
        execute(engine, command)
        if told:
            lines.append(json.dumps([0.0, [wire_event(event) for event in told], 0]))
            states.append(
                {published(key): len(engine.view.cached_blocks(key)) for key in engine.view.cached_hashes()}
            )
    if not lines:
        return
    recording = read_trace(TraceFile("stream", "\n".join(lines))).recording
    for first in sorted({1, len(lines) // 2 + 1, len(lines)}):
        run = kv_run(recording, first)
        shown = frames(run)
        ends = [
            max((k + 1 for k, m in enumerate(run.moves) if m.batch <= b), default=0)
            for b in range(first, run.last + 1)
        ]
        assert [contents(shown[end]) for end in ends] == states[first - 1 : run.last]
        assert (run.num_left_out, run.num_idle) == (0, 0)
        for move, frame in zip(run.moves, shown[1:], strict=True):
            if move.chain is not None and move.place is not None and move.hash is not None:
                assert frame["reqs"][move.chain]["hashes"][move.place] == move.hash.hex()


def test_chains_grow_branch_and_begin_late() -> None:
    recording: list[RecordedBatch] = [
        (stored(None, 1, 2),),
        (stored(2, 3),),  # grows
        (stored(1, 4),),  # inside the first
        (stored(99, 5),),  # behind something from before
        (stored(2, 3),),  # again: 2 is no end any more
    ]
    run = kv_run(recording)
    calls = [(m.kind, m.chain, m.count, m.batch) for m in run.moves if m.kind not in ("stored", "copy")]
    assert calls == [
        ("begin", "C1", 2, 1),
        ("grow", "C1", 1, 2),
        ("branch", "C2", 1, 3),
        ("late", "C3", 1, 4),
        ("branch", "C4", 1, 5),
    ]
    last = frames(run)[-1]["reqs"]
    assert [len(last[name]["hashes"]) for name in ("C1", "C2", "C3", "C4")] == [3, 2, 2, 3]
    assert [last[name]["rooted"] for name in ("C1", "C2", "C3", "C4")] == [True, True, False, True]  # type: ignore[typeddict-item]
    assert last["C4"]["look"] == {"0": "told", "1": "told", "2": "stored"}
    assert run.tokens["C2"] == [10, 11, 40, 41]
    assert run.tokens["C3"] == [None, None, 50, 51]
    (copy,) = [move for move in run.moves if move.kind == "copy"]
    assert (copy.slot, copy.other) == (6, 3)


def test_slots_are_numbered_lowest_first_and_the_oldest_copy_goes_first() -> None:
    recording: list[RecordedBatch] = [
        (stored(None, 1),),
        (stored(None, 2), stored(None, 1)),
        (removed(1),),
        (stored(None, 3), removed(1, 7)),
        (AllCleared(0), stored(None, 4)),
    ]
    run = kv_run(recording)
    told = [(m.kind, m.slot, m.count) for m in run.moves if m.kind not in ("begin", "branch")]
    assert told == [
        ("stored", 1, 1),
        ("stored", 2, 1),
        ("copy", 3, 1),
        ("removed", 1, 1),  # one copy is left
        ("stored", 1, 1),
        ("removed", 3, 0),
        ("unseen", None, 1),
        ("cleared", None, 2),
        ("stored", 1, 1),
    ]
    assert frames(run)[-1]["totals"] == {**run.frame["totals"], "stored": 5, "evicted": 2}


def test_other_ranks_media_groups_and_block_sizes_are_left_out() -> None:
    others: list[Any] = [(1, "GPU", 0), (0, "CPU", 0), (0, "GPU", 1)]
    recording: list[RecordedBatch] = [
        (stored(None, 1), *(stored(None, 1, pool=pool) for pool in others), stored(None, 2, size=4)),
        (removed(1, pool=others[0]), AllCleared(1), removed(1, pool=(0, None, None))),
    ]
    run = kv_run(recording)
    assert run.num_left_out == 6
    assert [move.kind for move in run.moves] == ["begin", "stored", "removed"]


def test_a_long_stream_comes_in_parts_and_idle_blocks_are_counted() -> None:
    recording = [(stored(None, *range(k * 100, k * 100 + 100)),) for k in range(12)]
    first = kv_run(recording, most=250)
    assert (first.first, first.last, first.num_batches, first.num_idle) == (1, 2, 12, 0)
    later = kv_run(recording, 9, most=250)
    assert (later.last, later.num_idle, len(later.frame["slots"])) == (10, 800, 200)
    assert min(map(int, later.frame["slots"])) == 801  # numbers count from the beginning
    assert later.frame["totals"]["stored"] == 800
    assert kv_run(recording, 12, most=5).last == 12  # a batch is never cut
    whole = kv_run(recording, 1, most=10**6)
    assert [len(frame["table"]) for frame in (frames(whole)[0], frames(whole)[-1])] == [0, 1200]


def test_a_very_long_chain_is_drawn_in_pieces() -> None:
    chain = [(stored(k or None, k + 1, size=64),) for k in range(150)]
    run = kv_run(chain)
    last = frames(run)[-1]
    names = list(last["reqs"])
    assert names == ["C1", "C2", "C3", "C4"]
    assert [len(last["reqs"][name]["hashes"]) for name in names] == [48, 52, 52, 10]
    assert {len(run.tokens[name]) // 64 for name in names} == {48, 52, 10}
    assert [last["reqs"][name]["rooted"] for name in names] == [True, False, False, False]  # type: ignore[typeddict-item]
    assert last["reqs"]["C2"]["hashes"][3] == last["reqs"]["C1"]["hashes"][-1]
    one = kv_run([(stored(None, *range(1, 101), size=64),)])
    assert len(one.tokens["C1"]) // 64 == 48
    assert sum(move.place is None for move in one.moves) == 52


def test_what_a_server_sent() -> None:
    """Seven captured batches: a resend, a salt, a decode step, a reset, then another server's block size."""
    run = kv_run(read_trace(FORMATS / "kv_events_vllm.jsonl").recording)
    assert [m.kind for m in run.moves if m.kind not in ("stored", "copy")] == [
        *("begin", "branch", "begin", "begin", "cleared", "begin"),
        *("unseen", "unseen"),
    ]
    assert (run.block_size, run.num_left_out) == (128, 5)
    assert [len(frame["table"]) for frame in frames(run)][-1] == 4
    run = kv_run(read_trace(FORMATS / "kv_events_vllm.jsonl").recording[5:])
    assert [move.kind for move in run.moves] == [
        *("unseen", "begin", "stored", "stored"),
        *("unseen", "removed", "unseen", "removed", "begin", "stored", "stored", "stored"),
    ]


@pytest.mark.parametrize("recording", [[], [()], [(AllCleared(None),)], [(removed(1),)], [(stored(None),)]])
def test_hardly_anything(recording: list[RecordedBatch]) -> None:
    run = kv_run(recording)
    assert run.frame["slots"] == {}
    assert frames(run)[-1]["table"] == {}
