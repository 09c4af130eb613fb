"""A log's KV events as a stream that other tools read: the batches vLLM sends, one a line.

    python -m core.timeline.kv_events LOG [--out FILE] [--msgpack]

A batch is vLLM 0.33's ``[timestamp, [event, …], data_parallel_rank]``, each event a map with its ``type``
first; as JSON Lines, or with ``--msgpack`` (which needs the package of that name) as the payloads vLLM sends,
one after the other. A batch ends with a command that computes, a step as a rule; what happens between two
of them, a reset or a forced eviction, travels with the next (rule 52). The timestamp is the logical clock, in
ticks, for the engine knows no other; the rank is 0.

Hashes are published as vLLM does by default: the last 8 bytes of the digest, big endian, as an unsigned
number. Ours are xxh3-128, so they never equal a number of vLLM's. (The weak hash of a lesson has nothing in
those bytes: all its blocks share the number 0.)
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from core.engine.events import ClockAdvanced, Event, RequestAdmitted, RequestScheduled, StepStarted
from core.engine.kv_events import ExtraKeys, KVCleared, KVEvent, KVRemoved, KVStored
from core.errors import BrothError, EventLogError
from core.extras import how_to_add
from core.timeline.event_log import EventLog, load_lines
from core.timeline.kv_events import KVEventReader
from core.types import BlockHash

Batch = tuple[int, list[KVEvent]]
"""The clock at which it was sent, and what it announces."""
_COMPUTES = (StepStarted, RequestAdmitted, RequestScheduled)


def batches(log: EventLog) -> Iterator[Batch]:
    """The batches of a log, none of them empty. O(events + tokens).

    Raises:
        EventLogError: as ``kv_events``; or the log was written without block events.
    """
    _refuse_without_blocks(log)
    reader = KVEventReader(log.config.block_size, log.place)
    clock, waiting = 0, list[KVEvent]()
    for clock, events in _commands(log):
        waiting += reader.read(events)
        if waiting and any(isinstance(event, _COMPUTES) for event in events):
            yield clock, waiting
            waiting = []
    if waiting:
        yield clock, waiting


def _refuse_without_blocks(log: EventLog) -> None:
    computed = any(isinstance(event, RequestAdmitted) for event in log.events)
    if computed and not any(event.is_block_event for event in log.events):
        message = (
            "This event log was written without block events, so it does not tell what was stored. "
            "Run its scenario again with block events."
        )
        raise EventLogError("log.no_block_events", message)


def _commands(log: EventLog) -> Iterator[tuple[int, list[Event]]]:
    """The log cut where commands begin, with the clock of each."""
    clock, events = 0, list[Event]()
    for event in log.events:
        if isinstance(event, ClockAdvanced):
            yield clock, events
            clock, events = event.clock, []
        events.append(event)
    yield clock, events


def external_hash(digest: BlockHash) -> int:
    """A hash as it is published."""
    return int.from_bytes(digest[-8:], "big")


def wire_batch(batch: Batch) -> list[Any]:
    """A batch as JSON values."""
    clock, events = batch
    return [float(clock), [wire_event(event) for event in events], 0]


def wire_event(event: KVEvent) -> dict[str, Any]:
    """An event as JSON values, with vLLM's names in vLLM's order."""
    match event:
        case KVStored():
            parent = event.parent_block_hash
            return {
                "type": "BlockStored",
                "block_hashes": [external_hash(digest) for digest in event.block_hashes],
                "parent_block_hash": None if parent is None else external_hash(parent),
                "token_ids": event.token_ids.tolist(),
                "block_size": event.block_size,
                "lora_id": event.lora_id,
                "medium": event.medium,
                "lora_name": event.lora_name,
                "extra_keys": [_wire_keys(keys) for keys in event.extra_keys],
                "group_idx": event.group_idx,
                "kv_cache_spec_kind": event.kv_cache_spec_kind,
            }
        case KVRemoved():
            return {
                "type": "BlockRemoved",
                "block_hashes": [external_hash(event.block_hash)],
                "medium": event.medium,
                "group_idx": event.group_idx,
            }
        case KVCleared():
            return {"type": "AllBlocksCleared"}


def _wire_keys(keys: ExtraKeys) -> list[Any] | None:
    return None if keys is None else [list(key) if isinstance(key, tuple) else key for key in keys]


# -- the command --------------------------------------------------------------------------------------

Pack = Callable[[list[Any]], bytes]


def json_line(batch: list[Any]) -> bytes:
    """A batch as one line of JSON, pure ASCII."""
    return json.dumps(batch, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def msgpack_payload() -> Pack:
    """What packs a batch as vLLM sends it.

    Raises:
        EventLogError: the package msgpack is not installed.
    """
    try:
        from msgpack import Packer
    except ImportError:
        command = how_to_add("msgpack")
        message = f"The package msgpack is not installed. Add it with: {command}, or leave out --msgpack."
        raise EventLogError("log.msgpack", message, command=command) from None
    pack: Pack = Packer(unicode_errors="surrogatepass").pack
    return pack


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the stream of a log; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m core.timeline.kv_events",
        description="Write the KV events of an event log as the batches that vLLM would send.",
        epilog="Exit status: 0 written, 2 the log cannot be used.",
    )
    parser.add_argument("log", type=Path, metavar="LOG", help="an event log of Broth, told with block events")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write here, not to the standard output")
    parser.add_argument("--msgpack", action="store_true", help="msgpack payloads instead of JSON lines")
    options = parser.parse_args(arguments)
    try:
        pack = msgpack_payload() if options.msgpack else json_line
        with options.log.open(encoding="utf-8") as lines:
            log = load_lines(lines, name=options.log.name)
        stream = [pack(wire_batch(batch)) for batch in batches(log)]
        if options.out is None:
            _write(sys.stdout.buffer, stream)
        else:
            with options.out.open("wb") as out:
                _write(out, stream)
    except (BrothError, OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _write(out: BinaryIO, stream: Sequence[bytes]) -> None:
    out.writelines(stream)
    out.flush()
